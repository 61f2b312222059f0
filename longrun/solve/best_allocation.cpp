#include "longrun/solve/best_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/running_sum.h"
#include "longrun/solve/dynamic_program_allocation.h"
#include "longrun/solve/single_peaked_allocation.h"

namespace longrun {
namespace {

// The largest rounding error of a formula in floating point, which matters where the curve is flat. Treating curves
// with such errors as rising, falling or single-peaked changes no reward by more, so OPT(T) is wrong by at most T *
// 10^-12.
constexpr double kRoundingError = 1e-12;

constexpr double kMostSteps = 2e12;  // of the dynamic program: at least ten minutes

void check(const KnownArms& known) {
  if (known.arms < 1) throw InputError(fmt::format("a best allocation needs at least 1 arm, not {}", known.arms));
  if (known.horizon < 1)
    throw InputError(fmt::format("a best allocation needs a horizon of at least 1, not {}", known.horizon));
}

struct Trend {
  bool rising = true;   // no curve falls
  bool falling = true;  // no curve rises
};

/// Returns whether all curves rise, and whether all fall. Stops reading as soon as both are false and stores nothing:
/// rising and falling curves need no tables, so their horizon may exceed memory.
Trend common_trend(const KnownArms& known) {
  Trend trend;
  for (Arm arm = 0; arm < known.arms; ++arm) {
    double highest = known.reward(arm, 1);
    double lowest = highest;
    for (Pulls pull = 2; pull <= known.horizon; ++pull) {
      const double reward = known.reward(arm, pull);
      if (reward < highest - kRoundingError) trend.rising = false;
      if (reward > lowest + kRoundingError) trend.falling = false;
      if (!trend.rising && !trend.falling) return trend;
      highest = std::max(highest, reward);
      lowest = std::min(lowest, reward);
    }
  }
  return trend;
}

double total_of_first(const KnownArms& known, Arm arm, Pulls pulls) {
  RunningSum total;
  for (Pulls pull = 1; pull <= pulls; ++pull) total.add(known.reward(arm, pull));
  return total.value();
}

std::vector<Pulls> rising_allocation(const KnownArms& known) {
  std::size_t best = 0;
  double largest = total_of_first(known, 0, known.horizon);
  for (Arm arm = 1; arm < known.arms; ++arm) {
    const double total = total_of_first(known, arm, known.horizon);
    if (total > largest) {
      largest = total;
      best = static_cast<std::size_t>(arm);
    }
  }
  std::vector<Pulls> pulls(static_cast<std::size_t>(known.arms));
  pulls[best] = known.horizon;
  return pulls;
}

/// Assigns pulls one by one, each to the arm whose next reward is largest (on ties the lowest arm), which is optimal
/// for falling curves. Calls `pulled(arm, reward)` for each.
template <typename Pulled>
void pull_greedily(const KnownArms& known, Pulled pulled) {
  struct Next {
    double reward;
    Arm arm;
    Pulls pull;
    bool operator<(const Next& other) const {
      return reward < other.reward || (reward == other.reward && arm > other.arm);
    }
  };
  std::priority_queue<Next> queue;
  for (Arm arm = 0; arm < known.arms; ++arm) queue.push({known.reward(arm, 1), arm, 1});
  for (Pulls t = 1;; ++t) {
    const Next next = queue.top();
    pulled(next.arm, next.reward);
    if (t == known.horizon) return;
    queue.pop();
    queue.push({known.reward(next.arm, next.pull + 1), next.arm, next.pull + 1});
  }
}

std::vector<Pulls> falling_allocation(const KnownArms& known) {
  std::vector<Pulls> pulls(static_cast<std::size_t>(known.arms));
  pull_greedily(known, [&](Arm arm, double) { ++pulls[static_cast<std::size_t>(arm)]; });
  return pulls;
}

/// One arm for each t = 1..T (entry 0 is unused), and the best value for each t = 0..T.
struct ArmsByTime {
  std::vector<Arm> arm_at;
  std::vector<double> values;
};

/// Returns, for rising curves and each t, the arm that gets all t pulls.
ArmsByTime best_single_arms(const KnownArms& known) {
  const std::size_t size = static_cast<std::size_t>(known.horizon) + 1;
  ArmsByTime best{std::vector<Arm>(size, 0), std::vector<double>(size, 0)};
  for (Arm arm = 0; arm < known.arms; ++arm) {
    RunningSum total;
    for (std::size_t t = 1; t < size; ++t) {
      total.add(known.reward(arm, static_cast<Pulls>(t)));
      if (arm > 0 && total.value() <= best.values[t]) continue;
      best.values[t] = total.value();
      best.arm_at[t] = arm;
    }
  }
  return best;
}

/// Returns, for falling curves and each t, the arm that gets pull t. The best pulls for a horizon are the first pulls
/// of those for any longer one.
ArmsByTime greedy_arms(const KnownArms& known) {
  ArmsByTime best{{0}, {0}};
  RunningSum total;
  pull_greedily(known, [&](Arm arm, double reward) {
    total.add(reward);
    best.arm_at.push_back(arm);
    best.values.push_back(total.value());
  });
  return best;
}

/// Returns the number of pulls between two milestones: about the number of arms. All milestones then need at most twice
/// the memory of arm_at_, and counting the pulls since a milestone takes about as long as copying the milestone.
std::size_t milestone_distance(Arm arms) { return static_cast<std::size_t>(arms) + 64; }

RewardTable tabulate(const KnownArms& known) {
  if (known.horizon > kMostTabulatedRewards / known.arms) {
    throw InputError(
        fmt::format("{} arms with horizon {}: the optimum of curves that neither all rise nor all fall needs a table "
                    "of their rewards; shorten the horizon to at most {}",
                    known.arms, known.horizon, kMostTabulatedRewards / known.arms));
  }
  RewardTable rewards(static_cast<std::size_t>(known.arms));
  for (Arm arm = 0; arm < known.arms; ++arm) {
    auto& curve = rewards[static_cast<std::size_t>(arm)];
    curve.reserve(static_cast<std::size_t>(known.horizon));
    for (Pulls pull = 1; pull <= known.horizon; ++pull) curve.push_back(known.reward(arm, pull));
  }
  return rewards;
}

/// Throws InputError if the dynamic program takes too many steps. `why` starts the message: the reason for this method.
void check_steps(const KnownArms& known, bool every_horizon, const std::string& why) {
  const double steps = dynamic_program_steps(known.arms, known.horizon, every_horizon);
  if (steps <= kMostSteps) return;
  throw InputError(fmt::format(
      "{}the exact optimum of {} arms with horizon {} would take {:.1e} steps; shorten the horizon to at most {}", why,
      known.arms, known.horizon, steps,
      static_cast<Pulls>(static_cast<double>(known.horizon) * std::sqrt(kMostSteps / steps))));
}

/// The method for a problem.
struct ChosenMethod {
  AllocationMethod method = AllocationMethod::dynamic_program;
  RewardTable rewards;  // empty if the method needs none
};

ChosenMethod choose_method(const KnownArms& known, bool every_horizon) {
  check(known);
  const Trend trend = common_trend(known);
  if (trend.rising) return {AllocationMethod::rising, {}};
  if (trend.falling) return {AllocationMethod::falling, {}};
  RewardTable rewards = tabulate(known);
  const Valley valley = deepest_valley(rewards);
  if (valley.depth <= kRoundingError) return {AllocationMethod::single_peaked, std::move(rewards)};
  check_steps(known, every_horizon,
              fmt::format("the curves are not single-peaked (arm {} dips by {:.3g} at pull {}), so ", valley.arm,
                          valley.depth, valley.pull));
  return {AllocationMethod::dynamic_program, std::move(rewards)};
}

std::vector<Pulls> best_pulls(const KnownArms& known, const ChosenMethod& chosen) {
  switch (chosen.method) {
    case AllocationMethod::rising:
      return rising_allocation(known);
    case AllocationMethod::falling:
      return falling_allocation(known);
    case AllocationMethod::single_peaked:
      return single_peaked_allocation(chosen.rewards);
    case AllocationMethod::dynamic_program:
    case AllocationMethod::branch_and_bound:
      break;
  }
  return dynamic_program_allocation(chosen.rewards);
}

/// Returns the best allocation. Its value is summed from the curves, so it does not depend on the method.
Allocation allocation(const KnownArms& known, const ChosenMethod& chosen) {
  Allocation best{.horizon = known.horizon, .value = 0, .pulls = best_pulls(known, chosen), .method = chosen.method};
  best.value = total_reward(known, best.pulls);
  return best;
}

}  // namespace

std::string_view name(AllocationMethod method) {
  switch (method) {
    case AllocationMethod::rising:
      return "rising";
    case AllocationMethod::falling:
      return "falling";
    case AllocationMethod::single_peaked:
      return "single-peaked";
    case AllocationMethod::branch_and_bound:
      return "branch-and-bound";
    case AllocationMethod::dynamic_program:
      break;
  }
  return "dynamic-program";
}

double total_reward(const KnownArms& known, const std::vector<Pulls>& pulls) {
  RunningSum total;
  for (Arm arm = 0; arm < known.arms; ++arm)
    total.add(total_of_first(known, arm, pulls[static_cast<std::size_t>(arm)]));
  return total.value();
}

Allocation best_allocation(const KnownArms& known) { return allocation(known, choose_method(known, false)); }

Allocation best_allocation(const KnownArms& known, const std::vector<Pulls>& least) {
  Allocation best{.horizon = known.horizon, .value = 0, .pulls = least};
  const Pulls rest = known.horizon - std::accumulate(least.begin(), least.end(), Pulls{0});
  if (rest > 0) {
    const auto later = [&](Arm arm, Pulls pull) {
      return known.reward(arm, least[static_cast<std::size_t>(arm)] + pull);
    };
    const Allocation more = best_allocation({.arms = known.arms, .horizon = rest, .reward = later});
    for (std::size_t arm = 0; arm < least.size(); ++arm) best.pulls[arm] += more.pulls[arm];
    best.method = more.method;
  }
  best.value = total_reward(known, best.pulls);
  return best;
}

Allocation best_allocation_by_dynamic_program(const KnownArms& known) {
  check(known);
  check_steps(known, false, "by the dynamic program ");
  return allocation(known, {AllocationMethod::dynamic_program, tabulate(known)});
}

void check_best_allocations(const KnownArms& known) { choose_method(known, true); }

BestAllocations::BestAllocations(const KnownArms& known) : arms_(known.arms) {
  const ChosenMethod chosen = choose_method(known, true);
  method_ = chosen.method;
  if (method_ == AllocationMethod::rising || method_ == AllocationMethod::falling) {
    ArmsByTime found = method_ == AllocationMethod::rising ? best_single_arms(known) : greedy_arms(known);
    arm_at_ = std::move(found.arm_at);
    values_ = std::move(found.values);
    if (method_ == AllocationMethod::falling) set_milestones();
  } else {
    AllocationsByHorizon found = method_ == AllocationMethod::single_peaked
                                     ? single_peaked_allocations(chosen.rewards)
                                     : dynamic_program_allocations(chosen.rewards);
    table_ = std::move(found.table);
    values_ = std::move(found.values);
  }
}

double BestAllocations::value(Pulls horizon) const {
  check_horizon(horizon);
  return values_[static_cast<std::size_t>(horizon)];
}

Allocation BestAllocations::at(Pulls horizon) const {
  Allocation best{.horizon = horizon, .value = value(horizon), .pulls = {}, .method = method_};
  if (arm_at_.empty()) {
    best.pulls = table_.pulls(horizon);
    return best;
  }
  if (method_ == AllocationMethod::falling) {
    best.pulls = greedy_pulls(horizon);
    return best;
  }
  best.pulls.resize(static_cast<std::size_t>(arms_));
  best.pulls[static_cast<std::size_t>(arm_at_[static_cast<std::size_t>(horizon)])] = horizon;
  return best;
}

void BestAllocations::set_milestones() {
  std::vector<Pulls> pulls(static_cast<std::size_t>(arms_));
  for (std::size_t t = 0; t < arm_at_.size(); ++t) {
    if (t > 0) ++pulls[static_cast<std::size_t>(arm_at_[t])];
    if (t % milestone_distance(arms_) == 0) milestones_.insert(milestones_.end(), pulls.begin(), pulls.end());
  }
}

std::vector<Pulls> BestAllocations::greedy_pulls(Pulls horizon) const {
  const auto end = static_cast<std::size_t>(horizon);
  const std::size_t milestone = end / milestone_distance(arms_);
  const auto first = milestones_.begin() + static_cast<std::ptrdiff_t>(milestone) * arms_;
  std::vector<Pulls> pulls(first, first + arms_);
  for (std::size_t t = milestone * milestone_distance(arms_) + 1; t <= end; ++t)
    ++pulls[static_cast<std::size_t>(arm_at_[t])];
  return pulls;
}

void BestAllocations::check_horizon(Pulls horizon) const {
  const auto longest = std::ssize(values_) - 1;
  if (horizon < 0 || horizon > longest) {
    throw InputError(
        fmt::format("horizon {} is outside 0 to {}, for which the optimum was computed", horizon, longest));
  }
}

}  // namespace longrun
