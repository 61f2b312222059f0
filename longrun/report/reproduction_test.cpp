#include "longrun/report/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "longrun/experiment/engine.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// A test with its own store, in which it runs experiments.
class ReproductionOf : public ::testing::Test {
 protected:
  ReproductionOf() : store_(fresh_folder(), Store::Access::write) {}

  Results run(const std::string& name, const std::string& toml) {
    const Config config = parse_config(toml, name + ".toml");
    run_experiment(config, store_, {.threads = 2});
    return {store_, config};
  }

  Store store_;

 private:
  static std::string fresh_folder() {
    std::string path = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(path);
    return path;
  }
};

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.find(part) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> result;
  std::istringstream text(row.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' ');
    result.push_back(begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
  }
  return result;
}

constexpr const char* kClaims = R"(
title = "The title"
claim = """
A claim
over two lines."""
checks = [
  {says = "SPO beats greedy choice", policy = "spo", against = ["greedy"]},
  {says = "greedy choice beats SPO", policy = "greedy", against = ["spo"]},
  {says = "SPO's regret shrinks", policy = "spo", since = 0.1, factor = 0.5, from = 0.9},
  {says = "EXP3 has | little regret", policy = "exp3", slack = 0.5},
]
bandits = ["inc_dec_3", "recommender_B"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "exp3", "optimal", "spo@released"]
horizons = [100, 500, 1000]
seeds = 3
)";

TEST_F(ReproductionOf, AnExperimentHasARowForEveryClaim) {
  const Results results = run("Mine", kClaims);
  Reproduction reproduction;
  EXPECT_TRUE(reproduction.empty());
  reproduction.add(results);
  EXPECT_FALSE(reproduction.empty());
  const std::string text = reproduction.text();
  const auto rows = lines_with(text, "| [Mine](#mine) |");
  const std::vector<Check>& checks = results.config().checks;
  ASSERT_EQ(rows.size(), checks.size());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const auto row = cells(rows[i]);
    ASSERT_EQ(row.size(), 4U) << rows[i];
    const auto in_a_cell = [](const Verdict& verdict) {
      return verdict.text() == "holds" ? verdict.text() : fmt::format("**{}**", verdict.text());
    };
    EXPECT_EQ(row[1], i == 3 ? "EXP3 has / little regret" : checks[i].says);
    EXPECT_EQ(row[2], in_a_cell(judge(checks[i], results)));
    const bool same = checks[i].policy == "exp3";
    EXPECT_EQ(row[3], same ? "not run" : in_a_cell(judge(as_released(checks[i], results.config()), results)));
  }
}

TEST_F(ReproductionOf, AnExperimentShowsTheMeasurementsForEachBanditAndNoise) {
  const Results results = run("Mine", kClaims);
  Reproduction reproduction;
  reproduction.add(results);
  const std::string text = reproduction.text();
  EXPECT_EQ(lines_with(text, "### Mine").size(), 1U);
  EXPECT_EQ(lines_with(text, "The title").size(), 1U);
  EXPECT_EQ(lines_with(text, "> A claim over two lines.").size(), 1U);
  EXPECT_EQ(text.find("Constraints"), std::string::npos) << "it has none";
  for (const Check& check : results.config().checks) {
    const Verdict verdict = judge(check, results);
    const Verdict released = judge(as_released(check, results.config()), results);
    ASSERT_EQ(verdict.scenes.size(), 4U);
    for (const Verdict& one : {verdict, released}) {
      for (const CheckedScene& scene : one.scenes) {
        const std::string bound = fmt::format("{:.3g}", scene.allowed);
        const std::string start =
            fmt::format("| {} | {} | {} | {:.3g} | {} |", scene.bandit,
                        scene.noise == "none" ? "no noise" : "Gaussian noise, sd 0.05", one.check.policy,
                        scene.measured, scene.against.empty() ? bound : fmt::format("{} ({})", bound, scene.against));
        const auto rows = lines_with(text, start);
        ASSERT_GE(rows.size(), 1U) << start;
        const auto row = cells(rows[0]);
        ASSERT_EQ(row.size(), 7U);
        EXPECT_TRUE(row[5].starts_with(fmt::format("{:.3g}", scene.excess.mean))) << row[5];
        EXPECT_EQ(row[5].find("±") != std::string::npos, scene.excess.high > scene.excess.low) << row[5];
        const std::string finding = to_text(scene.finding);
        EXPECT_EQ(row[6], finding == "holds" ? finding : fmt::format("**{}**", finding));
      }
    }
  }
}

