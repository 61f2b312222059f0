// The built binary as users run it: its output, errors and exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/golden.h"
#include "tests/process.h"

namespace longrun {
namespace {

using nlohmann::json;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// Returns the standard output of a run without errors or notes.
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
  for (const std::string command : {"play", "optimum", "policies", "bandits", "bound", "recommend", "summary", "export",
                                    "help", "completion", "man"}) {
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
  std::vector<std::string> expected{"policy",  "bandit",    "horizon",        "noise",      "half_width",
                                    "seed",    "arm_names", "pulls",          "best_pulls", "return",
                                    "optimum", "regret",    "per_step_regret"};
  EXPECT_EQ(keys(output(arguments)), expected);
  expected.emplace_back("arms");
  EXPECT_EQ(keys(output(with_trace)), expected);
}

TEST(CommandLinePlay, IsWhatTheLibraryPlays) {
  const json run = json_output({"play", "--bandit", "inc_dec_2", "--policy", "d-ucb:discount=0.99", "--horizon", "900",
                                "--noise", "uniform:0.2", "--seed", "11", "--json"});
  Bandit bandit = named_bandit("inc_dec_2");
  bandit.noise = Uniform{.bound = 0.2};
  const RunResult outcome =
      play(PolicyChoice("d-ucb:discount=0.99"), bandit, {.arms = 2, .horizon = 900, .noise = bandit.noise, .seed = 11});
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

TEST(CommandLinePlay, JsonHasTheArmsOfTheText) {
  const std::string curves = written("named.csv", "tea,coffee\n0.5,0.1\n0.5,0.1\n0.5,0.1\n");
  const json run = json_output({"play", "--curves", curves, "--policy", "greedy", "--json"});
  EXPECT_EQ(run["arm_names"], json::parse(R"(["tea", "coffee"])"));
  EXPECT_EQ(run["pulls"], json::parse("[2, 1]"));
  EXPECT_EQ(run["best_pulls"], json::parse("[3, 0]"));
}

TEST(CommandLinePlay, ReadsCurvesOrNoiseFromStandardInput) {
  const std::string csv_text = "tea;coffee\n0.5;0.1\n0.5;0.1\n0.5;0.1\n";
  const std::string curves = written("semicolons.csv", csv_text);
  json from_file = json_output({"play", "--curves", curves, "--policy", "greedy", "--trace", "--json"});
  json from_input = json::parse(output({"play", "--curves", "-", "--policy", "greedy", "--trace", "--json"}, csv_text));
  EXPECT_EQ(from_input["bandit"], "standard input");
  from_file.erase("bandit");
  from_input.erase("bandit");
  EXPECT_EQ(from_input, from_file);
  EXPECT_EQ(output({"optimum", "--curves", "-", "--all"}, csv_text), output({"optimum", "--curves", curves, "--all"}));
  const std::string noise = "coffee\ttea\n3\t0\n0\t0\n0\t0\n";  // the first pull of coffee looks best
  const Arguments noisy{"play", "--curves", curves, "--policy", "greedy", "--noise-file", "-", "--json"};
  EXPECT_EQ(json::parse(output(noisy, noise))["pulls"], json::parse("[1, 2]"));
}

TEST(CommandLinePlay, TheDefaultPolicyEstimatesNoiseThatIsNotDescribed) {
  const std::string noise = written("two.csv", "a,b\n0.1,0\n0,-0.1\n");
  const Arguments arguments{"play", "--bandit", "inc_1", "--horizon", "2", "--noise-file", noise, "--json"};
  EXPECT_EQ(json_output(arguments)["policy"], PolicyChoice(kDefaultPolicy).estimating_noise().text());
  Arguments described = arguments;
  described.insert(described.end(), {"--noise", "gaussian:0.1"});
  EXPECT_EQ(json_output(described)["policy"], kDefaultPolicy);
}

TEST(CommandLinePlay, TheDefaultPolicyDecidesUnlessOneIsGiven) {
  EXPECT_EQ(json_output({"play", "--bandit", "inc_1", "--horizon", "50", "--json"})["policy"], kDefaultPolicy);
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
  EXPECT_NE(run.err.find("with half-width 1 every observation is compatible with every mean reward, so policy 'spo'"),
            std::string::npos)
      << run.err;
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
    EXPECT_EQ(keys(text), (std::vector<std::string>{"horizon", "optimum", "arm_names", "pulls", "method"}));
    const json best = json::parse(text);
    const Allocation expected = optimal_allocation(named_bandit(bandit), 1500);
    EXPECT_EQ(best["horizon"], 1500);
    EXPECT_EQ(best["optimum"].get<double>(), expected.value);
    EXPECT_EQ(best["pulls"].get<std::vector<Pulls>>(), expected.pulls);
    EXPECT_EQ(best["method"], name(expected.method));
    EXPECT_EQ(best["arm_names"].get<std::vector<std::string>>(), named_bandit(bandit).arm_names);
  }
}

TEST(CommandLineOptimum, AllAsJsonIsOneObjectPerLine) {
  const std::string curves = written("tea.csv", "\"tea, black\",coffee\n0.25,0.75\n0.5,0.75\n");
  EXPECT_EQ(output({"optimum", "--curves", curves, "--all", "--json"}),
            R"({"horizon":1,"optimum":0.75,"arm_names":["tea, black","coffee"],"pulls":[0,1]})"
            "\n"
            R"({"horizon":2,"optimum":1.5,"arm_names":["tea, black","coffee"],"pulls":[0,2]})"
            "\n");
  EXPECT_EQ(output({"optimum", "--curves", curves, "--all"}),
            "horizon,optimum,\"tea, black\",coffee\n1,0.75,0,1\n2,1.5,0,2\n");
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
    EXPECT_NEAR(last["optimum"], best["optimum"], 1e-12 * best["optimum"].get<double>()) << bandit;
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
            "horizon,optimum,tea,coffee\n1,0.75,0,1\n2,1.5,0,2\n3,1.75,1,2\n");
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

TEST(CommandLineBound, NamesAnIntervalThatContainsNoMeanReward) {
  EXPECT_EQ(output({"bound"},
                   "{\"lower\":[1.5],\"upper\":[1.6],\"remaining\":3}\n"
                   "{\"lower\":[0.1,-0.5],\"upper\":[0.2,-0.25],\"remaining\":3}\n"
                   "{\"lower\":[-0.5,0.5],\"upper\":[0,1.5],\"remaining\":3}\n"),
            "{\"bound\":null,\"reason\":\"lower[0]: 1.5 is above 1\"}\n"
            "{\"bound\":null,\"reason\":\"upper[1]: -0.25 is below 0\"}\n"
            "{\"bound\":3.0}\n");
}

TEST(CommandLineBound, AnswersEachLineBeforeItReadsTheNext) {
  // With all input read first, `read` would wait for an answer and time out.
  const std::string script = fmt::format(
      "coproc {} bound; "
      "for upper in 0.2 0.3; do "
      "  echo '{{\"lower\":[0.1],\"upper\":['$upper'],\"remaining\":1}}' >&${{COPROC[1]}}; "
      "  read -t 60 -u ${{COPROC[0]}} answer && echo \"$answer\"; "
      "done",
      LONGRUN_BINARY);
  const Finished run = Process({"/bin/bash", "-c", script}).finished();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(lines(run.out).size(), 2U) << run.out;
  for (const std::string& line : lines(run.out)) EXPECT_TRUE(json::parse(line)["bound"].is_number()) << line;
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
  EXPECT_EQ(lines(rows.out).size(), 1U + 2 * 2 * 2);
  EXPECT_EQ(lines(longrun_run({"summary", folder, "--csv"}).out).size(), 1U + 2 * 2);
  EXPECT_EQ(json::parse(longrun_run({"summary", folder, "--json", "--horizons", "20"}).out)[0]["policies"].size(), 2U);
  EXPECT_TRUE(longrun_run({"summary", folder, "--latex"}).out.starts_with("% "));
}

// ---- output that can't be written

TEST(CommandLineOutput, AFullDiskIsAnError) {
  for (const Arguments& arguments : {Arguments{"policies"}, Arguments{"--help"}, playing({"--trace"}),
                                     playing({"--json"}), Arguments{"optimum", "--bandit", "inc_1", "--all"}}) {
    const Finished run = Process(longrun_command(arguments), "", "/dev/full").finished();
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(lines(run.err).size(), 1U) << run.err;
    EXPECT_NE(run.err.find("longrun: standard output: "), std::string::npos) << run.err;
  }
}

TEST(CommandLineOutput, AReaderThatClosesEarlyGetsNoMessage) {
  for (const std::string before : {"", "trap '' PIPE; "}) {
    const std::string script = fmt::format("{}{} optimum --bandit inc_1 --all | head -1", before, LONGRUN_BINARY);
    const Finished run = Process({"/bin/sh", "-c", script}).finished();
    EXPECT_EQ(run.out, "horizon,optimum,f_1,f_2\n");
    EXPECT_EQ(run.err, "");
  }
}

}  // namespace
}  // namespace longrun
