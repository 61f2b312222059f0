#include "longrun/report/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "longrun/experiment/engine.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

constexpr double kStudent3 = 3.182446305284263;  // t(0.975), 3 degrees: four seeds

std::string fresh_folder() {
  std::string path = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::remove_all(path);
  return path;
}

// ---- a real experiment, judged a second time from its records

constexpr const char* kReal = R"(
bandits = ["inc_dec_3", "recommender_A", "const_*"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "exp3", "optimal", "spo@released", "d-ucb:discount=0.9"]
horizons = [20, 40, 100, 200, 400]
seeds = 4
seed = 5
)";

/// Regret per step by bandit, noise, policy, horizon and seed.
using Records = std::map<std::tuple<std::string, std::string, std::string, Pulls, std::uint32_t>, double>;

Records records_of(const Store& store) {
  Records records;
  store.for_each([&](const RunRecord& r) {
    const std::string policy = r.parameters.empty() ? r.policy : r.policy + ":" + r.parameters;
    const double regret = std::max(0.0, r.optimum - r.earned);
    EXPECT_NEAR(regret, r.regret, 1e-9);
    records[{r.bandit, r.noise, policy, r.horizon, r.seed}] = r.regret / static_cast<double>(r.horizon);
  });
  return records;
}

struct Expected {
  double measured = 0;
  double allowed = 0;
  double mean = 0;
  double half_width = 0;
  bool equal = true;
  /// 0 holds, 1 too close, 2 equal, 3 fails.
  int finding() const { return equal ? 2 : mean + half_width < 0 ? 0 : mean - half_width > 0 ? 3 : 1; }
};

/// Computes both sides of a check by its definition. `other` is empty if the check names none.
Expected expected_against(const Records& records, const Check& check, const std::string& bandit,
                          const std::string& noise, const std::string& other, Pulls since) {
  const std::vector<Pulls> horizons{20, 40, 100, 200, 400};
  const auto mean_over_range = [&](const std::string& policy, std::uint32_t seed) {
    double sum = 0;
    int count = 0;
    for (const Pulls horizon : horizons) {
      if (static_cast<double>(horizon) < check.from * 400 || static_cast<double>(horizon) > check.to * 400) continue;
      sum += records.at({bandit, noise, policy, horizon, seed});
      ++count;
    }
    EXPECT_GT(count, 0);
    return sum / count;
  };
  std::vector<double> excess;
  Expected expected;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const double left = mean_over_range(check.policy, seed);
    double right = check.slack;
    if (!other.empty()) right += check.factor * mean_over_range(other, seed);
    if (since > 0) right += check.factor * records.at({bandit, noise, check.policy, since, seed});
    expected.measured += left / 4;
    expected.allowed += right / 4;
    excess.push_back(left - right);
    expected.equal = expected.equal && left == right;
    expected.mean += (left - right) / 4;
  }
  double variance = 0;
  for (const double value : excess) variance += (value - expected.mean) * (value - expected.mean) / 3;
  expected.half_width = kStudent3 * std::sqrt(variance / 4);
  return expected;
}

class RealExperiment : public ::testing::Test {
 protected:
  RealExperiment() : store_(fresh_folder(), Store::Access::write) { run_experiment(config_, store_, {.threads = 2}); }

