// `longrun check` as a process, also on the experiments that come with longrun.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/paths.h"
#include "tests/process.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kExperiments = kSource / "experiments";

/// A folder for one test, in which the binary runs.
class CheckCommand : public ::testing::Test {
 protected:
  CheckCommand() {
    fs::remove_all(scratch_path(folder_));
    fs::create_directories(scratch_path(folder_));
  }

  void write(const std::string& name, const std::string& text) const { written(folder_ + "/" + name, text); }

  /// Runs it by a shell, which changes to the folder and expands '*'.
  Finished check(const std::string& arguments) const {
    const std::string script = fmt::format("cd '{}' && '{}' check {}", scratch_path(folder_), kBinary, arguments);
    return Process({"/bin/sh", "-c", script}).finished();
  }

  std::string output(const std::string& arguments) const {
    const Finished run = check(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return run.out;
  }

  void expect_complaint(const std::string& arguments, const std::string& message) const {
    const Finished run = check(arguments);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "longrun: " + message + "\n");
  }

 private:
  std::string folder_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

const std::string kSmall = R"(title = "A small one"
bandits = ["inc_dec_3", "const_*"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "d-ucb:discount=0.99", "optimal"]
horizons = [10, 20]
seeds = 5
)";

TEST_F(CheckCommand, PrintsRunsAndStepsOfAnExperiment) {
  write("small.toml", kSmall);
  EXPECT_EQ(output("small.toml"),
            "small.toml: A small one\n"
            "  policies  spo, d-ucb:discount=0.99, optimal\n"
            "  horizons  2, from 10 to 20\n"
            "  seeds     5\n"
            "\n"
            "  bandit                        arms  noise                     runs             steps\n"
            "  inc_dec_3                        2  none                        30               450\n"
            "  inc_dec_3                        2  gaussian:0.05               30               450\n"
            "  const_*                         10  none                        30               450\n"
            "  const_*                         10  gaussian:0.05               30               450\n"
            "  total                                                          120              1800\n"
            "\n"
            "1 experiment, 120 runs, 1800 steps\n");
}

TEST_F(CheckCommand, AddsUpSeveralExperiments) {
  write("small.toml", kSmall);
  write("other.toml", kSmall + "seed = 3\n");
  const std::string text = output("small.toml other.toml");
  EXPECT_TRUE(text.ends_with("\n2 experiments, 240 runs, 3600 steps\n")) << text;
  const json result = json::parse(output("small.toml other.toml --json"));
  EXPECT_EQ(result["runs"], 240);
  EXPECT_EQ(result["steps"], 3600);
  EXPECT_EQ(result["experiments"].size(), 2U);
}

TEST_F(CheckCommand, JsonHasTheSameNumbers) {
  write("small.toml", kSmall);
  const json experiment = json::parse(output("small.toml --json"))["experiments"][0];
  EXPECT_EQ(experiment["name"], "small");
  EXPECT_EQ(experiment["title"], "A small one");
  EXPECT_EQ(experiment["policies"], (std::vector<std::string>{"spo", "d-ucb:discount=0.99", "optimal"}));
  EXPECT_EQ(experiment["horizons"], (std::vector<int>{10, 20}));
  EXPECT_EQ(experiment["seeds"], 5);
  EXPECT_EQ(experiment["seed"], 0);
  EXPECT_EQ(experiment["runs"], 120);
  EXPECT_EQ(experiment["steps"], 1800);
  ASSERT_EQ(experiment["shares"].size(), 4U);
  EXPECT_EQ(experiment["shares"][3],
            json({{"bandit", "const_*"}, {"arms", 10}, {"noise", "gaussian:0.05"}, {"runs", 30}, {"steps", 450}}));
}

