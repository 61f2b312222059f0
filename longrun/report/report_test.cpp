#include "longrun/report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/experiment/engine.h"
#include "tests/no_programs.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

const std::string kTwoHorizons = R"(
bandits = ["inc_dec_3"]
policies = ["spo", "greedy", "spo@released"]
horizons = [20, 60]
seeds = 2
)";
const std::string kChecked = R"(
claim = "The first claim."
checks = [{says = "SPO beats greedy choice", policy = "spo", against = ["greedy"]}]
)" + kTwoHorizons;
constexpr const char* kIllustration = R"(
[[lp]]
title = "rising"
arm = {formula = "saturating_power", ceiling = 0.95, drop = 0.85, exponent = 0.5}
noise = "uniform:0.1"
observed = 3
future = 2
)";

class Reporting : public ::testing::Test {
 protected:
  Reporting() { fs::remove_all(folder_); }

  void run(const std::string& name, const std::string& toml) const {
    Store store(folder_, Store::Access::write);
    run_experiment(parse_config(toml, name + ".toml"), store, {.threads = 1});
  }
  std::string content(const fs::path& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  bool exists(const fs::path& name) const { return fs::exists(folder_ / name); }
  template <class Error = InputError>
  std::string error() const {
    try {
      write_report(folder_);
    } catch (const Error& failure) {
      EXPECT_EQ(std::string(failure.what()).find('\n'), std::string::npos) << failure.what();
      return failure.what();
    }
    return "none";
  }
  static bool gnuplot_is_installed() { return std::system("command -v gnuplot > /dev/null") == 0; }  // NOLINT

  fs::path folder_ = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Reporting, WritesThePageTheFiguresAndTheClaims) {
  run("first", kChecked);
  run("second", kTwoHorizons);
  run("third", kIllustration);
  std::vector<std::string> stages;
  const WrittenReport written =
      write_report(folder_, {.on_progress = [&](const std::string& stage) { stages.push_back(stage); }});
  EXPECT_EQ(written.figures, (std::vector<std::string>{"first", "second", "third"}));
  EXPECT_EQ(written.drawn, gnuplot_is_installed());
  EXPECT_GE(stages.size(), 4U) << "one for each experiment, and one for drawing";
  EXPECT_EQ(fs::path(written.page), folder_ / "report.html");
  const std::string page = content("report.html");
  for (const std::string name : {"first", "second", "third"}) {
    EXPECT_NE(page.find(fmt::format("\"name\":\"{}\"", name)), std::string::npos) << name;
    EXPECT_TRUE(exists(fmt::format("figures/{}.gp", name)));
    EXPECT_TRUE(exists(fmt::format("figures/{}.toml", name)));
    for (const char* kind : {"svg", "pdf", "png"}) {
      EXPECT_EQ(exists(fmt::format("figures/{}.{}", name, kind)), gnuplot_is_installed());
    }
  }
  EXPECT_TRUE(exists("figures/data/first.1.regret.tsv"));
  EXPECT_TRUE(exists("figures/data/third.1.tsv"));
  ASSERT_TRUE(fs::exists(written.claims));
  const std::string claims = content(fs::path(written.claims).filename());
  EXPECT_NE(claims.find("| [first](#first) | SPO beats greedy choice |"), std::string::npos);
  EXPECT_EQ(claims.find("| [second]"), std::string::npos) << "it has no checks";
}

/// All files below a folder, with their content.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    if (entry.is_regular_file()) text << file.rdbuf();
    files[fs::relative(entry.path(), folder).string()] = text.str();
  }
  return files;
}

TEST_F(Reporting, IntoAnotherFolderLeavesTheFolderOfTheRecordsAsItWas) {
  run("first", kChecked);
  const auto before = files_of(folder_);
  const fs::path out = folder_.string() + "_out";
  fs::remove_all(out);
  const WrittenReport written = write_report(folder_, {.out = out.string()});
  EXPECT_TRUE(files_of(folder_) == before);
  EXPECT_EQ(written.page, (out / "report.html").string());
  EXPECT_EQ(written.claims, (out / "reproduction.md").string());
  EXPECT_EQ(written.figure_folder, (out / "figures").string());
  const auto elsewhere = files_of(out);
  write_report(folder_);
  for (const auto& [name, text] : elsewhere) {
    if (fs::path(name).extension() == ".pdf") continue;  // has the time of its making
    EXPECT_TRUE(text == files_of(folder_).at(name)) << name << " is the same in either folder";
  }
}