  /// Judges, and compares every scene with the definition. `since` is the horizon that check.since is nearest to.
  std::vector<CheckedScene> judged_as_defined(const Check& check, Pulls since = 0) {
    const Records records = records_of(store_);
    const Verdict verdict = judge(check, Results(store_, config_));
    EXPECT_EQ(verdict.scenes.size(), 6U);
    std::size_t number = 0;
    for (const char* bandit : {"inc_dec_3", "recommender_A", "const_*"}) {
      for (const char* noise : {"none", "gaussian:0.05"}) {
        const CheckedScene& scene = verdict.scenes.at(number++);
        EXPECT_EQ(scene.bandit, bandit);
        EXPECT_EQ(scene.noise, noise);
        const auto named = [&](const std::string& other) {
          return expected_against(records, check, bandit, noise, other, since);
        };
        const Expected expected = named(scene.against);
        EXPECT_NEAR(scene.measured, expected.measured, 1e-12) << bandit << " " << noise;
        EXPECT_NEAR(scene.allowed, expected.allowed, 1e-12) << bandit << " " << noise;
        EXPECT_NEAR(scene.excess.mean, expected.mean, 1e-12);
        EXPECT_NEAR(scene.excess.low, expected.mean - expected.half_width, 1e-12);
        EXPECT_NEAR(scene.excess.high, expected.mean + expected.half_width, 1e-12);
        EXPECT_EQ(scene.against.empty(), check.against.empty());
        int worst = expected.finding();
        for (const std::string& other : check.against) worst = std::max(worst, named(other).finding());
        EXPECT_EQ(scene.finding, (std::array{Finding::holds, Finding::too_close, Finding::equal, Finding::fails}.at(
                                     static_cast<std::size_t>(worst))))
            << bandit << " " << noise << ": of several, the worst counts";
      }
    }
    return verdict.scenes;
  }

  Config config_ = parse_config(kReal, "real.toml");
  Store store_;
};

TEST_F(RealExperiment, IsJudgedAsTheDefinitionSays) {
  std::set<Finding> seen;
  const std::vector<Check> checks{
      {.says = "", .policy = "spo", .against = {"greedy"}},
      {.says = "", .policy = "greedy", .against = {"spo"}},
      {.says = "", .policy = "spo", .against = {"greedy", "exp3", "d-ucb:discount=0.9"}},
      {.says = "", .policy = "spo", .against = {"exp3"}, .factor = 0.25},
      {.says = "", .policy = "spo", .against = {"exp3"}, .factor = 1.5, .slack = 0.01},
      {.says = "", .policy = "spo", .against = {"greedy"}, .from = 0.5},
      {.says = "", .policy = "spo", .against = {"greedy"}, .to = 0.1},
      {.says = "", .policy = "greedy", .against = {"exp3"}, .from = 0.1, .to = 0.5},
      {.says = "", .policy = "optimal", .slack = 0},
      {.says = "", .policy = "exp3", .slack = 0.05},
      {.says = "", .policy = "spo@released", .against = {"spo"}},
      {.says = "", .policy = "d-ucb:discount=0.9", .against = {"optimal"}, .slack = 0.1},
  };
  for (const Check& check : checks) {
    for (const CheckedScene& scene : judged_as_defined(check)) seen.insert(scene.finding);
  }
  EXPECT_EQ(seen.size(), 4U) << "every finding must occur, or the test checks too little";
}

TEST_F(RealExperiment, SinceComparesAPolicyWithItselfAtTheNearestHorizon) {
  judged_as_defined({.says = "", .policy = "spo", .factor = 0.5, .from = 0.99, .since = 0.1}, 40);
  judged_as_defined({.says = "", .policy = "exp3", .slack = 0.02, .since = 0.06}, 20);
  judged_as_defined({.says = "", .policy = "greedy", .to = 0.3, .since = 0.9}, 400);
}

// ---- invented records for every case

/// An experiment of one bandit whose regrets per step are as given: [policy][horizon][seed].
class MadeUp {
 public:
  using Regrets = std::vector<std::vector<std::vector<double>>>;

  MadeUp(const std::string& policies, const std::string& horizons, const Regrets& regrets)
      : config_(parse_config("bandits = ['inc_1']\npolicies = " + policies + "\nhorizons = " + horizons +
                                 "\nseeds = " + std::to_string(regrets[0][0].size()) + "\n",
                             "made_up.toml")),
        store_(fresh_folder(), Store::Access::write) {
    store_.begin(config_, {}, true);
    for (std::uint32_t k = 0; k < config_.seeds; ++k) {
      std::vector<ContestRun> runs;
      for (std::size_t policy = 0; policy < regrets.size(); ++policy) {
        for (std::size_t horizon = 0; horizon < config_.horizons.size(); ++horizon) {
          const auto steps = static_cast<double>(config_.horizons[horizon]);
          runs.push_back({.policy = policy,
                          .horizon = horizon,
                          .pulls = {config_.horizons[horizon], 0},
                          .earned = 2 * steps - steps * regrets[policy][horizon][k],
                          .optimum = 2 * steps});
        }
      }
      store_.add(config_, k, runs);
    }
    store_.commit();
  }

