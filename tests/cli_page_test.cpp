// `--report` of `longrun recommend`, `plan` and `backtest` as processes: the page is written, and it can be made again
// from itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "longrun/base/text.h"
#include "tests/cli_output.h"
#include "tests/no_programs.h"
#include "tests/paths.h"

namespace longrun {
namespace {

const std::string kPageLog = in_source("datasets/example_history.csv");

Arguments reporting(const std::string& page, const Arguments& more = {}) {
  Arguments arguments{"recommend", "--horizon", "1000", "--history", kPageLog, "--report", page};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json page_data(const std::string& path) {
  const std::string page = content(path);
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// Runs a command of a page in a shell, in a folder.
int run_in_shell(const std::string& folder, const std::string& command) {
  EXPECT_TRUE(command.starts_with("longrun ")) << command;
  const std::string text = kBinary + command.substr(std::string("longrun").size());
  return Process({"/bin/sh", "-c", fmt::format("cd '{}' && {{ {}; }} > /dev/null", folder, text)}).finished().code;
}

TEST(CommandLineAdvicePage, HasTheAnswerThatIsPrinted) {
  const std::string path = scratch_path("advice.html");
  const std::string text = output(reporting(path));
  EXPECT_TRUE(text.starts_with("Pull arm 'item 4' next.\n")) << text;
  const nlohmann::json data = page_data(path);
  EXPECT_EQ(data["sections"][0]["lead"], "Pull arm 'item 4' next.");
  EXPECT_EQ(data["answer"], nlohmann::json::parse(output(reporting(path, {"--json"}))));
  EXPECT_EQ(data["history"]["text"], content(kPageLog));
  EXPECT_EQ(data["history"]["file"], "example_history.csv");
}

TEST(CommandLineAdvicePage, ItsCommandMakesTheSamePageAgain) {
  const std::string folder = scratch_path("it's again");
  std::filesystem::create_directories(folder);
  const std::string log = "region,sales\r\n\"a, b\",0.25\r\n$(c)'\"\",0.5\r\n\"a, b\",0.3\r\n$(c)'\"\",\r\n";
  std::ofstream(folder + "/the log's.csv", std::ios::binary) << log;
  const std::vector<std::string> commands{
      R"(longrun recommend --report='p q.html' --horizon=40.5 --history 'the log'\''s.csv' --arm-column region )"
      R"(--reward-column sales --costs '"a, b":1.5,$(c)'\''"":2' --scale -1:1 --keep-outliers)",
      "longrun recommend --horizon 9 --history - --arm-column region --reward-column sales --report 'p q.html' "
      "< 'the log'\\''s.csv'",
      "longrun recommend --horizon 9 --arms 3 --report 'p q.html'"};
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const std::string path = folder + "/p q.html";
    ASSERT_EQ(run_in_shell(replaced(folder, "'", R"('\'')"), command), 0);
    const std::string page = content(path);
    const nlohmann::json data = page_data(path);
    if (!data["history"].is_null()) {
      EXPECT_EQ(data["history"]["text"], log);
      std::ofstream(folder + "/" + data["history"]["file"].get<std::string>(), std::ios::binary) << log;
    }
    std::filesystem::remove(path);
    ASSERT_EQ(run_in_shell(replaced(folder, "'", R"('\'')"), data["command"].get<std::string>()), 0) << data["command"];
    EXPECT_EQ(content(path), page);
  }
}

TEST(CommandLineAdvicePage, ThoseOfPlanAndBacktestAreMadeAgainToo) {
  const std::string folder = scratch_path("others");
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(kPageLog, folder + "/log.csv");
  for (const char* options : {"plan --horizon 340 --futures 100 --compare 'minimum-pulls 5' --compare none --threads 1",
                              "backtest --policies spo,ucb --replicates 5 --resamples 20 --quiet --choices random"}) {
    SCOPED_TRACE(options);
    const std::string command = fmt::format("longrun {} --history log.csv --report page.html", options);
    ASSERT_EQ(run_in_shell(folder, command), 0);
    const std::string page = content(folder + "/page.html");
    const nlohmann::json data = page_data(folder + "/page.html");
    EXPECT_EQ(data["history"]["text"], content(kPageLog));
    ASSERT_EQ(run_in_shell(folder, data["command"].get<std::string>()), 0) << data["command"];
    EXPECT_EQ(content(folder + "/page.html"), page);
    ASSERT_EQ(run_in_shell(folder, command + " --json > answer.json"), 0);
    EXPECT_EQ(data["answer"], nlohmann::json::parse(content(folder + "/answer.json")));
  }
}

TEST(CommandLineAdvicePage, AFailureKeepsBackNeitherAPlanNorABacktest) {
  const std::string page = scratch_path("no folder/page.html");
  for (const Arguments& command :
       {Arguments{"plan", "--horizon", "340", "--futures", "100"},
        Arguments{"backtest", "--policies", "spo,ucb", "--replicates", "5", "--resamples", "0", "--quiet"}}) {
    Arguments arguments = command;
    arguments.insert(arguments.end(), {"--history", kPageLog, "--report", page});
    const Finished run = longrun_run(arguments);
    EXPECT_EQ(run.code, 3);
    EXPECT_TRUE(contains(run.out, "earn")) << run.out;
    EXPECT_TRUE(contains(run.err, "cannot be written: there is no folder")) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    arguments.back() = kPageLog + ".pdf";
    EXPECT_EQ(longrun_run(arguments).code, 2);
  }
}

TEST(CommandLineAdvicePage, SaysWhereTheHistoryIsReadFrom) {
  const std::string path = scratch_path("from.html");
  output(reporting(path));
  EXPECT_EQ(page_data(path)["origin"][0],
            fmt::format("The command reads the history from {}; change this to where you save it.", kPageLog));
}

TEST(CommandLineAdvicePage, KeepsBytesThatAreNotUtf8) {
  const std::string log = "arm,reward,note\na,0.2,caf\xe9\nb,0.4,\n";
  const std::string path = scratch_path("bytes.html");
  output({"recommend", "--horizon", "9", "--history", written("bytes.csv", log), "--report", path});
  EXPECT_EQ(page_data(path)["history"]["base64"], "YXJtLHJld2FyZCxub3RlCmEsMC4yLGNhZukKYiwwLjQsCg==");
}

TEST(CommandLineAdvicePage, AFailureToWriteItDoesNotKeepBackTheAdvice) {
  const std::string folder = scratch_path("no folder");
  const Finished missing = longrun_run(reporting(folder + "/advice.html"));
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(missing.out.starts_with("Pull arm 'item 4' next.\n")) << missing.out;
  EXPECT_EQ(missing.err, fmt::format("longrun: {0}/advice.html: cannot be written: there is no folder {0}\n", folder));
  EXPECT_FALSE(std::filesystem::exists(folder));
  const std::string taken = scratch_path("taken.html");
  std::filesystem::create_directories(taken + "/full");
  const Finished unwritten = longrun_run(reporting(taken));
  EXPECT_EQ(unwritten.code, 3);
  EXPECT_TRUE(unwritten.out.starts_with("Pull arm 'item 4' next.\n")) << unwritten.out;
  EXPECT_EQ(std::count(unwritten.err.begin(), unwritten.err.end(), '\n'), 1) << unwritten.err;
}

TEST(CommandLineAdvicePage, IsWrittenEvenIfThePictureCannotBeDrawn) {
  const NoPrograms none;
  const std::string path = scratch_path("without.html");
  const Finished run = longrun_run(reporting(path, {"--plot", scratch_path("arms.svg")}));
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err, "gnuplot is not installed")) << run.err;
  EXPECT_TRUE(std::filesystem::exists(path));
  const Finished neither = longrun_run(reporting(scratch_path("none/x.html"), {"--plot", scratch_path("arms.svg")}));
  EXPECT_EQ(neither.code, 3);
  EXPECT_TRUE(neither.out.starts_with("Pull arm 'item 4' next.\n")) << neither.out;
  EXPECT_EQ(std::count(neither.err.begin(), neither.err.end(), '\n'), 2) << neither.err;
}

TEST(CommandLineAdvicePage, InvalidNamesAreRefusedBeforeAnythingIsComputed) {
  const Finished pdf = longrun_run(reporting("advice.pdf"));
  EXPECT_EQ(pdf.code, 2);
  EXPECT_EQ(pdf.out, "");
  EXPECT_EQ(pdf.err, "longrun: --report advice.pdf: the file's name must end in .html\n");
  const std::string log = written("log.html", content(kPageLog));
  const Finished same = longrun_run({"recommend", "--horizon", "1000", "--history", log, "--report", log});
  EXPECT_EQ(same.code, 2);
  EXPECT_EQ(same.err, fmt::format("longrun: --report {}: is the file of the history, which would be lost\n", log));
  EXPECT_EQ(content(log), content(kPageLog));
  EXPECT_EQ(longrun_run({"recommend", "--horizon", "9", "--arms", "2", "--report"}).err,
            "longrun: --report needs a value\n");
}

}  // namespace
}  // namespace longrun
