#include "longrun/report/figure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "longrun/data/fico.h"
#include "longrun/data/named_bandits.h"
#include "longrun/experiment/engine.h"
#include "longrun/experiment/paper.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// An experiment that was run, whole or in part, its records and its figure.
struct Recorded {
  explicit Recorded(const std::string& toml, const Shard& shard = {}) : config(parse_config(toml, "recorded.toml")) {
    const std::string folder = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder);
    Store store(folder, Store::Access::write);
    run_experiment(config, store, {.threads = 2, .shard = shard});
    store.for_each([&](const RunRecord& record) { records.push_back(record); });
    figure = make_figure(Results(store, config));
  }

  /// Returns `value` of the record of every seed, seeds ascending.
  std::vector<double> per_seed(const std::string& bandit, const std::string& noise, const std::string& policy,
                               Pulls horizon, const std::function<double(const RunRecord&)>& value) const {
    std::vector<double> values;
    for (const RunRecord& r : records) {
      const std::string name = r.parameters.empty() ? r.policy : r.policy + ":" + r.parameters;
      if (r.bandit == bandit && r.noise == noise && name == policy && r.horizon == horizon) values.push_back(value(r));
    }
    return values;
  }

  const Scene& scene(const std::string& bandit, const std::string& noise) const {
    const auto found = std::find_if(figure.scenes.begin(), figure.scenes.end(),
                                    [&](const Scene& s) { return s.bandit == bandit && s.noise == noise; });
    EXPECT_NE(found, figure.scenes.end()) << bandit << ", " << noise;
    return found == figure.scenes.end() ? figure.scenes.front() : *found;
  }

  Config config;
  std::vector<RunRecord> records;
  Figure figure;
};

const PolicySeries& series(const Scene& scene, const std::string& policy) {
  const auto found = std::find_if(scene.policies.begin(), scene.policies.end(),
                                  [&](const PolicySeries& s) { return s.policy == policy; });
  EXPECT_NE(found, scene.policies.end()) << policy;
  return found == scene.policies.end() ? scene.policies.front() : *found;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Half the width of the 95 % interval, by the definition.
double half_width(const std::vector<double>& values) {
  constexpr std::array kStudent{0.0, 0.0, 12.706204736174694, 4.302652729749462, 3.182446305284263};  // by count
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  const auto count = static_cast<double>(values.size());
  return kStudent.at(values.size()) * std::sqrt(squares / (count - 1) / count);
}

double regret_per_step(const RunRecord& r) {
  return std::max(0.0, r.optimum - r.earned) / static_cast<double>(r.horizon);
}

constexpr const char* kExperiment = R"(
title = "A title"
group = "A group"
claim = "A claim."
checks = [{says = "SPO is better", policy = "spo", against = ["greedy"]}]
bandits = ["inc_dec_3", "recommender_B"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "d-ucb:discount=0.9", "exp3", "optimal", "spo@released"]
horizons = [1, 30, 300, 800]
seeds = 4
seed = 3
)";

