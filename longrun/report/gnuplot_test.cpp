#include "longrun/report/gnuplot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/report/arena_figure.h"
#include "tests/environment_variable.h"
#include "tests/made_scores.h"
#include "tests/no_programs.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

// ---- invented figures of every kind

PolicySeries series(const std::string& policy, double regret, const Figure& figure, const Scene& scene) {
  PolicySeries s;
  s.policy = policy;
  for (const Pulls horizon : figure.horizons) {
    const double value = regret / std::sqrt(static_cast<double>(horizon));
    s.regret.push_back({value, value * 0.5, value * 1.5});
    const double pulls = static_cast<double>(horizon) * 0.375;
    s.first_arm.push_back({pulls, pulls - 1, pulls + 1});
    const auto arms = static_cast<double>(scene.arms.size());
    s.shares.emplace_back(scene.arms.size(), 1 / arms);
  }
  if (!scene.impact_unit.empty()) {
    for (std::size_t arm = 0; arm < scene.arms.size(); ++arm) s.impact.push_back(2.5 - static_cast<double>(arm) * 1.75);
  }
  return s;
}

struct Made {
  std::string name = "made";
  std::vector<std::string> arms{"a", "b"};
  std::vector<Pulls> horizons{10, 100, 1000};
  std::vector<std::pair<std::string, double>> policies{
      {"spo", 0.5}, {"greedy", 2}, {"exp3", 1}, {"optimal", 0}, {"spo@released", 0.75}};
  std::string impact_unit{};
  int scenes = 1;
};

Figure figure_of(const Made& made) {
  Figure figure;
  figure.name = made.name;
  figure.horizons = made.horizons;
  for (int number = 0; number < made.scenes; ++number) {
    Scene scene;
    scene.bandit = fmt::format("bandit {}", number);
    scene.noise = "no noise";
    scene.arms = made.arms;
    scene.impact_unit = made.impact_unit;
    scene.curve_pulls = {1};
    if (made.horizons.back() > 1) scene.curve_pulls = {1, 5, made.horizons.back()};
    for (std::size_t arm = 0; arm < made.arms.size(); ++arm) {
      std::vector<double> curve;
      for (const Pulls pull : scene.curve_pulls)
        curve.push_back(1 - 1 / static_cast<double>(pull + 1 + std::ssize(curve)));
      scene.curves.push_back(curve);
    }
    for (const auto& [policy, regret] : made.policies) scene.policies.push_back(series(policy, regret, figure, scene));
    figure.scenes.push_back(scene);
  }
  return figure;
}

Figure illustrated(const std::string& name) {
  Figure figure;
  figure.name = name;
  figure.illustrations = {{.title = "fits",
                           .means = {0.1, 0.2, 0.3, 0.375},
                           .observations = {0.15, 0.25},
                           .bands = {{-0.05, 0.35}, {0.05, 0.45}},
                           .bound = {0.1, 0.45, 0.8, 1},
                           .future_bound = {0.8, 1}},
                          {.title = "does not",
                           .means = {0.9, 0.2, 0.1, 0.1},
                           .observations = {0.9, 0.2},
                           .bands = {{0.8, 1}, {0.1, 0.3}},
                           .bound = {},
                           .future_bound = {0.3, 0.3}}};
  return figure;
}

// ---- drawing

class Drawing : public ::testing::Test {
 protected:
  Drawing() { fs::remove_all(folder_); }

  void SetUp() override {
    if (std::system("command -v gnuplot > /dev/null") != 0) FAIL() << "gnuplot is not installed";  // NOLINT
  }

  void add(Figure figure, const GnuplotOptions& options = {}) {
    figure.name += fmt::format("_{}", names_.size());
    write_gnuplot(figure, folder_, options);
    names_.push_back(figure.name);
  }

  void add(const ArenaScores& scores) {
    names_.push_back(fmt::format("arena_{}", names_.size()));
    write_arena_figure(scores, names_.back(), folder_);
  }

  /// Draws all figures with gnuplot alone, as a user does after changing a script. Returns the messages of gnuplot.
  std::string messages_of_gnuplot() {
    const std::string command = fmt::format("cd '{}' && printf '%s\\n' *.gp | xargs -P 2 -n 1 gnuplot 2>&1", folder_);
    std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT
    std::string messages;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) messages += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << messages;
    for (const std::string& name : names_) {
      SCOPED_TRACE(name);
      expect_pictures(name);
    }
    return messages;
  }

  void expect_pictures(const std::string& name) const {
    const auto picture = [&](const char* kind) { return content(fs::path(folder_) / (name + kind)); };
    const std::string svg = picture(".svg");
    EXPECT_TRUE(svg.starts_with("<?xml")) << svg.substr(0, 20);
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("</svg>"), std::string::npos) << "not whole";
    EXPECT_TRUE(picture(".pdf").starts_with("%PDF-"));
    EXPECT_TRUE(picture(".png").starts_with("\x89PNG\r\n\x1a\n"));
  }

  std::vector<std::string> names_;
  std::string folder_ = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
};

