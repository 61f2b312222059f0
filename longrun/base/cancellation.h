#pragma once

#include <atomic>
#include <cstdint>

namespace longrun {

/// Thrown out of a computation whose answer nobody waits for any more.
struct Cancelled {};

/// While it lives, long computations on this thread leave with Cancelled soon after `stop`, where there is one, is
/// true. Of a thread, so that solvers and loops need no parameter for it.
class CancellationScope {
 public:
  explicit CancellationScope(const std::atomic<bool>* stop) : outer_(of_thread) { of_thread = stop; }
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;
  ~CancellationScope() { of_thread = outer_; }

 private:
  friend void throw_if_cancelled();

  static inline thread_local const std::atomic<bool>* of_thread = nullptr;
  const std::atomic<bool>* outer_;
};

/// For long computations to call every so many steps.
inline constexpr std::int64_t kStepsPerCancellationCheck = 1 << 16;
inline void throw_if_cancelled() {
  if (CancellationScope::of_thread != nullptr && CancellationScope::of_thread->load(std::memory_order_relaxed))
    throw Cancelled{};
}

}  // namespace longrun