  CheckedScene judged(const Check& check) const { return judge(check, Results(store_, config_)).scenes.at(0); }

 private:
  Config config_;
  Store store_;
};

TEST(Judge, HoldsBelowFailsAboveAndElseIsTooClose) {
  // Excesses over greedy, whose regret is 0.5: their mean plus and minus 3.18 standard errors.
  const auto finding = [](const std::vector<double>& spo) {
    const MadeUp experiment("['spo', 'greedy']", "[8]", {{spo}, {{0.5, 0.5, 0.5, 0.5}}});
    return experiment.judged({.says = "", .policy = "spo", .against = {"greedy"}}).finding;
  };
  EXPECT_EQ(finding({0.25, 0.25, 0.25, 0.25}), Finding::holds);
  EXPECT_EQ(finding({0.25, 0.125, 0.25, 0.125}), Finding::holds);
  EXPECT_EQ(finding({0.75, 0.75, 0.75, 0.75}), Finding::fails);
  EXPECT_EQ(finding({0.75, 1, 0.75, 1}), Finding::fails);
  EXPECT_EQ(finding({0.25, 0.75, 0.25, 0.75}), Finding::too_close);
  EXPECT_EQ(finding({0.25, 0.25, 0.25, 0.75}), Finding::too_close) << "on the right side, but too few seeds to tell";
  EXPECT_EQ(finding({0.75, 0.75, 0.75, 0.25}), Finding::too_close) << "on the wrong side, but too few seeds to tell";
  EXPECT_EQ(finding({0.5, 0.5, 0.5, 0.5}), Finding::equal) << "equal is not less";
}

TEST(Judge, PairsBySeed) {
  // SPO is always better by 1/8, though seeds differ by much more.
  const MadeUp experiment("['spo', 'greedy']", "[8]", {{{0.125, 0.25, 0.5, 1}}, {{0.25, 0.375, 0.625, 1.125}}});
  const CheckedScene scene = experiment.judged({.says = "", .policy = "spo", .against = {"greedy"}});
  EXPECT_EQ(scene.finding, Finding::holds);
  EXPECT_EQ(scene.excess.low, -0.125);
  EXPECT_EQ(scene.excess.high, -0.125);
}

TEST(Judge, OneSeedIsEnoughIfRunsDoNotDependOnTheSeed) {
  const MadeUp experiment("['spo', 'greedy']", "[8]", {{{0.25}}, {{0.5}}});
  EXPECT_EQ(experiment.judged({.says = "", .policy = "spo", .against = {"greedy"}}).finding, Finding::holds);
  EXPECT_EQ(experiment.judged({.says = "", .policy = "greedy", .against = {"spo"}}).finding, Finding::fails);
  EXPECT_EQ(experiment.judged({.says = "", .policy = "greedy", .against = {"spo"}, .factor = 2}).finding,
            Finding::equal);
  const MadeUp random("['exp3', 'greedy']", "[8]", {{{0.25}}, {{0.5}}});
  EXPECT_EQ(random.judged({.says = "", .policy = "exp3", .against = {"greedy"}}).finding, Finding::too_close);
  EXPECT_EQ(random.judged({.says = "", .policy = "greedy", .against = {"exp3"}}).finding, Finding::too_close);
  EXPECT_EQ(random.judged({.says = "", .policy = "greedy", .slack = 1}).finding, Finding::holds);
}

