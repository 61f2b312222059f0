// Foresight's decisions against SPO's, on the paper's bandits.
#include "longrun/policy/foresight/foresight.h"

#include <gtest/gtest.h>

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
