#include "longrun/base/timing.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime() is POSIX

#include <algorithm>

namespace longrun {
namespace {

constexpr std::array<const char*, kTimedParts> kPartNames{"computing", "optimum", "store",
                                                          "report",    "figures", "waiting"};
constexpr std::array<const char*, kTimedParts> kPartMeanings{
    "simulated runs",
    "tables of rewards and best allocations",
    "records written",
    "records read, summarised and judged",
    "pictures drawn by gnuplot",
    "threads without a task",
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct ProcessTime {
  double user = 0;
  double system = 0;
};

/// Returns the CPU time of this process and of the processes that it has waited for.
ProcessTime process_time() {
  ProcessTime sum;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum.user += seconds_of(usage.ru_utime);
    sum.system += seconds_of(usage.ru_stime);
  }
  return sum;
}

}  // namespace

void Timing::add(TimedPart part, const TimeSpent& spent) {
  const std::lock_guard lock(adding_);
  TimeSpent& sum = parts_[static_cast<std::size_t>(part)];
  sum.wall += spent.wall;
  sum.cpu += spent.cpu;
}

void Timing::add_parallel(int threads, double seconds) {
  const std::lock_guard lock(adding_);
  parallel_ += seconds;
  threads_ = std::max(threads_, threads);
}

TimeSpent Timing::spent(TimedPart part) const {
  const std::lock_guard lock(adding_);
  return parts_[static_cast<std::size_t>(part)];
}

double Timing::serial() const {
  const std::lock_guard lock(adding_);
  return std::max(0.0, wall() - parallel_);
}

std::string Timing::text() const {
  const double serial_seconds = serial();
  const std::lock_guard lock(adding_);
  const ProcessTime process = process_time();
  std::string text = fmt::format("timing: {:.2f} s, {:.2f} s of CPU ({:.2f} user, {:.2f} system), {} {}\n", wall(),
                                 process.user + process.system, process.user, process.system, threads_,
                                 threads_ == 1 ? "thread" : "threads");
  text += fmt::format("  {:<10}{:>10}{:>10}\n", "part", "wall s", "CPU s");
  double other = process.user + process.system;
  for (std::size_t part = 0; part < kTimedParts; ++part) {
    const auto& [wall_seconds, cpu_seconds] = parts_[part];
    other -= cpu_seconds;
    text += fmt::format("  {:<10}{:>10.2f}{:>10.2f}  {}\n", kPartNames[part], wall_seconds, cpu_seconds,
                        kPartMeanings[part]);
  }
  text += fmt::format("  {:<10}{:>10.2f}{:>10.2f}  one thread alone; CPU that belongs to no part above\n", "serial",
                      serial_seconds, std::max(0.0, other));
  return text;
}

thread_local TimedScope* TimedScope::innermost = nullptr;

TimedScope::TimedScope(Timing* timing, TimedPart part) : timing_(timing), part_(part), outer_(innermost) {
  if (timing_ == nullptr) return;
  if (outer_ != nullptr) outer_->stop();
  innermost = this;
  start();
}

TimedScope::~TimedScope() {
  if (timing_ == nullptr) return;
  stop();
  innermost = outer_;
  if (outer_ != nullptr) outer_->start();
}

void TimedScope::start() {
  began_ = Timing::Clock::now();
  cpu_began_ = thread_cpu_seconds();
}

void TimedScope::stop() {
  timing_->add(part_, {.wall = std::chrono::duration<double>(Timing::Clock::now() - began_).count(),
                       .cpu = thread_cpu_seconds() - cpu_began_});
}

}  // namespace longrun