TEST_F(ReproductionOf, StatesTheRunsAndWhetherTheyAreComplete) {
  Reproduction whole;
  whole.add(run("Mine", kClaims));
  EXPECT_EQ(lines_with(whole.text(), "- 3 horizons, 3 seeds: Mine").size(), 1U);
  const Config config = parse_config(kClaims, "part.toml");
  store_.begin(config, {}, false);
  store_.add(config, 0, run_unit(config, unit_at(config, 0)));
  store_.commit();
  Reproduction part;
  part.add(Results(store_, config));
  EXPECT_EQ(lines_with(part.text(), "**preliminary**: 15 of 180 runs").size(), 1U);
}

TEST_F(ReproductionOf, OnlyThePapersExperimentsAreAttributedToThePaper) {
  Reproduction mine;
  mine.add(run("Mine", kClaims));
  EXPECT_EQ(mine.text().find("paper"), mine.text().npos);
  Reproduction papers;
  papers.add(run("figure_1", kClaims));
  EXPECT_NE(papers.text().find("The paper is Lindner"), std::string::npos);
}

TEST_F(ReproductionOf, ListsWhereTheYardstickIsNotTheBest) {
  const Results results = run("Mine", kClaims);
  Reproduction reproduction;
  reproduction.add(results);
  const std::string text = reproduction.text();
  const std::string summary =
      text.substr(text.find("## Summary"), text.find("## All claims") - text.find("## Summary"));
  for (std::size_t bandit = 0; bandit < 2; ++bandit) {
    for (std::size_t noise = 0; noise < 2; ++noise) {
      const auto regret = [&](std::size_t policy) { return estimate(results.regrets(bandit, noise, policy, 2)).mean; };
      const bool beaten = regret(1) < regret(0) || regret(2) < regret(0);
      const std::string scene = fmt::format("| Mine | {} | {} |", results.config().bandits[bandit].name,
                                            noise == 0 ? "no noise" : "Gaussian noise, sd 0.05");
      EXPECT_EQ(lines_with(summary, scene).size(), beaten ? 1U : 0U) << scene;
    }
  }
}

TEST_F(ReproductionOf, PoliciesAreRankedByTheirRegretAtTheLongestHorizon) {
  const Results results = run("Mine", kClaims);
  Reproduction reproduction;
  reproduction.add(results);
  const std::string text = reproduction.text();
  EXPECT_EQ(lines_with(text, "at T = 1000").size(), 1U);
  const std::string table = text.substr(text.find("policies, best first"));
  const auto ranked = lines_with(table.substr(0, table.find("\n#")), "| recommender_B | Gaussian noise, sd 0.05 |");
  ASSERT_EQ(ranked.size(), 1U);
  std::vector<std::pair<double, std::string>> expected;
  for (std::size_t policy = 0; policy < 5; ++policy) {
    const std::string name = results.config().policies[policy].text();
    if (name != "optimal") expected.emplace_back(estimate(results.regrets(1, 1, policy, 2)).mean, name);
  }
  std::sort(expected.begin(), expected.end());
  std::size_t at = 0;
  for (const auto& [regret, name] : expected) {
    const std::size_t found = ranked[0].find(fmt::format("{} {:.3g} (", name, regret), at);
    ASSERT_NE(found, std::string::npos) << name << " in " << ranked[0];
    at = found;
  }
}

TEST_F(ReproductionOf, TheEffectOfTheReleasedCodeIsATable) {
  const Results results = run("Mine", kClaims);
  Reproduction reproduction;
  reproduction.add(results);
  const std::string text = reproduction.text();
  const std::string table = text.substr(text.find("## Effect of the differences in the released code"));
  const auto rows = lines_with(table, "| Mine |");
  ASSERT_EQ(rows.size(), 4U) << "one per bandit and noise: only spo was run as released";
  const auto over_all = [&](std::size_t policy) {  // on inc_dec_3 with noise
    std::vector<double> sums(3, 0);
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t k = 0; k < 3; ++k) sums[k] += results.regrets(0, 1, policy, h)[k] / 3;
    }
    return estimate(sums);
  };
  const Estimate paper = over_all(0);
  const Estimate released = over_all(4);
  const auto row = cells(rows[1]);
  EXPECT_EQ(row[1], "inc_dec_3");
  EXPECT_EQ(row[2], "Gaussian noise, sd 0.05");
  EXPECT_EQ(row[3], "spo");
  EXPECT_EQ(row[4], fmt::format("{:.3g} ± {:.2g}", paper.mean, (paper.high - paper.low) / 2));
  EXPECT_EQ(row[5], fmt::format("{:.3g} ± {:.2g}", released.mean, (released.high - released.low) / 2));
  EXPECT_EQ(row[6], fmt::format("{:.2f}", released.mean / paper.mean));
}

