// Whole runs and optima against results computed independently (tests/golden).
#include <gtest/gtest.h>

#include <memory>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/spo.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/golden.h"

namespace longrun {
namespace {

RunResult noise_free_run(const std::string& policy, const Bandit& bandit, Pulls horizon) {
  return play(PolicyChoice(policy), bandit, {.arms = bandit.arm_count(), .horizon = horizon});
}

void expect_pull_counts(const nlohmann::json& row, const char* key, const std::string& suffix) {
  const Bandit bandit = named_bandit(row["bandit"].get<std::string>());
  for (const auto& [policy, pulls] : row[key].items()) {
    const RunResult run = noise_free_run(policy + suffix, bandit, row["horizon"]);
    EXPECT_EQ(run.pulls, pulls.get<std::vector<Pulls>>())
        << row["bandit"] << " T=" << row["horizon"] << " " << policy << suffix;
  }
}

TEST(NoiseFreeGoldenRuns, PullCountsUnderThePapersRules) {
  int checked = 0;
  for (const auto& row : golden_file("noise_free_runs.json")) {
    expect_pull_counts(row, "pulls", "");
    checked += static_cast<int>(row["pulls"].size());
  }
  EXPECT_GT(checked, 300);
}

TEST(NoiseFreeGoldenRuns, PullCountsOfTheReleasedVariants) {
  int checked = 0;
  for (const auto& row : golden_file("noise_free_runs.json")) {
    expect_pull_counts(row, "pulls_released", "@released");
    checked += static_cast<int>(row["pulls_released"].size());
  }
  EXPECT_GT(checked, 200);
}

TEST(NoiseFreeGoldenRuns, ExactOptima) {
  for (const auto& row : golden_file("noise_free_runs.json")) {
    const Bandit bandit = named_bandit(row["bandit"].get<std::string>());
    const Allocation best = optimal_allocation(bandit, row["horizon"]);
    EXPECT_NEAR(best.value, row["optimum"].get<double>(), 1e-9 * row["optimum"].get<double>()) << row["bandit"];
    const RunResult run = play(PolicyChoice("optimal"), bandit,
                               {.arms = bandit.arm_count(), .horizon = row["horizon"], .plan = best.pulls});
    EXPECT_EQ(run.pulls, best.pulls);
    EXPECT_NEAR(run.earned, best.value, 1e-12 * best.value);
  }
}

struct SpoCase {
  Bandit bandit;
  Setting setting;
};

SpoCase spo_case(const nlohmann::json& row) {
  Bandit bandit{.name = row["id"], .arm_names = {}, .arms = {}, .recorded_noise = nullptr};
  for (const auto& rewards : row["curves"])
    bandit.arms.push_back(Curve::from_rewards(rewards.get<std::vector<double>>()));
  bandit.arm_names.resize(bandit.arms.size());
  if (!row["noise"].is_null())
    bandit.recorded_noise = std::make_shared<RecordedNoise>(row["noise"].get<RecordedNoise>());
  const Setting setting{.arms = bandit.arm_count(), .horizon = row["T"], .half_width = row["half_width"].get<double>()};
  return {bandit, setting};
}

TEST(SpoGoldenRuns, EveryStepEqualsTheRunWithHighs) {
  for (const auto& row : golden_lines("spo_runs.jsonl")) {
    const auto [bandit, setting] = spo_case(row);
    std::vector<Arm> trace(static_cast<std::size_t>(setting.horizon));
    play(PolicyChoice("spo"), bandit, setting, trace);
    EXPECT_EQ(trace, row["arms_sequence"].get<std::vector<Arm>>()) << row["id"];
  }
}

TEST(SpoGoldenRuns, ArmsAreDeclaredFallingAtTheSamePull) {
  int declared = 0;
  for (const auto& row : golden_lines("spo_runs.jsonl")) {
    const auto [bandit, setting] = spo_case(row);
    if (*setting.half_width == 0) continue;  // exact observations: only the last step decides
    World world(bandit, 0);
    SinglePeakedOptimism spo = make_spo<Refresh::every_arm>(setting, {});
    std::vector<nlohmann::json> declared_at(bandit.arms.size());
    for (Pulls step = 0; step < setting.horizon; ++step) {
      const Arm arm = spo.choose();
      spo.observe(arm, world.pull(arm));
      const auto i = static_cast<std::size_t>(arm);
      if (step + 1 == setting.horizon) break;  // the reference solves (*) only before a decision
      if (spo.rule().falling(arm) && declared_at[i].is_null()) declared_at[i] = world.pulls()[i];
    }
    EXPECT_EQ(nlohmann::json(declared_at), row["declared_decreasing_at_pull"]) << row["id"];
    for (const auto& pull : declared_at) declared += pull.is_null() ? 0 : 1;
  }
  EXPECT_GT(declared, 5);
}

}  // namespace
}  // namespace longrun