TEST(Judge, OneSeedOfANoisyBanditIsTooFew) {
  const Config config = parse_config(
      "bandits = ['inc_dec_3', 'const_*']\nnoise = ['none', 'gaussian:0.1']\npolicies = ['greedy']\nhorizons = [50]\n",
      "noisy.toml");
  Store store(fresh_folder(), Store::Access::write);
  run_experiment(config, store, {.threads = 1});
  const Verdict verdict = judge({.says = "", .policy = "greedy", .slack = 1}, Results(store, config));
  std::vector<Finding> findings;
  for (const CheckedScene& scene : verdict.scenes) findings.push_back(scene.finding);
  const Finding unknown = Finding::too_close;
  EXPECT_EQ(findings, (std::vector{Finding::holds, unknown, unknown, unknown})) << "every seed has its own const_*";
}

TEST(Judge, WithEveryTheCheckMustHoldAtEveryHorizon) {
  const MadeUp experiment("['spo', 'greedy']", "[10, 50, 100]", {{{0.125}, {0.5}, {0.125}}, {{0.25}, {0.375}, {1}}});
  Check check{.says = "", .policy = "spo", .against = {"greedy"}};
  EXPECT_EQ(experiment.judged(check).finding, Finding::holds) << "on average";
  check.every = true;
  const CheckedScene scene = experiment.judged(check);
  EXPECT_EQ(scene.finding, Finding::fails);
  EXPECT_EQ(scene.measured, 0.5) << "at the horizon that proves it wrong";
  EXPECT_EQ(scene.allowed, 0.375);
  check.from = 0.9;
  EXPECT_EQ(experiment.judged(check).finding, Finding::holds);
}

TEST(Judge, CanCompareTheShareOfArmZero) {
  const MadeUp experiment("['spo', 'greedy']", "[8]", {{{0.5}}, {{0.25}}});  // all pulls are of arm 0
  Check check{.says = "", .policy = "spo", .measure = Check::Measure::first_arm, .against = {"greedy"}};
  EXPECT_EQ(experiment.judged(check).finding, Finding::equal);
  EXPECT_EQ(experiment.judged(check).measured, 1);
  check.factor = 2;
  EXPECT_EQ(experiment.judged(check).finding, Finding::holds);
}

TEST(Judge, ARangeOfHorizonsIncludesItsEnds) {
  const MadeUp experiment("['spo']", "[10, 50, 100]", {{{0.125}, {0.25}, {1}}});
  const auto measured = [&](double from, double to) {
    return experiment.judged({.says = "", .policy = "spo", .slack = 1, .from = from, .to = to}).measured;
  };
  EXPECT_DOUBLE_EQ(measured(0, 1), (0.125 + 0.25 + 1) / 3);
  EXPECT_DOUBLE_EQ(measured(0.1, 0.5), (0.125 + 0.25) / 2);
  EXPECT_DOUBLE_EQ(measured(0.11, 0.5), 0.25);
  EXPECT_DOUBLE_EQ(measured(0.5, 1), (0.25 + 1) / 2);
  EXPECT_DOUBLE_EQ(measured(0.51, 1), 1);
  EXPECT_DOUBLE_EQ(measured(1, 1), 1);
}

TEST(Judge, ARangeBetweenHorizonsTakesTheNearest) {
  const MadeUp experiment("['spo']", "[10, 50, 100]", {{{0.125}, {0.25}, {1}}});
  const auto measured = [&](double from, double to) {
    return experiment.judged({.says = "", .policy = "spo", .slack = 1, .from = from, .to = to}).measured;
  };
  EXPECT_DOUBLE_EQ(measured(0, 0.05), 0.125);
  EXPECT_DOUBLE_EQ(measured(0.2, 0.25), 0.125);
  EXPECT_DOUBLE_EQ(measured(0.35, 0.4), 0.25);
  EXPECT_DOUBLE_EQ(measured(0.8, 0.9), 1);
}

