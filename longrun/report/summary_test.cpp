#include "longrun/report/summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "longrun/experiment/engine.h"
#include "longrun/report/record_rows.h"
#include "longrun/report/results.h"
#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

const std::string kFourHorizons = R"(
bandits = ["inc_dec_3"]
noise = ["gaussian:0.1"]
policies = ["spo", "greedy", "foresight:estimate_sd=1", "optimal"]
horizons = [20, 40, 60, 80]
seeds = 3
)";

class Summary : public ::testing::Test {
 protected:
  Summary() {
    std::filesystem::remove_all(folder_);
    store_.emplace(folder_, Store::Access::write);
  }

  void run(const std::string& name, const std::string& toml) {
    run_experiment(parse_config(toml, name + ".toml"), *store_, {.threads = 1});
  }
  std::string error_for(const SummaryHorizons& horizons) const {
    return error_of([&] { summarize(*store_, horizons); });
  }

  std::string folder_ = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<Store> store_;
};

TEST_F(Summary, HasTheMeansAndIntervalsOfTheRecords) {
  run("e", kFourHorizons);
  const std::vector<SummaryTable> tables = summarize(*store_, {.every = true});
  ASSERT_EQ(tables.size(), 1U);
  const Results results(*store_, store_->config_of("e"));
  for (std::size_t policy = 0; policy < 4; ++policy) {
    for (std::size_t horizon = 0; horizon < 4; ++horizon) {
      const auto& cell = tables[0].rows[policy].cells[horizon];
      const Estimate expected = estimate(results.regrets(0, 0, policy, horizon));
      EXPECT_EQ(cell->regret.mean, expected.mean);
      EXPECT_EQ(cell->regret.low, expected.low);
      EXPECT_EQ(cell->regret.high, expected.high);
      EXPECT_EQ(cell->seeds, 3U);
    }
  }
}

TEST_F(Summary, AReferencePolicyIsNeverTheBest) {
  run("e", kFourHorizons);
  const SummaryTable table = summarize(*store_, {.every = true})[0];
  EXPECT_EQ(table.rows[3].policy, "optimal");
  for (std::size_t column = 0; column < table.horizons.size(); ++column) {
    EXPECT_EQ(table.rows[3].cells[column]->regret.mean, 0);
    EXPECT_FALSE(table.rows[3].cells[column]->best);
    const auto best =
        std::count_if(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row.cells[column]->best; });
    EXPECT_GE(best, 1);
  }
}

TEST_F(Summary, EveryListedHorizonIsAColumnOfEveryTable) {
  run("e", kFourHorizons);
  run("f", "bandits = [\"inc_1\"]\npolicies = [\"greedy\"]\nhorizons = [20, 100]\nseeds = 1\n");
  const std::vector<SummaryTable> tables = summarize(*store_, {.listed = {40, 100}});
  for (const SummaryTable& table : tables) EXPECT_EQ(table.horizons, (std::vector<Pulls>{40, 100}));
  EXPECT_TRUE(tables[0].rows[0].cells[0]);
  EXPECT_FALSE(tables[0].rows[0].cells[1]);
  EXPECT_FALSE(tables[1].rows[0].cells[0]);
  EXPECT_EQ(summarize(*store_, {})[0].horizons, (std::vector<Pulls>{20, 80}));
  EXPECT_EQ(error_for({.listed = {41}}), "no experiment has horizon 41; horizons are 20, 40, 60, 80, 100");
}

TEST_F(Summary, TextIsAlignedAndStatesConstraints) {
  run("e", kFourHorizons + "[constraints]\ncosts = [2, 1]\nminimum_pulls = 3\n");
  const std::string text = summary_text(summarize(*store_, {}), false);
  EXPECT_NE(text.find("e: inc_dec_3, noise gaussian:0.1, constraints costs 2,1; minimum_pulls 3\n"), std::string::npos)
      << text;
  std::size_t bracket = 0;  // the end of the first interval, in the same column for every row
  std::istringstream lines(text);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line.starts_with("  policy")) continue;
    if (bracket == 0) bracket = line.find(']');
    EXPECT_EQ(line.find(']'), bracket) << text;
    ++rows;
  }
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(summary_text(summarize(*store_, {}), true).find("\x1b[1m"), std::string::npos);
}

TEST_F(Summary, CsvAndJsonHaveTheSameNumbers) {
  run("e", kFourHorizons + "[constraints]\ncosts = [2, 1]\n");
  const std::vector<SummaryTable> tables = summarize(*store_, {.every = true});
  const auto list = nlohmann::json::parse(summary_json(tables));
  std::string expected = "experiment,bandit,noise,constraints,policy,horizon,seeds,mean,low,high,best\n";
  EXPECT_EQ(list[0]["constraints"]["costs"], "2,1");
  for (const auto& policy : list[0]["policies"]) {
    EXPECT_EQ(policy["reference"], policy["policy"] == "optimal");
    for (const auto& cell : policy["per_step_regret"]) {
      expected +=
          fmt::format("e,inc_dec_3,gaussian:0.1,\"costs 2,1\",{},{},3,{},{},{},{}\n",
                      policy["policy"].get<std::string>(), cell["horizon"].get<int>(), cell["mean"].get<double>(),
                      cell["low"].get<double>(), cell["high"].get<double>(), cell["best"].get<bool>() ? 1 : 0);
    }
  }
  EXPECT_EQ(summary_csv(tables), expected);
}

