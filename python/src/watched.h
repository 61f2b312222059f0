#pragma once

#include <atomic>
#include <functional>

namespace longrun {

/// Computes on another thread while this one calls `show` now and then and listens for Ctrl-C. compute() leaves soon
/// after `stop` is set, if it asks: the flag of its thread is set, that of others is up to it.
void watched(
    const std::function<void(const std::atomic<bool>& stop)>& compute, const std::function<void()>& show = [] {});

}  // namespace longrun
