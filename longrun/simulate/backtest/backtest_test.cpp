#include "longrun/simulate/backtest/backtest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>

#include "longrun/base/cancellation.h"
#include "longrun/simulate/backtest/arm_order.h"
#include "longrun/simulate/backtest/backtest_explanation.h"
#include "longrun/simulate/compared_run.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"
#include "tests/simulated_log.h"

namespace longrun {
namespace {

std::vector<PolicyChoice> choices(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

/// Returns the mean reward per pull of a policy on the bandit itself, over the orders of its arms.
double true_reward(const std::string& policy, const Bandit& bandit, Pulls horizon, std::uint32_t replicates) {
  double sum = 0;
  const Bandit tabulated = bandit.tabulated(horizon);
  for (std::uint32_t replicate = 0; replicate < replicates; ++replicate) {
    const Setting setting{
        .arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .seed = 99, .replicate = replicate};
    const Bandit ordered = in_order(tabulated, arm_order(99, replicate, bandit.arms.size()));
    sum += play(PolicyChoice(policy), ordered, setting).earned / static_cast<double>(horizon);
  }
  return sum / replicates;
}

TEST(Backtest, WithoutNoiseIsTheResultOnTheTrueBandit) {
  const Bandit bandit = three_hills(NoNoise{});
  const BacktestSpec spec{.history = column_log(bandit, 1, 200),
                          .horizon = 200,
                          .policies = choices({"foresight", "greedy", "ucb"}),
                          .replicates = 2,
                          .resamples = 20};
  const Backtest result = backtest(spec);
  ASSERT_EQ(result.rows.size(), 5U);
  for (std::size_t row = 0; row < 3; ++row) {
    const double truth = true_reward(spec.policies[row].text(), bandit, 200, 1);
    EXPECT_NEAR(result.rows[row].reward.value, truth, 1e-9) << result.rows[row].name;
    EXPECT_NEAR(result.rows[row].reward.interval->low, truth, 1e-9) << "nothing is uncertain";
    EXPECT_NEAR(result.rows[row].reward.interval->high, truth, 1e-9);
    EXPECT_EQ(result.rows[row].extrapolated, 0);
  }
  const double optimum = optimal_allocation(bandit, 200).value / 200;
  EXPECT_NEAR(result.rows[4].reward.value, optimum, 1e-9);
  EXPECT_EQ(result.rows[4].name, "optimum");
  EXPECT_NEAR(result.rows[0].regret.value, optimum - result.rows[0].reward.value, 1e-9);
  EXPECT_EQ(result.rows[3].name, "equal split");
  double equal = 0;
  for (std::size_t arm = 0; arm < 3; ++arm) equal += bandit.arms[arm].cumulative(arm < 2 ? 67 : 66);
  EXPECT_NEAR(result.rows[3].reward.value, equal / 200, 1e-9);
}

TEST(Backtest, IsTheContestOnTheFittedBandit) {
  const BacktestSpec spec{.history = column_log(three_hills(Gaussian{.sd = 0.1}), 3, 150),
                          .horizon = 300,
                          .policies = choices({"spo", "exp3"}),
                          .replicates = 3,
                          .resamples = 0,
                          .seed = 12};
  const Backtest result = backtest(spec);
  EXPECT_FALSE(result.rows[0].reward.interval);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0;
    const Bandit by_label = in_order(result.bandit, {1, 0, 2});  // early, late, level
    for (std::uint32_t replicate = 0; replicate < 3; ++replicate) {
      const Setting setting{.arms = 3, .horizon = 300, .noise = result.fit.noise, .seed = 12, .replicate = replicate};
      const Bandit played = in_order(by_label, arm_order(12, replicate, 3));
      const ComparedRun run = play_and_compare({spec.policies[row], played, setting}, false);
      sum += run.earned / 300 / 3;
      EXPECT_NEAR(run.best.value / 300, result.rows[3].reward.value, 1e-12);
    }
    EXPECT_NEAR(result.rows[row].reward.value, sum, 1e-12);
  }
}

TEST(Backtest, IsTheSameForAnyNumberOfThreads) {
  BacktestSpec spec{.history = random_log(three_hills(Gaussian{.sd = 0.2}), 5, 300),
                    .policies = choices({"foresight", "exp3"}),
                    .replicates = 2,
                    .resamples = 20,
                    .random_choices = true};
  const Backtest one = backtest(spec, {.threads = 1});
  const Backtest many = backtest(spec, {.threads = 4});
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    EXPECT_EQ(one.rows[row].reward.value, many.rows[row].reward.value);
    EXPECT_EQ(one.rows[row].reward.interval->low, many.rows[row].reward.interval->low);
    EXPECT_EQ(one.rows[row].behind_best.interval->high, many.rows[row].behind_best.interval->high);
  }
  EXPECT_EQ(one.horizon, 300) << "as many pulls as the log";
  spec.seed = 1;
  EXPECT_NE(backtest(spec).rows[0].reward.interval->low, one.rows[0].reward.interval->low);
}

/// Returns the same history with its arms named in another order: place `order[i]` is the arm i.
History with_arms_in(const History& history, const std::vector<Arm>& order) {
  History result = history;
  for (std::size_t arm = 0; arm < order.size(); ++arm)
    result.arm_names[static_cast<std::size_t>(order[arm])] = history.arm_names[arm];
  for (PastPull& pull : result.pulls) pull.arm = order[static_cast<std::size_t>(pull.arm)];
  return result;
}

TEST(Backtest, DoesNotDependOnTheOrderOfTheArms) {
  BacktestSpec spec{.history = column_log(three_hills(Bernoulli{}), 4, 120),
                    .horizon = 120,
                    .policies = choices({"foresight", "greedy", "thompson-beta"}),
                    .replicates = 20,
                    .resamples = 20};
  const Backtest here = backtest(spec);
  const std::vector<Arm> order{2, 0, 1};
  spec.history = with_arms_in(spec.history, order);
  const Backtest there = backtest(spec);
  for (std::size_t row = 0; row < here.rows.size(); ++row) {
    const BacktestRow& a = here.rows[row];
    const BacktestRow& b = there.rows[row];
    EXPECT_EQ(a.reward.value, b.reward.value) << a.name;
    EXPECT_EQ(a.behind_best.interval->low, b.behind_best.interval->low);
    EXPECT_EQ(a.clearly_behind, b.clearly_behind);
    for (std::size_t arm = 0; arm < 3; ++arm) EXPECT_EQ(a.pulls[arm], b.pulls[static_cast<std::size_t>(order[arm])]);
  }
  for (std::size_t arm = 0; arm < 3; ++arm) {
    const auto place = static_cast<std::size_t>(order[arm]);
    EXPECT_EQ(there.arms[place].arm, order[arm]) << "listed in the order of the log";
    EXPECT_EQ(here.bandit.arm_names[arm], there.bandit.arm_names[place]);
    EXPECT_EQ(here.fit.arms[arm].end_reward(), there.fit.arms[place].end_reward());
  }
  for (std::size_t policy = 0; policy < 3; ++policy) {
    for (std::size_t number = 0; number < kArmOrders; ++number)
      EXPECT_EQ(here.replays[policy].columns[number].rewards, there.replays[policy].columns[number].rewards);
  }
}

TEST(Backtest, WhatTiesDecideIsAveragedOverOrdersOfTheArms) {
  // Both arms first pay 0, and greedy stays with the first of them.
  History history{.arm_names = {"a", "b"}, .pulls = {}};
  for (int pull = 0; pull < 40; ++pull) {
    history.pulls.push_back({0, 0.0});
    history.pulls.push_back({1, pull == 0 ? 0.0 : 0.8});
  }
  const Backtest result = backtest(
      {.history = history, .horizon = 40, .policies = choices({"greedy", "ucb"}), .replicates = 10, .resamples = 0});
  EXPECT_GT(result.rows[0].pulls[0], 1) << "in some orders greedy stays with a";
  EXPECT_GT(result.rows[0].pulls[1], 1) << "in others with b";
}

TEST(Backtest, OrdersClearlyDifferentPoliciesAsTheBanditDoes) {
  const Bandit bandit = three_hills(Gaussian{.sd = 0.1});
  const double spo = true_reward("spo", bandit, 400, 50);
  ASSERT_GT(spo, true_reward("ucb", bandit, 400, 50) + 0.06) << "clearly different";
  ASSERT_GT(spo, true_reward("exp3", bandit, 400, 50) + 0.06);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Backtest result = backtest({.history = column_log(bandit, seed, 400),
                                      .horizon = 400,
                                      .policies = choices({"ucb", "spo", "exp3"}),
                                      .replicates = 50,
                                      .resamples = 40});
    EXPECT_EQ(result.best, 1U);
    EXPECT_TRUE(result.rows[0].clearly_behind) << "and the log shows it";
    EXPECT_TRUE(result.rows[2].clearly_behind);
    EXPECT_FALSE(result.rows[1].clearly_behind);
    EXPECT_EQ(result.rows[1].behind_best.value, 0);
  }
}

