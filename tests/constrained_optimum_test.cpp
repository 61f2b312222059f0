// The optimum is the best of all schedules that the constraints allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/simulate/optimum.h"
#include "tests/constrained_problem.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Tries every schedule, round by round; best() is the largest value of those that meet all constraints.
class EverySchedule {
 public:
  EverySchedule(const Problem& problem, const Bandit& bandit) : problem_(problem), bandit_(bandit) {
    const std::vector<Pulls> none(bandit.arms.size(), 0);
    visit(1, none, none);
  }
  std::optional<double> best() const { return best_; }
  /// Returns whether any pull can be made, in any round.
  bool can_pull() const { return can_pull_; }

 private:
  void visit(Pulls round, const std::vector<Pulls>& before, const std::vector<Pulls>& pulls) {
    if (problem_.spent(pulls) > 0) can_pull_ = true;
    if (!seen_.insert({round, problem_.left(round, before, pulls), pulls}).second) return;
    if (problem_.everything_available() && !problem_.shares_hold(pulls)) return;
    if (round == problem_.rounds()) end(pulls);
    if (round < problem_.rounds()) visit(round + 1, pulls, pulls);
    for (Arm arm = 0; arm < problem_.arms; ++arm) {
      std::vector<Pulls> more = pulls;
      ++more[static_cast<std::size_t>(arm)];
      if (problem_.available(arm, round) && problem_.left(round, before, more) >= 0) visit(round, before, more);
    }
  }
  void end(const std::vector<Pulls>& pulls) {
    if (!problem_.minima_hold(pulls)) return;
    double value = 0;
    for (std::size_t arm = 0; arm < pulls.size(); ++arm) value += bandit_.arms[arm].cumulative(pulls[arm]);
    best_ = std::max(best_.value_or(0), value);
  }

  const Problem& problem_;
  const Bandit& bandit_;
  std::set<std::tuple<Pulls, Pulls, std::vector<Pulls>>> seen_;
  std::optional<double> best_;
  bool can_pull_ = false;
};

TEST(ConstrainedOptimum, IsTheBestOfAllSchedules) {
  Dice dice(1);
  int solved = 0;
  int refused = 0;
  for (int instance = 0; instance < 4000 / sanitizer_slowdown(); ++instance) {
    const Problem problem = random_problem(dice, 10);
    const Bandit bandit = random_bandit(dice, problem.arms, problem.horizon);
    const EverySchedule schedules(problem, bandit);
    const std::optional<double> best = schedules.best();
    if (!schedules.can_pull()) {
      EXPECT_FALSE(feasible(problem)) << "no pull can be made: " << problem.text();
      continue;
    }
    ASSERT_EQ(feasible(problem), best.has_value()) << problem.text();
    if (!best) {
      EXPECT_THROW(optimal_allocation(bandit, problem.horizon, problem.constraints), InputError);
      ++refused;
      continue;
    }
    const Allocation found = optimal_allocation(bandit, problem.horizon, problem.constraints);
    ASSERT_NEAR(found.value, *best, 1e-12) << problem.text();
    ASSERT_TRUE(problem.minima_hold(found.pulls)) << problem.text();
    ASSERT_LE(problem.spent(found.pulls), problem.horizon) << problem.text();
    ++solved;
  }
  EXPECT_GT(solved, 1000 / sanitizer_slowdown());
  EXPECT_GT(refused, 100 / sanitizer_slowdown());
}

}  // namespace
}  // namespace longrun
