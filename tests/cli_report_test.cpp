// `longrun reproduce`, `report` and `arena` as processes: from the paper's experiments to pages and pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "longrun/experiment/paper.h"
#include "longrun/experiment/store.h"
#include "tests/long_tests.h"
#include "tests/no_programs.h"
#include "tests/paths.h"
#include "tests/process.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

// ---- the experiments that `reproduce` contains

TEST(EmbeddedExperiments, AreTheFilesOfTheRepository) {
  std::set<std::string> embedded;
  for (const EmbeddedFile& file : paper_experiments()) {
    embedded.emplace(file.name);
    EXPECT_EQ(content(kSource / "experiments" / file.name), file.text) << file.name;
  }
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(kSource / "experiments")) {
    if (entry.path().extension() != ".toml") continue;
    files.insert(entry.path().filename().string());
    EXPECT_NO_THROW(load_configs(entry.path().string())) << entry.path();
  }
  for (const char* other : {"arena.toml", "learning_curves.toml"}) EXPECT_EQ(files.erase(other), 1U) << other;
  EXPECT_EQ(embedded, files) << "longrun/CMakeLists.txt lists them in the order of the paper";
}

// ---- processes

class ReportProcess : public ::testing::Test {
 protected:
  ReportProcess() {
    fs::remove_all(scratch_path(folder_));
    fs::create_directories(scratch_path(folder_));
  }

  std::string path(const std::string& name) const { return scratch_path(folder_ + "/" + name); }
  bool exists(const std::string& name) const { return fs::exists(path(name)); }

  /// Returns the one line on standard error; nothing is on standard output. The exit code is 2 for invalid input, and 3
  /// for a failure of the disk.
  static std::string refused(const Arguments& arguments, int code = 2) {
    const Finished finished = longrun_run(arguments);
    EXPECT_EQ(finished.code, code) << fmt::format("{}", fmt::join(arguments, " "));
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    return finished.err;
  }
  static bool gnuplot_is_installed() { return std::system("command -v gnuplot > /dev/null") == 0; }  // NOLINT