TEST(Figure, RegretsAreMeansOfTheRecordsWithTheirIntervals) {
  const Recorded run(kExperiment);
  int bands = 0;
  for (const char* bandit : {"inc_dec_3", "recommender_B"}) {
    for (const auto& [noise, described] :
         {std::pair{"none", "no noise"}, {"gaussian:0.05", "Gaussian noise, sd 0.05"}}) {
      const Scene& scene = run.scene(bandit, described);
      ASSERT_EQ(scene.policies.size(), 6U);
      for (const PolicySeries& s : scene.policies) {
        ASSERT_EQ(s.regret.size(), 4U);
        for (std::size_t h = 0; h < 4; ++h) {
          const auto values = run.per_seed(bandit, noise, s.policy, run.config.horizons[h], regret_per_step);
          ASSERT_EQ(values.size(), 4U);
          const double width = half_width(values);
          EXPECT_NEAR(s.regret[h].mean, mean(values), 1e-9);
          EXPECT_NEAR(s.regret[h].low, std::max(0.0, mean(values) - width), 1e-9);
          EXPECT_NEAR(s.regret[h].high, mean(values) + width, 1e-9);
          EXPECT_GE(s.regret[h].low, 0);
          bands += width > 1e-6 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(bands, 20) << "without intervals, the test compares nothing";
}

TEST(Figure, TheOptimalPolicyHasNoRegret) {
  const Recorded run(kExperiment);
  for (const Scene& scene : run.figure.scenes) {
    for (const Estimate& e : series(scene, "optimal").regret) {
      EXPECT_EQ(e.low, 0);
      EXPECT_NEAR(e.high, 0, 1e-12);
    }
    EXPECT_GT(series(scene, "exp3").regret.back().mean, 1e-3);
  }
}

TEST(Figure, SharesAreThoseOfThePullsAndSumToOne) {
  const Recorded run(kExperiment);
  for (const char* bandit : {"inc_dec_3", "recommender_B"}) {
    const Scene& scene = run.scene(bandit, "Gaussian noise, sd 0.05");
    for (const PolicySeries& s : scene.policies) {
      ASSERT_EQ(s.shares.size(), 4U);
      for (std::size_t h = 0; h < 4; ++h) {
        ASSERT_EQ(s.shares[h].size(), scene.arms.size());
        EXPECT_NEAR(std::accumulate(s.shares[h].begin(), s.shares[h].end(), 0.0), 1, 1e-12);
        for (std::size_t arm = 0; arm < scene.arms.size(); ++arm) {
          const auto shares =
              run.per_seed(bandit, "gaussian:0.05", s.policy, run.config.horizons[h], [&](const RunRecord& r) {
                return static_cast<double>(r.pulls.at(arm)) / static_cast<double>(r.horizon);
              });
          EXPECT_NEAR(s.shares[h][arm], mean(shares), 1e-12) << s.policy << ", arm " << arm;
        }
      }
    }
  }
}

TEST(Figure, PullsOfTheFirstArmAreThoseOfTheRecords) {
  const Recorded run(kExperiment);
  const Scene& scene = run.scene("inc_dec_3", "Gaussian noise, sd 0.05");
  for (const PolicySeries& s : scene.policies) {
    for (std::size_t h = 0; h < 4; ++h) {
      const auto values = run.per_seed("inc_dec_3", "gaussian:0.05", s.policy, run.config.horizons[h],
                                       [](const RunRecord& r) { return static_cast<double>(r.pulls[0]); });
      EXPECT_NEAR(s.first_arm[h].mean, mean(values), 1e-9);
      const auto horizon = static_cast<double>(run.config.horizons[h]);  // bands stay within the possible range
      EXPECT_NEAR(s.first_arm[h].low, std::max(0.0, mean(values) - half_width(values)), 1e-9);
      EXPECT_NEAR(s.first_arm[h].high, std::min(horizon, mean(values) + half_width(values)), 1e-9);
    }
  }
}

TEST(Figure, HasTheTextsTheVerdictsAndAFileThatRunsTheExperiment) {
  const Recorded run(kExperiment);
  EXPECT_EQ(run.figure.name, "recorded");
  EXPECT_EQ(run.figure.title, "A title");
  EXPECT_EQ(run.figure.group, "A group");
  EXPECT_EQ(run.figure.claim, "A claim.");
  EXPECT_EQ(run.figure.constraints, "");
  EXPECT_EQ(run.figure.horizons, run.config.horizons);
  EXPECT_TRUE(same_runs(parse_config(run.figure.toml, "recorded.toml"), run.config));
  ASSERT_EQ(run.figure.verdicts.size(), 1U);
  EXPECT_EQ(run.figure.verdicts[0].check.says, "SPO is better");
  EXPECT_EQ(run.figure.verdicts[0].scenes.size(), 4U);
  EXPECT_TRUE(run.figure.illustrations.empty());
}

TEST(Figure, CurvesAreTheMeanRewardsFromTheFirstPullToTheLongestHorizon) {
  const Recorded run(kExperiment);
  for (const Scene& scene : run.figure.scenes) {
    const Bandit bandit = named_bandit(scene.bandit);
    EXPECT_FALSE(scene.one_of_many);
    for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
      EXPECT_EQ(scene.arms[arm], fmt::format("arm {} ({})", arm, bandit.arm_names[arm]));
    }
    EXPECT_EQ(scene.impact_unit, "");
    ASSERT_EQ(scene.curves.size(), bandit.arms.size());
    EXPECT_EQ(scene.curve_pulls.front(), 1);
    EXPECT_EQ(scene.curve_pulls.back(), 800);
    EXPECT_GT(scene.curve_pulls.size(), 100U);
    EXPECT_TRUE(std::is_sorted(scene.curve_pulls.begin(), scene.curve_pulls.end(), std::less_equal<>()))
        << "each point once";
    for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
      for (std::size_t point = 0; point < scene.curve_pulls.size(); ++point) {
        EXPECT_EQ(scene.curves[arm][point], bandit.arms[arm].reward(scene.curve_pulls[point]));
      }
    }
  }
}

TEST(Figure, AHorizonOfOnePullHasACurveOfOnePoint) {
  const Recorded run("bandits = ['inc_1']\npolicies = ['greedy']\nhorizons = [1]\n");
  EXPECT_EQ(run.figure.scenes.at(0).curve_pulls, std::vector<Pulls>{1});
  EXPECT_EQ(run.figure.scenes.at(0).seeds, 1U);
}

// ---- instances that differ from seed to seed

TEST(Figure, ArmsThatDifferFromSeedToSeedAreOrderedByRank) {
  const Recorded run(R"(
bandits = ["const_*"]
policies = ["ucb", "optimal"]
horizons = [100, 600]
seeds = 4
)");
  const Scene& scene = run.figure.scenes.at(0);
  EXPECT_TRUE(scene.one_of_many);
  ASSERT_EQ(scene.arms.size(), 10U);
  EXPECT_EQ(scene.arms.front(), "rank 1");
  EXPECT_EQ(scene.arms.back(), "rank 10");
  // By hand: sort the levels of every instance, and take the k-th best of each.
  std::vector<double> expected(10, 0);
  std::vector<double> first;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Bandit bandit = named_bandit("const_" + std::to_string(seed));
    std::vector<std::size_t> order(10);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return bandit.arms[a].reward(1) > bandit.arms[b].reward(1); });
    const auto record = std::find_if(run.records.begin(), run.records.end(), [&](const RunRecord& r) {
      return r.seed == seed && r.policy == "ucb" && r.horizon == 600;
    });
    ASSERT_NE(record, run.records.end());
    for (std::size_t place = 0; place < 10; ++place) {
      expected[place] += static_cast<double>(record->pulls[order[place]]) / 600 / 4;
    }
    first.push_back(static_cast<double>(record->pulls[order[0]]));
    if (seed != 1) continue;
    for (std::size_t place = 0; place < 10; ++place) {
      EXPECT_EQ(scene.curves[place].front(), bandit.arms[order[place]].reward(1)) << "the first seed's, best first";
    }
  }
  const PolicySeries& ucb = series(scene, "ucb");
  for (std::size_t place = 0; place < 10; ++place) EXPECT_NEAR(ucb.shares[1][place], expected[place], 1e-12);
  EXPECT_NEAR(ucb.first_arm[1].mean, mean(first), 1e-9);
  EXPECT_NEAR(ucb.first_arm[1].high - ucb.first_arm[1].mean, half_width(first), 1e-9);
  EXPECT_EQ(series(scene, "optimal").shares[1][0], 1) << "the best arm, and no other, in every instance";
}