constexpr std::array kAllOptions{GnuplotOptions{}, GnuplotOptions{.log_horizon = true},
                                 GnuplotOptions{.log_regret = true},
                                 GnuplotOptions{.log_horizon = true, .log_regret = true}};

TEST_F(Drawing, EveryKindOfFigureOnEveryKindOfAxis) {
  const std::vector<std::string> many{"rank 1", "rank 2", "rank 3", "rank 4", "rank 5", "rank 6", "rank 7", "rank 8"};
  for (const GnuplotOptions& options : kAllOptions) {
    add(figure_of({.name = "two", .scenes = 2}), options);
    add(figure_of({.name = "many", .arms = many}), options);
    add(figure_of({.name = "fico", .arms = {"Asian", "Black", "White"}, .impact_unit = "points"}), options);
  }
  add(illustrated("lp"));
  EXPECT_EQ(messages_of_gnuplot(), "");
}

TEST_F(Drawing, PoliciesOfAGridHaveDifferentLinesInEveryPanel) {
  Made made{.name = "grid", .arms = {"x", "y", "z"}, .policies = {{"spo", 0.5}}, .impact_unit = "points"};
  for (const char* window : {"100", "200"}) {
    for (const char* exploration : {"0.5", "1"})
      made.policies.emplace_back(fmt::format("sw-ucb:exploration={},window={}", exploration, window), 1);
  }
  const Figure figure = figure_of(made);
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
  const std::string script = content(fs::path(folder_) / "grid_0.gp");
  for (const auto& [policy, line] : policy_lines(figure)) {
    for (const char* use : {"with filledcurves fc rgb '{}'", "with lines lc rgb '{}'", "with histograms lc rgb '{}'"})
      EXPECT_NE(script.find(fmt::format(fmt::runtime(use), line.colour)), std::string::npos) << policy << " " << use;
  }
  const std::string shares = content(fs::path(folder_) / "data/grid_0.1.shares.tsv");
  for (const char* label : {"sw-ucb:e=0.5,w=100", "sw-ucb:e=1,w=100", "sw-ucb:e=0.5,w=200", "sw-ucb:e=1,w=200"})
    EXPECT_NE(shares.find(label), std::string::npos) << shares;
}

TEST_F(Drawing, AnUnfinishedExperimentIsMarked) {
  Figure figure = figure_of({.name = "part"});
  const auto picture = [&] { return content(fs::path(folder_) / (names_.back() + ".svg")); };
  figure.recorded_runs = figure.runs = 8;
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
  EXPECT_EQ(picture().find("preliminary"), std::string::npos);
  figure.recorded_runs = 3;
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
  EXPECT_NE(picture().find("preliminary: 3 of 8 runs are recorded"), std::string::npos);
  figure.constraints = "costs 2,1";
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
  EXPECT_NE(picture().find("preliminary: 3 of 8 runs are recorded"), std::string::npos);
  EXPECT_NE(picture().find("constraints: costs 2,1"), std::string::npos);
}

TEST_F(Drawing, ScenesWithAndWithoutImpactInOneFigure) {
  Figure mixed = figure_of({.name = "mixed", .arms = {"x", "y", "z"}});
  mixed.scenes.push_back(figure_of({.arms = {"x", "y", "z"}, .impact_unit = "points"}).scenes[0]);
  mixed.scenes.push_back(figure_of({}).scenes[0]);
  add(mixed);
  EXPECT_EQ(messages_of_gnuplot(), "");
}

