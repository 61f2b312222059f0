// `longrun recommend` as a process: text, JSON, picture and invalid input.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "longrun/data/csv.h"
#include "longrun/data/csv_history.h"
#include "longrun/data/named_bandits.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/world.h"
#include "tests/cli_output.h"
#include "tests/environment_variable.h"
#include "tests/no_programs.h"
#include "tests/paths.h"

namespace longrun {
namespace {

using nlohmann::json;

const std::string kExample = in_source("datasets/example_history.csv");

Arguments recommending(const Arguments& more) {
  Arguments arguments{"recommend", "--horizon", "1000", "--history", kExample};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Question example_question() {
  std::ifstream file = open_text(kExample);
  return {.history = read_csv_history(kExample, file, {}), .horizon = 1000};
}

// datasets/README.md describes how the file was made. This test makes it again.
TEST(ExampleHistory, IsMadeAsItsReadmeDescribes) {
  Bandit bandit = named_bandit("recommender_B");
  bandit.noise = Gaussian{.sd = 0.1};
  World world(bandit, 7);
  const auto policy = make_policy(PolicyChoice("sw-ucb"), {.arms = 4, .horizon = 1000, .noise = bandit.noise});
  std::string expected = "arm,reward\n";
  for (int step = 0; step < 300; ++step) {
    const Arm arm = policy->choose();
    const double reward = world.pull(arm);
    policy->observe(arm, reward);
    expected += fmt::format("{},{:.3f}\n", bandit.arm_names[static_cast<std::size_t>(arm)], reward);
  }
  EXPECT_EQ(content(kExample), expected);
}

TEST(CommandLineRecommend, PrintsTheAnswerOfTheLibrary) {
  const Question question = example_question();
  const Recommendation answer = recommend(question);
  const std::string text = output(recommending({}));
  EXPECT_TRUE(text.starts_with(what_to_do(question, answer) + "\n")) << text;
  const json object = json::parse(output(recommending({"--json"})));
  EXPECT_EQ(object["next"][0]["arm"], answer.next.first);
  EXPECT_EQ(object["first"], (json{{"arm", answer.next.first}, {"name", object["next"][0]["name"]}}));
  EXPECT_EQ(object["why"], json(why(question, answer)));
  EXPECT_EQ(object["what_would_change"], json(what_would_change(question, answer)));
  ASSERT_EQ(object["arms"].size(), answer.arms.size());
  for (std::size_t i = 0; i < answer.arms.size(); ++i) {
    const json& arm = object["arms"][i];
    EXPECT_EQ(arm["name"], question.history.arm_names[i]);
    EXPECT_EQ(arm["pulls"], answer.arms[i].pulls);
    EXPECT_EQ(arm["trend"]["stated"], name(answer.arms[i].trend->stated()));
    EXPECT_EQ(arm["trend"]["falling"], answer.arms[i].trend->falling);
    EXPECT_EQ(arm["expected"]["high"], answer.arms[i].expected->high);
    EXPECT_EQ(arm["value_of_learning"], *answer.arms[i].value_of_learning);
    EXPECT_EQ(arm["index"], answer.arms[i].index);
    EXPECT_EQ(arm["reward_now"]["mean"], answer.arms[i].reward_now->mean);
    EXPECT_EQ(arm["upper_bound"]["total"], answer.arms[i].upper_bound_total);
    EXPECT_EQ(arm["upper_bound"]["curve"].size(), answer.arms[i].upper_bound.size());
  }
}

TEST(CommandLineRecommend, JsonHasTheDocumentedKeys) {
  const json object =
      json::parse(output(recommending({"--json", "--unavailable-now", "item 1", "--minimum-pulls", "3"})));
  const std::string docs = content(in_source("docs/recommend.md"));
  const auto documented = [&](const json& part, const std::string& path) {
    for (const auto& [key, value] : part.items()) {
      EXPECT_TRUE(contains(docs, fmt::format("`{}{}`", path, key)))
          << "docs/recommend.md does not name " << path << key;
    }
  };
  documented(object, "");
  documented(object["next"][0], "next[].");
  documented(object["arms"][0], "arms[].");
  documented(object["next"][0]["causes"], "next[].causes.");
  documented(object["arms"][0]["expected_course"][0], "arms[].expected_course[].");
  documented(object["what_if"], "what_if.");
  documented(object["what_if"]["then"][0], "what_if.then[].");
  documented(object["arms"][0]["upper_bound"], "arms[].upper_bound.");
  documented(object["arms"][0]["upper_bound"]["curve"][0], "arms[].upper_bound.curve[].");
}

TEST(CommandLineRecommend, PrintsTheExamplesOfTheDocs) {
  const auto history = [](const char* file) { return in_source("datasets/") + file; };
  const std::vector<Arguments> examples{
      recommending({}),
      {"recommend", "--horizon", "1200", "--history", history("lending.csv"), "--arm-column", "group",
       "--reward-column", "repaid", "--round-column", "month", "--units-per-round", "40", "--minimum-share", "0.1"},
      {"recommend", "--horizon", "30000", "--history", history("advertisements.csv"), "--arm-column", "campaign",
       "--reward-column", "clicked"},
      {"recommend", "--horizon", "200", "--history", history("training.csv"), "--arm-column", "programme",
       "--reward-column", "score", "--scale", "0:100"}};
  const std::string docs = content(in_source("docs/recommend.md"));
  for (const Arguments& example : examples) {
    const std::string text = output(example);
    EXPECT_TRUE(contains(docs, "```\n" + text + "```\n")) << "docs/recommend.md should contain:\n" << text;
  }
}

TEST(CommandLineRecommend, NamesTheLineOfAnOutlier) {
  std::string csv = "arm,reward\n";
  for (int i = 0; i < 40; ++i) csv += fmt::format("{},{}\n", i % 2 == 0 ? "a" : "b", i == 25 ? 9.9 : 2 + 0.1 * (i % 7));
  const Arguments arguments{"recommend", "--horizon", "900", "--history", "-", "--scale", "0:10"};
  const std::string text = output(arguments, csv);
  EXPECT_TRUE(contains(text, "The reward 9.90 of arm 'b' (line 27) is far from")) << text;
  Arguments kept = arguments;
  kept.emplace_back("--keep-outliers");
  EXPECT_FALSE(contains(output(kept, csv), "line 27"));
}

TEST(CommandLineRecommend, MarksTheBoundOfAnArmThatContradictsTheAssumption) {
  std::string csv = "arm,reward\n";
  for (int i = 0; i < 120; ++i) csv += fmt::format("a,{}\n", (i < 80 ? 0.2 : 0.8) + 0.01 * (i % 5));
  const std::string text = output({"recommend", "--horizon", "900", "--history", "-"}, csv);
  EXPECT_TRUE(contains(text, "0.995?\n")) << text;
  EXPECT_TRUE(contains(text, "Arm 'a' grows faster later than before (its rewards ")) << text;
}

TEST(CommandLineRecommend, RecommendsTheFirstPullWithoutAHistory) {
  const std::string text = output({"recommend", "--horizon", "100", "--names", "tea,coffee"});
  EXPECT_TRUE(contains(text, "Pull arm 'tea' next.\n\nNo rewards have been observed yet. Every arm gets ")) << text;
  EXPECT_EQ(output({"recommend", "--horizon", "100", "--names", "tea,coffee", "--history", "-"}, "arm,reward\n"), text);
}

TEST(CommandLineRecommend, ReadsStandardInputAndIgnoresOtherColumns) {
  const std::string csv = "when,reward,arm\nmon,0.5,1\ntue,0.6,1\nwed,0.1,0\nthu,0.1,0\n";
  const json object =
      json::parse(output({"recommend", "--horizon", "9", "--history", "-", "--json", "--sd", "0.1"}, csv));
  EXPECT_EQ(object["arms"][1]["pulls"], 2);
  EXPECT_EQ(object["next"][0]["arm"], 1);
  EXPECT_EQ(object["noise_sd"]["estimated"], false);
}

TEST(CommandLineRecommend, AnswersInTheUnitOfTheScale) {
  std::string csv = "arm,reward\n";
  for (int i = 0; i < 40; ++i) csv += fmt::format("{},{}\n", i % 2, i % 2 == 0 ? 100 + i : 60 + i % 7);
  const Arguments arguments{"recommend", "--horizon", "900", "--history", "-", "--scale", "0:250", "--json"};
  const json object = json::parse(output(arguments, csv));
  EXPECT_NEAR(object["arms"][0]["reward_now"]["mean"].get<double>(), 137, 5);
  EXPECT_GT(object["arms"][0]["index"].get<double>(), 130);
  EXPECT_LE(object["arms"][0]["index"].get<double>(), 250);
  EXPECT_EQ(object["arms"][0]["upper_bound"]["curve"].back()["pull"], 20 + 860);
}

TEST(CommandLineRecommend, KeepsToConstraints) {
  const json round =
      json::parse(output(recommending({"--units-per-round", "20", "--unavailable-now", "item 1,item 2", "--json"})));
  Pulls pulls = 0;
  for (const json& arm : round["next"]) {
    EXPECT_GE(arm["arm"].get<int>(), 2);
    pulls += arm["pulls"].get<Pulls>();
  }
  EXPECT_EQ(pulls, 20);
  EXPECT_EQ(round["unavailable_now"], json::parse(R"([{"arm": 0, "name": "item 1"}, {"arm": 1, "name": "item 2"}])"));
  const json due = json::parse(output(recommending({"--minimum-pulls", "item 2:200", "--json"})));
  EXPECT_EQ(due["next"][0], json::parse(R"({"arm": 1, "name": "item 2", "pulls": 1, "causes": {"minimum": 1}})"));
  EXPECT_TRUE(
      contains(output(recommending({"--unavailable-now", "item 1,item 2,item 3,item 4"})), "No arm can be pulled."));
}

TEST(CommandLineRecommend, DrawsAPicture) {
  std::filesystem::create_directories(scratch_path("drawn"));
  for (const char* kind : {"svg", "pdf", "png"}) {
    const std::string path = scratch_path(fmt::format("drawn/arms.{}", kind));
    EXPECT_TRUE(contains(output(recommending({"--plot", path})), "Pull arm")) << kind;
    EXPECT_GT(std::filesystem::file_size(path), 1000U) << kind;
  }
  const std::string picture = content(scratch_path("drawn/arms.svg"));
  for (const char* word : {"NEXT: arm", "arm item 1", ">expected, with 80 % interval<", ">upper bound<"})
    EXPECT_TRUE(contains(picture, word)) << word;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_path("drawn")), {}), 3) << "nothing beside it";
}