// ---- constraints

TEST(Figure, UnderConstraintsStatesThemAndSharesStillSumToOne) {
  const Recorded run(R"(
bandits = ["recommender_B"]
noise = ["gaussian:0.05"]
policies = ["spo", "optimal"]
horizons = [60, 200]
seeds = 2
[constraints]
costs = "0:3,1:2"
minimum_pulls = 5
units_per_round = 10
unavailable = "2:1-3"
)");
  EXPECT_EQ(run.figure.constraints, "units_per_round 10; costs 0:3,1:2; minimum_pulls 5; unavailable 2:1-3");
  const Scene& scene = run.figure.scenes.at(0);
  for (const PolicySeries& s : scene.policies) {
    for (std::size_t h = 0; h < 2; ++h) {
      double all = 0;
      double first = 0;
      for (const RunRecord& r : run.records) {
        if (r.policy != s.policy || r.horizon != run.config.horizons[h]) continue;
        all += static_cast<double>(std::accumulate(r.pulls.begin(), r.pulls.end(), Pulls{0}));
        first += static_cast<double>(r.pulls[0]);
      }
      EXPECT_LT(all, 2 * static_cast<double>(run.config.horizons[h])) << "pulls of arms 0 and 1 cost several units";
      EXPECT_NEAR(std::accumulate(s.shares[h].begin(), s.shares[h].end(), 0.0), 1, 1e-12);
      EXPECT_NEAR(s.shares[h][0], first / all, 1e-12);
    }
  }
}