TEST_F(Drawing, TheSmallestExperiments) {
  for (const GnuplotOptions& options : {kAllOptions.front(), kAllOptions.back()}) {
    add(figure_of({.name = "one_horizon", .horizons = {100}}), options);
    add(figure_of({.name = "one_pull", .horizons = {1}, .policies = {{"spo", 1}}}), options);
    add(figure_of({.name = "one_arm", .arms = {"only"}, .horizons = {1, 2}}), options);
    add(figure_of({.name = "no_regret", .policies = {{"spo", 0}, {"greedy", 0}}}), options);
    add(figure_of({.name = "only_optimal", .policies = {{"optimal", 0}}}), options);
    add(figure_of({.name = "only_variants", .policies = {{"spo@released", 1}}}), options);
    Figure loans = figure_of({.name = "loans", .arms = {"only"}, .policies = {{"spo", 0}}, .impact_unit = "points"});
    for (const double gain : {-1.0, 0.0, 1.0}) {
      loans.scenes[0].policies[0].impact = {gain};
      add(loans, options);
    }
  }
  EXPECT_EQ(messages_of_gnuplot(), "");
}

TEST_F(Drawing, RegretsThatTouchZeroOnALogarithmicAxis) {
  Figure figure = figure_of({.name = "zeros"});
  figure.scenes[0].policies[0].regret[1] = {0, 0, 0};
  for (PolicySeries& s : figure.scenes[0].policies) s.regret[2].low = 0;
  add(figure, {.log_regret = true});
  EXPECT_EQ(messages_of_gnuplot(), "");
}

TEST_F(Drawing, LongHorizons) {
  const Figure figure = figure_of({.name = "long", .horizons = {7, 1'000'000, 1'000'000'000'000}});
  add(figure, {.log_horizon = true});
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
}

TEST_F(Drawing, NamesMayHoldAnything) {
  const std::string mark = scratch_path("executed");
  for (const std::string& name : {std::string("it's \"quoted\""), std::string("\\ $HOME %d {bold} _sub ^x"),
                                  "`touch " + mark + "`", std::string("two\nlines\tand a tab"), std::string("#1"),
                                  std::string("Zürich — naïve"), std::string(200, 'x'), std::string()}) {
    Figure figure = figure_of({.name = "names", .arms = {name, "b", "c"}, .impact_unit = "points"});
    figure.scenes[0].bandit = name;
    figure.scenes[0].impact_unit += name;
    add(figure);
    Figure shown = illustrated("titles");
    shown.illustrations[0].title = name;
    add(shown);
  }
  // The only message: a key may be too narrow for a long name.
  std::istringstream messages(messages_of_gnuplot());
  for (std::string line; std::getline(messages, line);) EXPECT_NE(line.find("difficulty"), std::string::npos) << line;
  EXPECT_FALSE(fs::exists(mark)) << "a name ran a command";
}