// ---- how often a policy is said to be better

/// Returns a bandit of arms that all pay the same, so that all policies earn the same.
Bandit equal_arms(int arms, double reward, const Noise& noise) {
  Bandit bandit{.name = "equal", .arm_names = {}, .arms = {}, .noise = noise, .recorded_noise = nullptr};
  for (int arm = 0; arm < arms; ++arm) {
    bandit.arm_names.push_back(fmt::format("{}", arm));
    bandit.arms.emplace_back(Constant{reward});
  }
  return bandit;
}

TEST(Backtest, NoPolicyIsSaidToBeBetterWhereAllEarnTheSame) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const int logs = long_tests() ? 200 : 10 / sanitizer_slowdown();
  const std::vector<std::pair<std::string, Bandit>> cases{
      {"three arms, sd 0.2", equal_arms(3, 0.5, Gaussian{.sd = 0.2})},
      {"three arms, yes or no", equal_arms(3, 0.3, Bernoulli{})},
      {"ten arms, sd 0.1", equal_arms(10, 0.5, Gaussian{.sd = 0.1})},
  };
  for (const auto& [name, bandit] : cases) {
    int claimed = 0;
    int below = 0;  // an 80 % interval that is above 0
    for (int log = 1; log <= logs; ++log) {
      const Backtest result = backtest({.history = column_log(bandit, static_cast<std::uint64_t>(log), 100),
                                        .horizon = 100,
                                        .policies = choices({"foresight", "spo", "ucb", "greedy"}),
                                        .replicates = long_tests() ? 200U : 20U,
                                        .resamples = long_tests() ? 100U : 40U});
      const auto rows = std::span(result.rows).first(4);
      claimed += std::any_of(rows.begin(), rows.end(), [](const BacktestRow& row) { return row.clearly_behind; });
      below += std::any_of(rows.begin(), rows.end(),
                           [](const BacktestRow& row) { return row.behind_best.interval->low > 0; });
    }
    if (long_tests()) std::printf("| %s | %d | %d |\n", name.c_str(), claimed, below);
    EXPECT_LE(claimed, long_tests() ? logs / 20 : 1) << name;
  }
}

