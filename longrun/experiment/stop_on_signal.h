#pragma once

#include <atomic>

namespace longrun {

/// A handler of SIGINT (Ctrl-C) while the object exists: the first signal sets stop() and calls `notify`, the next one
/// ends the process. `notify` runs in the signal handler, so it may only call async-signal-safe functions. At most one
/// object may exist at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(void (*notify)() = nullptr);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  const std::atomic<bool>& stop() const;
};

}  // namespace longrun
