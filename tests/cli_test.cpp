// The built binary as users run it: its help, lists, summaries and errors of writing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "tests/cli_output.h"
#include "tests/paths.h"

namespace longrun {
namespace {

using nlohmann::json;

// ---- help and lists

TEST(CommandLineHelp, NoArgumentsPrintTheHelp) {
  const std::string help = output({});
  EXPECT_EQ(help, output({"--help"}));
  EXPECT_EQ(help, output({"-h"}));
  for (const char* word : {"play", "optimum", "policies", "bandits", "bound", "Examples:", "policy regret"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

TEST(CommandLineHelp, EverySubcommandHasExamples) {
  for (const std::string command : {"play", "optimum", "policies", "bandits", "bound", "recommend", "backtest",
                                    "summary", "export", "help", "completion", "man"}) {
    const std::string help = output({command, "--help"});
    EXPECT_NE(help.find("Usage: longrun " + command), std::string::npos);
    EXPECT_NE(help.find("Examples:\n"), std::string::npos) << command;
    for (const std::string& line : lines_of(help)) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(CommandLineHelp, VersionIsOneLine) {
  const std::vector<std::string> version = lines_of(output({"--version"}));
  ASSERT_EQ(version.size(), 1U);
  EXPECT_TRUE(version[0].starts_with("longrun ")) << version[0];
}

TEST(CommandLineLists, PoliciesAreTheCatalog) {
  const std::string text = output({"policies"});
  const json list = json_output({"policies", "--json"});
  ASSERT_EQ(list.size(), policy_catalog().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const PolicyEntry& policy = policy_catalog()[i];
    EXPECT_EQ(list[i]["name"], policy.name);
    EXPECT_EQ(list[i]["summary"], policy.summary);
    EXPECT_NE(text.find(fmt::format("{:<20}  {}", policy.name, policy.summary)), std::string::npos) << policy.name;
    ASSERT_EQ(list[i]["parameters"].size(), policy.parameters.size());
    for (std::size_t k = 0; k < policy.parameters.size(); ++k) {
      const Parameter& parameter = policy.parameters[k];
      EXPECT_EQ(list[i]["parameters"][k]["name"], parameter.name);
      EXPECT_NE(text.find(fmt::format("{}: {}\n", parameter.name, parameter.help())), std::string::npos);
      EXPECT_EQ(list[i]["parameters"][k]["meaning"], parameter.help());
    }
  }
}

TEST(CommandLineLists, BanditsAreTheNamedOnes) {
  const std::string text = output({"bandits"});
  const json list = json_output({"bandits", "--json"});
  const std::vector<NamedBandit> expected = named_bandits();
  ASSERT_EQ(list.size(), expected.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& [name, summary] = expected[i];
    EXPECT_EQ(list[i]["name"], name);
    EXPECT_EQ(list[i]["horizon"], named_bandit(name).horizon);
    EXPECT_NE(text.find(name + " "), std::string::npos) << name;
    EXPECT_NE(text.find(summary), std::string::npos) << name;
  }
  EXPECT_NE(text.find("any exponent"), std::string::npos);
  EXPECT_NE(text.find("const_K"), std::string::npos);
}

// ---- summary and export

TEST(CommandLineSummary, NotesAnUnfinishedExperimentOnStandardError) {
  const std::string config = written("half/e.toml",
                                     "bandits = [\"inc_1\"]\npolicies = [\"spo\", \"optimal\"]\n"
                                     "horizons = [10, 20]\nseeds = 4\n[constraints]\nminimum_pulls = 2\n");
  const std::string folder = scratch_path("half/out");
  ASSERT_EQ(longrun_run({"run", config, "--out", folder, "--shard", "1/2", "--quiet"}).code, 0);
  const std::string note =
      fmt::format("longrun: note: {}: experiment 'e' is not finished: 2 of 4 units are recorded\n", folder);
  const Finished summary = longrun_run({"summary", folder});
  EXPECT_EQ(summary.code, 0);
  EXPECT_EQ(summary.err, note);
  EXPECT_NE(summary.out.find("e: inc_1, noise none, constraints minimum_pulls 2 (preliminary: 2 of 4 seeds)\n"),
            std::string::npos)
      << summary.out;
  const Finished rows = longrun_run({"export", folder, "--csv"});
  EXPECT_EQ(rows.code, 0);
  EXPECT_EQ(rows.err, note);
  EXPECT_EQ(lines_of(rows.out).size(), 1U + 2 * 2 * 2);
  EXPECT_EQ(lines_of(longrun_run({"summary", folder, "--csv"}).out).size(), 1U + 2 * 2);
  EXPECT_EQ(json::parse(longrun_run({"summary", folder, "--json", "--horizons", "20"}).out)[0]["policies"].size(), 2U);
  EXPECT_TRUE(longrun_run({"summary", folder, "--latex"}).out.starts_with("% "));
}

// ---- output that can't be written

TEST(CommandLineOutput, AFullDiskIsAnError) {
  for (const Arguments& arguments : {Arguments{"policies"}, Arguments{"--help"}, playing({"--trace"}),
                                     playing({"--json"}), Arguments{"optimum", "--bandit", "inc_1", "--all"}}) {
    const Finished run = Process(longrun_command(arguments), "", "/dev/full").finished();
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(lines_of(run.err).size(), 1U) << run.err;
    EXPECT_NE(run.err.find("longrun: standard output: "), std::string::npos) << run.err;
  }
}

TEST(CommandLineOutput, AReaderThatClosesEarlyGetsNoMessage) {
  for (const std::string before : {"", "trap '' PIPE; "}) {
    const std::string script = fmt::format("{}{} optimum --bandit inc_1 --all | head -1", before, kBinary);
    const Finished run = Process({"/bin/sh", "-c", script}).finished();
    EXPECT_EQ(run.out, "horizon,optimum,f_1,f_2\n");
    EXPECT_EQ(run.err, "");
  }
}

}  // namespace
}  // namespace longrun