TEST(Backtest, TheOptimumIsNeverBelowAPolicy) {
  // Arms that pay nearly the same: the biases of the optimum and of a policy differ by more than their rewards.
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const BacktestSpec spec{.history = column_log(equal_arms(3, 0.5, Gaussian{.sd = 0.2}), seed, 40),
                            .horizon = 40,
                            .policies = choices({"spo", "ucb", "greedy"}),
                            .replicates = 20,
                            .resamples = 20};
    const Backtest result = backtest(spec);
    const BacktestRow& optimum = result.rows.back();
    for (const BacktestRow& row : result.rows) {
      EXPECT_LE(row.reward.value, optimum.reward.value) << row.name;
      EXPECT_LE(row.reward.interval->high, optimum.reward.interval->high) << row.name;
      EXPECT_NEAR(row.regret.value, optimum.reward.value - row.reward.value, 1e-12) << "the columns agree";
      EXPECT_LE(row.regret.interval->low, row.regret.value);
      EXPECT_GE(row.regret.interval->low, 0);
      EXPECT_GE(row.regret.interval->high, row.regret.value);
    }
    EXPECT_NEAR(optimum.behind_best.value, -result.rows[result.best].regret.value, 1e-12);
  }
}

// ---- how often the intervals contain the truth

struct CoverageCase {
  const char* name;
  Bandit bandit;
  Pulls logged;  // per arm
  Pulls horizon;
  int least;  // of 40 logs, the fewest whose interval contains the truth; docs/backtest.md has the measured numbers
};

