#pragma once

#include <atomic>

namespace longrun {

/// While one exists, the first SIGINT (Ctrl-C) sets stop() and calls `notify`; the next one ends the process as usual.
/// `notify` runs in the signal handler, so it may only call async-signal-safe functions. At most one exists at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(void (*notify)() = nullptr);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  const std::atomic<bool>& stop() const;
};

}  // namespace longrun
