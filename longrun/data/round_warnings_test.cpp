#include "longrun/data/round_warnings.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "longrun/data/csv_history.h"

namespace longrun {
namespace {

using Texts = std::vector<std::string>;

History read_history(const std::string& csv) {
  std::istringstream text(csv);
  return read_csv_history("past.csv", text, {});
}

TEST(RoundWarnings, RoundsOfAnotherSizeThanStatedAreAWarning) {
  const auto warnings = [](const std::string& rows, const Constraints& constraints) {
    return round_warnings("past.csv", read_history("round,arm,reward\n" + rows), constraints);
  };
  const std::string rows = "1,a,1\n1,b,1\n2,a,0\n2,b,0\n2,b,1\n3,a,1\n";
  const Texts expected{
      "past.csv: round 2 has 3 pulls, but the number of units per round is 2; rows fill one round of that size after "
      "the other, so the rounds of the history are not those of the answer"};
  EXPECT_EQ(warnings(rows, {.units_per_round = 2}), expected) << "the last round may be incomplete";
  EXPECT_NE(warnings(rows, {.units_per_round = 4})
                .at(0)
                .find("round 1 has 2 pulls, but the number of units per round "
                      "is 4 (2 rounds differ)"),
            std::string::npos);
  EXPECT_EQ(warnings("1,a,1\n1,b,1\n2,a,1\n", {.units_per_round = 2}), Texts{});
  EXPECT_EQ(warnings(rows, {}), Texts{}) << "rounds play no role";
  EXPECT_EQ(warnings("1,a,1\n1,b,1\n", {.unavailable = {{0, {}}}}).size(), 1U) << "here they do";
}

TEST(RoundWarnings, RoundsThatAreNotNumberedFromOneAreAWarning) {
  const Constraints constraints{.units_per_round = 2, .unavailable = {{0, {{118, 120}}}}};
  const auto warnings = [&](const std::string& rows) {
    return round_warnings("past.csv", read_history("round,arm,reward\n" + rows), constraints);
  };
  const std::string rest = ", but rounds are counted from 1 without gaps: round ";
  EXPECT_EQ(warnings("100,a,1\n100,b,1\n101,a,0\n101,b,0\n"),
            Texts{"past.csv: the first round is 100" + rest +
                  "101 of the history is round 2 of the constraints and of the answer"});
  EXPECT_EQ(warnings("0,a,1\n0,b,1\n1,a,0\n1,b,0\n"),
            Texts{"past.csv: the first round is 0" + rest +
                  "1 of the history is round 2 of the constraints and of the answer"});
  EXPECT_EQ(warnings("1,a,1\n1,b,1\n3,a,0\n3,b,0\n"),
            Texts{"past.csv: round 3 follows round 1" + rest +
                  "3 of the history is round 2 of the constraints and of the answer"});
  EXPECT_EQ(warnings("1,a,1\n1,b,1\n2,a,0\n2,b,0\n"), Texts{});
}

TEST(RoundWarnings, PullsOfAnArmThatIsSaidToBeUnavailableAreAWarning) {
  const History history = read_history("arm,reward\na,1\nb,1\nb,0\na,0\na,1\nb,1\n");
  Constraints constraints{.units_per_round = 2};
  constraints.unavailable[0] = {{2, 3}};  // a: its second and third pull
  EXPECT_EQ(
      round_warnings("past.csv", history, constraints),
      Texts{"past.csv: arm 'a' is unavailable in round 2 by the constraints, but the history has a pull of it there "
            "(2 such pulls in all); rounds are counted from 1"});
  constraints.unavailable[0] = {{4, 9}};
  EXPECT_EQ(round_warnings("past.csv", history, constraints), Texts{});
}

TEST(RoundWarnings, RoundsWithCostsMaySpendLessButNotMore) {
  Constraints constraints{.units_per_round = 4};
  constraints.costs.named[1] = 3;
  const auto warnings = [&](const std::string& rows) {
    return round_warnings("past.csv", read_history("round,arm,reward\n" + rows), constraints);
  };
  EXPECT_EQ(warnings("1,a,1\n1,b,1\n2,b,0\n3,a,0\n"), Texts{}) << "4, 3 and 1 units";
  EXPECT_EQ(warnings("1,a,1\n2,b,0\n2,b,1\n3,a,0\n"), Texts{}) << "3 units of round 1 were kept";
  EXPECT_NE(warnings("1,a,1\n1,b,1\n2,b,0\n2,b,1\n").at(0).find("round 2 has 6 units, but"), std::string::npos);
}

}  // namespace
}  // namespace longrun