TEST_F(Reporting, MadeDuringTheRunsItIsTheSame) {
  const std::vector<Config> configs{parse_config(kChecked, "first.toml"), parse_config(kTwoHorizons, "second.toml"),
                                    parse_config(kIllustration, "third.toml")};
  for (const int threads : {1, 3}) {
    fs::remove_all(folder_);
    Timing timing;
    ReportWriter writer(folder_, {.timing = &timing});
    {
      Store store(folder_, Store::Access::write);
      const auto draw = [&](std::size_t experiment, TaskPool& pool) { writer.add(configs[experiment].name, pool); };
      run_experiments(configs, store, {.threads = threads, .on_recorded = draw});
      EXPECT_EQ(exists("figures/third.svg"), gnuplot_is_installed()) << "drawn before the end";
      EXPECT_FALSE(exists("report.html"));
    }
    const WrittenReport written = writer.finish();
    EXPECT_EQ(written.figures, (std::vector<std::string>{"first", "second", "third"}));
    EXPECT_GT(timing.spent(TimedPart::report).wall, 0);
    EXPECT_EQ(timing.spent(TimedPart::figures).cpu > 0, gnuplot_is_installed());
    const auto during = files_of(folder_);
    write_report(folder_);
    const auto after = files_of(folder_);
    for (const auto& [name, text] : after) {
      if (fs::path(name).extension() == ".pdf") continue;  // has the time of its making
      EXPECT_TRUE(during.contains(name) && during.at(name) == text) << name << ", " << threads << " threads";
    }
    EXPECT_EQ(during.size(), after.size());
  }
}

TEST_F(Reporting, ExperimentsOfEarlierRunsAreInAReportThatIsMadeDuringARun) {
  run("first", kChecked);
  const std::vector<Config> configs{parse_config(kTwoHorizons, "second.toml")};
  ReportWriter writer(folder_);
  {
    Store store(folder_, Store::Access::write);
    run_experiments(configs, store,
                    {.threads = 2, .on_recorded = [&](std::size_t, TaskPool& pool) { writer.add("second", pool); }});
  }
  EXPECT_EQ(writer.finish().figures, (std::vector<std::string>{"first", "second"}));
  EXPECT_NE(content("reproduction.md").find("SPO beats greedy choice"), std::string::npos);
}

TEST_F(Reporting, AFigureThatCannotBeMadeStopsNoRuns) {
  const std::vector<Config> configs{parse_config(kTwoHorizons, "second.toml"), parse_config(kChecked, "first.toml")};
  fs::create_directories(folder_);
  std::ofstream(folder_ / "figures") << "a file where the folder should be";
  ReportWriter writer(folder_);
  Store store(folder_, Store::Access::write);
  const auto draw = [&](std::size_t experiment, TaskPool& pool) { writer.add(configs[experiment].name, pool); };
  const Progress progress = run_experiments(configs, store, {.threads = 2, .on_recorded = draw});
  EXPECT_EQ(progress.runs_done, progress.runs_total);
  EXPECT_THROW(writer.finish(), SystemError);
  EXPECT_FALSE(exists("report.html"));
}

TEST_F(Reporting, TheFileBesideAFigureRunsItAgain) {
  run("first", kChecked);
  write_report(folder_);
  const Config read = load_config((folder_ / "figures/first.toml").string());
  EXPECT_TRUE(same_runs(read, parse_config(kChecked, "first.toml")));
  EXPECT_EQ(read.claim, "The first claim.");
  EXPECT_EQ(read.checks.size(), 1U);
  EXPECT_EQ(read.name, "first");
}

TEST_F(Reporting, WithoutChecksThereIsNoDocumentOfClaims) {
  run("second", kTwoHorizons);
  EXPECT_EQ(write_report(folder_).claims, "");
}

TEST_F(Reporting, ASecondReportIsTheSame) {
  run("first", kChecked);
  const WrittenReport written = write_report(folder_);
  const std::string page = content("report.html");
  const std::string claims = content(fs::path(written.claims).filename());
  const std::string script = content("figures/first.gp");
  write_report(folder_);
  EXPECT_TRUE(content("report.html") == page);
  EXPECT_EQ(content(fs::path(written.claims).filename()), claims);
  EXPECT_EQ(content("figures/first.gp"), script);
}

