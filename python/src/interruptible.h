#pragma once

#include <atomic>
#include <functional>

namespace longrun {

/// Calls `compute` on another thread. Meanwhile the calling thread, which must hold Python's global lock, releases it,
/// calls `show_progress` every 50 ms and checks for Ctrl-C. Rethrows exceptions of `compute` and `show_progress`. After
/// Ctrl-C, `stop` is true: computations on the thread of `compute` then end at their next cancellation check. If
/// `compute` starts threads, it must pass `stop` to them.
void run_interruptible(
    const std::function<void(const std::atomic<bool>& stop)>& compute,
    const std::function<void()>& show_progress = [] {});

}  // namespace longrun
