#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace longrun {

/// The bytes of one stream on their way from the handler's threads to the connection.
class StreamBuffer {
 public:
  /// The result of add(), and what its caller has to do.
  enum class Added {
    queued,     ///< nothing: the connection is writing and will take the bytes
    first,      ///< wake the connection, which waits for bytes
    overflow,   ///< wake the connection, which closes
    not_added,  ///< nothing: the stream was closed before
  };

  explicit StreamBuffer(std::size_t limit) : limit_(limit) {}

  /// Adds bytes, unless the stream is closed or more than the limit would be unsent, which closes it. If nothing is
  /// unsent, any number of bytes is added.
  Added add(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (!open_) return Added::not_added;
    if (unsent_ > 0 && unsent_ + bytes.size() > limit_) {
      open_ = false;
      overflowed_ = true;
      return Added::overflow;
    }
    waiting_ += bytes;
    unsent_ += bytes.size();
    return std::exchange(taking_, true) ? Added::queued : Added::first;
  }

  /// Refuses further bytes. Returns whether the stream was open.
  bool close() {
    const std::lock_guard lock(mutex_);
    return std::exchange(open_, false);
  }

  /// Returns the bytes to write next. If there are none, the next add() returns `first`.
  std::string take() {
    const std::lock_guard lock(mutex_);
    taking_ = !waiting_.empty();
    return std::exchange(waiting_, {});
  }

  /// Notes that bytes of take() have been written.
  void sent(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    unsent_ -= bytes;
  }

  std::size_t unsent() const {
    const std::lock_guard lock(mutex_);
    return unsent_;
  }
  bool is_open() const {
    const std::lock_guard lock(mutex_);
    return open_;
  }
  bool overflowed() const {
    const std::lock_guard lock(mutex_);
    return overflowed_;
  }

 private:
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::string waiting_;      ///< not yet taken
  std::size_t unsent_ = 0;   ///< bytes of waiting_ and of take() that are not sent
  bool open_ = true;         ///< accepts bytes
  bool taking_ = false;      ///< the connection has been woken and will take until nothing is waiting
  bool overflowed_ = false;  ///< the client reads too slowly
};

}  // namespace longrun
