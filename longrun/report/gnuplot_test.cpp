// The figures that gnuplot draws from the scripts.
#include "longrun/report/gnuplot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/report/arena/arena_figure.h"
#include "tests/environment_variable.h"
#include "tests/made_figure.h"
#include "tests/made_scores.h"
#include "tests/no_programs.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

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
  MadeFigure made{.name = "grid", .arms = {"x", "y", "z"}, .policies = {{"spo", 0.5}}, .impact_unit = "points"};
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
  for (const std::string& name :
       {std::string("it's \"quoted\""), std::string("\\ $HOME %d {bold} _sub ^x"), "`touch " + mark + "`",
        std::string("two\nlines\tand a tab"), std::string("#1"), std::string("Zürich — naïve"),
        std::string("🇩🇪 👨‍👩‍👧 日本 \xff"), std::string(200, 'x'), std::string()}) {
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
    for (const char* kind : kPictureKinds) {
      EXPECT_FALSE(fs::exists(fs::path(folder_) / fmt::format("{}.{}.log", name, kind))) << "messages are left";
    }
  }
}

TEST_F(Drawing, OneKindAlone) {
  write_gnuplot(figure_of({.name = "one"}), folder_);
  ASSERT_TRUE(draw("one", folder_, "png"));
  EXPECT_TRUE(fs::exists(fs::path(folder_) / "one.png"));
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "one.svg"));
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "one.pdf"));
}

TEST_F(Drawing, TheScriptAloneMakesAllKinds) {
  write_gnuplot(figure_of({.name = "all"}), folder_);
  ASSERT_EQ(std::system(fmt::format("cd '{}' && gnuplot all.gp", folder_).c_str()), 0);  // NOLINT
  expect_pictures("all");
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
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "two.svg.log"));
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

}  // namespace
}  // namespace longrun
