// What a user can get wrong on the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/process.h"

namespace longrun {
namespace {

struct CommandMistake {
  Arguments arguments;
  std::vector<std::string> fragments;  // of the error
  std::string input;
  std::string out{};  // printed before the error
};

/// Expects exit code 2 and one line that names the problem, and no result after it.
void expect_complaint(const CommandMistake& mistake) {
  SCOPED_TRACE(fmt::format("longrun {} <<< '{}'", fmt::join(mistake.arguments, " "), mistake.input));
  const Finished run = longrun_run(mistake.arguments, mistake.input);
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, mistake.out);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.starts_with("longrun: ") && run.err.ends_with('\n')) << run.err;
  for (const std::string& fragment : mistake.fragments) {
    EXPECT_NE(run.err.find(fragment), std::string::npos) << "'" << fragment << "' in " << run.err;
  }
}

void expect_complaints(const std::vector<CommandMistake>& mistakes) {
  for (const CommandMistake& mistake : mistakes) expect_complaint(mistake);
}

TEST(CommandLineMistakes, OnSubcommandsAndOptions) {
  expect_complaints({
      {{"plpy"}, {"unknown subcommand 'plpy'", "did you mean 'play'?"}, ""},
      {{"nonsense", "--bandit", "inc_1"}, {"unknown subcommand 'nonsense'", "longrun --help"}, ""},
      {{"--horizon", "5", "play"}, {"unknown option '--horizon'", "after"}, ""},
      {{"--vresion"}, {"'--vresion'", "did you mean '--version'?"}, ""},
      {playing({"--horizn", "5"}), {"unknown option '--horizn'", "did you mean '--horizon'?"}, ""},
      {playing({"--sed=5"}), {"'--sed=5'", "did you mean '--seed'?"}, ""},
      {playing({"-horizon", "5"}), {"unknown option '-horizon'", "did you mean '--horizon'?"}, ""},
      {playing({"extra"}), {"unexpected argument 'extra'"}, ""},
      {playing({"--horizon"}), {"--horizon needs a value"}, ""},
      {playing({"--horizon="}), {"--horizon needs a value"}, ""},
      {playing({"--horizon", "--json"}), {"--horizon", "needs a value, but --json follows"}, ""},
      {playing({"--seed", "1", "--seed", "2"}), {"--seed", "2 times"}, ""},
      {playing({"--json=yes"}), {"--json takes no value"}, ""},
      {{"optimum", "--bandit", "inc_1", "--policy", "spo"},
       {"unknown option '--policy'", "longrun optimum --help"},
       ""},
      {{"bound", "file.jsonl"}, {"unexpected argument 'file.jsonl'"}, ""},
      {{"policies", "--jason"}, {"'--jason'", "did you mean '--json'?"}, ""},
      {{"play", "-V"}, {"unknown option '-V'"}, ""},
      {{"help", "play", "optimum"}, {"unexpected argument 'optimum'"}, ""},
      {{"completion"}, {"SHELL is required"}, ""},
      {{"summary"}, {"DIR is required"}, ""},
      {{"summary", "nowhere", "--csv", "--json"}, {"give one of --csv, --json and --latex"}, ""},
      {{"summary", "nowhere", "--horizons", "10,x"}, {"--horizons 10,x: must be whole numbers >= 1"}, ""},
      {{"export", "nowhere", "--csv", "--jsonl"}, {"give one of --csv and --jsonl"}, ""},
      {{"play", "--curves", "-", "--noise-file", "-"},
       {"--curves - and --noise-file - exclude each other"},
       "a\n0.5\n"},
  });
}

