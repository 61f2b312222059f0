#include "longrun/report/advice/plan_figure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "longrun/report/gnuplot.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

PlanQuestion planned_question(std::size_t arms, Pulls remaining) {
  PlanQuestion asked{.question = {.history = {.arm_names = std::vector<std::string>(arms), .pulls = {}},
                                  .horizon = 10 * static_cast<Pulls>(arms) + remaining},
                     .futures = 100};
  for (std::size_t arm = 0; arm < arms; ++arm) {
    for (int pull = 0; pull < 10; ++pull) {
      const double level = 0.3 + 0.4 * static_cast<double>(arm) / static_cast<double>(arms);
      asked.question.history.pulls.push_back({static_cast<Arm>(arm), level + 0.05 * (pull % 3)});
    }
  }
  asked.question.history.arm_names[0] = R"(it's a `name` with "quotes" and \ of more than twenty letters)";
  return asked;
}

TEST(PlanFigure, GnuplotDrawsAnyNumberOfArms) {
  for (const std::size_t arms : {1U, 2U, 4U, 12U, 40U}) {
    for (const Pulls remaining : {0, 60}) {
      SCOPED_TRACE(fmt::format("{} arms, {} pulls", arms, remaining));
      const PlanQuestion asked = planned_question(arms, remaining);
      const std::string folder = scratch_path(fmt::format("plan-{}-{}", arms, remaining));
      write_plan_figure(asked, plan(asked), "plan", folder);
      ASSERT_TRUE(draw({"plan"}, folder)) << "the tests need gnuplot";
      for (const char* kind : {"svg", "pdf", "png"}) {
        EXPECT_GT(std::filesystem::file_size(fmt::format("{}/plan.{}", folder, kind)), 1000U);
      }
      EXPECT_FALSE(std::filesystem::exists(folder + "/plan.log"));
    }
  }
}

TEST(PlanFigure, ShowsThePullsOfTheArmsWithTheMostAndTheTotalsOfAllCourses) {
  const PlanQuestion asked = planned_question(30, 100);
  const Plan answer = plan(asked);
  const std::string folder = scratch_path("plan-data");
  write_plan_figure(asked, answer, "plan", folder);
  const std::string arms = content(folder + "/data/plan.arms.tsv");
  EXPECT_EQ(std::count(arms.begin(), arms.end(), '\n'), 1 + 24);
  const std::string totals = content(folder + "/data/plan.totals.tsv");
  const FutureRange& total = answer.courses[0].total;
  EXPECT_TRUE(totals.find(fmt::format("0\t{}\t{}\t{}\t1\n", total.mean, total.low, total.high)) != std::string::npos)
      << totals;
}

TEST(PlanFigure, LeavesRoomBeforeTheLowestInterval) {
  const PlanQuestion asked = planned_question(4, 100);
  const Plan answer = plan(asked);
  const std::string folder = scratch_path("plan-room");
  write_plan_figure(asked, answer, "plan", folder);
  double low = answer.courses[0].total.low;
  double high = low;
  for (const Course& course : answer.courses) {
    low = std::min({low, course.total.low, course.total.mean});
    high = std::max({high, course.total.high, course.total.mean});
  }
  const std::string script = content(folder + "/plan.gp");
  EXPECT_NE(script.find(fmt::format("set xrange [{:.9g}:*]", low - 0.04 * (high - low))), std::string::npos) << script;
  EXPECT_NE(script.find("set xrange [0:*]"), std::string::npos) << "bars";
}

}  // namespace
}  // namespace longrun
