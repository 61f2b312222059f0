// The policies of the paper and the variants of the released code, by their names: every choice has the largest index
// of their definitions, which are computed from all rewards at every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/solve/optimistic_future.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

constexpr Pulls kChoices = 250;     // horizon of a run
constexpr double kRounding = 1e-9;  // by which the index of a choice may be below the largest
constexpr double kBonus = 0.6;      // default weight of the exploration bonus of the UCB policies

/// A reward and its arm.
struct Pulled {
  std::size_t arm;
  double reward;
};

/// The pulls and rewards that an index is computed from.
struct Past {
  std::vector<Pulled> pulls;  // of all arms, in order
  RewardsByArm rewards;
  double half_width;
  Pulls remaining;
};
using IndexByDefinition = std::function<double(const Past&, std::size_t arm)>;

/// Expects every choice after the initial pulls to have the largest index. With Refresh::pulled_arm, the index of an
/// arm is that after its own last pull.
void expect_largest_index(const std::string& policy, Refresh refresh, Pulls initial_pulls, const Bandit& bandit,
                          std::uint64_t seed, const IndexByDefinition& index) {
  const Setting setting{.arms = bandit.arm_count(), .horizon = kChoices, .noise = bandit.noise, .seed = seed};
  const std::size_t arms = bandit.arms.size();
  const auto tested = make_policy(PolicyChoice(policy), setting);
  World world(bandit, seed);
  Past past{
      .pulls = {}, .rewards = RewardsByArm(arms), .half_width = setting.resolved_half_width(), .remaining = kChoices};
  std::vector<double> indices(arms);
  bool has_indices = false;
  for (; past.remaining > 0; --past.remaining) {
    const auto arm = static_cast<std::size_t>(tested->choose());
    const auto fewest = std::min_element(past.rewards.begin(), past.rewards.end(),
                                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (static_cast<Pulls>(fewest->size()) >= initial_pulls) {
      for (std::size_t i = 0; i < arms; ++i) {
        const bool is_due = refresh == Refresh::every_arm || !has_indices || i == past.pulls.back().arm;
        if (is_due) indices[i] = index(past, i);
      }
      has_indices = true;
      ASSERT_GE(indices[arm], *std::max_element(indices.begin(), indices.end()) - kRounding)
          << policy << ", step " << past.pulls.size() << ", " << arms << " arms, " << to_text(bandit.noise) << ", seed "
          << seed;
    } else {
      ASSERT_LT(static_cast<Pulls>(past.rewards[arm].size()), initial_pulls) << policy;
    }
    const double reward = world.pull(static_cast<Arm>(arm));
    tested->observe(static_cast<Arm>(arm), reward);
    past.pulls.push_back({arm, reward});
    past.rewards[arm].push_back(reward);
  }
}

std::vector<Band> bands_around(const std::vector<double>& rewards, double half_width) {
  std::vector<Band> bands;
  bands.reserve(rewards.size());
  for (const double reward : rewards) bands.push_back({.lower = reward - half_width, .upper = reward + half_width});
  return bands;
}

/// Returns the sum of the next rewards of a line, each at most 1.
double sum_of_line(double level, double slope, Pulls count) {
  double sum = 0;
  for (Pulls k = 1; k <= count; ++k) sum += std::min(1.0, level + slope * static_cast<double>(k));
  return sum;
}

/// Returns whether (*) has had no solution after some reward of the arm.
bool has_peaked(const std::vector<Band>& bands) {
  return !optimistic_future(bands, 1);  // fewer bands are easier, so this one time decides
}

/// The optimistic average of single-peaked optimism.
double optimistic_average(const Past& past, std::size_t arm) {
  const std::vector<double>& rewards = past.rewards[arm];
  const double last = rewards.back();
  const auto remaining = static_cast<double>(past.remaining);
  if (past.half_width == 0) {
    const double step = last - rewards[rewards.size() - 2];
    return step <= 0 ? last : sum_of_line(last, step, past.remaining) / remaining;
  }
  const std::vector<Band> bands = bands_around(rewards, past.half_width);
  return has_peaked(bands) ? last + past.half_width : *optimistic_future(bands, past.remaining) / remaining;
}

/// The optimistic total of the released code.
double released_total(const Past& past, std::size_t arm) {
  const std::vector<double>& rewards = past.rewards[arm];
  const double last = rewards.back();
  if (past.half_width == 0) {
    const double step = last - rewards[rewards.size() - 2];
    return sum_of_line(last, std::max(step, 0.0), past.remaining);
  }
  const std::vector<Band> bands = bands_around(rewards, past.half_width);
  if (has_peaked(bands)) return static_cast<double>(past.remaining) * (last + past.half_width);
  const auto made = static_cast<std::ptrdiff_t>(rewards.size());
  const std::vector<double> curve = optimistic_curve(bands, kChoices - made);
  return std::accumulate(curve.begin() + std::min<std::ptrdiff_t>(made + 1, std::ssize(curve)), curve.end(), 0.0);
}

Pulls spo_initial_pulls() { return static_cast<Pulls>(std::log(static_cast<double>(kChoices))); }

TEST(SinglePeakedOptimism, PullsTheArmWithTheLargestOptimisticAverage) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    expect_largest_index("spo", Refresh::every_arm, spo_initial_pulls(), bandit, seed, optimistic_average);
  });
}