TEST_F(ReproductionOf, StatesTheConstraintsOfAnExperiment) {
  Reproduction reproduction;
  reproduction.add(run("constrained", R"(
checks = [{says = "s", policy = "greedy", slack = 1}]
bandits = ["inc_1"]
policies = ["greedy"]
horizons = [50]
[constraints]
minimum_pulls = 3
costs = "0:2"
)"));
  EXPECT_EQ(lines_with(reproduction.text(), "Constraints: costs 0:2; minimum_pulls 3.").size(), 1U);
}

TEST_F(ReproductionOf, NoLineOutsideTablesHasMoreThan100Columns) {
  Reproduction reproduction;
  std::string toml = kClaims;
  toml.replace(toml.find("A claim\n"), 8,
               "A claim" + std::string(30, ' ') + std::string("of many words, ") +
                   "which takes more than one line, because it is longer than a line can be\n");
  toml.replace(toml.find("SPO beats greedy choice"), 23,
               "SPO beats greedy choice, which says nothing of the other "
               "policies, and nothing of bandits that were not run here");
  for (const char* name : {"figure_1", "Mine"}) reproduction.add(run(name, toml));
  std::istringstream lines(reproduction.text());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with('|') || line.size() <= 100) << line;
  }
}

TEST_F(ReproductionOf, VariantsWithParametersAreFoundToo) {
  Reproduction reproduction;
  reproduction.add(run("p", R"(
checks = [{says = "s", policy = "greedy", against = ["d-ucb:discount=0.9"]}]
bandits = ["inc_1"]
policies = ["greedy", "d-ucb:discount=0.9", "d-ucb@released:discount=0.9"]
horizons = [50]
)"));
  const std::string text = reproduction.text();
  EXPECT_EQ(lines_with(text, "| p | inc_1 | no noise | d-ucb:discount=0.9 |").size(), 1U);
  EXPECT_NE(cells(lines_with(text, "| [p](#p) |").at(0))[3], "not run");
}

TEST_F(ReproductionOf, ExperimentsAreInTheOrderInWhichTheyWereAdded) {
  Reproduction reproduction;
  reproduction.add(run("B b", kClaims));
  reproduction.add(run("a", kClaims));
  const std::string text = reproduction.text();
  EXPECT_EQ(lines_with(text, "| [B b](#b-b) |").size(), 4U);
  EXPECT_EQ(lines_with(text, "| [a](#a) |").size(), 4U);
  EXPECT_LT(text.find("### B b"), text.find("### a"));
}

TEST_F(ReproductionOf, ExperimentsWithoutChecksAreIgnored) {
  Reproduction reproduction;
  reproduction.add(run("x", "bandits = ['inc_1']\npolicies = ['greedy']\nhorizons = [5]\n"));
  EXPECT_TRUE(reproduction.empty());
}

TEST_F(ReproductionOf, ExperimentsWithoutRecordsAreIgnored) {
  const Config config = parse_config(kClaims, "begun.toml");
  store_.begin(config, {}, false);
  Reproduction reproduction;
  reproduction.add(Results(store_, config));
  EXPECT_TRUE(reproduction.empty());
}

TEST_F(ReproductionOf, AnExperimentWithoutSpoDoesNotMentionIt) {
  Reproduction reproduction;
  reproduction.add(run("mine", R"(
checks = [{says = "greedy choice beats EXP3", policy = "greedy", against = ["exp3"]}]
bandits = ["inc_dec_3"]
noise = ["none", "gaussian:0.05"]
policies = ["exp3", "greedy"]
horizons = [100, 500]
seeds = 3
)"));
  const std::string text = reproduction.text();
  EXPECT_TRUE(lines_with(text, "SPO").empty()) << text;
  EXPECT_TRUE(lines_with(text, "released").empty()) << text;
  for (const char* verdict : {"holds", "holds only without noise", "holds only with noise", "holds in 2 of 3",
                              "does not hold", "not settled"}) {
    EXPECT_EQ(lines_with(text, fmt::format("- **{}**: ", verdict)).size(), 1U) << verdict;
  }
}

}  // namespace
}  // namespace longrun