TEST(Judge, SlackAloneIsABoundOnTheRegret) {
  const MadeUp experiment("['spo']", "[8]", {{{0.25, 0.25}}});
  const CheckedScene within = experiment.judged({.says = "", .policy = "spo", .slack = 0.375});
  EXPECT_EQ(within.finding, Finding::holds);
  EXPECT_EQ(within.measured, 0.25);
  EXPECT_EQ(within.allowed, 0.375);
  EXPECT_EQ(within.against, "");
  EXPECT_EQ(experiment.judged({.says = "", .policy = "spo", .slack = 0.125}).finding, Finding::fails);
}

TEST(Judge, OfSeveralComparisonsNamesTheOneThatIsClosestToAFailure) {
  const Check check{.says = "", .policy = "spo", .against = {"greedy", "ucb", "exp3"}};
  const auto judged = [&](const std::vector<double>& greedy, const std::vector<double>& ucb,
                          const std::vector<double>& exp3) {
    return MadeUp("['spo', 'greedy', 'ucb', 'exp3']", "[8]", {{{0.5, 0.5, 0.5, 0.5}}, {greedy}, {ucb}, {exp3}})
        .judged(check);
  };
  const std::vector<double> worse(4, 0.75);
  const std::vector<double> much_worse(4, 1);
  const std::vector<double> better(4, 0.375);
  const std::vector<double> much_better(4, 0.25);
  const std::vector<double> unclear{0, 1, 0, 1};

  CheckedScene scene = judged(much_worse, worse, much_worse);
  EXPECT_EQ(scene.against, "ucb");
  EXPECT_EQ(scene.finding, Finding::holds);
  EXPECT_EQ(scene.allowed, 0.75);

  scene = judged(better, worse, much_better);
  EXPECT_EQ(scene.against, "exp3");
  EXPECT_EQ(scene.finding, Finding::fails);

  scene = judged(worse, unclear, much_worse);
  EXPECT_EQ(scene.against, "ucb");
  EXPECT_EQ(scene.finding, Finding::too_close);

  // An excess of unknown sign must not hide one that is known to be above 0.
  scene = judged(better, unclear, worse);
  EXPECT_EQ(scene.against, "greedy");
  EXPECT_EQ(scene.finding, Finding::fails);
}

TEST(Judge, IgnoresBanditsAndNoisesWithoutRecords) {
  const Config config = parse_config(
      "bandits = ['inc_1', 'inc_dec_3']\nnoise = ['none', 'uniform:0.1']\npolicies = ['greedy']\nhorizons = [5]\n",
      "part.toml");
  Store store(fresh_folder(), Store::Access::write);
  const Check check{.says = "", .policy = "greedy", .slack = 1};
  store.begin(config, {}, false);
  EXPECT_EQ(judge(check, Results(store, config)).scenes.size(), 0U);
  store.add(config, 2, run_unit(config, unit_at(config, 2)));
  store.commit();
  const Verdict verdict = judge(check, Results(store, config));
  ASSERT_EQ(verdict.scenes.size(), 1U);
  EXPECT_EQ(verdict.scenes[0].bandit, "inc_dec_3");
  EXPECT_EQ(verdict.scenes[0].noise, "none");
}

// ---- the verdict as text

