// `longrun plan` as a process: text, JSON, picture and invalid input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "longrun/data/csv.h"
#include "longrun/data/csv_history.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/simulate/plan/plan_text.h"
#include "tests/cli_output.h"
#include "tests/long_tests.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

using nlohmann::json;

const std::string kPlannedHistory = in_source("datasets/example_history.csv");

Arguments planning(const Arguments& more) {
  Arguments arguments{"plan", "--horizon", "1000", "--history", kPlannedHistory};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string plan_error(const Arguments& more) {
  const Finished run = longrun_run(planning(more));
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_EQ(run.out, "");
  return run.err;
}

TEST(CommandLinePlan, PrintsTheAnswerOfTheLibrary) {
  std::ifstream file = open_text(kPlannedHistory);
  PlanQuestion asked{
      .question = {.history = read_csv_history(kPlannedHistory, file, {}), .horizon = 1000}, .futures = 200, .seed = 4};
  Constraints share;
  share.minimum_share.every = 0.1;
  asked.compare.push_back({"minimum-share 0.1", share});
  const Plan answer = plan(asked);
  const json object = json::parse(output(
      planning({"--json", "--futures", "200", "--seed", "4", "--compare", "minimum-share 0.1", "--threads", "3"})));
  EXPECT_EQ(object["what_is_earned"], json(what_is_earned(asked, answer)));
  EXPECT_EQ(object["what_constraints_cost"], json(what_constraints_cost(asked, answer)));
  EXPECT_EQ(object["units_left"], 700);
  ASSERT_EQ(object["courses"].size(), answer.courses.size());
  for (std::size_t course = 0; course < answer.courses.size(); ++course) {
    EXPECT_EQ(object["courses"][course]["total"]["low"], answer.courses[course].total.low);
    EXPECT_EQ(object["courses"][course]["loss"]["high"], answer.courses[course].loss.high);
    EXPECT_EQ(object["courses"][course]["worse_share"], answer.courses[course].worse_share);
  }
  for (std::size_t arm = 0; arm < answer.arms.size(); ++arm) {
    EXPECT_EQ(object["arms"][arm]["rest"]["mean"], answer.arms[arm].rest.mean);
    EXPECT_EQ(object["arms"][arm]["made"], answer.arms[arm].made);
  }
}

TEST(CommandLinePlan, JsonHasTheDocumentedKeys) {
  const json object = json::parse(
      output(planning({"--json", "--futures", "100", "--unavailable-now", "item 1", "--minimum-pulls", "3"})));
  const std::string docs = content(in_source("docs/plan.md"));
  const auto documented = [&](const json& part, const std::string& path) {
    for (const auto& [key, value] : part.items()) {
      EXPECT_TRUE(contains(docs, fmt::format("`{}{}`", path, key))) << "docs/plan.md does not name " << path << key;
    }
  };
  documented(object, "");
  documented(object["arms"][0], "arms[].");
  documented(object["courses"][0], "courses[].");
}

TEST(CommandLinePlan, PrintsTheExampleOfTheDocs) {
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "a thousand futures; shorter plans run the same code";
  const std::string text = output(planning({"--compare", "minimum-share 0.1"}));
  EXPECT_TRUE(contains(content(in_source("docs/plan.md")), "```\n" + text + "```\n"))
      << "docs/plan.md should contain:\n"
      << text;
}

TEST(CommandLinePlan, NamesOutliersAsRecommendDoes) {
  std::string csv = "arm,reward\n";
  for (int i = 0; i < 40; ++i) csv += fmt::format("{},{}\n", i % 2 == 0 ? "a" : "b", i == 25 ? 9.9 : 2 + 0.1 * (i % 7));
  const std::string text =
      output({"plan", "--horizon", "60", "--history", "-", "--scale", "0:10", "--futures", "100"}, csv);
  EXPECT_TRUE(contains(text, "Cautions:\nThe reward 9.90 of arm 'b' (line 27) is far from")) << text;
}

TEST(CommandLinePlan, AListOfValuesNeedsAnOrderOfTheArms) {
  const Finished run = longrun_run(planning({"--compare", "minimum-pulls 1,2,3,4"}));
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err, "--compare minimum-pulls 1,2,3,4: ")) << run.err;
}

TEST(CommandLinePlan, ComparesWithAConstraintInPlaceOfTheOneOfItsName) {
  const json object =
      json::parse(output(planning({"--json", "--futures", "100", "--minimum-pulls", "100", "--compare",
                                   "minimum-pulls 0", "--compare", "none", "--compare", "units-per-round=10"})));
  const json& courses = object["courses"];
  EXPECT_EQ(courses[4]["name"], "minimum-pulls 0");
  EXPECT_EQ(courses[5]["name"], "no constraints");
  EXPECT_EQ(courses[4]["total"], courses[5]["total"]);
  EXPECT_EQ(courses[6]["name"], "units-per-round 10");
  EXPECT_GE(courses[6]["arm_pulls"][0]["low"], 29);  // 71 + 29 = 100: the minimum pulls still hold
}