TEST_F(Drawing, TheNamesOfPoliciesBanditsAndArmsAreInThePicture) {
  // More arms than fit into a key: their names are below their bars.
  Figure figure = figure_of({.name = "words", .arms = {"two words", "b", "c", "d", "e", "f", "g"}, .impact_unit = "m"});
  figure.scenes[0].bandit = "three more words";
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
  const std::string svg = content(fs::path(folder_) / (names_[0] + ".svg"));
  for (const char* text : {">two words<", ">three more words, no noise<", ">greedy<", ">optimal<", ">mean gain, m<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(svg.find("spo@released"), std::string::npos) << "variants are for the page";
}

TEST_F(Drawing, TheConstraintsAreInThePicture) {
  Figure figure = figure_of({.name = "constrained", .scenes = 2});
  figure.constraints = "minimum_pulls 10; unavailable 1:2-3";
  add(figure);
  EXPECT_EQ(messages_of_gnuplot(), "");
  const std::string svg = content(fs::path(folder_) / (names_[0] + ".svg"));
  EXPECT_NE(svg.find(">constraints: minimum_pulls 10; unavailable 1:2-3<"), std::string::npos);
}

TEST_F(Drawing, TheReferenceCoversTheYardstickAndTheYardstickCoversTheOthers) {
  add(figure_of({.name = "layers", .policies = {{"greedy", 2}, {"optimal", 0}, {"spo", 0.5}, {"exp3", 1}}}));
  const std::string script = content(fs::path(folder_) / (names_[0] + ".gp"));
  const std::size_t panel = script.find("set ylabel 'pulls of a'");
  ASSERT_NE(panel, std::string::npos);
  const auto line = [&](int column) { return script.find(fmt::format("using 1:{} with lines", column), panel); };
  // Columns of the means: greedy 2, optimal 5, spo 8, exp3 11. gnuplot draws later parts above earlier ones.
  EXPECT_LT(line(11), line(2));
  EXPECT_LT(line(2), line(8));
  EXPECT_LT(line(8), line(5));
}

TEST_F(Drawing, TheArenaShowsLongPolicyNamesInFull) {
  const std::string name = "d-ucb:discount=0.995,exploration=0.25,window=1000";
  add(made_scores({"spo", name}, {"one"}));
  EXPECT_EQ(messages_of_gnuplot(), "");
  EXPECT_NE(content(fs::path(folder_) / (names_[0] + ".svg")).find(">" + name + "<"), std::string::npos);
}

TEST_F(Drawing, AnArenaOfAnySize) {
  add(made_scores(std::vector<std::string>(20, "d-ucb:discount=0.99,exploration=1"),
                  std::vector<std::string>(13, "recommender")));
  add(made_scores({"spo"}, {"only"}));
  ArenaScores exact = made_scores({"spo", "greedy"}, {"one", "two"});
  exact.rows[0].overall.m = exact.rows[0].families[0].m = {0, 0, 0};  // a logarithmic axis has no 0
  exact.rows[1].overall.g = exact.rows[1].overall.m = {1, 1, 1};
  add(exact);
  add(made_scores({"it's \"quoted\"", "# `exit 3`"}, {"two\nlines", "{bold}"}));
  EXPECT_EQ(messages_of_gnuplot(), "");
}

TEST_F(Drawing, AnArenaShowsItsPoliciesFamiliesAndScores) {
  add(made_scores({"spo", "greedy", "exp3"}, {"first", "second"}));
  EXPECT_EQ(messages_of_gnuplot(), "");
  const std::string svg = content(fs::path(folder_) / (names_[0] + ".svg"));
  for (const char* text : {">spo<", ">greedy<", ">exp3<", ">first<", ">second<", ">0.50<", ">1.00<", ">2.00<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  const std::string data = content(fs::path(folder_) / "data" / (names_[0] + ".tsv"));
  EXPECT_TRUE(data.starts_with("# policy\toverall G\toverall G low\toverall G high\toverall M\t")) << data;
  EXPECT_NE(data.find("\nspo\t0.5\t0.375\t0.75\t0.625\t0.5\t1\t0.5\t"), std::string::npos) << data;
}

TEST_F(Drawing, TheNameOfAnExperimentMayHoldAnythingToo) {
  for (const std::string name :
       {"it's \"quoted\"", "with space", "`exit 3`", "-h", "|cat", "$HOME", "a.b", "# 1", "Zürich", "<in"}) {
    SCOPED_TRACE(name);
    write_gnuplot(figure_of({.name = name}), folder_);
    ASSERT_TRUE(draw({name}, folder_));
    expect_pictures(name);
  }
}

TEST_F(Drawing, SeveralAtATime) {
  std::vector<std::string> names;
  for (int k = 0; k < 5; ++k) {
    names.push_back(fmt::format("figure_{}", k));
    write_gnuplot(figure_of({.name = names.back()}), folder_);
  }
  ASSERT_TRUE(draw(names, folder_));
  for (const std::string& name : names) {
    expect_pictures(name);
    EXPECT_FALSE(fs::exists(fs::path(folder_) / (name + ".log"))) << "the file of messages was not removed";
  }
}

TEST_F(Drawing, NoFiguresAreDrawnAtOnce) { EXPECT_TRUE(draw({}, folder_)); }

TEST_F(Drawing, AnErrorOfGnuplotIsOneLineThatNamesTheFile) {
  write_gnuplot(figure_of({.name = "fine"}), folder_);
  std::ofstream(fs::path(folder_) / "broken.gp") << "set nonsense\n";
  try {
    draw({"fine", "broken"}, folder_);
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with(folder_ + "/broken.gp: gnuplot failed: ")) << text;
    EXPECT_NE(text.find("line 1"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  std::ofstream(fs::path(folder_) / "empty.gp") << "plot 'no such file'\n";
  EXPECT_THROW(draw({"empty"}, folder_), InputError);
}

TEST_F(Drawing, WithoutGnuplotThereAreOnlyScripts) {
  write_gnuplot(figure_of({.name = "two"}), folder_);
  const NoPrograms none;
  EXPECT_FALSE(draw({"two"}, folder_));
  EXPECT_TRUE(fs::exists(fs::path(folder_) / "two.gp"));
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "two.svg"));
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "two.log"));
}

TEST_F(Drawing, AGnuplotThatCannotBeStartedIsAFailureOfTheSystem) {
  write_gnuplot(figure_of({.name = "two"}), folder_);
  const EnvironmentVariable path("PATH",
                                 fs::path(written("unusable/gnuplot", "not executable")).parent_path().string());
  try {
    draw({"two"}, folder_);
    FAIL() << "no error";
  } catch (const SystemError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("gnuplot cannot be started: ")) << error.what();
  }
}

// ---- data files

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