TEST(CommandLineMistakes, OnNamesAndNumbers) {
  expect_complaints({
      {{"play", "--policy", "spo"}, {"--bandit", "--curves"}, ""},
      {{"optimum"}, {"--bandit", "--curves"}, ""},
      {playing({"--curves", "x.csv"}), {"--bandit and --curves", "one"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "spoo"},
       {"unknown policy 'spoo'; did you mean 'spo'? ('longrun policies' lists them)"},
       ""},
      {{"play", "--bandit", "inc_1", "--policy", "SPO"}, {"unknown policy 'SPO'"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "spo,greedy"}, {"unknown policy 'spo,greedy'"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "d-ucb:discont=1"}, {"'discont'", "did you mean 'discount'?"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "spo:foo=1"},
       {"policy 'spo' has no parameter 'foo'; its parameters are initial_pulls, failure\n"},
       ""},
      {{"play", "--bandit", "inc_1", "--policy", "spo:"},
       {"policy 'spo:': a parameter is missing after the colon"},
       ""},
      {{"play", "--bandit", "inc_1", "--policy", "spo:failure=0.1,"},
       {"policy 'spo:failure=0.1,': a parameter is missing after the comma"},
       ""},
      {{"optimum", "--bandit", "const_0"}, {"bandit 'const_0': numbers start at 1, so the first is const_1\n"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "d-ucb:discount=2"}, {"discount=2", "from 0 to 1"}, ""},
      {{"play", "--bandit", "inc_dec3", "--policy", "spo"},
       {"unknown bandit 'inc_dec3'; did you mean 'inc_dec_3'? ('longrun bandits' lists them)"},
       ""},
      {{"optimum", "--bandit", "recomender_B"}, {"'recomender_B'", "did you mean 'recommender_B'?"}, ""},
      {{"optimum", "--bandit", "mine.csv"},
       {"--bandit mine.csv: is not the name of a bandit", "--curves mine.csv"},
       ""},
      {{"optimum", "--bandit", "two\nlines"}, {"two?lines"}, ""},
      {playing({"--horizon", "0"}), {"--horizon 0: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "-5"}), {"--horizon -5: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "2.5"}), {"--horizon 2.5: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "ten"}), {"--horizon ten: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "nan"}), {"--horizon nan: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "1000000000000000"}), {"--horizon 1000000000000000", "at most"}, ""},
      {playing({"--horizon", "99999999999999999999"}), {"--horizon 99999999999999999999", "at most"}, ""},
      {playing({"--horizon", "1000000000", "--trace"}), {"--trace", "1000000000", "at most 100000000"}, ""},
      {playing({"--horizon", "1000000000", "--trajectory", "t.csv"}), {"--trajectory", "at most 100000000"}, ""},
      {{"optimum", "--bandit", "inc_1", "--all", "--horizon", "1000000000"}, {"--all", "at most 100000000"}, ""},
      {{"optimum", "--bandit", "inc_1", "--horizon", "0"}, {"--horizon 0: must be a whole number >= 1"}, ""},
      {playing({"--seed", "-1"}), {"--seed -1", "whole number >= 0"}, ""},
      {playing({"--seed", "1.5"}), {"--seed 1.5", "whole number >= 0"}, ""},
      {playing({"--seed", "18446744073709551616"}), {"--seed 18446744073709551616", "2^64"}, ""},
  });
}

TEST(CommandLineMistakes, OnNoise) {
  expect_complaints({
      {playing({"--noise", "gausian:0.1"}), {"'gausian:0.1'", "did you mean 'gaussian'?"}, ""},
      {playing({"--noise", "gaussian"}), {"'gaussian'", "gaussian:SD"}, ""},
      {playing({"--noise", "gaussian:nan"}), {"'gaussian:nan'"}, ""},
      {playing({"--noise", "uniform:-1"}), {"'uniform:-1'"}, ""},
      {playing({"--noise", "beta:0.1:0.2"}), {"'beta:0.1:0.2'"}, ""},
      {playing({"--noise", "gaussian:1e308"}),
       {"noise 'gaussian:1e308'", "'1e308' is not a number from 0 to 1e+100"},
       ""},
      {playing({"--noise", "uniform:inf"}), {"'inf' is not a number from 0 to 1e+100"}, ""},
      {playing({"--half-width", "-0.1"}), {"--half-width: '-0.1' is negative"}, ""},
      {playing({"--half-width", "wide"}), {"--half-width: 'wide'"}, ""},
      {playing({"--half-width", "inf"}), {"--half-width: 'inf'"}, ""},
      {playing({"--half-width", "failure:2"}), {"--half-width: 'failure:2'"}, ""},
      {playing({"--noise", "gaussian:0.1", "--half-width", "bound"}), {"--half-width: 'bound'", "gaussian:0.1"}, ""},
  });
}