// ---- impact

/// Score points of the applicant with the k-th best score, k from 0, of 1000 quantiles: fico.h's formula from the
/// table.
double score_change(const FicoGroup& group, std::size_t k) {
  const auto line = [](const std::vector<double>& xs, const std::vector<double>& ys, double x) {
    std::size_t i = 0;
    while (i + 2 < xs.size() && xs[i + 1] < x) ++i;
    return ys[i] + (ys[i + 1] - ys[i]) * (x - xs[i]) / (xs[i + 1] - xs[i]);
  };
  const double share = (static_cast<double>(999 - k) + 0.5) / 1000;
  const double score = share <= group.share_at_or_below.front() ? group.scores.front()
                                                                : line(group.share_at_or_below, group.scores,
                                                                       std::min(share, group.share_at_or_below.back()));
  const double repays = line(group.scores, group.repay_probability, score);
  return repays * (std::min(850.0, score + 75) - score) + (1 - repays) * (std::max(300.0, score - 150) - score);
}

const std::vector<std::string> kGroups{"arm 0 (Asian)", "arm 1 (Black)", "arm 2 (Hispanic)", "arm 3 (White)"};

TEST(Figure, ImpactIsTheMeanGainOfAGroupsApplicantsAtTheLongestHorizon) {
  const Recorded run(R"(
bandits = ["fico_utility", "fico_score_change"]
noise = ["gaussian:0.05"]
policies = ["spo", "exp3", "optimal"]
horizons = [500, 3500]
seeds = 3
)");
  int negative = 0;
  for (const Scene& scene : run.figure.scenes) {
    EXPECT_EQ(scene.arms, kGroups);
    EXPECT_EQ(scene.impact_unit, "credit score points");
    for (const PolicySeries& s : scene.policies) {
      ASSERT_EQ(s.impact.size(), 4U);
      for (std::size_t arm = 0; arm < 4; ++arm) {
        const auto gains = run.per_seed(scene.bandit, "gaussian:0.05", s.policy, 3500, [&](const RunRecord& r) {
          double sum = 0;
          const auto loans = static_cast<std::size_t>(std::min<Pulls>(1000, r.pulls[arm]));
          for (std::size_t k = 0; k < loans; ++k) sum += score_change(fico_2003()[arm], k);
          return sum / 1000;
        });
        EXPECT_NEAR(s.impact[arm], mean(gains), 1e-9) << scene.bandit << " " << s.policy << " " << scene.arms[arm];
        negative += s.impact[arm] < -1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(negative, 0) << "3500 loans to 4000 people hurt some";
}

TEST(Figure, SampledGroupsKeepTheirNamesAndTheirOwnImpact) {
  const Recorded run(R"(
bandits = ["fico_score_change_sample_*"]
policies = ["greedy"]
horizons = [700]
seeds = 2
)");
  const Scene& scene = run.figure.scenes.at(0);
  EXPECT_TRUE(scene.one_of_many);
  EXPECT_EQ(scene.arms, kGroups);
  double expected = 0;
  for (const RunRecord& r : run.records) {
    const Bandit bandit = named_bandit("fico_score_change_sample_" + std::to_string(r.seed));
    const std::vector<double>& gains = bandit.impact->per_pull[0];
    expected += std::accumulate(gains.begin(), gains.begin() + std::min<Pulls>(1000, r.pulls[0]), 0.0) / 1000 / 2;
    EXPECT_NEAR(scene.curves[0].front(), named_bandit("fico_score_change_sample_1").arms[0].reward(1), 1e-12);
  }
  EXPECT_NEAR(scene.policies[0].impact[0], expected, 1e-9);
}

// ---- incomplete experiments

TEST(Figure, OfAnIncompleteExperimentUsesTheRecordedSeeds) {
  // 2 bandits of 5 seeds: units 0 to 9, of which every third is recorded: seeds 1 and 4, then 2 and 5.
  const Recorded run(R"(
bandits = ["inc_dec_3", "const_*"]
noise = ["gaussian:0.05"]
policies = ["exp3", "greedy"]
horizons = [50, 200]
seeds = 5
)",
                     {.index = 1, .count = 3});
  ASSERT_EQ(run.records.size(), 4U * 2 * 2);
  for (const auto& [bandit, seeds] : {std::pair{"inc_dec_3", std::array{1U, 4U}}, {"const_*", std::array{2U, 5U}}}) {
    const Scene& scene = run.scene(bandit, "Gaussian noise, sd 0.05");
    EXPECT_EQ(scene.seeds, 2U);
    for (const RunRecord& r : run.records) {
      EXPECT_TRUE(r.bandit != bandit || r.seed == seeds[0] || r.seed == seeds[1]) << r.seed;
    }
    for (const PolicySeries& s : scene.policies) {
      const auto values = run.per_seed(bandit, "gaussian:0.05", s.policy, 200, regret_per_step);
      ASSERT_EQ(values.size(), 2U);
      EXPECT_NEAR(s.regret[1].mean, mean(values), 1e-12);
      EXPECT_NEAR(s.regret[1].high, mean(values) + half_width(values), 1e-12);
      EXPECT_NEAR(std::accumulate(s.shares[1].begin(), s.shares[1].end(), 0.0), 1, 1e-12);
    }
  }
  // The curves shown are those of the first recorded seed.
  const Scene& constant = run.scene("const_*", "Gaussian noise, sd 0.05");
  double best = 0;
  for (const Curve& arm : named_bandit("const_2").arms) best = std::max(best, arm.reward(1));
  EXPECT_EQ(constant.curves[0].front(), best);
}

TEST(Figure, LeavesOutScenesWithoutAnyRecord) {
  const Recorded run("bandits = ['inc_1', 'inc_dec_3']\npolicies = ['greedy']\nhorizons = [50]\n",
                     {.index = 2, .count = 2});
  ASSERT_EQ(run.figure.scenes.size(), 1U);
  EXPECT_EQ(run.figure.scenes[0].bandit, "inc_dec_3");
}

// ---- illustrations

TEST(Figure, OfIllustrationsHasNoScenesAndVerdicts) {
  const auto files = paper_experiments();
  const auto file = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "figure_2.toml"; });
  ASSERT_NE(file, files.end());
  const Recorded run{std::string(file->text)};
  EXPECT_TRUE(run.figure.scenes.empty());
  EXPECT_TRUE(run.figure.verdicts.empty());
  ASSERT_EQ(run.figure.illustrations.size(), 2U);
  EXPECT_NE(run.figure.illustrations[0].title, run.figure.illustrations[1].title);
}

TEST(Described, NamesNoisesInPlainWords) {
  EXPECT_EQ(described(parse_noise("none")), "no noise");
  EXPECT_EQ(described(parse_noise("gaussian:0.05")), "Gaussian noise, sd 0.05");
  EXPECT_EQ(described(parse_noise("uniform:0.2")), "uniform noise up to 0.2");
  EXPECT_EQ(described(parse_noise("beta:0.3:0.1")), "beta noise up to 0.3, sd 0.1");
  EXPECT_EQ(described(parse_noise("bernoulli")), "Bernoulli rewards");
}

}  // namespace
}  // namespace longrun
