// The command line as its users meet it: the built binary is run; its output, errors and exit code are looked at.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/optimal.h"
#include "tests/golden.h"

namespace longrun {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

/// A folder of this process alone, since tests run side by side; gone at its end.
class Scratch {
 public:
  Scratch() { std::filesystem::create_directories(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_ = std::filesystem::path(::testing::TempDir()) / fmt::format("longrun_cli_{}", getpid());
};

std::string scratch_file(const std::string& name) {
  static const Scratch scratch;
  return scratch.file(name);
}

/// The path of a new file with this text.
std::string written(const std::string& name, const std::string& text) {
  std::string path = scratch_file(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string content(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return "";  // /dev/full can be read, and never ends
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

struct Finished {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs a program with its three streams in files; `out` may be a device.
Finished finished(const Arguments& command, const std::string& input, const std::string& out) {
  const std::string in = written("stdin", input);
  const std::string err = scratch_file("stderr");
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const auto redirect = [](int stream, const std::string& path, int flags) {
      const int file = open(path.c_str(), flags, 0600);
      if (file < 0 || dup2(file, stream) < 0) _exit(126);
      close(file);
    };
    redirect(STDIN_FILENO, in, O_RDONLY);
    redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
}

Finished longrun_run(Arguments arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), LONGRUN_BINARY);
  return finished(arguments, input, scratch_file("stdout"));
}

/// Standard output of a run that has nothing to complain about.
std::string output(const Arguments& arguments, const std::string& input = "") {
  const Finished run = longrun_run(arguments, input);
  EXPECT_EQ(run.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << run.err;
  EXPECT_EQ(run.err, "") << fmt::format("{}", fmt::join(arguments, " "));
  return run.out;
}

json json_output(const Arguments& arguments) { return json::parse(output(arguments)); }

std::string csv(const std::vector<std::vector<double>>& columns) {
  std::string text;
  for (std::size_t arm = 0; arm < columns.size(); ++arm) text += fmt::format("{}arm_{}", arm == 0 ? "" : ",", arm);
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    for (std::size_t arm = 0; arm < columns.size(); ++arm) {
      text += fmt::format("{}{}", arm == 0 ? "\n" : ",", columns[arm][row]);
    }
  }
  return text + "\n";
}

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
  for (const std::string command : {"play", "optimum", "policies", "bandits", "bound"}) {
    const std::string help = output({command, "--help"});
    EXPECT_NE(help.find("Usage: longrun " + command), std::string::npos);
    EXPECT_NE(help.find("Examples:\n"), std::string::npos) << command;
    for (const std::string& line : lines(help)) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(CommandLineHelp, VersionIsOneLine) {
  const std::vector<std::string> version = lines(output({"--version"}));
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
      EXPECT_NE(text.find(fmt::format("{}: {}", parameter.name, parameter.meaning)), std::string::npos);
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

// ---- play

std::vector<std::string> keys(const std::string& text) {
  std::vector<std::string> result;
  const auto object = nlohmann::ordered_json::parse(text);
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

void expect_consistent(const json& run) {
  const auto pulls = run["pulls"].get<std::vector<Pulls>>();
  EXPECT_EQ(std::accumulate(pulls.begin(), pulls.end(), Pulls{0}), run["horizon"]);
  const double regret = run["regret"];
  EXPECT_GE(regret, 0);
  EXPECT_NEAR(regret, run["optimum"].get<double>() - run["return"].get<double>(), 1e-9 * run["optimum"].get<double>());
  EXPECT_DOUBLE_EQ(run["per_step_regret"], regret / run["horizon"].get<double>());
  std::vector<Pulls> counted(pulls.size());
  for (const auto& arm : run["arms"]) ++counted.at(arm);
  EXPECT_EQ(counted, pulls);
}

TEST(CommandLinePlay, EveryPolicyOnEveryBanditAddsUp) {
  for (const PolicyEntry& policy : policy_catalog()) {
    for (const std::string bandit : {"inc_dec_1", "inc_2_alpha_0.7", "const_5", "recommender_A"}) {
      SCOPED_TRACE(fmt::format("{} on {}", policy.name, bandit));
      expect_consistent(json_output({"play", "--bandit", bandit, "--policy", std::string(policy.name), "--horizon",
                                     "700", "--noise", "gaussian:0.05", "--trace", "--json"}));
    }
  }
}

TEST(CommandLinePlay, JsonHasTheseKeysInThisOrder) {
  const Arguments arguments{"play", "--bandit", "inc_1", "--policy", "spo", "--horizon", "50", "--json"};
  Arguments with_trace = arguments;
  with_trace.emplace_back("--trace");
  std::vector<std::string> expected{"policy", "bandit", "horizon", "noise",  "half_width",     "seed",
                                    "pulls",  "return", "optimum", "regret", "per_step_regret"};
  EXPECT_EQ(keys(output(arguments)), expected);
  expected.emplace_back("arms");
  EXPECT_EQ(keys(output(with_trace)), expected);
}

TEST(CommandLinePlay, IsWhatTheLibraryPlays) {
  const json run = json_output({"play", "--bandit", "inc_dec_2", "--policy", "d-ucb:discount=0.99", "--horizon", "900",
                                "--noise", "uniform:0.2", "--seed", "11", "--json"});
  Bandit bandit = named_bandit("inc_dec_2");
  bandit.noise = Uniform{.bound = 0.2};
  const Outcome outcome =
      PolicyChoice("d-ucb:discount=0.99").play(bandit, {.arms = 2, .horizon = 900, .noise = bandit.noise, .seed = 11});
  EXPECT_EQ(run["pulls"].get<std::vector<Pulls>>(), outcome.pulls);
  EXPECT_EQ(run["return"].get<double>(), outcome.earned);
  EXPECT_EQ(run["optimum"].get<double>(), optimal_allocation(bandit, 900).value);
  EXPECT_EQ(run["half_width"], 0.2);
  EXPECT_EQ(run["noise"], "uniform:0.2");
}

TEST(CommandLinePlay, TheSeedFixesEveryByte) {
  const auto with_seed = [](const std::string& seed) {
    return output({"play", "--bandit", "inc_dec_1", "--policy", "exp3", "--horizon", "400", "--noise", "gaussian:0.1",
                   "--trace", "--json", "--seed", seed});
  };
  EXPECT_EQ(with_seed("7"), with_seed("7"));
  EXPECT_NE(json::parse(with_seed("7"))["arms"], json::parse(with_seed("8"))["arms"]);
  EXPECT_EQ(json::parse(with_seed("18446744073709551615"))["seed"], 18446744073709551615U);
}

TEST(CommandLinePlay, NoiseDependsOnTheSeed) {
  const auto arms = [](const std::string& seed) {  // greedy has no coin of its own
    return json_output({"play", "--bandit", "const", "--policy", "greedy", "--horizon", "300", "--noise",
                        "gaussian:0.5", "--trace", "--json", "--seed", seed})["arms"];
  };
  EXPECT_NE(arms("1"), arms("2"));
}

TEST(CommandLinePlay, TheHorizonIsTheBanditsUnlessGiven) {
  EXPECT_EQ(json_output({"play", "--bandit", "recommender_B", "--policy", "greedy", "--json"})["horizon"], 3000);
  const std::string curves = written("three.csv", "a,b\n0.1,0.2\n0.2,0.3\n0.3,0.4\n");
  EXPECT_EQ(json_output({"play", "--curves", curves, "--policy", "greedy", "--json"})["horizon"], 3);
  EXPECT_EQ(json_output({"play", "--curves", curves, "--policy", "greedy", "--horizon", "2", "--json"})["horizon"], 2);
}

TEST(CommandLinePlay, TheOptimalPolicyHasNoRegret) {
  for (const std::string bandit : {"inc_1_alpha_5", "inc_dec_3", "const", "recommender_C"}) {
    const json run = json_output({"play", "--bandit", bandit, "--policy", "optimal", "--json"});
    EXPECT_EQ(run["regret"], 0) << bandit;
  }
}

TEST(CommandLinePlay, TextNamesTheArmsAndTracesThemFromZero) {
  const std::string curves = written("named.csv", "tea,coffee\n0.5,0.1\n0.5,0.1\n0.5,0.1\n");
  const std::string text = output({"play", "--curves", curves, "--policy", "greedy", "--trace"});
  for (const char* part : {"return            1.1\n", "optimum           1.5\n", "regret            0.4\n",
                           "per-step regret   0.133333\n", "tea", "coffee", "numbered from 0", "1  0 1 0\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

double half_width(Arguments more) {
  Arguments arguments{"play", "--bandit", "const", "--policy", "spo", "--horizon", "2", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return json_output(arguments)["half_width"];
}

TEST(CommandLinePlay, HalfWidthsFollowTheNoiseUnlessGiven) {
  EXPECT_EQ(half_width({}), 0);
  EXPECT_EQ(half_width({"--half-width", "0.3"}), 0.3);
  EXPECT_EQ(half_width({"--noise", "gaussian:0.05"}), 0.1);
  EXPECT_EQ(half_width({"--noise", "gaussian:0.05", "--half-width", "3sd"}), 3 * 0.05);
  EXPECT_EQ(half_width({"--noise", "beta:0.2:0.05", "--half-width", "bound"}), 0.2);
  EXPECT_NEAR(half_width({"--noise", "gaussian:0.1", "--half-width", "failure:0.0975"}), 0.1959964, 1e-7);
}

TEST(CommandLinePlay, HalfWidthsOfRecordedNoise) {
  const std::string noise =
      written("noise.csv", "a,b,c,d,e,f,g,h,i,j\n0,0,0,0,0,-0.25,0,0,0,0\n0,0,0,0,0,0,0,0,0.125,0\n");
  EXPECT_EQ(half_width({"--noise-file", noise}), 0.25);
  EXPECT_EQ(half_width({"--noise-file", noise, "--half-width", "bound"}), 0.25);
  EXPECT_EQ(half_width({"--noise-file", noise, "--noise", "gaussian:0.25"}), 0.5);
  EXPECT_EQ(half_width({"--noise-file", noise, "--noise", "gaussian:0.5", "--half-width", "0.75"}), 0.75);
}

TEST(CommandLinePlay, SaysWhenIntervalsAreTooWideToLearnFrom) {
  const Finished run =
      longrun_run({"play", "--bandit", "const", "--policy", "spo", "--noise", "bernoulli", "--horizon", "50"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("half-width 1 lets every observation stand for any reward"), std::string::npos) << run.err;
}

TEST(CommandLinePlay, SaysWhichCurvesAreNotSinglePeaked) {
  const std::string curves = written("zigzag.csv", "good,zigzag\n0.5,0.1\n0.6,0.7\n0.2,0.4\n0.1,0.6\n");
  for (const bool as_json : {false, true}) {
    Arguments arguments{"play", "--curves", curves, "--policy", "spo"};
    if (as_json) arguments.emplace_back("--json");
    const Finished run = longrun_run(arguments);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(json::accept(run.out), as_json) << run.out;
    ASSERT_EQ(lines(run.err).size(), 1U) << run.err;
    for (const std::string& part : {curves, std::string("1 of 2"), std::string("arm 1 (zigzag)"), std::string("0.2")}) {
      EXPECT_NE(run.err.find(part), std::string::npos) << part << " in " << run.err;
    }
  }
}

TEST(CommandLinePlay, GoldenSpoRunsStepByStep) {
  int with_noise = 0;
  for (const json& row : golden_lines("spo_runs.jsonl")) {
    Arguments arguments{"play",
                        "--policy",
                        "spo",
                        "--horizon",
                        row["T"].dump(),
                        "--trace",
                        "--json",
                        "--half-width",
                        fmt::format("{}", row["half_width"].get<double>()),
                        "--curves",
                        written("curves.csv", csv(row["curves"]))};
    if (!row["noise"].is_null()) {
      arguments.insert(arguments.end(), {"--noise-file", written("noise.csv", csv(row["noise"]))});
      ++with_noise;
    }
    const Finished run = longrun_run(arguments);  // some of the curves earn a note
    ASSERT_EQ(run.code, 0) << run.err;
    const json result = json::parse(run.out);
    EXPECT_EQ(result["arms"], row["arms_sequence"]) << row["id"];
    EXPECT_EQ(result["half_width"], row["half_width"]);
    expect_consistent(result);
  }
  EXPECT_GT(with_noise, 10);
}

// ---- optimum

TEST(CommandLineOptimum, IsTheOneOfTheLibrary) {
  for (const std::string bandit : {"inc_3_alpha_1", "inc_dec_1", "const_2", "recommender_B"}) {
    const std::string text = output({"optimum", "--bandit", bandit, "--horizon", "1500", "--json"});
    EXPECT_EQ(keys(text), (std::vector<std::string>{"horizon", "value", "pulls", "method"}));
    const json best = json::parse(text);
    const Allocation expected = optimal_allocation(named_bandit(bandit), 1500);
    EXPECT_EQ(best["horizon"], 1500);
    EXPECT_EQ(best["value"].get<double>(), expected.value);
    EXPECT_EQ(best["pulls"].get<std::vector<Pulls>>(), expected.pulls);
    EXPECT_EQ(best["method"], name(expected.method));
  }
}

TEST(CommandLineOptimum, AllEndsWithTheOptimum) {
  for (const std::string bandit : {"inc_1", "inc_dec_3", "const", "recommender_A"}) {
    json best = json_output({"optimum", "--bandit", bandit, "--horizon", "800", "--json"});
    best.erase("method");
    const std::vector<std::string> all =
        lines(output({"optimum", "--bandit", bandit, "--horizon", "800", "--all", "--json"}));
    ASSERT_EQ(all.size(), 800U) << bandit;
    const json last = json::parse(all.back());
    EXPECT_EQ(last["horizon"], best["horizon"]);
    EXPECT_EQ(last["pulls"], best["pulls"]) << bandit;
    EXPECT_NEAR(last["value"], best["value"], 1e-12 * best["value"].get<double>()) << bandit;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const json row = json::parse(all[i]);
      const auto pulls = row["pulls"].get<std::vector<std::size_t>>();
      ASSERT_EQ(row["horizon"], i + 1);
      ASSERT_EQ(std::accumulate(pulls.begin(), pulls.end(), std::size_t{0}), i + 1);
    }
  }
}

TEST(CommandLineOptimum, TextIsATableAndAllIsCsv) {
  const std::string curves = written("tea.csv", "tea,coffee\n0.25,0.75\n0.5,0.75\n0.5,0.125\n");
  const std::string text = output({"optimum", "--curves", curves});
  for (const char* part : {"horizon   3\n", "optimum   1.75\n", "tea\n", "coffee\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(output({"optimum", "--curves", curves, "--all"}),
            "horizon,value,tea,coffee\n1,0.75,0,1\n2,1.5,0,2\n3,1.75,1,2\n");
}

// ---- bound

TEST(CommandLineBound, AgreesWithHighs) {
  const std::vector<json> golden = golden_lines("star_lp.jsonl");
  std::string questions;
  for (const json& row : golden) {
    questions += json{{"lower", row["lower"]}, {"upper", row["upper"]}, {"remaining", row["remaining"]}}.dump() + "\n";
  }
  const std::vector<std::string> answers = lines(output({"bound"}, questions));
  ASSERT_EQ(answers.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const json bound = json::parse(answers[i])["bound"];
    ASSERT_EQ(bound.is_null(), golden[i]["bound"].is_null()) << "line " << i + 1;
    if (bound.is_null()) continue;
    const double expected = golden[i]["bound"];
    EXPECT_NEAR(bound.get<double>(), expected, 1e-6 * std::max(1.0, expected)) << "line " << i + 1;
  }
}

TEST(CommandLineBound, SkipsBlankLines) {
  EXPECT_EQ(output({"bound"}, ""), "");
  EXPECT_EQ(output({"bound"},
                   "\n{\"lower\":[0.1,0.3],\"upper\":[0.2,0.4],\"remaining\":10}\r\n  \n"
                   "{\"upper\":[0.6,0.2],\"remaining\":10,\"lower\":[0.5,0.1]}"),
            "{\"bound\":9.7}\n{\"bound\":null}\n");
}

// ---- what can go wrong

struct Mistake {
  Arguments arguments;
  std::vector<std::string> fragments;  // of the complaint
  std::string input;
};

/// One line that names the problem, exit code 2, and nothing that could pass for a result.
void expect_complaint(const Mistake& mistake) {
  SCOPED_TRACE(fmt::format("longrun {} <<< '{}'", fmt::join(mistake.arguments, " "), mistake.input));
  const Finished run = longrun_run(mistake.arguments, mistake.input);
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.starts_with("longrun: ") && run.err.ends_with('\n')) << run.err;
  for (const std::string& fragment : mistake.fragments) {
    EXPECT_NE(run.err.find(fragment), std::string::npos) << "'" << fragment << "' in " << run.err;
  }
}

void expect_complaints(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) expect_complaint(mistake);
}

/// `longrun play` on a bandit with a policy, and what else is given.
Arguments playing(const Arguments& more) {
  Arguments arguments{"play", "--bandit", "inc_1", "--policy", "spo"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(CommandLineMistakes, OnSubcommandsAndOptions) {
  expect_complaints({
      {{"plya"}, {"unknown subcommand 'plya'", "did you mean 'play'?"}, ""},
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
  });
}

TEST(CommandLineMistakes, OnNamesAndNumbers) {
  expect_complaints({
      {{"play", "--bandit", "inc_1"}, {"--policy", "longrun policies"}, ""},
      {{"play", "--policy", "spo"}, {"--bandit", "--curves"}, ""},
      {{"optimum"}, {"--bandit", "--curves"}, ""},
      {playing({"--curves", "x.csv"}), {"--bandit and --curves", "one"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "spoo"}, {"'spoo'", "did you mean 'spo'?"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "d-ucb:discont=1"}, {"'discont'", "did you mean 'discount'?"}, ""},
      {{"play", "--bandit", "inc_1", "--policy", "d-ucb:discount=2"}, {"discount=2", "from 0 to 1"}, ""},
      {{"play", "--bandit", "inc_dec3", "--policy", "spo"}, {"'inc_dec3'", "did you mean 'inc_dec_3'?"}, ""},
      {{"optimum", "--bandit", "recomender_B"}, {"'recomender_B'", "did you mean 'recommender_B'?"}, ""},
      {{"optimum", "--bandit", "two\nlines"}, {"two?lines"}, ""},
      {playing({"--horizon", "0"}), {"--horizon 0: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "-5"}), {"--horizon -5: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "2.5"}), {"--horizon 2.5: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "ten"}), {"--horizon ten: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "nan"}), {"--horizon nan: must be a whole number >= 1"}, ""},
      {playing({"--horizon", "1000000000000000"}), {"--horizon 1000000000000000", "at most"}, ""},
      {playing({"--horizon", "99999999999999999999"}), {"--horizon 99999999999999999999", "at most"}, ""},
      {playing({"--horizon", "1000000000", "--trace"}), {"--trace", "1000000000", "at most 100000000"}, ""},
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
      {playing({"--noise", "gaussian:1e308"}), {"half-width inf"}, ""},
      {playing({"--half-width", "-0.1"}), {"half-width '-0.1' is negative"}, ""},
      {playing({"--half-width", "wide"}), {"half-width 'wide'"}, ""},
      {playing({"--half-width", "inf"}), {"half-width 'inf'"}, ""},
      {playing({"--half-width", "failure:2"}), {"half-width 'failure:2'"}, ""},
      {playing({"--noise", "gaussian:0.1", "--half-width", "bound"}), {"half-width 'bound'", "gaussian:0.1"}, ""},
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
      {"twins.csv", "a,a\n0.2,0.5\n", {"line 1", "column 2", "'a'"}},
  };
  for (const BadFile& file : files) {
    const std::string path = written(file.name, file.text);
    std::vector<std::string> fragments = file.fragments;
    fragments.push_back(path + ":");
    expect_complaint({{"play", "--curves", path, "--policy", "spo"}, fragments, ""});
    expect_complaint({{"optimum", "--curves", path, "--all", "--json"}, fragments, ""});
  }
  const std::string missing = scratch_file("missing.csv");
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
  const std::string missing = scratch_file("no_noise.csv");
  const std::string narrow = written("narrow.csv", "a\n0.1\n0.1\n");
  const std::string brief = written("brief.csv", "a,b\n0.1,0.1\n");
  const std::string broken = written("broken.csv", "a,b\n0.1,0.1\n0.1,inf\n");
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
      {with_noise(broken), {broken, "line 3", "column 2", "'inf'"}, ""},
      {with_noise(fine, {"--half-width", "2sd"}), {"--half-width 2sd", "needs --noise"}, ""},
      {with_noise(fine, {"--half-width", "failure:0.1"}), {"--half-width failure:0.1", "needs --noise"}, ""},
  });
}

TEST(CommandLineMistakes, OnTheInputOfBound) {
  const std::string good = "{\"lower\":[0.1],\"upper\":[0.2],\"remaining\":3}\n\n";
  const auto third_line = [&](const std::string& line, std::vector<std::string> fragments) {
    fragments.emplace_back("standard input, line 3: ");
    return Mistake{{"bound"}, fragments, good + line + "\n" + good};
  };
  expect_complaints({
      third_line("{", {"not valid JSON"}),
      third_line("0.5", {"lower", "upper", "remaining"}),
      third_line("[]", {"lower", "upper", "remaining"}),
      third_line(R"({"lower":[0.1],"upper":[0.2]})", {"'remaining' is missing"}),
      third_line(R"({"lower":[0.1],"uper":[0.2],"remaining":3})", {"'uper'", "did you mean 'upper'?"}),
      third_line(R"({"lower":[0.1],"upper":[0.2],"lower":[0],"remaining":3})", {"'lower'", "twice"}),
      third_line(R"({"lower":[0.1,0.2],"upper":[0.2],"remaining":3})", {"lower has 2", "upper 1"}),
      third_line(R"({"lower":[0.1,0.3],"upper":[0.2,0.25],"remaining":3})", {"lower[1]", "0.3", "upper[1]", "0.25"}),
      third_line(R"({"lower":[0.1,null],"upper":[0.2,0.25],"remaining":3})", {"lower[1]", "null"}),
      third_line(R"({"lower":[0.1,"x"],"upper":[0.2,0.25],"remaining":3})", {"lower[1]", "\"x\""}),
      third_line(R"({"lower":[0.1,0.2],"upper":[0.2,NaN],"remaining":3})", {"upper[1]", "not valid JSON"}),
      third_line(R"({"lower":[0.1,0.2],"upper":[0.2,1e999],"remaining":3})", {"upper[1]", "not a finite number"}),
      third_line(R"({"lower":0.1,"upper":[0.2],"remaining":3})", {"lower", "list", "0.1"}),
      third_line(R"({"lower":[0.1],"upper":[0.2],"remaining":-3})", {"remaining -3", "whole number >= 0"}),
      third_line(R"({"lower":[0.1],"upper":[0.2],"remaining":2.5})", {"remaining 2.5", "whole number >= 0"}),
      third_line(R"({"lower":[0.1],"upper":[0.2],"remaining":"3"})", {"remaining \"3\"", "whole number >= 0"}),
      third_line(R"({"lower":[0.1],"upper":[0.2],"remaining":1e20})", {"remaining", "whole number >= 0"}),
  });
}

// ---- output that nobody takes

TEST(CommandLineOutput, AFullDiskIsAnError) {
  for (const Arguments& arguments : {Arguments{"policies"}, Arguments{"--help"}, playing({"--trace"}),
                                     playing({"--json"}), Arguments{"optimum", "--bandit", "inc_1", "--all"}}) {
    Arguments command = arguments;
    command.insert(command.begin(), LONGRUN_BINARY);
    const Finished run = finished(command, "", "/dev/full");
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(lines(run.err).size(), 1U) << run.err;
    EXPECT_NE(run.err.find("longrun: standard output: "), std::string::npos) << run.err;
  }
}

TEST(CommandLineOutput, AReaderThatLeavesEarlyHearsNothing) {
  for (const std::string before : {"", "trap '' PIPE; "}) {
    const std::string script = fmt::format("{}{} optimum --bandit inc_1 --all | head -1", before, LONGRUN_BINARY);
    const Finished run = finished({"/bin/sh", "-c", script}, "", scratch_file("stdout"));
    EXPECT_EQ(run.out, "horizon,value,f_1,f_2\n");
    EXPECT_EQ(run.err, "");
  }
}

}  // namespace
}  // namespace longrun
