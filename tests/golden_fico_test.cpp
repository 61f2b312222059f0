// The FICO curves of the quantile population against points computed independently.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "longrun/data/fico.h"
#include "longrun/data/named_bandits.h"
#include "tests/golden.h"
#include "tests/paths.h"

namespace longrun {
namespace {

TEST(FicoGoldenCurves, EveryPointAndEveryPeak) {
  const nlohmann::json groups = golden_file("fico_curves.json")["groups"];
  int points = 0;
  for (const std::string reward : {"score_change", "utility"}) {
    const Bandit bandit = named_bandit("fico_" + reward);
    ASSERT_EQ(bandit.arms.size(), groups.size());
    for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
      const nlohmann::json& group = groups.at(bandit.arm_names[arm]);
      for (const auto& [pull, value] : group[reward].items()) {
        EXPECT_NEAR(bandit.arms[arm].reward(std::stoll(pull)), value.get<double>(), 1e-9)
            << reward << " of " << bandit.arm_names[arm] << " at pull " << pull;
        ++points;
      }
      const Pulls peak = shape_of(bandit.arms[arm], bandit.horizon).peak;
      EXPECT_EQ(peak, reward == "utility" ? Pulls{1} : group["score_change_peak_pull"].get<Pulls>());
    }
  }
  EXPECT_EQ(points, 80);
}

TEST(FicoTable, EmbeddedTableEqualsTheDatasetFile) {
  std::ifstream file(in_source("datasets/fico_2003.csv"), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), fico_2003_csv());
}

}  // namespace
}  // namespace longrun