TEST(CommandLineMistakes, InCurveFiles) {
  struct BadFile {
    std::string name;
    std::string text;
    std::vector<std::string> fragments;
  };
  const std::vector<BadFile> files{
      {"empty.csv", "", {"is empty"}},
      {"header.csv", "a,b\n", {"no rows"}},
      {"ragged.csv", "a,b\n0.1,0.2\n0.3\n", {"line 3", "1 columns", "2"}},
      {"long.csv", "a,b\n0.1,0.2,0.3\n", {"line 2", "3 columns", "2"}},
      {"nan.csv", "a,b\n0.1,0.2\n0.1,nan\n", {"line 3", "column 2", "(b)", "'nan'"}},
      {"infinite.csv", "a,b\n-inf,0.2\n", {"line 2", "column 1", "(a)", "'-inf'"}},
      {"word.csv", "a,b\n0.1,much\n", {"line 2", "column 2", "'much'"}},
      {"gap.csv", "a,b\n0.1,\n", {"line 2", "column 2", "''"}},
      {"above.csv", "a,b\n0.1,1.5\n", {"line 2", "column 2", "1.5", "[0, 1]"}},
      {"below.csv", "a,b\n0.1,0.5\n-0.001,0.5\n", {"line 3", "column 1", "-0.001", "[0, 1]"}},
      {"headless.csv", "0.1,0.5\n0.2,0.5\n", {"line 1", "name"}},
      {"twins.csv", "a,a\n0.2,0.5\n", {"line 1, column 2: duplicate name 'a'"}},
      {"mixed.csv", "a;b,c\n0.2;0.5\n", {"line 1 has commas and semicolons; use one separator"}},
      {"decimal.csv", "a;b\n0,2;0,5\n", {"'0,2' is not a finite number; the decimal mark must be a point"}},
      {"broken.csv", "\"a\nb\",c\n0.2,0.5\n", {"line 1, cell 1: has no closing quote on this line"}},
      {"percent.csv", "a,b\n20,50\n", {"line 2, column 1 (a): reward 20 is outside [0, 1]"}},
      {"index.csv", "pull,a\n1,0.5\n2,0.5\n", {"line 3, column 1 (pull): reward 2 is outside [0, 1]"}},
  };
  for (const BadFile& file : files) {
    const std::string path = written(file.name, file.text);
    std::vector<std::string> fragments = file.fragments;
    fragments.push_back(path + ":");
    expect_complaint({{"play", "--curves", path, "--policy", "spo"}, fragments, ""});
    expect_complaint({{"optimum", "--curves", path, "--all", "--json"}, fragments, ""});
  }
  const std::string missing = scratch_path("missing.csv");
  const std::string short_file = written("short.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  expect_complaints({
      {{"play", "--curves", missing, "--policy", "spo"}, {missing + ": no such file"}, ""},
      {{"play", "--curves", ::testing::TempDir(), "--policy", "spo"}, {"folder"}, ""},
      {{"play", "--curves", short_file, "--policy", "spo", "--horizon", "3"},
       {short_file + ": has 2 rows, too few for horizon 3"},
       ""},
      {{"optimum", "--curves", short_file, "--horizon", "3"}, {short_file + ": has 2 rows, too few for horizon 3"}, ""},
  });
}

TEST(CommandLineMistakes, InNoiseFiles) {
  const std::string curves = written("curves.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  const std::string missing = scratch_path("no_noise.csv");
  const std::string narrow = written("narrow.csv", "a\n0.1\n0.1\n");
  const std::string brief = written("brief.csv", "a,b\n0.1,0.1\n");
  const std::string broken = written("broken.csv", "a,b\n0.1,0.1\n0.1,inf\n");
  const std::string swapped = written("swapped.csv", "x,a\n0.1,0.1\n0.1,0.2\n");
  const std::string fine = written("fine.csv", "a,b\n0.1,0.1\n0.1,-3\n");
  const auto with_noise = [&](const std::string& noise, const Arguments& more = {}) {
    Arguments arguments{"play", "--curves", curves, "--policy", "spo", "--noise-file", noise};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  expect_complaints({
      {with_noise(missing), {missing + ": no such file"}, ""},
      {with_noise(narrow), {narrow, "1 columns", "2 arms"}, ""},
      {with_noise(brief), {brief + ": has 1 rows, too few for horizon 2"}, ""},
      {with_noise(swapped), {swapped, "line 1, column 2: 'a' is the name of another arm"}, ""},
      {with_noise(broken), {broken, "line 3", "column 2", "'inf'"}, ""},
      {with_noise(fine, {"--half-width", "2sd"}), {"--half-width 2sd", "needs --noise"}, ""},
      {with_noise(fine, {"--half-width", "failure:0.1"}), {"--half-width failure:0.1", "needs --noise"}, ""},
  });
}

TEST(CommandLineMistakes, OnTheInputOfBound) {
  const std::string good = "{\"lower\":[0.1],\"upper\":[0.2],\"remaining\":3}\n\n";
  const auto third_line = [&](const std::string& line, std::vector<std::string> fragments) {
    fragments.emplace_back("standard input, line 3: ");
    return CommandMistake{{"bound"}, fragments, good + line + "\n" + good, "{\"bound\":3.0}\n"};
  };
  expect_complaints({
      third_line("{", {"not valid JSON"}),
      third_line(R"({"lower":[0.1,null],"upper":[0.2,0.25],"remaining":3})", {"lower[1]", "null"}),
  });
}

}  // namespace
}  // namespace longrun