TEST_F(Reporting, AnExperimentThatWasOnlyBegunIsLeftOut) {
  run("second", kTwoHorizons);
  {
    Store store(folder_, Store::Access::write);
    store.begin(parse_config(kChecked, "begun.toml"), {}, false);
  }
  const WrittenReport written = write_report(folder_);
  EXPECT_EQ(written.figures, std::vector<std::string>{"second"});
  EXPECT_EQ(written.claims, "") << "without records, there is no verdict";
}

TEST_F(Reporting, AnIncompleteExperimentIsShownWithItsRecords) {
  const Config config = parse_config(kChecked, "first.toml");
  {
    Store store(folder_, Store::Access::write);
    store.begin(config, {}, false);
    store.add(config, 1, run_unit(config, unit_at(config, 1)));
    store.commit();
  }
  EXPECT_EQ(write_report(folder_).figures, std::vector<std::string>{"first"});
  EXPECT_NE(content("report.html").find("\"seeds\":1,"), std::string::npos);
}

TEST_F(Reporting, AChangedClaimNeedsNoNewRunsAndReplacesTheOldOne) {
  run("first", kChecked);
  write_report(folder_);
  EXPECT_NE(content("report.html").find("The first claim."), std::string::npos);
  std::string text = kChecked;
  text.replace(text.find("The first claim."), 16, "A claim with new words.");
  text.replace(text.find("SPO beats greedy choice"), 23, "SPO has little regret");
  text.replace(text.find("against = [\"greedy\"]"), 20, "slack = 0.5");
  const Config config = parse_config("title = 'New'\ngroup = 'Other'\n" + text, "first.toml");
  {
    Store store(folder_, Store::Access::write);
    EXPECT_EQ(run_experiment(config, store, {.threads = 1}).runs_before, config.runs()) << "nothing was left to do";
    EXPECT_TRUE(store.complete(config, {}));
  }
  const WrittenReport written = write_report(folder_);
  const std::string page = content("report.html");
  EXPECT_EQ(page.find("The first claim."), std::string::npos);
  EXPECT_NE(page.find("A claim with new words."), std::string::npos);
  EXPECT_NE(page.find("SPO has little regret"), std::string::npos);
  EXPECT_NE(page.find("\"name\":\"Other\""), std::string::npos);
  const std::string claims = content(fs::path(written.claims).filename());
  EXPECT_NE(claims.find("| [first](#first) | SPO has little regret |"), std::string::npos);
  EXPECT_NE(content("figures/first.toml").find("A claim with new words."), std::string::npos);
}

TEST_F(Reporting, MissingRecordsAreAnErrorOfOneLine) {
  EXPECT_EQ(error(), folder_.string() + ": no records here (no file records.sqlite)");
  { const Store store(folder_, Store::Access::write); }
  EXPECT_EQ(error(), folder_.string() + ": no records yet");
  {
    Store store(folder_, Store::Access::write);
    store.begin(parse_config(kTwoHorizons, "begun.toml"), {}, false);
  }
  EXPECT_EQ(error(), folder_.string() + ": no records yet");
  EXPECT_FALSE(exists("report.html"));
}

TEST_F(Reporting, AFileThatIsNoStoreIsAnErrorOfOneLine) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "records.sqlite") << "this is no database, however long it is; " << std::string(5000, 'x');
  EXPECT_NE(error<SystemError>().find("records.sqlite"), std::string::npos);
  std::ofstream(folder_ / "records.sqlite", std::ios::trunc) << "";
  EXPECT_NE(error(), "none");
}

TEST_F(Reporting, WithoutGnuplotThePageLinksToNoPictures) {
  run("first", kTwoHorizons);
  const NoPrograms none;
  const WrittenReport written = write_report(folder_);
  EXPECT_FALSE(written.drawn);
  EXPECT_TRUE(exists("figures/first.gp"));
  EXPECT_FALSE(exists("figures/first.svg"));
  EXPECT_NE(content("report.html").find(R"("files":["gp","toml"])"), std::string::npos);
}

TEST_F(Reporting, RecordsOfEverySeedPolicyAndHorizonAreOnThePage) {
  run("first", kTwoHorizons);
  write_report(folder_);
  const std::string page = content("report.html");
  EXPECT_NE(page.find("\"horizons\":[20,60]"), std::string::npos);
  EXPECT_NE(page.find("\"seeds\":2,"), std::string::npos);
  for (const char* policy : {"spo", "greedy", "spo@released"}) {
    EXPECT_NE(page.find(fmt::format("{{\"name\":\"{}\",\"regret\"", policy)), std::string::npos) << policy;
  }
}

}  // namespace
}  // namespace longrun
