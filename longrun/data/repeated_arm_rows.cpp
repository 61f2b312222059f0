#include "longrun/data/repeated_arm_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>

#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// The rewards of one arm, in order.
class RowsOfArm {
 public:
  /// A missing reward is equal to other missing ones.
  void add(const PastPull& pull) {
    if (common_ == 1) return;  // times() will be 1, as for nearly every arm; counting its rewards takes long
    const double reward = pull.reward.value_or(std::numeric_limits<double>::infinity());
    if (counts_.empty() || reward != last_) end_run(reward);
    if (!counts_.empty() && rows_ < 2) second_line_ = pull.line;
    if (counts_.empty()) first_line_ = pull.line;
    last_ = reward;
    ++counts_[reward];
    ++rows_;
    ++run_;
  }

  /// Returns how often every row occurs, one after the other; 1 if that can be chance. `arms` are looked at.
  std::size_t times(std::size_t arms) {
    constexpr double kSurprising = 20;  // bits: a chance of 1 in a million
    constexpr std::size_t kTurns = 2;   // rises and falls, each
    end_run(last_);
    if (common_ < 2 || std::min(rises_, falls_) < kTurns) return 1;
    const auto rows = static_cast<double>(rows_);
    double bits = 0;
    for (const auto& [reward, count] : counts_)
      bits += static_cast<double>(count) * std::log2(rows / static_cast<double>(count));
    bits /= static_cast<double>(common_);  // of one copy
    return bits >= kSurprising + std::log2(static_cast<double>(arms)) ? common_ : 1;
  }

  std::int64_t first_line() const { return first_line_; }
  std::int64_t second_line() const { return second_line_; }

 private:
  /// Ends a run of equal rewards; the next one begins with `reward`.
  void end_run(double reward) {
    if (run_ == 0) return;
    common_ = std::gcd(common_, run_);
    run_ = 0;
    if (reward > last_) ++rises_;
    if (reward < last_) ++falls_;
  }

  std::map<double, std::size_t> counts_;  // of each reward
  std::size_t rows_ = 0;
  std::size_t run_ = 0;     // rows of the run that has not ended
  std::size_t common_ = 0;  // greatest common divisor of the lengths of the runs that have ended
  std::size_t rises_ = 0;
  std::size_t falls_ = 0;
  double last_ = 0;
  std::int64_t first_line_ = 0;
  std::int64_t second_line_ = 0;
};

}  // namespace

std::vector<std::string> repeated_arm_row_warnings(const std::string& path, const History& history, RowNames rows) {
  std::vector<RowsOfArm> arms(history.arm_names.size());
  for (const PastPull& pull : history.pulls) arms[static_cast<std::size_t>(pull.arm)].add(pull);
  std::string warning;
  std::size_t more = 0;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    const std::size_t times = arms[arm].times(arms.size());
    if (times == 1) continue;
    if (!warning.empty()) {
      ++more;
      continue;
    }
    warning = fmt::format("{}: every row of arm '{}' occurs {}, the first in {} and {}", path,
                          label_of(history.arm_names, static_cast<Arm>(arm)),
                          times == 2 ? "twice" : fmt::format("{} times", times),
                          row_name(static_cast<std::size_t>(arms[arm].first_line()), rows),
                          row_name(static_cast<std::size_t>(arms[arm].second_line()), rows));
  }
  if (warning.empty()) return {};
  if (more > 0) warning += fmt::format("; so does every row of {} more arm{}", more, more == 1 ? "" : "s");
  return {warning +
          "; every row counts as a pull. If the rows were joined with a table, it may have the arm more than once"};
}

}  // namespace longrun