/// Returns how many of the logs have an interval that contains the true reward, for every policy.
std::vector<int> covered(const CoverageCase& one, const std::vector<std::string>& policies, int logs,
                         std::uint32_t replicates, std::uint32_t resamples) {
  std::vector<int> counts(policies.size() + 1, 0);
  std::vector<double> truth;
  truth.reserve(policies.size());
  for (const std::string& policy : policies)
    truth.push_back(true_reward(policy, one.bandit, one.horizon, long_tests() ? 3000 : 300));
  double bias = 0;
  double width = 0;
  for (int log = 1; log <= logs; ++log) {
    const Backtest result = backtest({.history = column_log(one.bandit, static_cast<std::uint64_t>(log), one.logged),
                                      .horizon = one.horizon,
                                      .policies = choices(policies),
                                      .replicates = replicates,
                                      .resamples = resamples});
    for (std::size_t i = 0; i < policies.size(); ++i) {
      const LogEstimate& reward = result.rows[i].reward;
      counts[i] += reward.interval->low <= truth[i] && truth[i] <= reward.interval->high;
    }
    // The difference of the first two policies.
    const LogEstimate& second = result.rows[1].behind_best;
    const LogEstimate& first = result.rows[0].behind_best;
    const bool first_best = result.best == 0;
    const double difference = first_best ? truth[0] - truth[1] : truth[1] - truth[0];
    const LogEstimate& behind = first_best ? second : first;
    if (result.best < 2) counts.back() += behind.interval->low <= difference && difference <= behind.interval->high;
    bias += (result.rows[0].reward.value - truth[0]) / logs;
    width += (result.rows[0].reward.interval->high - result.rows[0].reward.interval->low) / logs;
  }
  if (long_tests()) {
    std::printf("| %s | %.3f | %+.3f | %.3f |", one.name, truth[0], bias, width);
    for (const int count : counts) std::printf(" %d |", count);
    std::printf("\n");
  }
  return counts;
}

TEST(Backtest, IntervalsContainTheTrueRewardInAboutFourOfFiveLogs) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const int logs = long_tests() ? 40 : 10 / sanitizer_slowdown();
  const std::uint32_t replicates = long_tests() ? 200 : 50;
  const std::uint32_t resamples = long_tests() ? 100 : 40;
  const std::vector<CoverageCase> cases{
      {"three hills, noise of sd 0.1, as many pulls per arm as the horizon", three_hills(Gaussian{.sd = 0.1}), 400, 400,
       26},
      {"three hills, rewards 0 or 1", three_hills(Bernoulli{}), 400, 400, 24},
      {"three level arms, noise of sd 0.2", three_levels(Gaussian{.sd = 0.2}), 400, 400, 24},
      {"three hills, sd 0.1, half as many pulls per arm as the horizon", three_hills(Gaussian{.sd = 0.1}), 200, 400, 0},
      {"three hills, sd 0.1, a quarter", three_hills(Gaussian{.sd = 0.1}), 100, 400, 0},
  };
  for (const CoverageCase& one : cases) {
    if (one.least == 0 && !long_tests()) continue;
    // One log more or less is chance where logs are few.
    const int slack = long_tests() ? 0 : 40;
    for (const int count : covered(one, {"spo", "ucb"}, logs, replicates, resamples)) {
      EXPECT_GE(count * 40 + slack, one.least * logs) << one.name;
    }
  }
}