TEST(CommandLineRecommend, AFailureToDrawThatIsTheSystemsHasItsOwnExitCode) {
  const Arguments arguments = recommending({"--plot", scratch_path("arms.svg")});
  const EnvironmentVariable temporary("TMPDIR", "/proc");
  const Finished run = longrun_run(arguments);
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(contains(run.out, "Pull arm 'item 4' next.")) << "the advice is printed all the same";
  EXPECT_TRUE(run.err.starts_with("longrun: temporary folder: cannot be created: ")) << run.err;
}

TEST(CommandLineRecommend, WithoutGnuplotPrintsOneLine) {
  const NoPrograms none;
  const Finished run = longrun_run(recommending({"--plot", scratch_path("arms.svg")}));
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.out, "Pull arm 'item 4' next.")) << "the advice is printed all the same";
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_TRUE(contains(run.err, "arms.svg: cannot be drawn, because gnuplot is not installed")) << run.err;
}

TEST(CommandLineRecommend, InvalidInputPrintsOneLine) {
  struct Mistake {
    Arguments more;
    std::string csv;
    std::string complaint;
  };
  const std::string good = "arm,reward\n0,0.5\n1,0.6\n";
  const std::vector<Mistake> mistakes{
      {{}, "", "standard input: is empty; it should start with the names of the columns arm and reward"},
      {{},
       "0,0.5\n1,0.6\n",
       "standard input: line 1 has no column 'arm' but a number: 0, 0.5; the first line must name the columns"},
      {{},
       "arm,pay\n0,0.5\n",
       "standard input: line 1 has no column 'reward'; its columns are arm, pay (--reward-column NAME names another "
       "one)"},
      {{}, "arm,reward\n0,0.5\n1\n", "standard input: line 3 has 1 columns, the header 2"},
      {{}, "arm,reward\n0,0.5\n1,much\n", "standard input: line 3, column 2 (reward): 'much' is not a finite number"},
      {{}, "arm,reward\n0,inf\n", "line 2, column 2 (reward): 'inf' is not a finite number"},
      {{"--positions"}, "arm,reward\n0,0.5\n-1,0.5\n", "line 3, column 1 (arm): '-1' is not the position of an arm"},
      {{"--positions", "--arms", "2"}, "arm,reward\n2,0.5\n", "positions are from 0 to 1"},
      {{"--names", "tea,coffee"},
       "arm,reward\ncofee,0.5\n",
       "'cofee' is not an arm; arms are tea, coffee; did you mean 'coffee'?"},
      {{"--names", "tea,tea"}, good, "arm name 'tea' is given twice"},
      {{"--names", "a,b,c", "--arms", "2"}, good, "3 names are given for 2 arms"},
      {{},
       "arm,reward\n0,118\n0,122\n",
       "standard input: line 2: reward 118 of arm 0 is further outside the scale 0 to 1 than noise explains; set the "
       "scale"},
      {{}, "arm,reward\n", "standard input: has no rows; give the number or the names of the arms"},
      {{"--horizon", "1"}, good, "horizon 1: the history already takes 2 pulls; the horizon includes them"},
      {{"--horizon", "3", "--costs", "2"},
       good,
       "horizon 3: the history already takes 4 units; the horizon includes them"},
      {{"--horizon", "many"}, good, "--horizon many: must be a whole number >= 1"},
      {{"--arms", "0"}, good, "--arms 0: must be a whole number from 1"},
      {{"--noise", "loud"}, good, "loud"},
      {{"--noise", "none", "--sd", "1"}, good, "--noise and --sd cannot be combined; give one of them, or neither"},
      {{"--sd", "-1"}, good, "--sd -1: must be a number >= 0"},
      {{"--scale", "5:1"}, good, "--scale 5:1: must be MIN:MAX, two finite numbers, the first smaller than the second"},
      {{"--scale", "0:9", "--noise", "gaussian:1"},
       good,
       "--noise gaussian:1 cannot be combined with --scale; give --sd"},
      {{"--unavailable-now", "7"}, good, "--unavailable-now 7: '7' is not an arm; arms are 0, 1"},
      {{"--policy", "foresite"}, good, "did you mean 'foresight'?"},
      {{"--policy", "optimal"}, good, "policy 'optimal' needs known reward curves; a history does not give them"},
      {{"--plot", "arms.jpg"}, good, "arms.jpg: the file's name must end in .svg, .pdf or .png"},
      {{"--minimum-pulls", "x"}, good, "--minimum-pulls: 'x' should read"},
  };
  for (const auto& [more, csv, complaint] : mistakes) {
    Arguments arguments{"recommend", "--history", "-"};
    if (std::find(more.begin(), more.end(), "--horizon") == more.end())
      arguments.insert(arguments.end(), {"--horizon", "50"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    SCOPED_TRACE(fmt::format("{}", fmt::join(arguments, " ")));
    const Finished run = longrun_run(arguments, csv);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(contains(run.err, complaint)) << run.err;
  }
  // Neither the scale nor the noise is an error in the history.
  const Arguments loud{"recommend", "--horizon", "50", "--arms", "2", "--sd", "5000"};
  for (const Arguments& more : {Arguments{}, Arguments{"--history", "-"}}) {
    Arguments arguments = loud;
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(longrun_run(arguments, good).err,
              "longrun: the noise's standard deviation is 5000 times the range of rewards; at most 1000 is accepted\n");
  }
  const std::string folder = scratch_path("missing");
  const Finished unwritten =
      longrun_run({"recommend", "--horizon", "9", "--arms", "2", "--plot", folder + "/arms.svg"});
  EXPECT_EQ(unwritten.code, 3);
  EXPECT_TRUE(contains(unwritten.out, "Pull arm 0 next.")) << unwritten.out;
  EXPECT_EQ(unwritten.err, fmt::format("longrun: {0}/arms.svg: cannot be written: there is no folder {0}\n", folder));
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_TRUE(contains(longrun_run({"recommend", "--arms", "2"}).err, "the horizon is missing; give --horizon T"));
  EXPECT_TRUE(
      contains(longrun_run({"recommend", "--horizon", "9"}).err, "the number of arms is missing; give --arms N"));
  EXPECT_TRUE(
      contains(longrun_run({"recommend", "--horizon", "9", "--history", "none.csv"}).err, "none.csv: no such file"));
}

}  // namespace
}  // namespace longrun
