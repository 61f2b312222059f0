#include "longrun/base/task_pool.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace longrun {
namespace {

std::size_t thread_limit(int threads) {
  return threads > 0 ? static_cast<std::size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

TaskPool::TaskPool(int threads, Timing* timing) : most_threads_(thread_limit(threads)), timing_(timing) {}

void TaskPool::add(Task task) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  tasks_.push_back(std::move(task));
  start_threads();
}

void TaskPool::add_urgent(Task task) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  urgent_.push_back(std::move(task));
  start_threads();
}

void TaskPool::start_threads() {
  if (!running_) return;
  changed_.notify_one();
  try {
    while (waiting_ < urgent_.size() + tasks_.size() && others_.size() + 1 < most_threads_) {
      others_.emplace_back([this] { work(); });
      ++waiting_;  // until it takes a task
    }
  } catch (const std::system_error&) {  // no more threads available: those that started do all tasks
  } catch (const std::bad_alloc&) {
  }
}

void TaskPool::run() {
  const auto began = Timing::Clock::now();
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
    waiting_ = 1;  // the caller
    start_threads();
  }
  work();
  // No task is left and none is being carried out, so no thread starts any more.
  for (std::thread& other : others_) other.join();
  running_ = false;
  if (timing_ != nullptr) {
    timing_->add_parallel(static_cast<int>(most_threads_),
                          std::chrono::duration<double>(Timing::Clock::now() - began).count());
  }
  others_.clear();
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

/// Carries out tasks until none is left. The thread is counted in `waiting_` at the beginning and at the end.
void TaskPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (urgent_.empty() && tasks_.empty()) {
      if (busy_ == 0) break;
      const TimedScope scope(timing_, TimedPart::waiting);
      changed_.wait(lock, [&] { return !urgent_.empty() || !tasks_.empty() || busy_ == 0; });
      continue;
    }
    std::deque<Task>& queue = urgent_.empty() ? tasks_ : urgent_;
    const Task task = std::move(queue.front());
    queue.pop_front();
    --waiting_;
    ++busy_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      if (!failure_) failure_ = failure;
      urgent_.clear();
      tasks_.clear();
    }
    ++waiting_;
    --busy_;
  }
  changed_.notify_all();
}

}  // namespace longrun