TEST(Backtest, MeasuresHowMuchIsExtrapolated) {
  const Bandit bandit = three_levels(Gaussian{.sd = 0.05});
  const Backtest result = backtest({.history = column_log(bandit, 2, 50),
                                    .horizon = 500,
                                    .policies = choices({"greedy"}),
                                    .replicates = 2,
                                    .resamples = 0});
  double beyond = 0;
  for (const double pulls : result.rows[0].pulls) beyond += std::max(0.0, pulls - 50);
  // Each of the two runs may exceed the log in other arms; with means of pulls the share is that of the mean run.
  EXPECT_NEAR(result.rows[0].extrapolated, beyond / 500, 1e-12);
  EXPECT_GT(result.rows[0].extrapolated, 0.6);
  EXPECT_NEAR(result.rows[1].extrapolated, (500 - 150) / 500.0, 1e-12) << "equal split";
}

TEST(Backtest, AnswersInTheUnitOfTheScale) {
  BacktestSpec spec{.history = column_log(three_hills(Gaussian{.sd = 0.1}), 3, 100),
                    .horizon = 100,
                    .policies = choices({"foresight", "ucb"}),
                    .replicates = 2,
                    .resamples = 20};
  const Backtest unit = backtest(spec);
  spec.scale = {.minimum = -50, .maximum = 150};
  for (PastPull& pull : spec.history.pulls) pull.reward = -50 + 200 * *pull.reward;
  const Backtest scaled = backtest(spec);
  for (std::size_t row = 0; row < unit.rows.size(); ++row) {
    EXPECT_NEAR(scaled.rows[row].reward.value, -50 + 200 * unit.rows[row].reward.value, 1e-6);
    EXPECT_NEAR(scaled.rows[row].reward.interval->low, -50 + 200 * unit.rows[row].reward.interval->low, 1e-6);
    EXPECT_NEAR(scaled.rows[row].regret.value, 200 * unit.rows[row].regret.value, 1e-6);
    EXPECT_NEAR(scaled.rows[row].behind_best.value, 200 * unit.rows[row].behind_best.value, 1e-6);
  }
  EXPECT_NEAR(scaled.log_reward, -50 + 200 * unit.log_reward, 1e-9);
}

TEST(Backtest, LeavesOutArmsWithTooFewRewards) {
  History history = column_log(three_levels(Gaussian{.sd = 0.05}), 2, 50);
  history.pulls.resize(104);  // 4 of the third arm
  history.arm_names.emplace_back("never");
  const Backtest result = backtest({.history = history, .policies = choices({"ucb"}), .resamples = 0});
  ASSERT_EQ(result.arms.size(), 2U);
  ASSERT_EQ(result.left_out.size(), 2U);
  EXPECT_EQ(result.left_out[0].arm, 2);
  EXPECT_EQ(result.left_out[0].pulls, 4);
  EXPECT_EQ(result.left_out[1].pulls, 0);
  EXPECT_EQ(result.rows[0].pulls.size(), 2U);
}

TEST(Backtest, BasicIntervalReflectsTheQuantiles) {
  std::vector<double> differences(101);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = static_cast<double>((i * 37) % 101) / 100 - 0.2;
  const LogEstimate estimate = bootstrap_estimate(3.2, differences, 0);
  EXPECT_NEAR(estimate.value, 3.2 - 0.3, 1e-12) << "resampled logs give 0.3 too much on average";
  EXPECT_NEAR(estimate.interval->low, 3.2 - 0.7, 1e-12);
  EXPECT_NEAR(estimate.interval->high, 3.2 + 0.1, 1e-12);
  EXPECT_EQ(estimate.range().low, estimate.interval->low);
  EXPECT_EQ(estimate.range().high, estimate.interval->high);
  const LogEstimate alone = bootstrap_estimate(3.2, {}, 0.1);
  EXPECT_FALSE(alone.interval);
  EXPECT_EQ(alone.range().low, alone.value);
  EXPECT_EQ(alone.range().high, alone.value);
  const LogEstimate simulated = bootstrap_estimate(3.2, differences, 0.3 / 1.2816);
  EXPECT_NEAR(simulated.interval->low, 2.9 - std::hypot(0.4, 0.3), 1e-12) << "the error of the simulation is included";
  EXPECT_NEAR(simulated.interval->high, 2.9 + std::hypot(0.4, 0.3), 1e-12);
}

