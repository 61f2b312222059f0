#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is POSIX

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace longrun {

/// Calls a function at the first signal to end (Ctrl-C, or that of a service manager), and ends the process at the
/// second. No other thread may take these signals, so this is made before all others.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  /// Waits for signals in a thread of its own, and calls `at_first` at the first one.
  void start(std::function<void()> at_first);
  /// Does not call the function any more; if it is being called, waits until it has returned.
  void forget();

 private:
  void wait();

  sigset_t signals_{};
  std::mutex calling_;  // protects at_first_
  std::function<void()> at_first_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace longrun