TEST(SinglePeakedOptimism, AsReleasedItRefreshesTheArmPulledOnly) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    expect_largest_index("spo@released", Refresh::pulled_arm, spo_initial_pulls(), bandit, seed, released_total);
  });
}

TEST(Foresight, WithoutNoiseChoosesAsSinglePeakedOptimismDoes) {
  for (const Arm arms : {1, 2, 3, 10, 60}) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      expect_largest_index("foresight", Refresh::every_arm, spo_initial_pulls(), mixed_arms(arms, 700, NoNoise{}, seed),
                           seed, optimistic_average);
    }
  }
}

TEST(OneStepOptimism, PullsTheArmWhoseNextRewardCouldBeLargest) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    expect_largest_index("one-step-optimistic", Refresh::every_arm, 2, bandit, seed,
                         [](const Past& past, std::size_t arm) {
                           const std::vector<double>& rewards = past.rewards[arm];
                           const double before = rewards[rewards.size() - 2];
                           const double upper = rewards.back() + past.half_width;
                           const double rise = upper - (before - past.half_width);
                           return rewards.back() > before ? std::min(1.0, upper + rise) : upper;
                         });
  });
}

TEST(Greedy, PullsTheArmWithTheLargestLastRewardThatIsNotBelowZero) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    expect_largest_index("greedy", Refresh::every_arm, 1, bandit, seed,
                         [](const Past& past, std::size_t arm) { return std::max(0.0, past.rewards[arm].back()); });
  });
}

/// Returns the index of upper confidence bounds whose rewards have a weight by their age: the number of later pulls.
IndexByDefinition upper_bound_with(const std::function<double(std::size_t age)>& weight_of) {
  return [weight_of](const Past& past, std::size_t arm) {
    double total = 0;
    double weight = 0;
    double sum = 0;
    for (std::size_t i = 0; i < past.pulls.size(); ++i) {
      const double w = weight_of(past.pulls.size() - 1 - i);
      total += w;
      if (past.pulls[i].arm != arm) continue;
      weight += w;
      sum += w * past.pulls[i].reward;
    }
    if (weight == 0) return std::numeric_limits<double>::infinity();
    return sum / weight + std::sqrt(kBonus * std::log(std::max(1.0, total)) / weight);
  };
}