TEST(Verdict, StatesForWhichNoiseACheckHolds) {
  struct Scene {
    std::string noise;
    Finding finding;
  };
  const auto text = [](const std::vector<Scene>& scenes) {
    Verdict verdict;
    for (const Scene& scene : scenes) {
      verdict.scenes.push_back(
          {.bandit = "b", .noise = scene.noise, .finding = scene.finding, .against = "", .excess = {}});
    }
    EXPECT_EQ(verdict.count(Finding::holds),
              static_cast<std::size_t>(std::count_if(scenes.begin(), scenes.end(),
                                                     [](const Scene& s) { return s.finding == Finding::holds; })));
    return verdict.text();
  };
  constexpr auto kYes = Finding::holds;
  EXPECT_EQ(text({{"none", kYes}}), "holds");
  EXPECT_EQ(text({{"gaussian:0.1", kYes}}), "holds");
  EXPECT_EQ(text({{"none", kYes}, {"gaussian:0.1", kYes}, {"bernoulli", kYes}}), "holds");
  constexpr auto kUnknown = Finding::too_close;
  for (const Finding no : {Finding::fails, Finding::equal}) {
    EXPECT_EQ(text({{"none", no}}), "does not hold");
    EXPECT_EQ(text({{"gaussian:0.1", no}, {"gaussian:0.2", kUnknown}}), "does not hold");
    EXPECT_EQ(text({{"none", no}, {"gaussian:0.1", no}}), "does not hold");
    EXPECT_EQ(text({{"none", kYes}, {"gaussian:0.1", no}}), "holds only without noise");
    EXPECT_EQ(text({{"none", kYes}, {"gaussian:0.1", kUnknown}, {"gaussian:0.2", no}}), "holds only without noise");
    EXPECT_EQ(text({{"none", kYes}, {"gaussian:0.1", kYes}, {"gaussian:0.2", no}}), "holds in 2 of 3");
    EXPECT_EQ(text({{"none", no}, {"gaussian:0.1", kYes}}), "holds only with noise");
    EXPECT_EQ(text({{"none", kYes}, {"none", no}, {"gaussian:0.1", kYes}}), "holds in 2 of 3");
    EXPECT_EQ(text({{"none", kYes}, {"none", no}}), "holds in 1 of 2") << "bandits differ, not the noise";
    EXPECT_EQ(text({{"none", no}, {"gaussian:0.1", kYes}, {"gaussian:0.2", no}}), "holds in 1 of 3");
  }
  EXPECT_EQ(text({{"none", kYes}, {"gaussian:0.1", kUnknown}}), "holds in 1 of 2") << "with noise it is not settled";
  EXPECT_EQ(text({{"none", kUnknown}, {"gaussian:0.1", kYes}}), "holds in 1 of 2") << "without noise it is not settled";
  EXPECT_EQ(text({{"none", kUnknown}, {"gaussian:0.1", kUnknown}}), "not settled");
  EXPECT_EQ(text({}), "no records") << "without scenes there is no verdict";
}

// ---- as released

TEST(AsReleased, ReplacesPoliciesByTheirVariantsInTheExperiment) {
  const Config config = parse_config(R"(
bandits = ["inc_1"]
horizons = [5]
policies = [
  "spo", "greedy", "ucb", "d-ucb", "d-ucb:discount=0.9", "spo@released", "ucb@released", "d-ucb@released:discount=0.9",
]
)",
                                     "released.toml");
  const Check check{.says = "s",
                    .policy = "spo",
                    .against = {"greedy", "ucb", "d-ucb", "d-ucb:discount=0.9"},
                    .factor = 0.5,
                    .slack = 0.25,
                    .from = 0.125,
                    .to = 0.75};
  const Check released = as_released(check, config);
  EXPECT_EQ(released.policy, "spo@released");
  EXPECT_EQ(released.against,
            (std::vector<std::string>{"greedy", "ucb@released", "d-ucb", "d-ucb@released:discount=0.9"}));
  EXPECT_EQ(released.says, "s");
  EXPECT_EQ(released.factor, 0.5);
  EXPECT_EQ(released.slack, 0.25);
  EXPECT_EQ(released.from, 0.125);
  EXPECT_EQ(released.to, 0.75);
  EXPECT_EQ(as_released({.says = "", .policy = "ucb", .since = 0.1}, config).policy, "ucb@released");
  EXPECT_EQ(as_released({.says = "", .policy = "ucb", .since = 0.1}, config).since, 0.1);
}

TEST(AsReleased, IsTheCheckItselfIfTheExperimentHasNoVariants) {
  const Config config =
      parse_config("bandits = ['inc_1']\nhorizons = [5]\npolicies = ['spo', 'greedy']\n", "plain.toml");
  const Check check{.says = "s", .policy = "spo", .against = {"greedy"}};
  EXPECT_EQ(as_released(check, config).policy, "spo");
  EXPECT_EQ(as_released(check, config).against, check.against);
}

}  // namespace
}  // namespace longrun