TEST(Backtest, ReportsProgressAndCanBeCancelled) {
  BacktestSpec spec{.history = random_log(three_hills(Gaussian{.sd = 0.2}), 5, 100),
                    .policies = choices({"ucb", "greedy"}),
                    .replicates = 3,
                    .resamples = 20};
  BacktestProgress last;
  backtest(spec, {.on_progress = [&](const BacktestProgress& progress) { last = progress; }});
  EXPECT_EQ(last.runs_total, 41U * 3 * 2) << "the log, 20 resampled and 20 level ones; "
                                             "3 replicates are fewer than those of a resample";
  EXPECT_EQ(last.runs_done, last.runs_total);
  EXPECT_EQ(last.steps_done, last.steps_total);
  std::atomic<bool> stop{false};
  const auto stop_soon = [&](const BacktestProgress& progress) { stop = progress.runs_done >= 10; };
  EXPECT_THROW(backtest(spec, {.on_progress = stop_soon, .stop = &stop}), Cancelled);
  for (PastPull& pull : spec.history.pulls) pull.reward = 0.25 * pull.arm;  // exact rewards: fewer runs are made
  backtest(spec, {.on_progress = [&](const BacktestProgress& progress) { last = progress; }});
  EXPECT_EQ(last.runs_done, last.runs_total);
}

TEST(Backtest, SaysWhatIsWrong) {
  const BacktestSpec good{.history = column_log(three_levels(NoNoise{}), 2, 10),
                          .policies = choices({"ucb"}),
                          .replicates = 1,
                          .resamples = 0};
  const auto error_with = [&](auto change) {
    BacktestSpec spec = good;
    change(spec);
    return error_of([&] { backtest(spec); });
  };
  EXPECT_EQ(error_with([](BacktestSpec&) {}), "no error");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.policies.clear(); }),
            "no policy is given; at least one is needed");
  EXPECT_EQ(error_with([](BacktestSpec& spec) {
              spec.policies = choices({"ucb", "spo", "ucb"});
            }),
            "policy 'ucb' is given twice");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.policies = choices({"optimal"}); }),
            "policy 'optimal' needs known reward curves; the optimum of the fitted curves is always part of the "
            "result");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.replicates = 0; }), "replicates 0: must be from 1 to 1000000");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.resamples = 5; }), "resamples 5: must be 0 or from 20 to 1000000");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.history.pulls.resize(14); }),
            "the log has only 1 arm with at least 5 rewards; policies can be compared only if at least 2 arms have so "
            "many");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.history.pulls.clear(); }).substr(0, 18), "the log has no arm");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.history.pulls[3].reward = 700; }),
            "reward 700 of arm 'low' is further outside the scale 0 to 1 than noise explains; set the scale to the "
            "range of the rewards, or correct this reward if it is wrong");
  EXPECT_EQ(error_with([](BacktestSpec& spec) { spec.history.pulls[3].arm = 3; }), "arm 3 is not one of 0..2");
}

TEST(Backtest, CountsARewardThatLooksLikeAMistakeAsTypicalAndNamesIt) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.04);
  BacktestSpec spec{.history = {.arm_names = {"a", "b"}, .pulls = {}},
                    .policies = choices({"greedy", "ucb"}),
                    .replicates = 5,
                    .resamples = 0};
  for (int pull = 0; pull < 80; ++pull) spec.history.pulls.push_back({pull % 2, 0.2 + noise(random)});
  spec.history.pulls[40].reward = 1.9;
  const Backtest result = backtest(spec);
  EXPECT_EQ(result.far.outliers.size(), 1U);
  EXPECT_NEAR(result.fit.sd, 0.04, 0.015);
  EXPECT_LT(result.fit.arms[0].peak_reward(), 0.3);
  EXPECT_NEAR(result.log_reward, 0.2, 0.02);
  EXPECT_TRUE(
      backtest_warnings(spec, result).at(0).starts_with("The reward 1.900 of arm 'a' (pull 41 of the history) "))
      << backtest_warnings(spec, result)[0];
  spec.keep_outliers = true;
  const Backtest kept = backtest(spec);
  EXPECT_TRUE(kept.far.outliers.empty());
  EXPECT_GT(kept.fit.arms[0].peak_reward(), 0.3);
}

}  // namespace
}  // namespace longrun
