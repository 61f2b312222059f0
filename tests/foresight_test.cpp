// Foresight's decisions against SPO's, on the paper's bandits.
#include "longrun/policy/foresight/foresight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "longrun/data/named_bandits.h"
#include "longrun/model/half_width.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/regret.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

std::vector<Arm> trace_of(const std::string& policy, const Bandit& bandit, Pulls horizon) {
  std::vector<Arm> trace(static_cast<std::size_t>(horizon));
  play(PolicyChoice(policy), bandit, {.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise}, trace);
  return trace;
}

TEST(Foresight, IsSpoToThePullWithoutNoise) {
  for (const std::string name : {"inc_1_alpha_0.5", "inc_2_alpha_0.1", "inc_3_alpha_1", "inc_dec_1", "inc_dec_3",
                                 "recommender_A", "fico_utility", "fico_score_change"}) {
    const Bandit bandit = named_bandit(name);
    for (const Pulls horizon : {3, 60, 1'500}) {
      EXPECT_EQ(trace_of("foresight", bandit, horizon), trace_of("spo", bandit, horizon)) << name;
    }
  }
}

/// Mean regret per step over ten replicates.
double mean_regret(const std::string& policy, const std::string& name, double sd, Pulls horizon) {
  Bandit bandit = named_bandit(name);
  bandit.noise = Gaussian{.sd = sd};
  const double best = optimal_allocation(bandit, horizon).value;
  double sum = 0;
  for (std::uint32_t replicate = 1; replicate <= 10; ++replicate) {
    const Setting setting{
        .arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .replicate = replicate};
    sum += policy_regret(best, play(PolicyChoice(policy), bandit, setting).earned);
  }
  return sum / (10 * static_cast<double>(horizon));
}

TEST(Foresight, HasLessThanHalfOfSposRegretUnderNoise) {
  for (const auto& [name, sd, horizon] : {std::tuple{"inc_dec_3", 0.01, 20'000},
                                          {"inc_dec_1", 0.1, 20'000},
                                          {"recommender_A", 0.1, 3'000},
                                          {"inc_2_alpha_0.1", 0.05, 10'000},
                                          {"inc_1_alpha_0.5", 0.05, 10'000}}) {
    const double spo = mean_regret("spo", name, sd, horizon);
    EXPECT_LT(mean_regret("foresight", name, sd, horizon), spo / 2) << name;
    EXPECT_LT(mean_regret("foresight:estimate_sd=1", name, sd, horizon), spo / 2) << name;
  }
}

TEST(Foresight, KeepsASlowlyFallingArmThatStaysTheBetterOne) {
  // Leaving it because it falls would cost up to 0.35 per pull, and the other arm can wait.
  Bandit bandit;
  bandit.name = "falling beside constant";
  bandit.arms = {Hill{.start = 0.88, .top = 0.88, .end = 0.68, .peak = 1, .rise = 1, .fall = 5'700},
                 Constant{.level = 0.53}};
  bandit.noise = Gaussian{.sd = 0.1};
  const Pulls horizon = 8'000;
  ASSERT_NEAR(bandit.arms[0].reward(horizon), 0.73, 0.01);
  const double best = optimal_allocation(bandit, horizon).value;
  for (std::uint32_t replicate = 1; replicate <= 20; ++replicate) {
    const Setting setting{.arms = 2, .horizon = horizon, .noise = bandit.noise, .replicate = replicate};
    const double earned = play(PolicyChoice("foresight"), bandit, setting).earned;
    EXPECT_LT(policy_regret(best, earned) / static_cast<double>(horizon), 0.003) << replicate;
  }
}

TEST(Foresight, LessGrowthIsExpectedOfAnArmBesideArmsThatDoNotGrow) {
  const Pulls horizon = 2'000;
  const auto index_beside = [&](double growth) {
    ForesightModel model(horizon, 5, 0.05);
    std::vector<ArmForesight> others(4);
    for (ArmForesight& other : others) {
      for (int pull = 0; pull < 60; ++pull) other.add(0.3 + growth * pull, model);
      other.show_kind(model);
    }
    ArmForesight arm;
    for (int pull = 0; pull < 5; ++pull) arm.add(0.3, model);
    return arm.index(horizon, model);
  };
  EXPECT_GT(index_beside(0.005), index_beside(0) + 0.05);
}

TEST(Foresight, IndicesAreNumbersForExtremeParameters) {
  const Setting setting{.arms = 3, .horizon = 500, .noise = Gaussian{.sd = 1e-4}};
  for (const Parameter& parameter : kForesightParameters) {
    for (const double value : {parameter.minimum, parameter.maximum}) {
      std::map<std::string, double, std::less<>> values{{std::string(parameter.name), value}};
      if (parameter.name == "from_zero") values["no_growth"] = value;
      Foresight policy = make_foresight(setting, Parameters(values));
      for (Pulls pull = 0; pull < 60; ++pull) {
        const Arm arm = policy.choose();
        policy.observe(arm, 0.1 + 0.01 * static_cast<double>(arm * pull));
      }
      const Ledger ledger(setting);
      for (Arm arm = 0; arm < 3; ++arm) {
        EXPECT_TRUE(std::isfinite(policy.rule().index(arm, ledger))) << parameter.name << " = " << value;
      }
    }
  }
}

TEST(Foresight, AnExtendedHorizonHasTheBoundsOfAPlannedOne) {
  ForesightModel extended(4, 3, 0.1);
  extended.extend(2'996);
  const ForesightModel planned(3'000, 3, 0.1);
  for (std::size_t scale = 0; scale < 12; ++scale) {
    EXPECT_EQ(extended.mean_quantile(scale), planned.mean_quantile(scale));
    EXPECT_EQ(extended.fall_quantile(scale), planned.fall_quantile(scale));
    EXPECT_EQ(extended.exploration_quantile(scale), planned.exploration_quantile(scale));
  }
}

TEST(Foresight, EstimatesTheNoiseIfTold) {
  // The setting claims that there is no noise, but the rewards are noisy.
  Bandit bandit = named_bandit("inc_dec_3");
  bandit.noise = Gaussian{.sd = 0.1};
  const Setting setting{.arms = 2, .horizon = 2'000, .noise = NoNoise{}};
  Foresight policy = make_foresight(setting, Parameters({{"estimate_sd", 1}}));
  World world(bandit, 5);
  for (Pulls step = 0; step < setting.horizon; ++step) {
    const Arm arm = policy.choose();
    policy.observe(arm, world.pull(arm));
  }
  EXPECT_NEAR(policy.rule().model().sd(), 0.1, 0.01);
}

TEST(SpoFailure, IsTheHalfWidthOfTheCorollary) {
  const Bandit bandit = [] {
    Bandit noisy = named_bandit("inc_dec_1");
    noisy.noise = Gaussian{.sd = 0.05};
    return noisy;
  }();
  const Pulls horizon = 800;
  std::vector<Arm> by_parameter(static_cast<std::size_t>(horizon));
  std::vector<Arm> by_half_width(by_parameter.size());
  Setting setting{.arms = 2, .horizon = horizon, .noise = bandit.noise};
  play(PolicyChoice("spo:failure=0.1"), bandit, setting, by_parameter);
  setting.half_width = half_width_for_failure(bandit.noise, 0.1, horizon);
  play(PolicyChoice("spo"), bandit, setting, by_half_width);
  EXPECT_EQ(by_parameter, by_half_width);
}

}  // namespace
}  // namespace longrun
