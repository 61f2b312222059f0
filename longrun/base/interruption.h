#pragma once

#include <atomic>
#include <cstdint>

namespace longrun {

/// Thrown out of a computation whose answer nobody waits for any more.
struct Abandoned {};

/// While it lives, long computations on this thread leave with Abandoned soon after `stop`, where there is one, is
/// true. Of a thread, so that solvers and loops need no parameter for it.
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>* stop) : outer_(of_thread) { of_thread = stop; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() { of_thread = outer_; }

 private:
  friend void leave_if_interrupted();

  static inline thread_local const std::atomic<bool>* of_thread = nullptr;
  const std::atomic<bool>* outer_;
};

/// For long computations to call every so many steps.
inline constexpr std::int64_t kStepsUnasked = 1 << 16;
inline void leave_if_interrupted() {
  if (Interruptible::of_thread != nullptr && Interruptible::of_thread->load(std::memory_order_relaxed))
    throw Abandoned{};
}

}  // namespace longrun
