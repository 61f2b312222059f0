#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace longrun {

/// The time at which the present step of a connection must have ended. It has no timer: it says when one is to be set.
/// That is only so for an earlier deadline, so a busy connection hardly ever sets its timer.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// `minimum_rate` is that of transfers, in bytes per second.
  explicit Deadline(std::size_t minimum_rate) : minimum_rate_(minimum_rate) {}

  /// Sets the deadline, or an earlier one if limit() says so. Returns whether the timer is to be set, to alarm().
  bool set(Clock::time_point time) {
    deadline_ = std::min(time, latest_);
    return set_alarm_if_earlier();
  }
  /// Makes `latest` the latest time for all deadlines from now on; the present one stays.
  void limit(Clock::time_point latest) { latest_ = latest; }
  Clock::time_point time() const { return deadline_; }
  Clock::time_point latest() const { return latest_; }
  Clock::time_point alarm() const { return alarm_; }

  /// Begins to move the bytes of a body or an answer. Returns as set().
  bool begin_transfer(Clock::duration longest_pause) {
    transfer_began_ = Clock::now();
    transferred_ = 0;
    return set(transfer_began_ + longest_pause);
  }
  /// Sets the deadline after bytes have moved: for the next ones, and for the average rate. Returns as set().
  bool note_transferred(std::size_t all_bytes, Clock::duration longest_pause) {
    transferred_ = all_bytes;
    const std::chrono::duration<double> earned(static_cast<double>(all_bytes) / static_cast<double>(minimum_rate_));
    const auto slowest = transfer_began_ + longest_pause + std::chrono::duration_cast<Clock::duration>(earned);
    return set(std::min(Clock::now() + longest_pause, slowest));
  }
  std::size_t transferred() const { return transferred_; }

  /// Notes that the timer has ended, and returns whether the deadline has passed. If not, the timer is to be set again,
  /// to alarm(), unless that is the end of all time.
  bool has_passed() {
    alarm_ = Clock::time_point::max();
    if (Clock::now() >= deadline_) return true;
    set_alarm_if_earlier();
    return false;
  }

 private:
  bool set_alarm_if_earlier() {
    if (deadline_ >= alarm_) return false;
    alarm_ = deadline_;
    return true;
  }

  std::size_t minimum_rate_;
  Clock::time_point deadline_ = Clock::time_point::max();  // of the present step
  Clock::time_point alarm_ = Clock::time_point::max();     // when the timer ends, at the latest at deadline_
  Clock::time_point latest_ = Clock::time_point::max();    // no deadline is later; finite once the server stops
  Clock::time_point transfer_began_;                       // of the body or the answer that is moving
  std::size_t transferred_ = 0;                            // its bytes that have moved
};

}  // namespace longrun