TEST(UpperConfidenceBounds, OfEachVariantAreThoseOfItsDefinition) {
  const auto plain = upper_bound_with([](std::size_t) { return 1.0; });
  const auto discounted = upper_bound_with([](std::size_t age) { return std::pow(0.9, static_cast<double>(age)); });
  const auto in_window = upper_bound_with([](std::size_t age) { return age < 40 ? 1.0 : 0.0; });
  on_many_bandits([&](const Bandit& bandit, std::uint64_t seed) {
    expect_largest_index("ucb", Refresh::every_arm, 1, bandit, seed, plain);
    expect_largest_index("ucb@released", Refresh::pulled_arm, 1, bandit, seed, plain);
    expect_largest_index("d-ucb:discount=0.9", Refresh::every_arm, 1, bandit, seed, discounted);
    expect_largest_index("d-ucb@released:discount=0.9", Refresh::pulled_arm, 1, bandit, seed, discounted);
    expect_largest_index("sw-ucb:window=40", Refresh::every_arm, 1, bandit, seed, in_window);
    expect_largest_index("sw-ucb@released:window=40", Refresh::pulled_arm, 1, bandit, seed, in_window);
  });
}

/// Algorithm 1 of Heidari, Kearns & Roth, written out: survivors are pulled in turn, and dropped after full rounds.
class RisingArmsByDefinition {
 public:
  Arm operator()(const RewardsByArm& history) {
    if (survivors_.empty()) {
      survivors_.resize(history.size());
      std::iota(survivors_.begin(), survivors_.end(), Arm{0});
    }
    const auto made = [&](Arm arm) { return rewards_of(history, arm).size(); };
    const auto fewer = [&](Arm a, Arm b) { return made(a) < made(b); };
    const Arm next = *std::min_element(survivors_.begin(), survivors_.end(), fewer);
    if (survivors_.size() == 1 || made(next) == rounds_) return next;
    rounds_ = made(next);
    if (rounds_ >= 2) drop_dominated(history);
    return survivors_.front();
  }

 private:
  static const std::vector<double>& rewards_of(const RewardsByArm& history, Arm arm) {
    return history[static_cast<std::size_t>(arm)];
  }
  static double total(const std::vector<double>& rewards) {
    return std::accumulate(rewards.begin(), rewards.end(), 0.0);
  }
  static Pulls left(const std::vector<double>& rewards) { return kChoices - static_cast<Pulls>(rewards.size()); }
  static double pessimistic(const std::vector<double>& rewards) {
    return total(rewards) + static_cast<double>(left(rewards)) * rewards.back();
  }
  static double optimistic(const std::vector<double>& rewards) {
    return total(rewards) + sum_of_line(rewards.back(), rewards.back() - rewards[rewards.size() - 2], left(rewards));
  }
  void drop_dominated(const RewardsByArm& history) {
    std::vector<Arm> kept;
    Arm best = survivors_.front();
    for (const Arm arm : survivors_) {
      if (pessimistic(rewards_of(history, arm)) > pessimistic(rewards_of(history, best))) best = arm;
    }
    for (const Arm arm : survivors_) {
      const bool is_dominated = std::any_of(survivors_.begin(), survivors_.end(), [&](Arm other) {
        return other != arm && optimistic(rewards_of(history, arm)) < pessimistic(rewards_of(history, other));
      });
      if (!is_dominated) kept.push_back(arm);
    }
    if (kept.empty()) kept.push_back(best);
    survivors_ = std::move(kept);
  }

  std::vector<Arm> survivors_;
  std::size_t rounds_ = 0;  // complete ones
};

TEST(Increasing, DropsAnArmWhoseBestTotalIsBelowTheWorstOfAnother) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    expect_choices("increasing", bandit, kChoices, seed, RisingArmsByDefinition());
  });
}

TEST(FollowPlan, PullsEveryArmAsOftenAsPlannedTheFirstArmFirst) {
  const auto optimal =
      make_policy(PolicyChoice("optimal"), {.arms = 4, .horizon = 8, .plan = std::vector<Pulls>{2, 0, 3, 1}});
  std::vector<Arm> chosen;
  for (int step = 0; step < 8; ++step) {
    chosen.push_back(optimal->choose());
    optimal->observe(chosen.back(), 0.5);
  }
  EXPECT_EQ(chosen, (std::vector<Arm>{0, 0, 2, 2, 2, 3, 3, 3})) << "the last planned arm after the plan";
}

}  // namespace
}  // namespace longrun
