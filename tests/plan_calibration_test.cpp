// How often the truth lies in the intervals of a plan, on bandits whose future is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/advice/standing.h"
#include "longrun/simulate/plan/plan.h"
#include "longrun/simulate/world.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// The families of bandits whose plans are judged together.
const std::vector<std::string> kPlanFamilies{"random_constant", "random_rising", "random_falling", "random_peaked"};

/// The plans of one family, compared with what happened.
struct Calibration {
  int plans = 0;
  int below = 0;     // totals below the interval
  int above = 0;     // totals above the interval
  double bias = 0;   // mean of (total - expected total), per remaining pull
  double width = 0;  // mean width of the interval, per remaining pull

  double coverage() const { return 1 - static_cast<double>(below + above) / plans; }
};

/// Follows foresight in `world` until `pulls` pulls are made, and returns the sum of the rewards.
double follow(ConstrainedPolicy& state, World& world, Pulls pulls, std::vector<PastPull>* history) {
  double total = 0;
  for (Pulls pull = 0; pull < pulls; ++pull) {
    const Arm arm = state.next_round()[0];
    const double reward = world.pull(arm);
    state.observe(arm, reward);
    total += reward;
    if (history != nullptr) history->push_back({arm, reward});
  }
  return total;
}

/// Plays foresight for `made` pulls of `horizon`, plans the rest, and plays on.
void judge_plan(Bandit bandit, const Noise& noise, Pulls horizon, Pulls made, Pulls futures, std::uint32_t replicate,
                Calibration& calibration) {
  bandit.noise = noise;
  World world(bandit.tabulated(horizon), 20'261'116, replicate);
  Question question{.history = {.arm_names = std::vector<std::string>(bandit.arms.size()), .pulls = {}},
                    .horizon = horizon};
  if (std::holds_alternative<Bernoulli>(noise)) question.noise = noise;
  ConstrainedPolicy state = standing_of(question).study.policy();
  follow(state, world, made, &question.history.pulls);
  const Plan answer = plan({.question = question, .futures = futures});
  const double total = follow(state, world, horizon - made, nullptr);
  const FutureRange& expected = answer.courses[0].total;
  const auto remaining = static_cast<double>(horizon - made);
  ++calibration.plans;
  calibration.below += total < expected.low ? 1 : 0;
  calibration.above += total > expected.high ? 1 : 0;
  calibration.bias += (total - expected.mean) / remaining;
  calibration.width += (expected.high - expected.low) / remaining;
}

Calibration calibration_of(const std::string& family, const Noise& noise, Pulls horizon, Pulls made, int plans,
                           Pulls futures) {
  Calibration calibration;
  for (int instance = 0; instance < plans; ++instance) {
    judge_plan(named_bandit(fmt::format("{}_{}", family, 500 + instance)), noise, horizon, made, futures,
               static_cast<std::uint32_t>(instance), calibration);
  }
  calibration.bias /= plans;
  calibration.width /= plans;
  return calibration;
}

std::string row_of(const std::string& family, const Noise& noise, Pulls horizon, Pulls made, const Calibration& c) {
  return fmt::format("| {} | {} | {} of {} | {:.0f} % | {} | {} | {:+.4f} | {:.4f} |", family, to_text(noise), made,
                     horizon, 100 * c.coverage(), c.below, c.above, c.bias, c.width);
}

/// Prints a row with the calibration of a family, and returns it.
Calibration printed(const std::string& family, const Noise& noise, Pulls horizon, int plans, Pulls futures) {
  const Calibration c = calibration_of(family, noise, horizon, horizon / 2, plans, futures);
  fmt::print("{}\n", row_of(family, noise, horizon, horizon / 2, c));
  std::fflush(stdout);
  return c;
}