TEST(CommandLinePlan, ShowsTwentyArmsUnlessAllAreAskedFor) {
  std::string csv = "arm,reward\n";
  for (int pull = 0; pull < 90; ++pull) csv += fmt::format("arm{},0.{}\n", pull % 30, 1 + pull % 7);
  const Arguments arguments{"plan", "--horizon", "150", "--history", "-", "--futures", "100"};
  const auto rows = [](const std::string& text) {
    std::size_t count = 0;
    for (int arm = 0; arm < 30; ++arm) count += contains(text, fmt::format("\narm{} ", arm)) ? 1U : 0U;
    return count;
  };
  const std::string text = output(arguments, csv);
  EXPECT_EQ(rows(text), 20U) << text;
  EXPECT_TRUE(contains(text, "\n10 more arms are not shown; --all-arms shows all.\n")) << text;
  Arguments all = arguments;
  all.emplace_back("--all-arms");
  EXPECT_EQ(rows(output(all, csv)), 30U);
  all.back() = "--json";
  EXPECT_EQ(json::parse(output(all, csv))["arms"].size(), 30U);
}

TEST(CommandLinePlan, RefusesWhatWouldTakeDays) {
  const Finished fewer = longrun_run({"plan", "--horizon", "100000000", "--arms", "2"});
  EXPECT_EQ(fewer.code, 2);
  EXPECT_TRUE(contains(
      fewer.err, "longrun: --futures: 1000 are too many for 100000000 remaining pulls and 3 courses; at most 333"))
      << fewer.err;
  const Finished refused = longrun_run({"plan", "--horizon", "1000000000", "--arms", "2"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "longrun: 1000000000 remaining pulls: too many for a plan")) << refused.err;
}

TEST(CommandLinePlan, DrawsAPicture) {
  const std::string path = scratch_path("plan.svg");
  output(planning({"--futures", "100", "--plot", path}));
  EXPECT_TRUE(contains(content(path), "equal split"));
}

TEST(CommandLinePlan, SaysWhatIsWrongWithAStudyOrItsComparison) {
  const auto error = [](const Arguments& arguments) {
    Arguments all{"plan", "--study"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Finished run = longrun_run(all);
    EXPECT_EQ(run.code, 2);
    return run.err;
  };
  EXPECT_EQ(error({"absent.jsonl"}), "longrun: absent.jsonl: no such file\n");
  const std::string study = written("planned.jsonl", to_json(StudySpec{.arms = {"a", "b"}, .budget = 10}) + "\n");
  EXPECT_EQ(
      error({study, "--compare", "minimum-share 0.9"}),
      "longrun: --compare minimum-share 0.9: minimum-share: the shares of all 2 arms add up to 1.8, more than 1\n");
  EXPECT_EQ(
      error({study, "--compare", "costs 20"}),
      "longrun: --compare costs 20: costs: the cheapest pull costs 20 units, more than the horizon of 10 units\n");
}

TEST(CommandLinePlan, SaysWhatIsWrongWithAnOption) {
  EXPECT_TRUE(contains(plan_error({"--futures", "10"}), "--futures 10: must be a whole number from 100 to 1000000"));
  EXPECT_TRUE(contains(plan_error({"--futures", "many"}), "--futures many: must be a whole number"));
  EXPECT_TRUE(contains(plan_error({"--seed", "-1"}), "--seed -1: must be a whole number"));
  EXPECT_TRUE(contains(plan_error({"--threads", "0"}), "--threads 0: must be a whole number from 1 to 1024"));
  EXPECT_TRUE(contains(plan_error({"--compare", "fairness 0.1"}),
                       "--compare fairness 0.1: unknown constraint 'fairness'; must be one of none, units-per-round"));
  EXPECT_TRUE(contains(plan_error({"--compare", "minimum-share"}),
                       "--compare minimum-share: the value is missing; give it after a space"));
  EXPECT_TRUE(
      contains(plan_error({"--compare", "minimum-share 2"}), "--compare minimum-share 2: '2': 2 is out of range"));
  EXPECT_TRUE(contains(plan_error({"--compare", "minimum-share 0.5"}),
                       "longrun: --compare minimum-share 0.5: minimum-share: the shares of all 4 arms add up to 2"));
  EXPECT_TRUE(contains(plan_error({"--minimum-pulls", "100", "--compare", "minimum-share item 2:0.9"}),
                       "longrun: --compare minimum-share item 2:0.9: minimum-pulls, minimum-share: "));
  EXPECT_TRUE(contains(plan_error({"--minimum-pulls", "900", "--minimum-share", "0.1"}),
                       "longrun: --minimum-pulls, --minimum-share: "));
  EXPECT_TRUE(contains(plan_error({"--futures", "1,000"}), "from 100 to 1000000, without separators: 1000"));
  EXPECT_TRUE(contains(plan_error({"--compare"}), "--compare"));
  EXPECT_TRUE(contains(plan_error({"--plot", "plan.txt"}), "plan.txt: the file's name must end in .svg, .pdf or .png"));
  EXPECT_TRUE(contains(plan_error({"--policy", "optimal"}), "needs known reward curves"));
}

}  // namespace
}  // namespace longrun
