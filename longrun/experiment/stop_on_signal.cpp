#include "longrun/experiment/stop_on_signal.h"

#include <csignal>

namespace longrun {
namespace {

std::atomic<bool> stopping{false};
std::atomic<void (*)()> notify_stop{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void (*)()>::is_always_lock_free);

void handle(int) {
  stopping = true;
  if (auto* notify = notify_stop.load()) notify();
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

StopOnSignal::StopOnSignal(void (*notify)()) {
  stopping = false;
  notify_stop = notify;
  std::signal(SIGINT, handle);
}

StopOnSignal::~StopOnSignal() { std::signal(SIGINT, SIG_DFL); }

const std::atomic<bool>& StopOnSignal::stop() const { return stopping; }  // NOLINT(readability-convert-member-*)

}  // namespace longrun
