#include <gtest/gtest.h>

#include <algorithm>

#include "longrun/solve/optimistic_future.h"
#include "tests/golden.h"

namespace longrun {
namespace {

TEST(GoldenLinearPrograms, BoundsEqualTheOptimaOfHighs) {
  int infeasible = 0;
  const auto rows = golden_lines("star_lp.jsonl");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<Band> bands;
    for (std::size_t j = 0; j < rows[row]["lower"].size(); ++j)
      bands.push_back({rows[row]["lower"][j], rows[row]["upper"][j]});
    const auto found = optimistic_future(bands, rows[row]["remaining"]);
    if (rows[row]["bound"].is_null()) {
      ++infeasible;
      EXPECT_FALSE(found) << "line " << row + 1;
      continue;
    }
    const double expected = rows[row]["bound"];
    ASSERT_TRUE(found) << "line " << row + 1;
    EXPECT_NEAR(*found, expected, 1e-6 * std::max(1.0, expected)) << "line " << row + 1;
  }
  EXPECT_EQ(rows.size(), 400U);
  EXPECT_EQ(infeasible, 103);
}

}  // namespace
}  // namespace longrun
