// Mean regrets over many seeds against means computed independently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/golden.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

struct Estimate {
  double mean = 0;
  double standard_error = 0;
};

Estimate per_step_regret(const Bandit& bandit, const Setting& base, const std::string& policy, std::uint32_t runs) {
  const double best = optimal_allocation(bandit, base.horizon).value;
  double sum = 0;
  double sum_of_squares = 0;
  for (std::uint32_t replicate = 0; replicate < runs; ++replicate) {
    Setting setting = base;
    setting.replicate = replicate;
    const double regret =
        (best - play(PolicyChoice(policy), bandit, setting).earned) / static_cast<double>(base.horizon);
    sum += regret;
    sum_of_squares += regret * regret;
  }
  const double mean = sum / runs;
  return {mean, std::sqrt(std::max(0.0, sum_of_squares / runs - mean * mean) / (runs - 1))};
}

TEST(ExpectedRegret, AgreesWithTheReferenceCellByCell) {
  int cells = 0;
  int beyond_three = 0;
  const auto rows = golden_lines("expected_regret.jsonl");
  const std::size_t stride =
      long_tests() ? 1 : 7 * (sanitizer_slowdown() | 1);  // odd, so that the sample includes all 8 policies
  for (std::size_t i = 0; i < rows.size(); i += stride) {
    const auto& row = rows[i];
    const std::string name = row["bandit"];
    Bandit bandit = named_bandit(name).tabulated(row["horizon"]);
    if (row["noise_sd"] > 0) bandit.noise = Gaussian{row["noise_sd"]};
    const Setting setting{.arms = bandit.arm_count(),
                          .horizon = row["horizon"],
                          .noise = bandit.noise,
                          .half_width = row["half_width"].get<double>(),
                          .seed = 2021};
    const Estimate found = per_step_regret(bandit, setting, row["policy"], long_tests() ? 200 : 60);
    const double expected = row["mean_per_step_regret"];
    const double error = std::hypot(found.standard_error, row["standard_error"].get<double>());
    const double rounding = 1e-5 * expected + 1e-8;  // the reference has six digits
    const double deviation = std::max(0.0, std::abs(found.mean - expected) - rounding) / std::max(error, 1e-12);
    EXPECT_LT(deviation, 5) << row << "\nfound " << found.mean << " +- " << found.standard_error;
    ++cells;
    beyond_three += deviation > 3 ? 1 : 0;
  }
  EXPECT_GT(cells, 10);
  EXPECT_LE(beyond_three, 2 + cells / 50);
}

TEST(ExpectedRegret, IsThatOfGreedyOnlyIfRewardsBelowZeroCountAsZero) {
  int cells = 0;
  int apart_without_floor = 0;
  for (const auto& row : golden_lines("expected_regret.jsonl")) {
    if (row["policy"] != "greedy" || row["noise_sd"] == 0) continue;
    const bool stated = row["bandit"] == "inc_dec_1" && row["noise_sd"] == 0.05 && row["horizon"] == 20000;
    if (!long_tests() && !stated) continue;
    Bandit bandit = named_bandit(row["bandit"].get<std::string>()).tabulated(row["horizon"]);
    bandit.noise = Gaussian{row["noise_sd"]};
    const Setting setting{
        .arms = bandit.arm_count(), .horizon = row["horizon"], .noise = bandit.noise, .half_width = 0, .seed = 2021};
    const double expected = row["mean_per_step_regret"];
    const auto deviation = [&](const std::string& policy) {
      const Estimate found = per_step_regret(bandit, setting, policy, 200);
      if (stated && policy != "greedy") {
        EXPECT_NEAR(found.mean, 0.0026, 0.001) << "docs/method.md states it";
      }
      const double rounding = 1e-5 * expected + 1e-8;  // the reference has six digits
      return std::max(0.0, std::abs(found.mean - expected) - rounding) /
             std::max(1e-12, std::hypot(found.standard_error, row["standard_error"].get<double>()));
    };
    EXPECT_LT(deviation("greedy"), 3) << row;
    ++cells;
    apart_without_floor += deviation("greedy:floor=-1") > 3 ? 1 : 0;
  }
  EXPECT_EQ(cells, long_tests() ? 72 : 1);
  EXPECT_GT(2 * apart_without_floor, cells) << "most cells";
}

}  // namespace
}  // namespace longrun
