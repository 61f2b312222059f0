// longrun backtest: the answer of the library, in every format, and one line for every mistake.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "longrun/data/csv.h"
#include "longrun/data/csv_history.h"
#include "longrun/report/advice/backtest_json.h"
#include "longrun/report/advice/backtest_report.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/cli_output.h"
#include "tests/long_tests.h"
#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/simulated_log.h"

namespace longrun {
namespace {

using nlohmann::json;

const std::string kLog = in_source("datasets/example_log.csv");

Arguments backtesting(const Arguments& more) {
  Arguments arguments{"backtest", "--history", kLog, "--horizon", "300", "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}
const Arguments kQuick{"--replicates", "20", "--resamples", "20"};

Arguments backtesting_quickly(const Arguments& more) {
  Arguments arguments = backtesting(kQuick);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// datasets/README.md describes how the file was made. This test makes it again.
TEST(ExampleLog, IsMadeAsItsReadmeDescribes) {
  const Bandit bandit = three_hills(Gaussian{.sd = 0.1});
  std::string expected = "arm,reward\n";
  for (const PastPull& pull : random_log(bandit, 7, 900).pulls) {
    expected += fmt::format("{},{:.3f}\n", bandit.arm_names[static_cast<std::size_t>(pull.arm)], *pull.reward);
  }
  EXPECT_EQ(content(kLog), expected);
}

TEST(CommandLineBacktest, PrintsTheAnswerOfTheLibrary) {
  std::ifstream file = open_text(kLog);
  BacktestSpec spec{.history = read_csv_history(kLog, file, {}), .horizon = 300};
  for (const char* policy : {"spo", "d-ucb:discount=0.99,exploration=1", "ucb"}) spec.policies.emplace_back(policy);
  spec.replicates = 20;
  spec.resamples = 20;
  spec.seed = 3;
  spec.random_choices = true;
  const Backtest result = backtest(spec);
  const Arguments arguments = backtesting_quickly(
      {"--policies", "spo,d-ucb:discount=0.99,exploration=1,ucb", "--seed", "3", "--choices", "random"});
  const auto with = [&](const Arguments& more) {
    Arguments all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return output(all);
  };
  EXPECT_EQ(with({}), backtest_text(spec, result));
  EXPECT_EQ(with({"--threads", "1"}), backtest_text(spec, result));
  EXPECT_EQ(with({"--json", "--threads", "3"}), backtest_json(spec, result));
}

TEST(CommandLineBacktest, CsvHasItsWarningsOnStandardError) {
  const Finished near = longrun_run(backtesting_quickly({"--csv"}));
  EXPECT_EQ(near.code, 0);
  EXPECT_EQ(near.err, "");
  EXPECT_EQ(lines_of(near.out).size(), 1U + 4 + 2);
  const Finished far =
      longrun_run({"backtest", "--history", kLog, "--resamples", "0", "--replicates", "2", "--csv", "--quiet"});
  EXPECT_TRUE(far.err.starts_with("longrun: note: ")) << far.err;
  EXPECT_TRUE(contains(far.err, "lie beyond the data of their arm")) << far.err;
}

TEST(CommandLineBacktest, ExportedCurvesCanBePlayed) {
  const std::string curves = scratch_path("backtest_curves.csv");
  const json object = json::parse(output(
      backtesting({"--policies", "spo", "--replicates", "2", "--resamples", "0", "--export", curves, "--json"})));
  // The optimum does not depend on the order of the arms, in which a backtest plays other policies in turn.
  const json optimum = json_output({"optimum", "--curves", curves, "--horizon", "300", "--json"});
  const auto row = std::find_if(object["policies"].begin(), object["policies"].end(),
                                [](const json& each) { return each["policy"] == "optimum"; });
  ASSERT_NE(row, object["policies"].end());
  EXPECT_NEAR((*row)["reward"]["value"].get<double>(), optimum["optimum"].get<double>() / 300, 1e-9);
  const json played = json_output({"play", "--curves", curves, "--horizon", "300", "--policy", "spo", "--noise",
                                   object["noise"]["kind"].get<std::string>(), "--json"});
  EXPECT_LE(played["return"].get<double>(), optimum["optimum"].get<double>());
  EXPECT_GT(played["return"].get<double>(), optimum["optimum"].get<double>() / 2);
}

TEST(CommandLineBacktest, AMissingFolderOfTheCurvesIsAnErrorAfterTheAnswer) {
  const std::string folder = scratch_path("no folder");
  const Finished run = longrun_run(backtesting_quickly({"--policies", "spo", "--export", folder + "/curves.csv"}));
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(contains(run.out, "spo")) << run.out;
  EXPECT_TRUE(
      run.err.ends_with(fmt::format("longrun: {0}/curves.csv: cannot be written: there is no folder {0}\n", folder)))
      << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(CommandLineBacktest, JsonHasTheDocumentedKeys) {
  const json object = json::parse(output(backtesting_quickly({"--choices", "random", "--json"})));
  const std::string docs = content(in_source("docs/backtest.md"));
  const auto documented = [&](const json& part, const std::string& path) {
    for (const auto& [key, value] : part.items())
      EXPECT_TRUE(contains(docs, fmt::format("`{}{}`", path, key))) << "docs/backtest.md does not name " << path << key;
  };
  documented(object, "");
  documented(object["log"], "log.");
  documented(object["noise"], "noise.");
  documented(object["arms"][0], "arms[].");
  documented(object["arms"][0]["curve"], "arms[].curve.");
  documented(object["policies"][0], "policies[].");
  documented(object["policies"][0]["reward"], "policies[].reward.");
  documented(object["replays"][0], "replays[].");
  documented(object["replays"][0]["columns"][0], "replays[].columns[].");
  documented(object["replays"][0]["rejection"], "replays[].rejection.");
  documented(object["random_choices"], "random_choices.");
}

TEST(CommandLineBacktest, PrintsTheExampleOfTheDocs) {
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "many replicates; shorter backtests run the same code";
  const std::string text = output(backtesting({"--policies", "spo,ucb,greedy", "--quiet"}));
  EXPECT_TRUE(contains(content(in_source("docs/backtest.md")), "```\n" + text + "```\n"))
      << "docs/backtest.md should contain:\n"
      << text;
}

TEST(CommandLineBacktest, TheDocsHaveTheTrueRewardsOfTheExample) {
  const Bandit bandit = three_hills(Gaussian{.sd = 0.1}).tabulated(300);
  const auto reward = [&](const char* policy) {
    double sum = 0;
    for (std::uint32_t replicate = 0; replicate < 2000; ++replicate) {
      const Setting setting{.arms = 3, .horizon = 300, .noise = bandit.noise, .seed = 1, .replicate = replicate};
      sum += play(PolicyChoice(policy), bandit, setting).earned / 300;
    }
    return sum / 2000;
  };
  double equal = 0;
  for (const Curve& arm : bandit.arms) equal += arm.cumulative(100) / 300;
  const std::string truth =
      fmt::format("{:.3f} (`spo`), {:.3f} (`ucb`), {:.3f}\n(`greedy`), {:.3f} (equal split) and {:.3f} (optimum)",
                  reward("spo"), reward("ucb"), reward("greedy"), equal, optimal_allocation(bandit, 300).value / 300);
  EXPECT_TRUE(contains(content(in_source("docs/backtest.md")), truth)) << truth;
}

TEST(CommandLineBacktest, DrawsAPicture) {
  const std::string path = scratch_path("backtest.svg");
  output(backtesting_quickly({"--plot", path}));
  EXPECT_TRUE(contains(content(path), "fitted curve"));
}

TEST(CommandLineBacktest, InvalidInputPrintsOneLine) {
  const std::string good = "arm,reward\n" + [] {
    std::string rows;
    for (int i = 0; i < 12; ++i) rows += fmt::format("{},0.{}\n", i % 2, i % 7);
    return rows;
  }();
  struct Mistake {
    Arguments more;
    std::string csv;
    std::string complaint;
  };
  const std::vector<Mistake> mistakes{
      {{}, "arm,reward\n0,0.5\n1,0.6\n", "the log has no arm with at least 5 rewards"},
      {{}, "arm,reward\n", "standard input: has no rows after the header; a backtest needs past pulls and rewards"},
      {{"--horizon", "0"}, good, "--horizon 0: must be a whole number >= 1"},
      {{"--replicates", "0"}, good, "--replicates 0: must be a whole number from 1 to 1000000"},
      {{"--replicates", "many"}, good, "--replicates many: must be a whole number from 1"},
      {{"--resamples", "10"}, good, "--resamples 10: must be a whole number from 20 to 1000000, or 0"},
      {{"--policies", "spo,uct"}, good, "unknown policy 'uct'"},
      {{"--policies", "spo,ucb,spo"}, good, "policy 'spo' is given twice"},
      {{"--policies", "optimal"}, good, "policy 'optimal' needs known reward curves"},
      {{"--choices", "greedy"}, good, "--choices greedy: must be random"},
      {{"--scale", "1:0"}, good, "--scale 1:0: must be MIN:MAX"},
      {{"--seed", "-1"}, good, "--seed -1: must be a whole number >= 0"},
      {{"--threads", "0"}, good, "--threads 0: must be a whole number from 1 to 4096"},
      {{"--csv", "--json"}, good, "give one of --csv and --json"},
      {{"--plot", "log.jpg"}, good, "log.jpg: the file's name must end in .svg, .pdf or .png"},
      {{"--names", "a,b"}, "arm,reward\na,0.5\nc,0.5\n", "'c' is not an arm"},
      {{}, good + "1,250\n", "standard input: line 14: reward 250 of arm 1 is further outside the scale 0 to 1"},
  };
  for (const auto& [more, csv, complaint] : mistakes) {
    Arguments arguments{"backtest", "--history", "-", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    SCOPED_TRACE(fmt::format("{}", fmt::join(arguments, " ")));
    const Finished run = longrun_run(arguments, csv);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(contains(run.err, complaint)) << run.err;
  }
  EXPECT_TRUE(contains(longrun_run({"backtest"}).err, "the log is missing; give --history FILE.csv"));
}

}  // namespace
}  // namespace longrun
