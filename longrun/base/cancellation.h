#pragma once

#include <atomic>
#include <cstdint>

namespace longrun {

/// The exception that a cancelled computation throws. Its result is no longer needed.
struct Cancelled {};

/// A scope in which long computations on this thread throw Cancelled soon after `*stop` becomes true. With a null
/// `stop` the flag of the scope around it stays. The flag is thread-local, so solvers and loops need no extra
/// parameter.
class CancellationScope {
 public:
  explicit CancellationScope(const std::atomic<bool>* stop) {
    if (stop != nullptr) innermost = stop;
  }
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;
  ~CancellationScope() { innermost = outer_; }

 private:
  friend void throw_if_cancelled();

  static inline thread_local const std::atomic<bool>* innermost = nullptr;  // the flag of the innermost scope, or null
  const std::atomic<bool>* outer_ = innermost;                              // the flag of the scope around this one
};

/// The number of steps after which a long computation calls throw_if_cancelled().
inline constexpr std::int64_t kStepsPerCancellationCheck = 1 << 16;
/// Throws Cancelled if the flag of this thread's innermost CancellationScope is true.
inline void throw_if_cancelled() {
  if (CancellationScope::innermost != nullptr && CancellationScope::innermost->load(std::memory_order_relaxed))
    throw Cancelled{};
}

}  // namespace longrun
