#pragma once

// Only http_server.cpp includes this header, directly or through others, because Asio is slow to compile.
#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>  // must precede Asio of Boost 1.74, which uses std::exchange without it
#include <vector>

#include "longrun/service/http_server.h"
#include "longrun/service/internal/stream_buffer.h"

namespace longrun {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

/// A connection as the server and handlers see it. All functions may be called from any thread.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void stop() = 0;                                             ///< answers what has arrived, then closes
  virtual void answer(HttpResponse response) = 0;                      ///< the request that is being handled
  virtual void wake(const std::shared_ptr<StreamBuffer>& stream) = 0;  ///< `stream` has bytes, or was closed
};

/// The part of a server that its connections share. It outlives the server while a handler keeps a request unanswered
/// or a stream; nothing happens on it then.
class ServerCore {
 public:
  ServerCore(const HttpOptions& options, HttpHandler& request_handler)
      : handler(request_handler), limits(options.limits), log_(options.log), work_(context.get_executor()) {}

  boost::asio::io_context context;
  HttpHandler& handler;
  const HttpLimits limits;

  /// Reports a failure. An exception of the caller's function is ignored, because no caller could handle it.
  void log(const std::string& line) const noexcept {
    try {
      if (log_) log_(line);
    } catch (...) {
    }
  }

  /// Tells the handler about a request that the server refused. An exception of the handler is ignored.
  void note_refused(const RefusedRequest& request) const noexcept {
    try {
      handler.note_refused(request);
    } catch (...) {
    }
  }

  /// Permission to keep a large body, until it is destroyed.
  using LargeBody = std::shared_ptr<void>;
  /// Returns nullptr if there are as many large bodies as allowed.
  static LargeBody try_large_body(const std::shared_ptr<ServerCore>& core) {
    if (core->large_bodies_.fetch_add(1) >= core->limits.large_bodies) {
      --core->large_bodies_;
      return nullptr;
    }
    return {core.get(), [core](ServerCore* owner) { --owner->large_bodies_; }};
  }

  /// Calls `act` on a strand, unless the server has ended.
  template <class Act>
  void post(const Strand& strand, Act act) {
    const std::lock_guard lock(mutex_);
    if (!ended_) boost::asio::post(strand, std::move(act));
  }

  std::size_t connections() const { return count_; }  ///< open, without those that are refused
  std::size_t refusals() const { return refusals_; }  ///< open, and told that there are too many
  bool stopping() const { return stopping_; }

  void add(const std::shared_ptr<Connection>& connection, bool refused) {
    const std::lock_guard lock(mutex_);
    connections_.emplace(connection.get(), connection);
    ++(refused ? refusals_ : count_);
  }
  void remove(const Connection* connection, bool refused) {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    --(refused ? refusals_ : count_);
    end_work_if_done();
  }

  /// Tells all connections to end, and those that are added later that they must.
  void stop_connections() {
    stopping_ = true;
    std::vector<std::shared_ptr<Connection>> open;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [pointer, connection] : connections_) open.push_back(connection.lock());
    }
    for (const auto& connection : open) {
      if (connection) connection->stop();
    }
  }

  /// Notes that no connection will be added any more.
  void listening_ended() {
    const std::lock_guard lock(mutex_);
    listening_ = false;
    end_work_if_done();
  }

  /// Ends the core: what is posted from now on is ignored, what was posted before has been done.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      work_.reset();
    }
    context.restart();
    context.poll();
  }

 private:
  /// Lets the threads of run() return, which wait for answers of the handler otherwise. The mutex is locked.
  void end_work_if_done() {
    if (!listening_ && connections_.empty()) work_.reset();
  }

  const std::function<void(const std::string&)> log_;
  std::mutex mutex_;
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections_;  ///< open; guarded by mutex_
  std::atomic<std::size_t> count_{0};  ///< with refusals_: connections_.size()
  std::atomic<std::size_t> refusals_{0};
  std::atomic<std::size_t> large_bodies_{0};  ///< being read or handled
  std::atomic<bool> stopping_{false};
  bool listening_ = true;  ///< connections may be added; guarded by mutex_
  bool ended_ = false;     ///< guarded by mutex_
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
};

/// The handler's right to answer one request, once.
class Answering {
 public:
  Answering(std::shared_ptr<ServerCore> core, std::shared_ptr<Connection> connection, ServerCore::LargeBody large_body)
      : core_(std::move(core)), connection_(std::move(connection)), large_body_(std::move(large_body)) {}
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering();

  void answer(HttpResponse response) {
    if (answered_.exchange(true)) return;
    large_body_.reset();  // before the client can send the next one
    connection_->answer(std::move(response));
  }
  /// Gives the right up: a stream answers instead.
  void dismiss() { answered_ = true; }
  /// Answers 500 and reports the reason, which the client does not see.
  void fail(const std::string& reason);

 private:
  std::shared_ptr<ServerCore> core_;
  std::shared_ptr<Connection> connection_;
  ServerCore::LargeBody large_body_;  ///< of the request, which the handler has until it answers
  std::atomic<bool> answered_{false};
};

/// The handler's end of a stream.
class ConnectionStream final : public EventStream {
 public:
  ConnectionStream(std::shared_ptr<Connection> connection, std::shared_ptr<StreamBuffer> buffer,
                   std::shared_ptr<Answering> answering)
      : connection_(std::move(connection)), buffer_(std::move(buffer)), answering_(std::move(answering)) {}
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;
  ~ConnectionStream() override;

  bool send(std::string bytes) override {
    if (is_held_) answering_->dismiss();
    const StreamBuffer::Added added = buffer_->add(bytes);
    if (added == StreamBuffer::Added::first || added == StreamBuffer::Added::overflow) connection_->wake(buffer_);
    return added == StreamBuffer::Added::first || added == StreamBuffer::Added::queued;
  }
  std::size_t waiting() const override { return buffer_->unsent(); }
  bool is_open() const override { return buffer_->is_open(); }
  void close() override {
    if (!buffer_->close()) return;
    if (is_held_) answering_->dismiss();
    connection_->wake(buffer_);
  }
  void hold() override { is_held_ = true; }
  bool is_held() const { return is_held_; }
  void refuse(HttpResponse response) override {
    if (!is_held_) return;
    buffer_->close();
    answering_->answer(std::move(response));
  }

 private:
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<StreamBuffer> buffer_;
  std::shared_ptr<Answering> answering_;  // dismissed once the stream begins
  bool is_held_ = false;                  // set before another thread has the stream
};

}  // namespace longrun
