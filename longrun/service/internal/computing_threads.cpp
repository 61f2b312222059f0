#include "longrun/service/internal/computing_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/service/api.h"

namespace longrun {
namespace {

constexpr std::size_t kMostComputing = 100;              // answers that wait to be computed
constexpr std::int64_t kMostEventsInMemory = 5'000'000;  // of these

}  // namespace

RequestError too_busy(const char* what) {
  return {RequestError::Kind::unavailable, fmt::format("too many {} wait; try again", what)};
}

ComputingThreads::ComputingThreads(int threads, std::chrono::seconds longest) : longest_(longest) {
  for (int i = 0; i < std::max(1, threads); ++i) {
    Worker& self = *workers_.emplace_back(std::make_unique<Worker>());
    self.thread = std::thread([this, &self] { run(self); });
  }
}

ComputingThreads::~ComputingThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    for (const auto& each : workers_) each->stop = true;
  }
  has_work_.notify_all();
  for (const auto& each : workers_) each->thread.join();
}

void ComputingThreads::check_has_room() {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostComputing || events_ >= kMostEventsInMemory) throw too_busy("answers");
}

void ComputingThreads::add(Computation computation) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ending_) {
      events_ += computation.events;
      waiting_.push_back(std::move(computation));
      has_work_.notify_one();
      return;
    }
  }
  computation.respond(response_to(too_busy("answers")));
}

void ComputingThreads::run(Worker& self) {
  const CancellationScope cancellation(&self.stop);
  while (true) {
    Computation computation;
    {
      std::unique_lock lock(mutex_);
      self.since.reset();
      has_work_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      computation = std::move(waiting_.front());
      waiting_.pop_front();
      events_ -= computation.events;
      self.since = Clock::now();
      self.stop = is_ending_;
    }
    try {
      throw_if_cancelled();
      computation.run();
    } catch (const Cancelled&) {
      computation.respond(
          response_to(RequestError(RequestError::Kind::unavailable,
                                   "the answer took too long, or the server ends; ask for less, or try again")));
    } catch (const RequestError& error) {
      computation.respond(response_to(error));
    } catch (const std::exception& error) {
      computation.respond(response_to(RequestError(RequestError::Kind::damaged, error.what())));
    }
  }
}

void ComputingThreads::stop_late() {
  const std::lock_guard lock(mutex_);
  for (const auto& each : workers_) {
    if (each->since && Clock::now() - *each->since > longest_) each->stop = true;
  }
}

}  // namespace longrun
