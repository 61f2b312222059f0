#include "longrun/service/internal/end_signals.h"

#include <cstdlib>
#include <ctime>
#include <utility>

namespace longrun {

EndSignals::EndSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

EndSignals::~EndSignals() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
}

void EndSignals::start(std::function<void()> at_first) {
  at_first_ = std::move(at_first);
  thread_ = std::thread([this] { wait(); });
}

void EndSignals::forget() {
  const std::lock_guard lock(calling_);
  at_first_ = nullptr;
}

void EndSignals::wait() {
  constexpr timespec kLongestWait{.tv_sec = 0, .tv_nsec = 50'000'000};  // then looks whether to end
  bool is_first = true;
  while (!ends_) {
    const int signal = sigtimedwait(&signals_, nullptr, &kLongestWait);
    if (signal <= 0) continue;
    if (!std::exchange(is_first, false)) std::_Exit(128 + signal);  // as a shell reports it
    const std::lock_guard lock(calling_);
    if (at_first_) at_first_();
  }
}

}  // namespace longrun
