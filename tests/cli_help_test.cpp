// The command line describes itself: help, completion scripts, manual page.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "tests/cli_output.h"

namespace longrun {
namespace {

using Words = std::vector<std::string>;

const Words kCommands{"reproduce", "recommend", "plan",  "backtest", "serve",      "token",  "study", "play",
                      "optimum",   "check",     "run",   "summary",  "report",     "export", "merge", "policies",
                      "arena",     "bandits",   "bound", "help",     "completion", "man"};

std::string with_quotes(const std::string& word) { return "'" + word + "'"; }

/// Returns what bash offers for the last of these words, as it splits them.
Words completions(const Words& words) {
  std::string quoted;
  for (const std::string& word : words) quoted += " " + with_quotes(word);
  const std::string script = written("longrun.bash", output({"completion", "bash"}));
  const std::string commands =
      fmt::format(R"(source {}; COMP_WORDS=({}); COMP_CWORD={}; _longrun; printf '%s\n' "${{COMPREPLY[@]}}")", script,
                  quoted, words.size() - 1);
  const Finished run = Process({"/bin/bash", "--norc", "-c", commands}).finished();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  Words offered;
  for (std::size_t begin = 0; begin < run.out.size();) {
    const std::size_t end = run.out.find('\n', begin);
    if (end > begin) offered.push_back(run.out.substr(begin, end - begin));
    begin = end + 1;
  }
  return offered;
}

Words starting_with(const std::string& start, Words words) {
  std::erase_if(words, [&](const std::string& word) { return !word.starts_with(start); });
  return words;
}

Words policy_names() {
  Words names;
  for (const PolicyEntry& policy : policy_catalog()) names.emplace_back(policy.name);
  return names;
}

TEST(CommandLineHelp, HelpOfACommandIsItsHelpOption) {
  EXPECT_EQ(output({"help"}), output({"--help"}));
  for (const std::string& command : kCommands) EXPECT_EQ(output({"help", command}), output({command, "--help"}));
  const Finished wrong = longrun_run({"help", "pley"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err, "longrun: unknown subcommand 'pley'; did you mean 'play'? ('longrun --help' lists them)\n");
}

TEST(CommandLineHelp, ArgumentsAreNotDescribedInTheParsersWords) {
  for (const std::string& command : kCommands) {
    const std::string help = output({command, "--help"});
    EXPECT_FALSE(contains(help, "TEXT")) << help;
    EXPECT_FALSE(contains(help, "REQUIRED")) << help;
  }
  EXPECT_TRUE(contains(output({"summary", "--help"}), "\n  DIR                   folder with the records"));
}

TEST(CommandLineHelp, CapitalVIsTheVersion) { EXPECT_EQ(output({"-V"}), output({"--version"})); }

TEST(CommandLineHelp, NamesEveryCommandOfThisTest) {
  const std::string help = output({"--help"});
  for (const std::string& command : kCommands) EXPECT_TRUE(contains(help, "\n  " + command + " ")) << command;
}

TEST(BashCompletion, CompletesSubcommandsAndTheirOptions) {
  Words first = kCommands;
  first.insert(first.end(), {"--help", "--version"});
  EXPECT_EQ(completions({"longrun", ""}), first);
  EXPECT_EQ(completions({"longrun", "re"}), (Words{"reproduce", "recommend", "report"}));
  EXPECT_EQ(completions({"longrun", "--v"}), Words{"--version"});
  EXPECT_EQ(completions({"longrun", "play", "--no"}), (Words{"--noise", "--noise-file"}));
  EXPECT_EQ(completions({"longrun", "play", "--minimum"}), (Words{"--minimum-pulls", "--minimum-share"}));
  EXPECT_EQ(completions({"longrun", "play", "--json", "--tr"}), (Words{"--trace", "--trajectory"}));
  EXPECT_EQ(completions({"longrun", "help", "op"}), Words{"optimum"});
  EXPECT_EQ(completions({"longrun", "completion", ""}), (Words{"bash", "zsh", "fish"}));
}

TEST(BashCompletion, CompletesTheNamesOfPoliciesBanditsAndFigures) {
  EXPECT_EQ(completions({"longrun", "play", "--policy", ""}), policy_names());
  EXPECT_EQ(completions({"longrun", "recommend", "--policy", "sp"}), starting_with("sp", policy_names()));
  EXPECT_EQ(completions({"longrun", "arena", "for"}), Words{"foresight"});
  Words bandits;
  for (const NamedBandit& bandit : named_bandits()) bandits.push_back(bandit.name);
  EXPECT_EQ(completions({"longrun", "optimum", "--bandit", "inc_"}), starting_with("inc_", bandits));
  EXPECT_EQ(completions({"longrun", "reproduce", "figure_3"}), (Words{"figure_3a", "figure_3b"}));
  EXPECT_EQ(completions({"longrun", "play", "--unspent", ""}), (Words{"keep", "lapse"}));
  EXPECT_EQ(completions({"longrun", "play", "--noise", "g"}), Words{"gaussian:"});
  EXPECT_EQ(completions({"longrun", "play", "--horizon", ""}), Words{}) << "a number";
}

TEST(BashCompletion, JoinsTheWordsThatBashSplits) {
  EXPECT_EQ(completions({"longrun", "play", "--policy", "=", "gre"}), Words{"greedy"});
  EXPECT_EQ(completions({"longrun", "play", "--policy", "="}), policy_names());
  EXPECT_EQ(completions({"longrun", "play", "--policy", "d-ucb", "@", "rel"}), Words{"released"});
  EXPECT_EQ(completions({"longrun", "play", "--policy", "d-ucb@rel"}), Words{"d-ucb@released"}) << "not split";
  EXPECT_EQ(completions({"longrun", "play", "--noise", "gaussian", ":", "--see"}), Words{"--seed"});
}

TEST(BashCompletion, CompletesFilesAndFolders) {
  const std::string file = written("complete/mine.csv", "a\n0.5\n");
  std::filesystem::create_directories(scratch_path("complete/mine_too"));
  const std::string start = scratch_path("complete/mi");
  Words both = completions({"longrun", "play", "--curves", start});
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both, (Words{file, scratch_path("complete/mine_too")}));
  EXPECT_EQ(completions({"longrun", "summary", start}), Words{scratch_path("complete/mine_too")});
  EXPECT_EQ(completions({"longrun", "run", "x.toml", "--out", start}), Words{scratch_path("complete/mine_too")});
}

TEST(OtherCompletions, NameEveryCommandAndPolicy) {
  const std::string zsh = output({"completion", "zsh"});
  EXPECT_TRUE(zsh.starts_with("#compdef longrun\n"));
  const std::string fish = output({"completion", "fish"});
  for (const std::string& command : kCommands) {
    EXPECT_TRUE(contains(zsh, fmt::format("\n        {})\n          _arguments", command))) << command;
    EXPECT_TRUE(contains(fish, fmt::format("complete -c longrun -n __fish_use_subcommand -a {} -d '", command)))
        << command;
  }
  const std::string policies = fmt::format("{}", fmt::join(policy_names(), " "));
  EXPECT_TRUE(contains(zsh, "'--policy=[")) << zsh;
  EXPECT_TRUE(contains(zsh, ":NAME:(" + policies + ")'"));
  EXPECT_TRUE(contains(zsh, ":KIND:(none gaussian\\: uniform\\: beta\\: student\\: bernoulli)'"));
  EXPECT_TRUE(contains(fish, "-n '__fish_seen_subcommand_from play' -l policy -x -a '" + policies + "' -d '"));
  EXPECT_TRUE(contains(fish, "-n '__fish_seen_subcommand_from play' -l json -d '"));
  EXPECT_TRUE(contains(fish, "-n '__fish_seen_subcommand_from summary' -a '(__fish_complete_directories)'"));
  // Quotes are balanced: no description has one that ends the text.
  EXPECT_EQ(Process({"/bin/bash", "-n", written("zsh", zsh)}).finished().code, 0);
}

TEST(OtherCompletions, AnUnknownShellIsOneLine) {
  const Finished run = longrun_run({"completion", "fsh"});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err, "longrun: unknown shell 'fsh'; allowed: bash, zsh, fish\n");
}

TEST(ManualPage, HasEveryCommandAndOption) {
  const std::string page = output({"man"});
  EXPECT_TRUE(page.starts_with(".TH LONGRUN 1 \"\" \"longrun "));
  std::size_t last = 0;
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS", "EXAMPLES"}) {
    const std::size_t found = page.find(fmt::format("\n.SH {}\n", section));
    ASSERT_NE(found, std::string::npos) << section;
    EXPECT_GT(found, last) << section;
    last = found;
  }
  for (const std::string& command : kCommands) EXPECT_TRUE(contains(page, "\n.SS longrun " + command)) << command;
  for (const char* option : {R"(\-\-bandit)", R"(\-\-minimum\-share)", R"(\-\-latex)", R"(\-\-history)"})
    EXPECT_TRUE(contains(page, fmt::format(".BI {} ", option))) << option;
}

TEST(ManualPage, TheExitStatusHasASectionOfItsOwn) {
  const std::string page = output({"man"});
  const std::string status = page.substr(page.find(".SH EXIT STATUS\n"));
  const std::size_t end = status.find(".SH EXAMPLES\n");
  ASSERT_NE(end, std::string::npos);
  for (const char* code : {"0", "2", "3", "130", "1"}) {
    EXPECT_LT(status.find(fmt::format("\n.TP\n{}\n", code)), end) << code;
  }
  const std::string examples = status.substr(end);
  EXPECT_TRUE(contains(examples, "longrun help play")) << examples;
  EXPECT_FALSE(contains(examples, "Exit status")) << examples;
}

TEST(ManualPage, GroffHasNoWarnings) {
  const std::string page = written("longrun.1", output({"man"}));
  const std::string script = fmt::format("groff -man -Tutf8 -ww {}", page);
  const Finished run = Process({"/bin/sh", "-c", script}).finished();
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(contains(run.out, "longrun play")) << run.out;
}

}  // namespace
}  // namespace longrun