TEST_F(Summary, LatexIsATabularWithEscapedNames) {
  run("e_1", kFourHorizons);
  const std::string text = summary_latex(summarize(*store_, {.listed = {20, 80}}));
  for (const char* part :
       {"\\begin{tabular}{lrr}\n", "\\multicolumn{3}{l}{e\\_1: inc\\_dec\\_3, noise gaussian:0.1} \\\\\n", "\\toprule",
        "policy & $T = 20$ & $T = 80$ \\\\\n", "\\midrule", "foresight:estimate\\_sd=1 & ", "\\textbf{", "\\bottomrule",
        "\\end{tabular}\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto cells = std::count(line.begin(), line.end(), '&');
    EXPECT_TRUE(cells == 0 || cells == 2) << line;
  }
}

TEST_F(Summary, LatexEscapesEveryCharacterWithAMeaning) {
  const SummaryTable table{.experiment = R"(a\b~c^d<e>f|g{h}$&#_%)",
                           .bandit = "b",
                           .noise = "none",
                           .constraints = {},
                           .recorded_seeds = 2,
                           .seeds = 2,
                           .horizons = {10},
                           .rows = {}};
  EXPECT_NE(summary_latex({table}).find(R"({a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d\textless{}e)"
                                        R"(\textgreater{}f\textbar{}g\{h\}\$\&\#\_\%: b, noise none})"),
            std::string::npos)
      << summary_latex({table});
}

TEST_F(Summary, NamesWhatIsNotFinished) {
  const Config config = parse_config(kFourHorizons, "e.toml");
  store_->begin(config, {}, false);
  EXPECT_EQ(error_for({}), "no run is recorded yet");
  store_->add(config, 0, run_unit(config, unit_at(config, 0)));
  store_->commit();
  const std::vector<UnfinishedExperiment> unfinished = unfinished_experiments(*store_);
  ASSERT_EQ(unfinished.size(), 1U);
  EXPECT_EQ(unfinished[0].name, "e");
  EXPECT_EQ(unfinished[0].recorded, 1U);
  EXPECT_EQ(unfinished[0].units, 3U);
  EXPECT_EQ(summarize(*store_, {})[0].rows[0].cells[0]->seeds, 1U);
  const std::string title = "e: inc_dec_3, noise gaussian:0.1";
  const std::string preliminary = title + " (preliminary: 1 of 3 seeds)";
  EXPECT_NE(summary_text(summarize(*store_, {}), false).find("\n" + preliminary + "\n"), std::string::npos);
  run("e", kFourHorizons);
  EXPECT_NE(summary_text(summarize(*store_, {}), false).find("\n" + title + "\n"), std::string::npos);
  EXPECT_TRUE(unfinished_experiments(*store_).empty());
}

TEST_F(Summary, SmallRegretsHaveThreeSignificantDigits) {
  const auto cell = [](const Estimate& regret, bool best) { return SummaryTable::Cell{regret, 2, best}; };
  SummaryTable table{.experiment = "e",
                     .bandit = "b",
                     .noise = "none",
                     .constraints = {},
                     .recorded_seeds = 2,
                     .seeds = 2,
                     .horizons = {10, 20},
                     .rows = {}};
  table.rows.push_back({"spo", {cell({1.34e-7, -2e-9, 2.7e-7}, true), cell({0.25, 0.00002, 0.5}, false)}});
  table.rows.push_back({"greedy", {cell({0.0001, 0, 0.0002}, false), cell({0, 0, 0}, true)}});
  table.rows.push_back({"exp3", {cell({0.00002, 0, 0.00004}, false), cell({0.5, 0.5, 0.5}, false)}});
  const std::string text = summary_text({table}, false);
  for (const char* part : {"  spo     1.34e-07 [-2.00e-09, 2.70e-07] *  0.250000 [0.000020, 0.500000]\n",
                           "  greedy   0.000100 [0.000000, 0.000200]    0.000000 [0.000000, 0.000000] *\n",
                           "  exp3     2.00e-05 [0.000000, 4.00e-05]    0.500000 [0.500000, 0.500000]\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  const std::string latex = summary_latex({table});
  for (const char* part : {R"($\mathbf{1.34 \times 10^{-7}}$ [$-2.00 \times 10^{-9}$, $2.70 \times 10^{-7}$])",
                           "0.250000 [0.000020, 0.500000]", "\\textbf{0.000000} [0.000000, 0.000000]"}) {
    EXPECT_NE(latex.find(part), std::string::npos) << part << latex;
  }
}

TEST(RecordRows, QuoteNamesWithCommas) {
  const RunRecord record{.experiment = "e",
                         .bandit = "a,b.csv",
                         .noise = "none",
                         .policy = "d-ucb",
                         .parameters = "discount=0.9,exploration=1",
                         .horizon = 3,
                         .seed = 1,
                         .pulls = {2, 1},
                         .earned = 0.5,
                         .optimum = 0.75,
                         .regret = 0.25};
  EXPECT_EQ(record_csv_row(record), "e,\"a,b.csv\",none,d-ucb,\"discount=0.9,exploration=1\",3,1,2 1,0.5,0.75,0.25");
  EXPECT_EQ(record_json(record),
            R"({"experiment":"e","bandit":"a,b.csv","noise":"none","policy":"d-ucb",)"
            R"("parameters":"discount=0.9,exploration=1","horizon":3,"seed":1,"pulls":[2,1],"return":0.5,)"
            R"("optimum":0.75,"regret":0.25})");
}

}  // namespace
}  // namespace longrun
