// Constraints on the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/simulate/regret.h"
#include "tests/cli_output.h"

namespace longrun {
namespace {

using nlohmann::json;

const Arguments kPlay{
    "play",         "--bandit",          "inc_dec_3", "--policy",      "spo",           "--horizon",
    "300",          "--units-per-round", "4",         "--costs",       "0:2",           "--minimum-pulls",
    "10",           "--minimum-share",   "0.3,0.1",   "--unavailable", "1:5-9,1:60-70", "--noise",
    "gaussian:0.05"};

Constraints the_same() {
  Constraints constraints;
  set_constraint(constraints, "units_per_round", "4");
  set_constraint(constraints, "costs", "0:2");
  set_constraint(constraints, "minimum_pulls", "10");
  set_constraint(constraints, "minimum_share", "0.3,0.1");
  set_constraint(constraints, "unavailable", "1:5-9,1:60-70");
  return constraints;
}

TEST(CommandLineConstraints, PlayIsWhatTheLibraryPlays) {
  Arguments arguments = kPlay;
  arguments.insert(arguments.end(), {"--trace", "--json"});
  const json run = json::parse(output(arguments));
  Bandit bandit = named_bandit("inc_dec_3");
  bandit.noise = Gaussian{0.05};
  std::vector<RoundPull> trace;
  const RunResult outcome = play_constrained(World(bandit, 0), PolicyChoice("spo"),
                                             {.arms = 2, .horizon = 300, .noise = bandit.noise}, the_same(), &trace);
  const Allocation best = optimal_allocation(bandit, 300, the_same());
  EXPECT_EQ(run["pulls"].get<std::vector<Pulls>>(), outcome.pulls);
  EXPECT_EQ(run["return"].get<double>(), outcome.earned);
  EXPECT_EQ(run["optimum"].get<double>(), best.value);
  EXPECT_EQ(run["regret"].get<double>(), policy_regret(best.value, outcome.earned));
  ASSERT_EQ(run["arms"].size(), trace.size());
  ASSERT_EQ(run["rounds"].size(), trace.size());
  for (std::size_t step = 0; step < trace.size(); ++step) {
    EXPECT_EQ(run["arms"][step], trace[step].arm);
    EXPECT_EQ(run["rounds"][step], trace[step].round);
  }
  EXPECT_EQ(run["constraints"], json::parse(R"({"units_per_round": "4", "costs": "0:2", "minimum_pulls": "10",
                                                "minimum_share": "0.3,0.1", "unavailable": "1:5-9,1:60-70"})"));
}

TEST(CommandLineConstraints, TextSaysWhatTheyAre) {
  Arguments arguments = kPlay;
  arguments.emplace_back("--trace");
  const std::string text = output(arguments);
  EXPECT_NE(text.find("constraints       units_per_round 4; costs 0:2; minimum_pulls 10;"), std::string::npos) << text;
  EXPECT_NE(text.find("from step     in round  arm of each step"), std::string::npos) << text;
}

TEST(CommandLineConstraints, WithoutThemNothingIsSaidOfThem) {
  const std::string text = output({"play", "--bandit", "inc_1", "--policy", "spo", "--horizon", "9", "--json"});
  EXPECT_EQ(text.find("constraints"), std::string::npos);
  EXPECT_EQ(output({"play", "--bandit", "inc_1", "--policy", "spo", "--horizon", "9", "--json", "--costs", "1",
                    "--minimum-pulls", "0"}),
            text);
}

TEST(CommandLineConstraints, TheOptimumKeepsToThem) {
  const json best = json::parse(output({"optimum", "--bandit", "inc_dec_3", "--horizon", "500", "--costs", "2,1",
                                        "--minimum-pulls", "0:100", "--json"}));
  Constraints constraints;
  set_constraint(constraints, "costs", "2,1");
  set_constraint(constraints, "minimum_pulls", "0:100");
  const Allocation expected = optimal_allocation(named_bandit("inc_dec_3"), 500, constraints);
  EXPECT_EQ(best["optimum"].get<double>(), expected.value);
  EXPECT_EQ(best["pulls"].get<std::vector<Pulls>>(), expected.pulls);
  EXPECT_GE(expected.pulls[0], 100);
  EXPECT_EQ(best["constraints"]["costs"], "2,1");
}

TEST(CommandLineConstraints, TheTextOfTheOptimumStatesThem) {
  const std::string text = output({"optimum", "--bandit", "inc_dec_3", "--horizon", "500", "--costs", "2,1"});
  EXPECT_TRUE(text.starts_with("constraints   costs 2,1\nhorizon       500\noptimum       ")) << text;
  EXPECT_NE(text.find("\nmethod        "), std::string::npos) << text;
}

TEST(CommandLineConstraints, TheOptimalPolicyHasNoRegret) {
  for (const Arguments& constraints :
       std::vector<Arguments>{{"--minimum-pulls", "20"},
                              {"--costs", "3,2", "--units-per-round", "7"},
                              {"--unavailable", "0:50-400,1:1-30", "--minimum-share", "0.2"},
                              {"--unavailable", "0:50-200,1:1-30", "--minimum-share", "0.2", "--unspent", "lapse"}}) {
    Arguments arguments{"play", "--bandit", "inc_dec_3", "--policy", "optimal", "--horizon", "350", "--json"};
    arguments.insert(arguments.end(), constraints.begin(), constraints.end());
    EXPECT_EQ(json::parse(output(arguments))["regret"], 0) << fmt::format("{}", fmt::join(constraints, " "));
  }
}

TEST(CommandLineConstraints, MistakesAreSaidInOneLine) {
  struct ConstraintMistake {
    Arguments more;
    std::string complaint;
  };
  const std::vector<ConstraintMistake> mistakes{
      {{"--minimum-pulls", "x"}, "--minimum-pulls: 'x' should read X for every arm, ARM:X,ARM:X for some"},
      {{"--minimum-share", "2"}, "--minimum-share: '2': 2 is out of range; must be a number from 0 to 1"},
      {{"--minimum-share", "0.7"}, "longrun: --minimum-share: the shares of all 2 arms add up to 1.4, more than 1"},
      {{"--units-per-round", "0"}, "--units-per-round: '0': 0 is out of range; must be more than 0"},
      {{"--costs", "1,2,3"}, "longrun: --costs: 3 values for 2 arms"},
      {{"--costs", "0"}, "--costs: '0': 0 is out of range; must be more than 0"},
      {{"--unavailable", "1"}, "--unavailable: '1' should read ARM:FROM-TO,..."},
      {{"--costs", "1,000"},
       "others too or X,X,... for each, with arms from 0 and X a whole number from 1 to 1000000000000, "
       "without separators: 1000\n"},
      {{"--minimum-pulls", "1,000"}, "without separators: 1000\n"},
      {{"--units-per-round", "1,000"}, "from 1 to 1000000000000, without separators: 1000\n"},
      {{"--minimum-pulls", "-1"}, "--minimum-pulls: '-1': -1 is out of range; must be a whole number from 0 to"},
      {{"--costs", "0.5"}, "--costs: '0.5' should read"},
      {{"--unspent", "vanish"}, "--unspent: 'vanish' should read keep or lapse"},
      {{"--unspent", "lapse", "--costs", "2"},
       "longrun: --unspent: units can lapse only if every pull costs 1, but one costs 2"},
      {{"--unavailable", "7:1-2"}, "longrun: --unavailable: arm 7 is not one of 0..1"},
      {{"--minimum-pulls", "60"}, "longrun: --minimum-pulls: 120 units are needed, but the budget has only 100"},
      {{"--minimum-pulls", "0:3,0:4"}, "--minimum-pulls: '0:3,0:4': arm 0 is given twice"},
      {{"--unavailable", "0:1-20000,1:1-20000"}, "longrun: --unavailable: no arm can ever be pulled in the 100 rounds"},
      {{"--minimum-pull", "6"}, "unknown option '--minimum-pull'; did you mean '--minimum-pulls'?"},
      {{"--unavailable", "0:1-100", "--minimum-pulls", "0:1"},
       "arm 0 needs 1 pull, but is available in none of the 100 rounds"},
  };
  for (const auto& [more, complaint] : mistakes) {
    for (Arguments arguments : {Arguments{"play", "--policy", "spo"}, Arguments{"optimum"}}) {
      arguments.insert(arguments.end(), {"--bandit", "inc_1", "--horizon", "100"});
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Finished run = longrun_run(arguments);
      EXPECT_EQ(run.code, 2);
      EXPECT_EQ(run.out, "");
      EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
      EXPECT_NE(run.err.find(complaint), std::string::npos) << run.err;
    }
  }
  const Finished all = longrun_run({"optimum", "--bandit", "inc_1", "--all", "--costs", "2"});
  EXPECT_EQ(all.code, 2);
  EXPECT_NE(all.err.find("--all does not work with constraints"), std::string::npos) << all.err;
}

}  // namespace
}  // namespace longrun