  std::string folder_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(ReportProcess, ReproduceMakesTheFilesItNamesAndOnlyOnce) {
  const Arguments command{"reproduce", "figure_2", "figure_1", "--quick", "--out", path("out")};
  const Finished first = longrun_run(command);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(says(first.out, path("out") + "/figures: figure_1, figure_2")) << "in the order of the paper";
  for (const char* file : {"records.sqlite", "report.html", "figures/figure_1.gp", "figures/figure_2.gp",
                           "figures/figure_1.toml", "figures/figure_2.toml"}) {
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  }
  for (const char* kind : {"svg", "pdf", "png"}) {
    for (const char* figure : {"figure_1", "figure_2"}) {
      EXPECT_EQ(exists(fmt::format("out/figures/{}.{}", figure, kind)), gnuplot_is_installed());
    }
  }
  // Every path in the output exists.
  EXPECT_TRUE(says(first.out, fs::absolute(path("out/report.html")).string())) << first.out;
  const std::size_t claims = first.out.find("claims");
  ASSERT_NE(claims, std::string::npos) << first.out;
  const std::size_t begin = first.out.find(path("out"), claims);
  const std::string document = first.out.substr(begin, first.out.find('\n', begin) - begin);
  EXPECT_TRUE(says(content(document), "| [figure_1](#figure_1) | SPO's regret per step vanishes")) << document;
  EXPECT_TRUE(says(first.err, "2 experiments: 1000 of 1000 runs (100 %)")) << first.err;

  const std::string page = content(path("out/report.html"));
  EXPECT_TRUE(says(page, "Figure 1: the arm that starts better ends worse"));
  EXPECT_TRUE(says(page, "Figure 2: what five noisy observations allow"));

  const Finished second = longrun_run(command);
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(says(second.err, "nothing was left to do")) << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_TRUE(content(path("out/report.html")) == page);
}

TEST_F(ReportProcess, ReproduceMakesTheSameFilesWithAnyNumberOfThreadsAndSaysWhereTheTimeWent) {
  std::map<std::string, std::string> pages;
  std::map<std::string, std::string> records;
  for (const std::string threads : {"1", "3"}) {
    const std::string out = path("with_" + threads);
    const Finished finished = longrun_run({"reproduce", "figure_1", "figure_2", "recommender_A", "--quick", "--quiet",
                                           "--timing", "--threads", threads, "--out", out});
    ASSERT_EQ(finished.code, 0) << finished.err;
    for (const char* part : {"timing: ", "\n  computing ", "\n  optimum ", "\n  store ", "\n  figures ", "\n  serial "})
      EXPECT_TRUE(says(finished.err, part)) << part << "\n" << finished.err;
    EXPECT_TRUE(says(finished.err, threads == "1" ? ", 1 thread\n" : ", 3 threads\n")) << finished.err;
    pages[threads] = content(out + "/report.html") + content(out + "/reproduction.md");
    records[threads] = longrun_run({"export", out, "--csv"}).out;
  }
  EXPECT_FALSE(records["1"].empty());
  EXPECT_TRUE(records["1"] == records["3"]);
  EXPECT_TRUE(pages["1"] == pages["3"]);
}

TEST_F(ReportProcess, QuickIsAFifthOfTheHorizonsAndASixthOfTheSeeds) {
  ASSERT_EQ(longrun_run({"reproduce", "figure_1", "--quick", "--out", path("out"), "--quiet"}).code, 0);
  const Config config = Store(path("out"), Store::Access::read).config_of("figure_1");
  const Config whole = load_config(in_source("experiments/figure_1.toml"));
  EXPECT_EQ(config.horizons.size(), 20U);
  EXPECT_EQ(config.horizons.back(), whole.horizons.back());
  EXPECT_TRUE(
      std::includes(whole.horizons.begin(), whole.horizons.end(), config.horizons.begin(), config.horizons.end()));
  EXPECT_EQ(config.seeds, 5U);
  EXPECT_EQ(config.seed, whole.seed);
  EXPECT_EQ(config.policies.size(), whole.policies.size());
  EXPECT_TRUE(
      says(refused({"reproduce", "figure_1", "--out", path("out"), "--quiet"}), "was begun with another config"))
      << "quick and whole do not mix in one folder";
}

TEST_F(ReportProcess, AnUnknownFigureGetsASuggestion) {
  const std::string error = refused({"reproduce", "figure_1", "figre_2", "--quick", "--out", path("out")});
  EXPECT_TRUE(says(error, "unknown figure 'figre_2'; did you mean 'figure_2'?")) << error;
  EXPECT_TRUE(says(error, "recommender_C")) << "all of them are listed: " << error;
  EXPECT_FALSE(exists("out")) << "refused before any work";
  refused({"reproduce", "figure_1.toml", "--quick", "--out", path("out")});
}

TEST_F(ReportProcess, OneShardMakesNoReportUntilItIsAskedFor) {
  const Finished part =
      longrun_run({"reproduce", "figure_1", "--quick", "--out", path("part"), "--shard", "1/2", "--quiet"});
  ASSERT_EQ(part.code, 0) << part.err;
  EXPECT_FALSE(exists("part/report.html"));
  // `report` shows the records of an incomplete experiment.
  ASSERT_EQ(longrun_run({"report", path("part")}).code, 0);
  EXPECT_TRUE(says(content(path("part/report.html")), "\"seeds\":3,"));
}

TEST_F(ReportProcess, AReportWithoutRecordsIsAnErrorOfOneLine) {
  EXPECT_TRUE(says(refused({"report", path("missing")}), path("missing") + ": no records here"));
  fs::create_directories(path("empty"));
  EXPECT_TRUE(says(refused({"report", path("empty")}), path("empty") + ": no records here"));
  { const Store store(path("begun"), Store::Access::write); }
  EXPECT_TRUE(says(refused({"report", path("begun")}), path("begun") + ": no records yet"));
  written(folder_ + "/file", "no folder");
  refused({"report", path("file")});
  refused({"report"});
  refused({"report", path("empty"), "--logregret"});
  EXPECT_FALSE(exists("missing")) << "reading creates no folder";
}

constexpr const char* kMine = R"(
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", {name = "d-ucb", discount = 0.9}]
horizons = [10, 50, 100]
seeds = 2
[[bandit]]
name = "tea or | 'coffee'"
arms = [
  {name = "tea", formula = "constant", level = 0.3},
  {name = "iced \"coffee\"", formula = "saturating_power", ceiling = 0.9, drop = 0.9, exponent = 0.5},
]
)";

