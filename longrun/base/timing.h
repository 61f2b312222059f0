#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace longrun {

/// The parts of a long command that its time is divided into.
enum class TimedPart : std::size_t {
  computing,  ///< simulated runs
  optimum,    ///< tables of rewards, and the best allocations
  store,      ///< records written
  report,     ///< records read, summarised and judged
  figures,    ///< pictures drawn, by other processes
  waiting,    ///< threads without a task
};
inline constexpr std::size_t kTimedParts = 6;

/// An amount of time, in seconds.
struct TimeSpent {
  double wall = 0;
  double cpu = 0;
};

/// A record of where the time of a command goes. Thread-safe. Times of parts are sums over threads: if all threads have
/// started, their wall times add up to the threads times the duration of the parallel stretch. The rest of the duration
/// is serial.
class Timing {
 public:
  using Clock = std::chrono::steady_clock;

  void add(TimedPart part, const TimeSpent& spent);
  /// Adds a stretch in which several threads worked.
  void add_parallel(int threads, double seconds);

  TimeSpent spent(TimedPart part) const;
  /// Returns the seconds since construction that no parallel stretch covers.
  double serial() const;
  /// Returns a table of several lines: the times of this process and of the processes that it has waited for.
  std::string text() const;

 private:
  double wall() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  const Clock::time_point started_ = Clock::now();
  mutable std::mutex adding_;                   // guards the members below
  std::array<TimeSpent, kTimedParts> parts_{};  // by TimedPart
  double parallel_ = 0;                         // seconds in parallel stretches
  int threads_ = 1;                             // largest number of threads of a parallel stretch
};

/// A scope whose time on this thread belongs to one part. The time of a scope inside it belongs to the inner one only.
class TimedScope {
 public:
  /// `timing` may be null: nothing is measured then.
  TimedScope(Timing* timing, TimedPart part);
  ~TimedScope();
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  void stop();   // adds the time since start()
  void start();  // measures from now on

  static thread_local TimedScope* innermost;  // of this thread; null outside of all scopes

  Timing* timing_;
  TimedPart part_;
  TimedScope* outer_;                  // paused until this scope ends; null if there is none
  Timing::Clock::time_point began_{};  // of the time not yet added
  double cpu_began_ = 0;               // the same, CPU seconds of this thread
};

}  // namespace longrun
