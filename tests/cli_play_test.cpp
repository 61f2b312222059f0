// The command `play` of the built binary.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/read_file.h"
#include "longrun/base/split.h"
#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/cli_output.h"
#include "tests/golden.h"
#include "tests/long_tests.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

using nlohmann::json;

/// Returns a CSV file with these columns.
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
      if (sanitizer_slowdown() > 1 && bandit != "recommender_A") continue;  // one process per policy is enough
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
  EXPECT_EQ(json_keys(output(arguments)), expected);
  expected.emplace_back("arms");
  EXPECT_EQ(json_keys(output(with_trace)), expected);
}

TEST(CommandLinePlay, TheTrajectoryHasTheArmOfEveryStepAndEndsWithTheRegretOfTheRun) {
  const std::string path = written("steps.csv", "");
  const Arguments arguments{"play",    "--bandit",    "inc_dec_2", "--policy", "spo",          "--horizon", "300",
                            "--noise", "uniform:0.2", "--trace",   "--json",   "--trajectory", path};
  const json run = json_output(arguments);
  std::istringstream csv(read_file(path, "trajectory"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "step,arm,pull,reward,regret");
  std::vector<Pulls> pulls(run["pulls"].size());
  std::vector<std::string> cells;
  for (std::size_t step = 0; step < 300; ++step) {
    ASSERT_TRUE(std::getline(csv, line));
    cells.clear();
    for (const std::string_view cell : split(line, ',')) cells.emplace_back(cell);
    ASSERT_EQ(cells.size(), 5U);
    const Arm arm = run["arms"][step];
    EXPECT_EQ(cells[0], std::to_string(step + 1));
    EXPECT_EQ(cells[1], std::to_string(arm));
    EXPECT_EQ(cells[2], std::to_string(++pulls[static_cast<std::size_t>(arm)]));
  }
  EXPECT_FALSE(std::getline(csv, line));
  EXPECT_NEAR(std::stod(cells[4]), run["regret"].get<double>(), 1e-9);
}

TEST(CommandLinePlay, AMissingFolderOfTheTrajectoryIsAnErrorAfterTheAnswer) {
  const std::string folder = scratch_path("no folder");
  const Finished run = longrun_run(
      {"play", "--bandit", "inc_1", "--policy", "spo", "--horizon", "50", "--trajectory", folder + "/steps.csv"});
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(run.out.starts_with("policy            spo\n")) << run.out;
  EXPECT_EQ(run.err, fmt::format("longrun: {0}/steps.csv: cannot be written: there is no folder {0}\n", folder));
  EXPECT_FALSE(std::filesystem::exists(folder));
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
  EXPECT_EQ(json::parse(with_seed("18446744073709551615"))["seed"], "18446744073709551615")
      << "a double would round it";
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

TEST(CommandLinePlay, TheDefaultPolicyEstimatesNoiseThatIsNotDescribedAndANoteSaysSo) {
  const std::string noise = written("two.csv", "a,b\n0.1,0\n0,-0.1\n");
  const auto policy_and_note = [&](const Arguments& more) {
    Arguments arguments{"play", "--bandit", "inc_1", "--horizon", "2", "--noise-file", noise, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = longrun_run(arguments);
    const bool said = run.err.find(", which estimates it") != std::string::npos;
    return std::pair(json::parse(run.out)["policy"].get<std::string>(), said);
  };
  const std::string estimating = PolicyChoice(kDefaultPolicy).estimating_noise().text();
  EXPECT_EQ(policy_and_note({}), std::pair(estimating, true));
  EXPECT_EQ(policy_and_note({"--noise", "gaussian:0.1"}), std::pair(std::string(kDefaultPolicy), false));
  EXPECT_EQ(policy_and_note({"--policy", "greedy"}), std::pair(std::string("greedy"), false));
}

TEST(CommandLinePlay, SaysIfTheNoiseOfTheFileIsNotThatWhichThePolicyIsTold) {
  std::string csv = "a,b\n";
  for (int pull = 0; pull < 100; ++pull) csv += pull % 2 == 0 ? "0.1,-0.1\n" : "-0.1,0.1\n";
  const std::string file = written("tenth.csv", csv);
  const auto is_said = [&](const std::string& policy, const std::string& noise) {
    const Finished run = longrun_run(
        {"play", "--bandit", "inc_1", "--horizon", "50", "--policy", policy, "--noise-file", file, "--noise", noise});
    return run.err.find("the noise has standard deviation 0.1, but policy '" + policy + "' uses ") != std::string::npos;
  };
  EXPECT_TRUE(is_said("foresight", "gaussian:0.05"));
  EXPECT_TRUE(is_said("raw-ucb", "gaussian:0.4"));
  EXPECT_TRUE(is_said("foresight", "none"));
  EXPECT_FALSE(is_said("foresight", "gaussian:0.1"));
  EXPECT_FALSE(is_said("foresight:estimate_sd=1", "gaussian:0.05"));
  EXPECT_FALSE(is_said("greedy", "gaussian:0.05")) << "it is told no noise";
}

TEST(CommandLinePlay, SaysIfTheHalfWidthHasNoEffect) {
  const auto note_and_pulls = [](const Arguments& more) {
    Arguments arguments{"play", "--bandit", "fico_score_change", "--horizon", "500", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = longrun_run(arguments);
    return std::pair(run.err.find("so --half-width has no effect") != std::string::npos, json::parse(run.out)["pulls"]);
  };
  for (const std::string policy : {"foresight", "spo", "greedy"}) {
    for (const std::string noise : {"none", "gaussian:0.1"}) {
      const auto [said_without, without] = note_and_pulls({"--policy", policy, "--noise", noise});
      const auto [said, with] = note_and_pulls({"--policy", policy, "--noise", noise, "--half-width", "0.05"});
      EXPECT_FALSE(said_without) << policy << ", " << noise;
      EXPECT_EQ(said, with == without) << policy << ", " << noise;
    }
  }
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
    ASSERT_EQ(lines_of(run.err).size(), 1U) << run.err;
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

}  // namespace
}  // namespace longrun