TEST_F(ReportProcess, AnExperimentNeedsNoTitleClaimOrChecks) {
  written(folder_ + "/my own.toml", kMine);
  ASSERT_EQ(longrun_run({"run", path("my own.toml"), "--out", path("out"), "--quiet"}).code, 0);
  const Finished report = longrun_run({"report", path("out")});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_EQ(report.err, "");
  EXPECT_FALSE(says(report.out, "claims")) << "it has no checks";
  EXPECT_TRUE(exists("out/report.html"));
  EXPECT_TRUE(exists("out/figures/data/my own.2.pulls.tsv"));
  EXPECT_EQ(exists("out/figures/my own.svg"), gnuplot_is_installed());
  const std::string page = content(path("out/report.html"));
  EXPECT_TRUE(says(page, "d-ucb:discount=0.9"));
  EXPECT_TRUE(says(page, R"(iced \"coffee\")"));
  // The config beside the figure is the same experiment.
  const Finished again = longrun_run({"run", path("out/figures/my own.toml"), "--out", path("out")});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(says(again.err, "nothing was left to do")) << again.err;
}

TEST_F(ReportProcess, WithOutTheFolderOfTheRecordsStaysAsItIs) {
  written(folder_ + "/e.toml", kMine);
  ASSERT_EQ(longrun_run({"run", path("e.toml"), "--out", path("records"), "--quiet"}).code, 0);
  const auto listing = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path("records"))) {
      files[entry.path().string()] = entry.is_regular_file() ? content(entry.path().string()) : "";
    }
    return files;
  };
  const auto before = listing();
  const Finished report = longrun_run({"report", path("records"), "--out", path("elsewhere/deep")});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(listing() == before);
  EXPECT_TRUE(says(report.out, "figures   " + path("elsewhere/deep") + "/figures: e\n")) << report.out;
  EXPECT_TRUE(exists("elsewhere/deep/report.html"));
  EXPECT_EQ(exists("elsewhere/deep/figures/e.svg"), gnuplot_is_installed());
}

TEST_F(ReportProcess, AxesMayBeLogarithmic) {
  written(folder_ + "/e.toml", kMine);
  ASSERT_EQ(longrun_run({"run", path("e.toml"), "--out", path("out"), "--quiet"}).code, 0);
  const auto script = [&](const Arguments& flags) {
    Arguments command{"report", path("out")};
    command.insert(command.end(), flags.begin(), flags.end());
    const Finished report = longrun_run(command);
    EXPECT_EQ(report.code, 0) << report.err;
    return content(path("out/figures/e.gp"));
  };
  EXPECT_FALSE(says(script({}), "\nset logscale"));
  EXPECT_TRUE(says(script({"--log-regret"}), "\nset logscale y\n"));
  EXPECT_TRUE(says(script({"--log-horizon"}), "\nset logscale x\n"));
  const std::string both = script({"--log-horizon", "--log-regret"});
  EXPECT_TRUE(says(both, "\nset logscale x\n") && says(both, "\nset logscale y\n"));
}

