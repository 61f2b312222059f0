#pragma once

#include <chrono>
#include <string>

#include "longrun/experiment/run_session.h"

namespace longrun {

/// The progress of a session on standard error: one line that is rewritten on a terminal, a line every few seconds
/// elsewhere.
class ProgressLine {
 public:
  /// `prefix` precedes the name of the experiment.
  explicit ProgressLine(std::string prefix);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const SessionProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const;
  std::string rates(const Work& fresh) const;
  std::string name_of(const SessionProgress& progress) const;
  void print(const SessionProgress& progress, const std::string& rest);
  void end_line();

  std::string prefix_;
  bool terminal_;           // standard error is a terminal
  bool line_open_ = false;  // the last line shown can be rewritten
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = started_;  // when the last line was shown
};

}  // namespace longrun
