#include "longrun/decide/feasible_constraints.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/error_of.h"

namespace longrun {
namespace {

std::string error_of_resolving(const std::vector<std::pair<std::string, std::string>>& texts, Arm arms, Pulls horizon,
                               const std::vector<Pulls>& plan = {}) {
  Constraints constraints;
  for (const auto& [field, text] : texts) set_constraint(constraints, field, text);
  return error_of([&] { resolve_feasible(constraints, arms, horizon, plan); });
}

TEST(FeasibleConstraints, RefuseMinimaThatTheBudgetCannotPay) {
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "5"}}, 2, 10), "no error");
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "5"}}, 3, 10),
            "minimum_pulls: 15 units are needed, but the budget has only 10");
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "2"}}, 4, 5),
            "minimum_pulls: 8 units are needed, but the budget has only 5");
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "0:5"}, {"costs", "0:3"}}, 2, 10),
            "minimum_pulls: 15 units are needed, but the budget has only 10");
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "1000000000000"}, {"costs", "1000000000000"}}, 2, 1'000'000'000'000),
            "minimum_pulls: 2e+24 units are needed, but the budget has only 1000000000000")
      << "no overflow";
}

TEST(FeasibleConstraints, RefuseMinimaOfArmsThatAreUnavailable) {
  EXPECT_EQ(error_of_resolving({{"unavailable", "1:1-10"}, {"minimum_pulls", "1:3"}}, 2, 10),
            "minimum_pulls: arm 1 needs 3 pulls, but is available in none of the 10 rounds");
  EXPECT_EQ(error_of_resolving({{"unavailable", "1:5-10"}, {"minimum_pulls", "1:5"}}, 2, 10),
            "minimum_pulls: 5 units are needed by round 4, the last of arm 1, but only 4 are granted by "
            "then");
}

TEST(FeasibleConstraints, RefuseMinimaForWhichUnitsLapse) {
  EXPECT_EQ(error_of_resolving({{"unspent", "lapse"}, {"unavailable", "0:2-9"}, {"minimum_pulls", "0:2"}}, 2, 10),
            "no error");
  EXPECT_EQ(error_of_resolving({{"unspent", "lapse"}, {"unavailable", "0:2-9"}, {"minimum_pulls", "0:3"}}, 2, 10),
            "minimum_pulls: arm 0 needs 3 units, but only 2 are granted in rounds in which it is "
            "available");
  EXPECT_EQ(
      error_of_resolving({{"unspent", "lapse"}, {"unavailable", "0:3-10,1:3-10"}, {"minimum_pulls", "0:2,1:1"}}, 3, 10),
      "minimum_pulls: 3 units are needed, more than are granted in rounds in which their arms are "
      "available");
  EXPECT_EQ(error_of_resolving({{"unspent", "lapse"}, {"minimum_pulls", "1000000000000"}}, 2, 10),
            "minimum_pulls: 2000000000000 units are needed, but the budget has only 10");
}

TEST(FeasibleConstraints, APlanIsAMinimumOfEveryArm) {
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "0:4"}}, 2, 10, {3, 6}), "no error");
  EXPECT_EQ(error_of_resolving({{"minimum_pulls", "0:4"}}, 2, 10, {3, 7}),
            "minimum_pulls: 11 units are needed, but the budget has only 10");
}

}  // namespace
}  // namespace longrun