TEST_F(ReportProcess, WithoutGnuplotThereIsANoteAndEverythingButPictures) {
  written(folder_ + "/e.toml", kMine);
  ASSERT_EQ(longrun_run({"run", path("e.toml"), "--out", path("out"), "--quiet"}).code, 0);
  const NoPrograms none;
  const Finished report = longrun_run({"report", path("out")});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_EQ(std::count(report.err.begin(), report.err.end(), '\n'), 1) << report.err;
  EXPECT_TRUE(says(report.err, "gnuplot is not installed")) << report.err;
  EXPECT_TRUE(exists("out/report.html"));
  EXPECT_TRUE(exists("out/figures/e.gp"));
  EXPECT_FALSE(exists("out/figures/e.svg"));
}

TEST_F(ReportProcess, TheArenaHasATableAPageAndWithGnuplotAFigure) {
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "the play loop, which shorter tests run as well";
  const Arguments command{"arena", "raw-ucb:alpha=1", "--only", "--quick", "--quiet", "--out", path("out")};
  {
    const NoPrograms none;
    const Finished arena = longrun_run(command);
    EXPECT_EQ(arena.code, 0) << arena.err;
    EXPECT_EQ(std::count(arena.err.begin(), arena.err.end(), '\n'), 1) << arena.err;
    EXPECT_TRUE(says(arena.err, "gnuplot is not installed")) << arena.err;
  }
  EXPECT_FALSE(exists("out/arena.svg"));
  EXPECT_FALSE(says(content(path("out/arena.html")), "arena.svg"));
  const Finished again = longrun_run(command);
  EXPECT_EQ(again.code, 0) << again.err;
  for (const char* kind : {"svg", "pdf", "png"}) {
    EXPECT_EQ(exists(fmt::format("out/arena.{}", kind)), gnuplot_is_installed()) << kind;
  }
  for (const char* file : {"arena.md", "arena.html", "arena.gp", "data/arena.tsv"}) {
    EXPECT_TRUE(says(content(path(std::string("out/") + file)), "raw-ucb:alpha=1")) << file;
  }
  const std::string table = content(path("out/arena.md"));
  EXPECT_TRUE(says(table, "\n## longest horizons\n")) << table;
  EXPECT_TRUE(says(table, "\n## student noise\n\n| policy | G | M | peaked | rising | falling | constant |")) << table;
  EXPECT_TRUE(says(again.out, fs::absolute(path("out/arena.html")).string())) << again.out;
}

TEST_F(ReportProcess, TheArenaPrintsTheScoresOfItsTableAsJson) {
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "two minutes of the play loop, which shorter tests run as well";
  const Finished arena =
      longrun_run({"arena", "greedy", "--only", "--development", "--quick", "--quiet", "--json", "--out", path("out")});
  EXPECT_EQ(arena.code, 0) << arena.err;
  const auto scores = nlohmann::json::parse(arena.out);
  const auto& policies = scores["views"][0]["policies"];
  ASSERT_EQ(policies.size(), 2U) << "only greedy, and the yardstick";
  EXPECT_EQ(scores["views"][0]["seeds"], "seeds 1 to 5");
  const std::string table = content(path("out/arena.md"));
  for (const auto& row : policies) {
    const auto& g = row["overall"]["g"];
    EXPECT_TRUE(says(table, fmt::format("| {} | {:.2f} ({:.2f} to {:.2f}) |", row["policy"].get<std::string>(),
                                        g["mean"].get<double>(), g["low"].get<double>(), g["high"].get<double>())))
        << row;
  }
}

TEST_F(ReportProcess, AnErrorInWritingIsOneLineAndLeavesNoPage) {
  written(folder_ + "/e.toml", kMine);
  ASSERT_EQ(longrun_run({"run", path("e.toml"), "--out", path("out"), "--quiet"}).code, 0);
  written(folder_ + "/out/figures", "a file where the folder should be");
  EXPECT_TRUE(says(refused({"report", path("out")}, 3), path("out") + "/figures"));
  EXPECT_FALSE(exists("out/report.html"));
}

}  // namespace
}  // namespace longrun
