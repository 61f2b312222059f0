// The data files and the options that gnuplot reads.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "longrun/base/system_error.h"
#include "longrun/report/gnuplot.h"
#include "tests/made_figure.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

using Table = std::vector<std::vector<std::string>>;

Table table_of(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  Table table;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    table.push_back(row);
  }
  return table;
}

class DataFiles : public ::testing::Test {
 protected:
  DataFiles() { fs::remove_all(folder_); }
  Table table(const std::string& name) const { return table_of(fs::path(folder_) / "data" / name); }
  std::string folder_ = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(DataFiles, HoldTheNumbersOfTheFigureToTheLastDigit) {
  Figure figure = figure_of({.name = "f", .scenes = 2});
  figure.scenes[1].policies[0].regret[2] = {0.1 + 0.2, 1.0 / 3, 2.0 / 3};
  write_gnuplot(figure, folder_);
  const Table regret = table("f.2.regret.tsv");
  ASSERT_EQ(regret.size(), 4U);
  EXPECT_EQ(regret[0], (std::vector<std::string>{"# horizon", "spo mean", "spo low", "spo high", "greedy mean",
                                                 "greedy low", "greedy high", "exp3 mean", "exp3 low", "exp3 high"}))
      << "neither variants nor the reference";
  EXPECT_EQ(regret[3][0], "1000");
  EXPECT_EQ(std::stod(regret[3][1]), 0.1 + 0.2);
  EXPECT_EQ(std::stod(regret[3][2]), 1.0 / 3);
  EXPECT_EQ(std::stod(regret[3][3]), 2.0 / 3);
  EXPECT_EQ(std::stod(table("f.1.regret.tsv")[3][1]), figure.scenes[0].policies[0].regret[2].mean);

  const Table pulls = table("f.1.pulls.tsv");
  ASSERT_EQ(pulls[0].size(), 13U) << "with the reference";
  EXPECT_EQ(pulls[0][10], "optimal mean");
  EXPECT_EQ(pulls[2], (std::vector<std::string>{"100", "37.5", "36.5", "38.5", "37.5", "36.5", "38.5", "37.5", "36.5",
                                                "38.5", "37.5", "36.5", "38.5"}));

  const Table curves = table("f.1.curves.tsv");
  EXPECT_EQ(curves[0], (std::vector<std::string>{"# pull", "a", "b"}));
  ASSERT_EQ(curves.size(), 4U);
  for (std::size_t point = 0; point < 3; ++point) {
    EXPECT_EQ(std::stoll(curves[point + 1][0]), figure.scenes[0].curve_pulls[point]);
    EXPECT_EQ(std::stod(curves[point + 1][2]), figure.scenes[0].curves[1][point]);
  }
}

TEST_F(DataFiles, SharesAreByPolicyAndImpactIsByArm) {
  Figure figure = figure_of({.name = "f", .arms = {"x", "y", "z and more"}, .impact_unit = "points"});
  figure.scenes[0].policies[1].shares[2] = {0.5, 0.375, 0.125};
  figure.scenes[0].policies[1].impact = {-1.5, 0.25, 8};
  write_gnuplot(figure, folder_);
  const Table shares = table("f.1.shares.tsv");
  EXPECT_EQ(shares[0], (std::vector<std::string>{"# policy", "x", "y", "z and more"}));
  ASSERT_EQ(shares.size(), 5U);
  EXPECT_EQ(shares[1][0], "optimal") << "the reference is first";
  EXPECT_EQ(shares[3], (std::vector<std::string>{"greedy", "0.5", "0.375", "0.125"})) << "at the longest horizon";
  const Table impact = table("f.1.impact.tsv");
  EXPECT_EQ(impact[0], (std::vector<std::string>{"# arm", "spo", "greedy", "exp3", "optimal"}));
  ASSERT_EQ(impact.size(), 4U);
  EXPECT_EQ(impact[1][2], "-1.5");
  EXPECT_EQ(impact[3][0], "z and more");
  EXPECT_EQ(impact[3][2], "8");
}

TEST_F(DataFiles, IllustrationsShowThePastAndTheFuture) {
  write_gnuplot(illustrated("lp"), folder_);
  const Table fits = table("lp.1.tsv");
  EXPECT_EQ(fits[0], (std::vector<std::string>{"# pull", "mean", "observation", "lower", "upper", "bound"}));
  ASSERT_EQ(fits.size(), 5U);
  EXPECT_EQ(fits[2], (std::vector<std::string>{"2", "0.2", "0.25", "0.05", "0.45", "0.45"}));
  EXPECT_EQ(fits[3], (std::vector<std::string>{"3", "0.3", "nan", "nan", "nan", "0.8"}));
  const Table does_not = table("lp.2.tsv");
  EXPECT_EQ(does_not[2], (std::vector<std::string>{"2", "0.2", "0.2", "0.1", "0.3", "nan"}));
  EXPECT_EQ(does_not[4], (std::vector<std::string>{"4", "0.1", "nan", "nan", "nan", "0.3"}));
}

TEST_F(DataFiles, NamesDoNotAddLinesOrColumns) {
  write_gnuplot(figure_of({.name = "f", .arms = {"two\nlines", "a\ttab", "\r"}, .impact_unit = "points"}), folder_);
  for (const auto& [file, rows] : {std::pair{"f.1.curves.tsv", 4U}, {"f.1.shares.tsv", 5U}, {"f.1.impact.tsv", 4U}}) {
    const Table read = table(file);
    EXPECT_EQ(read.size(), rows) << file;
    for (const auto& row : read) EXPECT_EQ(row.size(), read[0].size()) << fmt::format("{}", fmt::join(row, "|"));
  }
}

TEST_F(DataFiles, TheScriptSetsTheAxesThatWereAskedFor) {
  const auto script = [&](const GnuplotOptions& options) {
    write_gnuplot(figure_of({.name = "f"}), folder_, options);
    return content(fs::path(folder_) / "f.gp");
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_FALSE(has(script({}), "\nset logscale"));
  EXPECT_TRUE(has(script({.log_horizon = true}), "set logscale x\n"));
  EXPECT_FALSE(has(script({.log_horizon = true}), "set logscale y\n"));
  EXPECT_TRUE(has(script({.log_regret = true}), "set logscale y\n"));
  EXPECT_FALSE(has(script({.log_regret = true}), "set logscale x\n"));
}

TEST_F(DataFiles, AnErrorInWritingIsOneLineThatNamesTheFolder) {
  written(::testing::UnitTest::GetInstance()->current_test_info()->name(), "a file, not a folder");
  try {
    write_gnuplot(figure_of({.name = "f"}), folder_);
    FAIL() << "no error";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find(folder_), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace longrun
