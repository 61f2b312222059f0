#include "longrun/solve/flow_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <queue>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/solve/allocation_table.h"
#include "longrun/solve/period_flow.h"

namespace longrun {
namespace {

constexpr double kMostFlowSteps = 2e10;         // see count_steps(): a few minutes
constexpr Pulls kMostRewards = Pulls{1} << 27;  // in the tables of totals, 8 bytes each: 1 GB

/// Returns the counts in low..high at which the concave envelope of F touches F. Between them it is linear.
std::vector<Pulls> envelope(const std::vector<double>& totals, Pulls low, Pulls high) {
  const auto total = [&](Pulls pulls) { return totals[static_cast<std::size_t>(pulls)]; };
  const auto slope = [&](Pulls a, Pulls b) { return (total(b) - total(a)) / static_cast<double>(b - a); };
  std::vector<Pulls> corners;
  for (Pulls pulls = low; pulls <= high; ++pulls) {
    while (corners.size() > 1 && slope(corners.end()[-2], corners.back()) <= slope(corners.back(), pulls)) {
      corners.pop_back();
    }
    corners.push_back(pulls);
  }
  return corners;
}

/// A set of pull counts: low[arm] <= n_arm <= high[arm].
struct Box {
  std::vector<Pulls> low;
  std::vector<Pulls> high;
};

/// The best counts for the envelopes over a box, and their values.
struct Relaxed {
  Box box;
  std::vector<Pulls> pulls;
  double bound = 0;        // the total of the envelopes at `pulls`
  double value = 0;        // the total of the curves at `pulls`
  std::size_t widest = 0;  // the arm whose envelope is furthest above its curve at `pulls`

  bool operator<(const Relaxed& other) const { return bound < other.bound; }
};

/// The search of flow_allocation() for the best counts.
class BranchAndBound {
 public:
  BranchAndBound(const KnownArms& known, const Periods& periods) : known_(known), periods_(periods) {
    if (known.horizon > kMostRewards / known.arms) refuse();
    for (Arm arm = 0; arm < known.arms; ++arm) {
      std::vector<double> rewards;
      for (Pulls pull = 1; pull <= known.horizon; ++pull) rewards.push_back(known.reward(arm, pull));
      totals_.push_back(running_totals(rewards));
    }
  }

  std::vector<Pulls> solve(const std::vector<Pulls>& least) {
    Box all{.low = least, .high = std::vector<Pulls>(least.size(), known_.horizon)};
    add(std::move(all));
    if (best_.empty()) throw InputError("no allocation meets all constraints");
    while (!open_.empty() && open_.top().bound > best_value_ + tolerance()) {
      const Relaxed node = open_.top();
      open_.pop();
      Box below = node.box;
      below.high[node.widest] = node.pulls[node.widest];
      Box above = node.box;
      above.low[node.widest] = node.pulls[node.widest] + 1;
      add(std::move(below));
      add(std::move(above));
    }
    return best_;
  }

 private:
  double tolerance() const { return 1e-12 * static_cast<double>(known_.horizon); }

  /// Keeps the best counts of the box's relaxation if they are the best so far, and the box if it may have better ones.
  void add(Box box) {
    if (auto relaxed = relax(std::move(box))) {
      if (best_.empty() || relaxed->value > best_value_) {
        best_ = relaxed->pulls;
        best_value_ = relaxed->value;
      }
      if (relaxed->bound > best_value_ + tolerance()) open_.push(std::move(*relaxed));
    }
  }

  /// Returns the optimum for the envelopes over the box, or nullopt if the box has no possible counts.
  std::optional<Relaxed> relax(Box box) {
    throw_if_cancelled();
    count_steps();
    Relaxed result{.box = std::move(box), .pulls = {}};
    PeriodFlow flow(periods_);
    result.pulls = result.box.low;
    std::vector<std::vector<Pulls>> corners;
    for (std::size_t arm = 0; arm < totals_.size(); ++arm) {
      const Pulls low = result.box.low[arm];
      if (low > result.box.high[arm] || flow.raise(static_cast<Arm>(arm), low) < low) return std::nullopt;
      corners.push_back(envelope(totals_[arm], low, result.box.high[arm]));
    }
    climb(corners, flow, result);
    return result;
  }