TEST(PlanCalibration, TheTrueTotalLiesInTheIntervalAboutAsOftenAsStated) {
  const int plans = 25 / sanitizer_slowdown();
  const auto families = static_cast<int>(kPlanFamilies.size());
  // 0.8 less 2.5 standard errors: 0.6 for 25 plans of a family, 0.7 for those of all four.
  const auto least = [](int count) { return 0.8 - 2.5 * std::sqrt(0.8 * 0.2 / count); };
  double covered = 0;
  for (const std::string& family : kPlanFamilies) {
    const Calibration c = printed(family, Gaussian{0.1}, 400, plans, 100);
    EXPECT_GE(c.coverage(), least(plans)) << family;
    covered += c.coverage() / families;
  }
  EXPECT_GE(covered, least(families * plans));
}

// It takes about ten minutes.
TEST(PlanCalibration, EveryFamilyIsWithinTheBoundsOfTheDocumentation) {
  if (!long_tests()) GTEST_SKIP() << "long";
  for (const Pulls horizon : {1000, 10'000}) {
    for (const std::string& family : kPlanFamilies) {
      for (const Noise& noise : {Noise(Gaussian{0.1}), Noise(Bernoulli{})}) {
        EXPECT_GE(printed(family, noise, horizon, horizon == 1000 ? 100 : 40, 100).coverage(), 0.7) << family;
      }
    }
  }
}

/// Arms of one rate that does not change, and few yes/no rewards of each.
struct LowRates {
  int arms;
  int rewards;  // of each arm
  double rate;
  Pulls remaining;
};

// Prints the table of docs/plan.md: whatever is pulled, the truth is rate times remaining pulls.
TEST(PlanCalibration, OfLowRatesSaysHowMuchRestsOnArmsThatTurnOutBetter) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const int logs = long_tests() ? 100 : 3;
  std::mt19937_64 random(55);
  for (const auto& [arms, rewards, rate, remaining] :
       {LowRates{4, 50, 0.1, 800}, LowRates{4, 400, 0.02, 2000}, LowRates{10, 50, 0.05, 1000},
        LowRates{20, 20, 0.1, 1000}, LowRates{20, 100, 0.1, 1000}, LowRates{3, 2000, 0.02, 6000},
        LowRates{4, 100, 0.5, 400}}) {
    int inside = 0;
    int unwarned = 0;  // plans that expect half as much again as the truth, without a caution
    double expected = 0;
    double as_shown = 0;
    double split = 0;
    for (int log = 0; log < logs; ++log) {
      Question question{.history = {.arm_names = std::vector<std::string>(static_cast<std::size_t>(arms)), .pulls = {}},
                        .horizon = Pulls{arms} * rewards + remaining};
      std::bernoulli_distribution success(rate);
      for (int pull = 0; pull < arms * rewards; ++pull)
        question.history.pulls.push_back({pull % arms, success(random) ? 1.0 : 0.0});
      const Plan answer = plan({.question = question, .futures = 100});
      const double truth = rate * static_cast<double>(remaining);
      const auto total = static_cast<double>(std::binomial_distribution<Pulls>(remaining, rate)(random));
      const Course& policy = answer.courses[0];
      inside += policy.total.low <= total && total <= policy.total.high ? 1 : 0;
      expected += policy.total.mean / truth / logs;
      as_shown += *policy.total_as_shown / truth / logs;
      split += answer.courses[1].total.mean / truth / logs;
      unwarned +=
          policy.total.mean > 1.5 * truth && *policy.total_as_shown < 1.1 * truth && answer.cautions.empty() ? 1 : 0;
    }
    fmt::print("| {} | {} | {:g} % | {} | {:.0f} % | {:.2f} | {:.2f} | {:.2f} |\n", arms, rewards, 100 * rate,
               remaining, 100.0 * inside / logs, expected, as_shown, split);
    std::fflush(stdout);
    EXPECT_EQ(unwarned, 0) << arms << " arms, " << rewards << " rewards";
    EXPECT_LT(as_shown, long_tests() ? 1.2 : 1.5) << arms << " arms, " << rewards << " rewards";
    EXPECT_LE(as_shown, expected);
  }
}

}  // namespace
}  // namespace longrun