TEST_F(CheckCommand, AnErrorIsOneLineAndNothingElseIsPrinted) {
  write("small.toml", kSmall);
  write("bad.toml", kSmall + "sed = 3\n");
  expect_complaint("", "no experiment is given; name a FILE.toml, such as experiments/figure_1.toml");
  expect_complaint("nope.toml", "nope.toml: no such file");
  expect_complaint(".", ".: is a folder, not a TOML file");
  expect_complaint(
      "small.toml bad.toml",
      "bad.toml: line 7: sed: is not a key here; allowed: title, group, claim, checks, lp, bandits, bandit, noise, "
      "half_width, minimum_half_width, policies, horizons, seeds, first_seed, seed, constraints, held_out; did you "
      "mean 'seed'?");
  expect_complaint("small.toml --jsn", "unknown option '--jsn'; did you mean '--json'? (see 'longrun check --help')");
  expect_complaint("small.toml bad.toml --json=yes", "--json takes no value");
}

TEST_F(CheckCommand, RefusesWhatRunCannotCompute) {
  write("long.toml", "bandits = ['inc_dec_3']\npolicies = ['spo']\nhorizons = [1000000000]\n");
  const std::string message =
      "long.toml: bandit 'inc_dec_3': a run with 2 arms and horizon 1000000000 needs too large a table of rewards; "
      "shorten the horizon to at most 134217728";
  expect_complaint("long.toml", message);
  expect_complaint(fmt::format("long.toml >/dev/null; '{}' run long.toml --out out", kBinary),
                   message + "\nlongrun: " + message);
  write("valley.toml",
        "policies = ['spo']\nhorizons = [3000000]\n[[bandit]]\nname = 'valley'\narms = [\n"
        "{rewards = [0.5, 0.1, 0.6, 0.2], after_end = 0.3}, {formula = 'constant', level = 0.3}]\n");
  const Finished run = check("valley.toml");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(
      run.err.find("valley.toml: bandit 'valley': the curves are not single-peaked (arm 0 dips by 0.4 at pull 2)"),
      std::string::npos)
      << run.err;
}

TEST_F(CheckCommand, ExpandsGridsOfParameters) {
  write("grid.toml",
        "bandits = ['inc_1']\npolicies = ['spo', {name = 'sw-ucb', window = [100, 200], exploration = [1, 2]}]\n"
        "horizons = [10]\n");
  const json experiment = json::parse(output("grid.toml --json"))["experiments"][0];
  EXPECT_EQ(experiment["policies"],
            (std::vector<std::string>{"spo", "sw-ucb:exploration=1,window=100", "sw-ucb:exploration=2,window=100",
                                      "sw-ucb:exploration=1,window=200", "sw-ucb:exploration=2,window=200"}));
  EXPECT_EQ(experiment["runs"], 5);
}

TEST_F(CheckCommand, HasExamplesInItsHelp) {
  const std::string help = output("--help");
  EXPECT_NE(help.find("Usage: longrun check"), std::string::npos);
  EXPECT_NE(help.find("Examples:\n"), std::string::npos);
}

TEST_F(CheckCommand, NamesTheConstraintsOfTheDocumentation) {
  const std::string readme = content(kExperiments / "README.md");
  const std::size_t begin = readme.find("[constraints]");
  ASSERT_NE(begin, std::string::npos);
  write("example.toml", "bandits = ['recommender_C']\npolicies = ['spo']\nhorizons = [500]\n" +
                            readme.substr(begin, readme.find("```", begin) - begin));
  const json experiment = json::parse(output("example.toml --json"))["experiments"][0];
  EXPECT_EQ(experiment["constraints"].size(), 5U) << experiment;
  const std::string text = output("example.toml");
  EXPECT_NE(text.find("\n  policies     spo\n  horizons     1, from 500 to 500\n  seeds        1\n"
                      "  constraints  units_per_round 5; "),
            std::string::npos)
      << text;
}

TEST_F(CheckCommand, ReadsTheExampleOfTheDocumentation) {
  const std::string readme = content(kExperiments / "README.md");
  const std::size_t begin = readme.find("```toml\n") + 8;
  ASSERT_NE(begin, std::string::npos + 8);
  write("example.toml", readme.substr(begin, readme.find("```", begin) - begin));
  std::string csv = "a,b\n";
  for (int pull = 0; pull < 2000; ++pull) csv += "0.25,0.5\n";
  write("data/mine.csv", csv);
  const json experiment = json::parse(output("example.toml --json"))["experiments"][0];
  EXPECT_EQ(experiment["shares"].size(), 10U);
  EXPECT_EQ(experiment["policies"].size(), 6U);
}