  /// Adds linear pieces of the envelopes, the steepest first. A piece that can't be added completely is the last of its
  /// arm.
  void climb(const std::vector<std::vector<Pulls>>& corners, PeriodFlow& flow, Relaxed& result) const {
    struct Line {
      double slope;
      std::size_t arm;
      std::size_t end;  // index of the corner at its end
      bool operator<(const Line& other) const {
        return slope < other.slope || (slope == other.slope && arm > other.arm);
      }
    };
    std::priority_queue<Line> lines;
    const auto push = [&](std::size_t arm, std::size_t end) {
      if (end >= corners[arm].size()) return;
      const Pulls from = corners[arm][end - 1];
      const Pulls to = corners[arm][end];
      lines.push({(total(arm, to) - total(arm, from)) / static_cast<double>(to - from), arm, end});
    };
    for (std::size_t arm = 0; arm < corners.size(); ++arm) {
      result.bound += total(arm, result.pulls[arm]);
      push(arm, 1);
    }
    double widest_gap = 0;
    result.value = result.bound;
    while (!lines.empty()) {
      const Line line = lines.top();
      lines.pop();
      const Pulls from = corners[line.arm][line.end - 1];
      const Pulls wanted = corners[line.arm][line.end] - from;
      const Pulls raised = flow.raise(static_cast<Arm>(line.arm), wanted);
      const double gain = total(line.arm, from + raised) - total(line.arm, from);
      const double promised = raised == wanted ? gain : line.slope * static_cast<double>(raised);
      result.pulls[line.arm] += raised;
      result.value += gain;
      result.bound += promised;
      if (promised - gain > widest_gap) {
        widest_gap = promised - gain;
        result.widest = line.arm;
      }
      if (raised == wanted) push(line.arm, line.end + 1);
    }
    if (widest_gap == 0) result.bound = result.value;
  }

  double total(std::size_t arm, Pulls pulls) const { return totals_[arm][static_cast<std::size_t>(pulls)]; }

  void count_steps() {
    const auto arms = static_cast<double>(known_.arms);
    steps_ += static_cast<double>(known_.horizon) * arms * static_cast<double>(1 + periods_.units.size());
    if (steps_ > kMostFlowSteps) refuse();
  }

  [[noreturn]] void refuse() const {
    throw InputError(fmt::format(
        "the exact optimum of {} arms with horizon {} and these unavailable rounds takes more than {:.0e} steps or {} "
        "rewards; shorten the horizon, or keep unspent units",
        known_.arms, known_.horizon, kMostFlowSteps, kMostRewards));
  }

  const KnownArms& known_;
  const Periods& periods_;
  std::vector<std::vector<double>> totals_;  // [arm][pulls]
  std::priority_queue<Relaxed> open_;        // boxes that may hold better counts than best_
  std::vector<Pulls> best_;                  // the best counts so far; empty before the first
  double best_value_ = 0;                    // their total reward
  double steps_ = 0;                         // see count_steps()
};

/// Returns whether the periods allow these pulls of each arm.
bool possible(const std::vector<Pulls>& pulls, const Periods& periods) {
  PeriodFlow flow(periods);
  for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
    if (flow.raise(static_cast<Arm>(arm), pulls[arm]) < pulls[arm]) return false;
  }
  return true;
}

}  // namespace

Allocation flow_allocation(const KnownArms& known, const std::vector<Pulls>& least, const Periods& periods) {
  Allocation free = best_allocation(known, least);
  if (possible(free.pulls, periods)) return free;
  Allocation best{.horizon = known.horizon,
                  .value = 0,
                  .pulls = BranchAndBound(known, periods).solve(least),
                  .method = AllocationMethod::branch_and_bound};
  best.value = total_reward(known, best.pulls);
  return best;
}

}  // namespace longrun
