#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "longrun/base/timing.h"

namespace longrun {

/// Long tasks that several threads carry out, and that may add others. Each thread takes the next task: an urgent one
/// if there is any, otherwise the one that was added first.
class TaskPool {
 public:
  using Task = std::function<void()>;

  /// Uses at most `threads` threads, including the caller of run(); 0 means one per core. `timing` may be null.
  explicit TaskPool(int threads, Timing* timing = nullptr);
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // Thread-safe, also for tasks.
  void add(Task task);
  void add_urgent(Task task);

  /// Carries out all tasks, including those that tasks add. The first exception drops the tasks that have not begun and
  /// is rethrown here.
  void run();

 private:
  void work();
  void start_threads();  // needs the lock; starts threads for tasks that no thread waits for

  const std::size_t most_threads_;
  Timing* const timing_;
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::deque<Task> urgent_;
  std::deque<Task> tasks_;
  std::vector<std::thread> others_;  // all threads of run() except its caller
  std::size_t waiting_ = 0;          // threads that wait for a task
  std::size_t busy_ = 0;             // threads that carry out a task
  bool running_ = false;             // inside run()
  std::exception_ptr failure_;       // of the first task that failed
};

}  // namespace longrun