/// The output of `check` for all experiments of the paper: all that come with longrun but the arena and
/// learning_curves.
class PaperExperiments : public CheckCommand {
 protected:
  json all() const { return json::parse(output(fmt::format("'{}'/[!al]*.toml --json", kExperiments.string()))); }
};

TEST_F(PaperExperiments, AreOnePerFigure) {
  std::set<std::string> names;
  const json result = all();
  for (const json& experiment : result["experiments"]) names.insert(experiment["name"].get<std::string>());
  EXPECT_EQ(names,
            (std::set<std::string>{"figure_1", "figure_2", "figure_3a", "figure_3b", "inc_1", "inc_2", "inc_3",
                                   "inc_1_noise", "inc_dec_1", "inc_dec_2", "inc_dec_3", "const", "fico_score_change",
                                   "fico_utility", "recommender_A", "recommender_B", "recommender_C"}));
  const std::string readme = content(kExperiments / "README.md");
  for (const std::string& name : names) {
    EXPECT_NE(readme.find(fmt::format("`{}.toml`", name)), std::string::npos) << name;
  }
}

TEST_F(PaperExperiments, HaveTheHorizonsAndSeedsOfThePaper) {
  const json checked = all();
  for (const json& experiment : checked["experiments"]) {
    SCOPED_TRACE(experiment["name"].get<std::string>());
    EXPECT_NE(experiment["title"], experiment["name"]);
    EXPECT_NE(experiment["group"], "");
    EXPECT_NE(experiment["claim"], "");
    if (experiment["name"] == "figure_2") continue;  // runs nothing
    EXPECT_EQ(experiment["seeds"], 30);
    const auto horizons = experiment["horizons"].get<std::vector<int>>();
    EXPECT_EQ(horizons.size(), 100U);
    for (const json& share : experiment["shares"]) EXPECT_EQ(horizons.front(), 2 * share["arms"].get<int>() + 1);
    const std::string bandit = experiment["shares"][0]["bandit"];
    const int longest = bandit.starts_with("inc_dec") ? 20000
                        : bandit.starts_with("inc")   ? 10000
                        : bandit.starts_with("const") ? 5000
                        : bandit.starts_with("fico")  ? 2000
                                                      : 3000;
    EXPECT_EQ(horizons.back(), longest);
  }
}

TEST_F(PaperExperiments, TakeTheStepsOfThePaper) {
  const json result = all();
  EXPECT_EQ(result["runs"], 1'413'000);
  EXPECT_EQ(result["steps"], 6'513'514'500);
  double decided = 0;  // steps of policies other than the optimum and the variants of the released code
  for (const json& experiment : result["experiments"]) {
    const auto policies = experiment["policies"].get<std::vector<std::string>>();
    const auto extra = static_cast<double>(std::count_if(policies.begin(), policies.end(), [](const std::string& name) {
      return name == "optimal" || name.ends_with("@released");
    }));
    if (!policies.empty())
      decided += experiment["steps"].get<double>() * (1 - extra / static_cast<double>(policies.size()));
  }
  EXPECT_NEAR(decided, 3.5e9, 0.6e9);
}

TEST_F(CheckCommand, IllustrationsHaveNothingToRun) {
  write("lp.toml",
        "title = 'Bounds'\n[[lp]]\ntitle = 't'\narm = {rewards = [0.1, 0.2, 0.3]}\nnoise = 'none'\n"
        "observed = 2\nfuture = 1\n");
  const std::string text = output("lp.toml");
  EXPECT_TRUE(text.starts_with("lp.toml: Bounds\n  illustrations  1; nothing to run\n")) << text;
}

}  // namespace
}  // namespace longrun
