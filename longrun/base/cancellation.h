#pragma once

#include <atomic>
#include <cstdint>

namespace longrun {

/// Thrown by a computation that was cancelled, because its result is no longer needed.
struct Cancelled {};

/// A scope in which long computations on this thread throw Cancelled soon after `*stop` becomes true. A null `stop`
/// never cancels. The flag is thread-local, so solvers and loops need no extra parameter.
class CancellationScope {
 public:
  explicit CancellationScope(const std::atomic<bool>* stop) : outer_(of_thread) { of_thread = stop; }
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;
  ~CancellationScope() { of_thread = outer_; }

 private:
  friend void throw_if_cancelled();

  static inline thread_local const std::atomic<bool>* of_thread = nullptr;  // the flag of the innermost scope
  const std::atomic<bool>* outer_;                                          // the flag of the scope around this one
};

/// The number of steps after which a long computation calls throw_if_cancelled().
inline constexpr std::int64_t kStepsPerCancellationCheck = 1 << 16;
/// Throws Cancelled if the innermost CancellationScope of this thread says so.
inline void throw_if_cancelled() {
  if (CancellationScope::of_thread != nullptr && CancellationScope::of_thread->load(std::memory_order_relaxed))
    throw Cancelled{};
}

}  // namespace longrun
