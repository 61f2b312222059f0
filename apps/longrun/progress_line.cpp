#include "apps/longrun/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace longrun {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{200};
constexpr std::chrono::seconds kLogPeriod{5};

/// Returns a number with about three digits and the prefix of a unit: "35.0 k ".
std::string readable(double count) {
  const auto scaled = [&](double unit, const char* letter) {
    const double number = count / unit;
    return fmt::format("{:.{}f} {}", number, number < 10 ? 2 : number < 100 ? 1 : 0, letter);
  };
  if (count >= 1e9) return scaled(1e9, "G ");
  if (count >= 1e6) return scaled(1e6, "M ");
  if (count >= 1e4) return scaled(1e3, "k ");
  return fmt::format("{:.0f} ", count);
}

std::string readable_time(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 120 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// Writes to standard error. Ignores failures, for which fmt would throw: the work continues without progress.
void write_text(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace

ProgressLine::ProgressLine(std::string prefix) : prefix_(std::move(prefix)), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { end_line(); }

void ProgressLine::show(const SessionProgress& progress) {
  const Work fresh = progress.done - progress.recorded_before;
  if (progress.finished) {
    print(progress, fresh.runs == 0 ? "nothing was left to do" : fmt::format("{}, {:.1f} s", rates(fresh), seconds()));
    return end_line();
  }
  const auto now = Clock::now();
  if (now - shown_ < (terminal_ ? kTerminalPeriod : kLogPeriod)) return;
  shown_ = now;
  const Work left = progress.total - progress.done;
  const double seconds_per_step = seconds() / static_cast<double>(std::max<std::uint64_t>(fresh.steps, 1));
  print(progress,
        fmt::format("{}, {} left", rates(fresh), readable_time(seconds_per_step * static_cast<double>(left.steps))));
}

double ProgressLine::seconds() const {
  return std::max(1e-9, std::chrono::duration<double>(Clock::now() - started_).count());
}

std::string ProgressLine::rates(const Work& fresh) const {
  return fmt::format("{}runs/s, {}steps/s", readable(static_cast<double>(fresh.runs) / seconds()),
                     readable(static_cast<double>(fresh.steps) / seconds()));
}

std::string ProgressLine::name_of(const SessionProgress& progress) const {
  if (progress.experiments == 1) return prefix_ + progress.experiment;
  if (progress.finished) return fmt::format("{}{} experiments", prefix_, progress.experiments);
  return fmt::format("{}{} ({} of {})", prefix_, progress.experiment,
                     std::min(progress.experiments_done + 1, progress.experiments), progress.experiments);
}

void ProgressLine::print(const SessionProgress& progress, const std::string& rest) {
  const std::uint64_t percent = progress.total.runs == 0 ? 100 : 100 * progress.done.runs / progress.total.runs;
  std::string line = fmt::format("{}: {} of {} runs ({} %), {}", name_of(progress), progress.done.runs,
                                 progress.total.runs, percent, rest);
  if (!terminal_) return write_text(line + "\n");
  winsize window{};  // a line that wraps cannot be rewritten
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
    line.resize(std::min<std::size_t>(line.size(), window.ws_col - 1));
  write_text("\r" + line + "\x1b[K");
  line_open_ = true;
}

void ProgressLine::end_line() {
  if (line_open_) write_text("\n");
  line_open_ = false;
}

}  // namespace longrun
