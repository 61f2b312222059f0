// How a user's own log enters `longrun recommend`: labels, columns, pending rewards, decimals, many arms, failed
// pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "longrun/base/text.h"
#include "tests/cli_output.h"
#include "tests/environment_variable.h"
#include "tests/no_programs.h"

namespace longrun {
namespace {

using Object = nlohmann::json;

Arguments asking(const Arguments& more, const std::string& horizon = "100") {
  Arguments arguments{"recommend", "--horizon", horizon, "--history", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Object answer(const std::string& csv, Arguments more = {}, const std::string& horizon = "100") {
  more.emplace_back("--json");
  return Object::parse(output(asking(more, horizon), csv));
}

std::vector<std::string> labels_in(const Object& object) {
  std::vector<std::string> labels;
  for (const Object& arm : object["arms"]) labels.push_back(arm["name"]);
  return labels;
}

/// Returns a log of `pulls` pulls of each arm. The last arm is the best one.
std::string log_of(const std::vector<std::string>& arms, int pulls) {
  std::string csv = "arm,reward\n";
  for (int pull = 0; pull < pulls; ++pull) {
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      csv +=
          fmt::format("{},{:.3f}\n", arms[arm],
                      0.2 + 0.6 * static_cast<double>(arm + 1) / static_cast<double>(arms.size()) + 0.01 * (pull % 3));
    }
  }
  return csv;
}

TEST(HistoryLabels, ArmsCalledOneToFourAreFourArmsAndNoneIsCalledZero) {
  const Object object = answer(log_of({"3", "1", "2", "4"}, 10));
  EXPECT_EQ(labels_in(object), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(object["next"][0]["name"], "4");
  EXPECT_EQ(object["next"][0]["arm"], 3) << "the position in arms";
  EXPECT_EQ(object["arms"][0]["pulls"], 10);
  EXPECT_EQ(object["what_to_do"], "Pull arm 4 next.");
  EXPECT_EQ(object["what_if"]["name"], "4");
  const std::string text = output(asking({}), log_of({"3", "1", "2", "4"}, 10));
  EXPECT_FALSE(contains(text, "arm 0")) << text;
}

TEST(HistoryLabels, AConstraintFollowsItsLabelWhenRowsAreReordered) {
  const std::string one = "arm,reward\nSmall farms,0.2\nnorth,0.5\nSmall farms,0.2\nnorth,0.5\n";
  const std::string other = "arm,reward\nnorth,0.5\nSmall farms,0.2\nnorth,0.5\nSmall farms,0.2\n";
  for (const std::string& csv : {one, other}) {
    const Object share = answer(csv, {"--minimum-share", "Small farms:0.9"}, "40");
    EXPECT_EQ(share["next"][0]["name"], "Small farms");
    EXPECT_EQ(share["next"][0]["causes"]["share"], 1);
    EXPECT_EQ(share["constraints"]["minimum_share"], "Small farms:0.9");
    EXPECT_EQ(answer(csv, {"--minimum-pulls", "north:30"})["next"][0]["name"], "north");
    EXPECT_EQ(answer(csv, {"--unavailable-now", "Small farms"})["next"][0]["name"], "north");
    EXPECT_EQ(answer(csv, {"--unavailable-now", "Small farms"})["unavailable_now"][0]["name"], "Small farms");
    EXPECT_EQ(answer(csv, {"--unavailable", "north:5-100"})["next"][0]["name"], "Small farms");
  }
}

TEST(HistoryLabels, ANumericLabelInAConstraintIsNoPosition) {
  const std::string csv = log_of({"1", "2", "3"}, 4);
  EXPECT_EQ(answer(csv, {"--minimum-pulls", "1:50"})["next"][0]["name"], "1");
  EXPECT_EQ(answer(csv, {"--minimum-pulls", "1:50", "--names", "3,2,1"})["next"][0]["name"], "1");
  const std::string positions = log_of({"0", "1", "2"}, 4);
  EXPECT_EQ(answer(positions, {"--minimum-pulls", "1:50", "--positions", "--names", "2,1,0"})["next"][0]["arm"], 1);
}

TEST(HistoryLabels, NamesMayHaveCommasColonsAndQuotes) {
  const std::string csv = "arm,reward\n\"tea, black\",0.5\na:b,0.5\n\"the \"\"best\"\"\",0.6\n";
  const Object object =
      answer(csv, {"--costs", R"("tea, black":2,a:b:3,"the ""best""":4)", "--minimum-pulls", R"("tea, black":9)"});
  EXPECT_EQ(object["next"][0]["name"], "tea, black");
  EXPECT_EQ(object["constraints"]["costs"], R"("tea, black":2,"a:b":3,"the ""best""":4)");
  EXPECT_EQ(labels_in(answer("arm,reward\na:b,0.5\n", {"--names", R"("tea, black",a:b)"})),
            (std::vector<std::string>{"tea, black", "a:b"}));
}

TEST(HistoryLabels, AListNeedsAnOrderThatIsGiven) {
  const std::string csv = log_of({"north", "south"}, 4);
  const Finished refused = longrun_run(asking({"--costs", "1,2"}), csv);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err,
            "longrun: --costs: '1,2' is a list, but the arms have no given order; name them: north:1,south:2\n");
  EXPECT_EQ(answer(csv, {"--costs", "1,2", "--names", "south,north"})["constraints"]["costs"], "south:1,north:2");
  EXPECT_EQ(answer(log_of({"0", "1"}, 4), {"--costs", "1,2", "--positions"})["constraints"]["costs"], "0:1,1:2");
  EXPECT_EQ(Object::parse(output(
                {"recommend", "--horizon", "9", "--arms", "2", "--costs", "1,2", "--json"}))["constraints"]["costs"],
            "0:1,1:2");
}

TEST(HistoryInput, EmptyRewardsArePending) {
  const std::string csv = log_of({"a", "b"}, 5) + "b,\nb,\n";
  const Object object = answer(csv, {}, "30");
  EXPECT_EQ(object["pending"], 2);
  EXPECT_EQ(object["made"], 12);
  EXPECT_EQ(object["remaining"], 18);
  EXPECT_EQ(object["arms"][1]["pulls"], 7);
  EXPECT_EQ(object["arms"][1]["pending"], 2);
  EXPECT_TRUE(contains(replaced(output(asking({}), csv), "\n", " "), "2 of 12 pulls are pending: they are made"));
}

TEST(HistoryInput, ColumnsMayHaveOtherNamesCasesAndSeparators) {
  const std::string csv = "\xEF\xBB\xBFWeek;Region ;Sales;note\r\n1;north;20;\r\n1;south;30;x\r\n2;north;25;\r\n";
  const Object object =
      answer(csv, {"--arm-column", "region", "--reward-column", "sales", "--round-column", "week", "--scale", "0:100"});
  EXPECT_EQ(labels_in(object), (std::vector<std::string>{"north", "south"}));
  EXPECT_EQ(object["made"], 3);
}

TEST(HistoryInput, CostsMayHaveDecimals) {
  const std::string csv = log_of({"a", "b"}, 2);
  const Object object = answer(csv, {"--costs", "a:2.5,b:0.25", "--units-per-round", "10.5"}, "100.75");
  EXPECT_EQ(object["horizon"], 100.75);
  EXPECT_EQ(object["remaining"], 381) << "(100.75 - 5.5) / 0.25";
  EXPECT_EQ(object["constraints"]["costs"], "a:2.5,b:0.25");
  EXPECT_EQ(object["constraints"]["units_per_round"], "10.5");
  EXPECT_TRUE(contains(output(asking({"--costs", "a:2.5,b:0.25"}), log_of({"a", "b"}, 6)), "at cost 0.25"))
      << "as written";
  std::string tenths = "arm,reward\n";
  for (int pull = 0; pull < 10; ++pull) tenths += "a,0.5\n";
  EXPECT_EQ(answer(tenths, {"--costs", "0.1"}, "1")["remaining"], 0) << "ten tenths are one";
}

TEST(HistoryInput, ManyArmsAreAShortTable) {
  std::string csv = "arm,reward\n";
  for (int arm = 0; arm < 1000; ++arm) csv += fmt::format("id{},{:.4f}\n", arm, 0.2 + 0.0001 * ((arm * 37) % 1000));
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const std::string text = output(asking({}, "5000"), csv);
  EXPECT_LT(lines(text), 45) << text;
  EXPECT_TRUE(contains(text, "980 more arms are not shown; --all-arms shows all.\n"));
  EXPECT_GT(lines(output(asking({"--all-arms"}, "5000"), csv)), 1000);
  const Object object = answer(csv, {}, "5000");
  EXPECT_EQ(object["arms"].size(), 1000U);
  // The first row is the arm to pull next; the others have descending indices.
  const std::string next = object["next"][0]["name"];
  EXPECT_TRUE(contains(text, "upper bound\n" + next + " ")) << text;
}

TEST(FailedPicture, DoesNotKeepBackTheAdvice) {
  const std::string csv = log_of({"a", "b"}, 3);
  const std::string advice = output(asking({}), csv);
  const std::string folder = scratch_path("no such folder");
  const Finished unwritten = longrun_run(asking({"--plot", folder + "/arms.svg"}), csv);
  EXPECT_EQ(unwritten.code, 3);
  EXPECT_EQ(unwritten.out, advice);
  EXPECT_EQ(unwritten.err, fmt::format("longrun: {0}/arms.svg: cannot be written: there is no folder {0}\n", folder));
  const NoPrograms none;
  const Finished undrawn = longrun_run(asking({"--plot", scratch_path("arms.svg")}), csv);
  EXPECT_EQ(undrawn.code, 2);
  EXPECT_EQ(undrawn.out, advice);
  EXPECT_TRUE(contains(undrawn.err, "arms.svg: cannot be drawn, because gnuplot is not installed")) << undrawn.err;
}

TEST(HistoryInput, MistakesAreOneLine) {
  struct Mistake {
    Arguments more;
    std::string csv;
    std::string complaint;
  };
  const std::string good = "arm,reward\nnorth,0.5\nsouth,0.6\n";
  const std::vector<Mistake> mistakes{
      {{"--minimum-share", "noth:0.3"},
       good,
       "--minimum-share: 'noth:0.3': 'noth' is not an arm; arms are north, south"},
      {{"--minimum-share", "noth:0.3"}, good, "did you mean 'north'?"},
      {{"--costs", "0:2"}, good, "--costs: '0:2': '0' is not an arm; arms are north, south"},
      {{"--unavailable-now", "0"}, good, "--unavailable-now 0: '0' is not an arm; arms are north, south"},
      {{"--minimum-pulls", "4:3"}, log_of({"1", "2", "3"}, 1), "'4' is not an arm; arms are 1, 2, 3"},
      {{"--arms", "3"},
       good,
       "standard input: 2 arms appear, but the number of arms is 3; name all arms with --names A,B,..., or give "
       "--positions if arms are positions from 0"},
      {{"--arms", "1"}, good, "2 arms appear, but the number of arms is 1"},
      {{"--positions"}, good, "line 2, column 1 (arm): 'north' is not the position of an arm; positions are from 0"},
      {{"--names", "north"}, good, "line 3, column 1 (arm): 'south' is not an arm; arms are north"},
      {{"--names", "\"north"}, good, "--names: '\"north' has no closing quote"},
      {{}, "arm;reward\nnorth;0,5\n", "'0,5' is not a finite number; the decimal mark must be a point"},
      {{"--reward-column", "sales"}, good, "line 1 has no column 'sales'; its columns are arm, reward"},
      {{"--time-column", "day"}, good, "line 1 has no column 'day'; its columns are arm, reward"},
      {{},
       "time,arm,reward\n2024-01-02,a,0.5\n2024-01-01,b,0.5\n",
       "line 3, column 1 (time): '2024-01-01' is before '2024-01-02' of line 2; rows must be in the order"},
      {{},
       "arm,reward,round\na,0.5,1\nb,0.5,\n",
       "line 3, column 3 (round): the value is missing (--round-column none and"},
      {{}, "arm,reward\na,0.5\na,150\n", "standard input: line 3: reward 150 of arm 'a' is further outside the scale"},
      {{}, "arm,reward\n1,0.5\n1.0,0.5\n", "arms '1' and '1.0' are the same number; write every arm in one way"},
      {{"--costs", "0.1234567"}, good, "--costs: '0.1234567': units have at most 6 decimals"},
      {{"--minimum-pulls", "2.5"}, good, "--minimum-pulls: '2.5' should read"},
      {{"--costs", "2.5", "--unspent", "lapse"}, good, "units can lapse only if every pull costs 1, but one costs 2.5"},
  };
  for (const auto& [more, csv, complaint] : mistakes) {
    const Arguments arguments = asking(more);
    SCOPED_TRACE(fmt::format("{}", fmt::join(arguments, " ")));
    const Finished run = longrun_run(arguments, csv);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(contains(run.err, complaint)) << run.err;
  }
  EXPECT_TRUE(contains(longrun_run(asking({}, "100.5"), good).err,
                       "--horizon 100.5: must be a whole number, unless costs or units per round have decimals"));
  EXPECT_TRUE(contains(longrun_run(asking({"--costs", "0.000001"}, "1000001"), good).err,
                       "--horizon 1000001: must be a number > 0, at most 1000000, with at most 6 decimals"));
  EXPECT_TRUE(contains(longrun_run({"recommend", "--horizon", "9", "--arms", "2", "--time-column", "t"}).err,
                       "column 't' needs a history; give --history FILE.csv"));
}

TEST(HistoryInput, SimilarLabelsAreAWarning) {
  const Finished run = longrun_run(asking({}), "arm,reward\nNorth,0.5\nnorth,0.5\n");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(
      run.err,
      "longrun: standard input: arms 'North' (1 row) and 'north' (1 row) differ only in upper and lower case; they "
      "count as two arms\n");
}

}  // namespace
}  // namespace longrun
