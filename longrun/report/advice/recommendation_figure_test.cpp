#include "longrun/report/advice/recommendation_figure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/report/gnuplot.h"
#include "tests/environment_variable.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

Question made_question(int arms, int pulls, Pulls horizon) {
  Question question{.history = {.arm_names = std::vector<std::string>(static_cast<std::size_t>(arms)), .pulls = {}},
                    .horizon = horizon};
  for (int pull = 0; pull < pulls; ++pull) {
    const int arm = pull % arms;
    question.history.pulls.push_back({.arm = arm, .reward = 0.2 + 0.5 * arm / arms + 0.02 * (pull % 3)});
  }
  question.history.arm_names[0] = R"(it's a `name` with "quotes" and \ of more than twenty letters)";
  return question;
}

TEST(RecommendationFigure, GnuplotDrawsAnyNumberOfArmsAndPulls) {
  struct Case {
    int arms;
    int pulls;
    Pulls horizon;
  };
  for (const auto& [arms, pulls, horizon] : std::vector<Case>{
           {1, 0, 1}, {1, 5, 5}, {2, 1, 2}, {2, 100, 1000}, {4, 5000, 6000}, {12, 144, 1'000'000}, {40, 200, 300}}) {
    SCOPED_TRACE(fmt::format("{} arms, {} pulls of {}", arms, pulls, horizon));
    const Question question = made_question(arms, pulls, horizon);
    const std::string folder = scratch_path(fmt::format("recommendation-{}-{}", arms, pulls));
    write_recommendation_figure(question, recommend(question), "arms", folder);
    ASSERT_TRUE(draw({"arms"}, folder)) << "the tests need gnuplot";
    for (const char* kind : {"svg", "pdf", "png"}) {
      EXPECT_GT(std::filesystem::file_size(fmt::format("{}/arms.{}", folder, kind)), 1000U);
    }
    EXPECT_FALSE(std::filesystem::exists(folder + "/arms.log"));
  }
}

TEST(RecommendationFigure, ShowsTheRewardsTheExpectedOnesAndTheBoundOfEveryArm) {
  const Question question = made_question(3, 60, 100);
  const Recommendation answer = recommend(question);
  const std::string folder = scratch_path("recommendation-data");
  write_recommendation_figure(question, answer, "arms", folder);
  for (int arm = 0; arm < 3; ++arm) {
    const std::string rewards = content(fmt::format("{}/data/arms.{}.rewards.tsv", folder, arm));
    EXPECT_EQ(std::count(rewards.begin(), rewards.end(), '\n'), 1 + 20);
    const ArmReport& report = answer.arms[static_cast<std::size_t>(arm)];
    const std::string bound = content(fmt::format("{}/data/arms.{}.bound.tsv", folder, arm));
    EXPECT_EQ(std::count(bound.begin(), bound.end(), '\n'), 1 + std::ssize(report.upper_bound));
    const std::string expected = content(fmt::format("{}/data/arms.{}.expected.tsv", folder, arm));
    EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 1 + std::ssize(report.expected_course));
  }
  const std::string script = content(folder + "/arms.gp");
  EXPECT_NE(script.find(fmt::format("'NEXT: arm {}", answer.next.first)), std::string::npos);
  // The numbers and names of text and JSON: from 0.
  EXPECT_NE(script.find("arm it''s a `name`"), std::string::npos);
  EXPECT_NE(script.find("arm 2, "), std::string::npos);
  EXPECT_EQ(script.find("arm 3"), std::string::npos);
}

TEST(RecommendationFigure, OfManyArmsThoseToPullNextAndThoseWithTheHighestIndicesAreShown) {
  const Question question = made_question(100, 500, 5000);
  const Recommendation answer = recommend(question);
  const std::string folder = scratch_path("recommendation-many");
  write_recommendation_figure(question, answer, "arms", folder);
  const std::string script = content(folder + "/arms.gp");
  EXPECT_NE(script.find("shown: 24 of 100 arms, those to pull next and those with the highest indices"),
            std::string::npos);
  EXPECT_NE(script.find(fmt::format("'NEXT: arm {}", answer.next.first)), std::string::npos);
}

TEST(RecommendationFigure, AFailureToCreateTheTemporaryFolderIsThatOfTheSystem) {
  const Question question = made_question(2, 10, 20);
  const Recommendation answer = recommend(question);
  const std::string picture = scratch_path("not-drawn.svg");
  for (const std::string& folder : {scratch_path("no/such/folder"), std::string("/proc")}) {
    const EnvironmentVariable temporary("TMPDIR", folder);
    try {
      draw_recommendation(question, answer, picture);
      ADD_FAILURE() << folder;
    } catch (const SystemError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("temporary folder: cannot be created: ")) << error.what();
    }
  }
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST(RecommendationFigure, AcceptsThreeKindsOfFiles) {
  for (const char* name : {"a.svg", "./c.pdf", "d.e.png"}) EXPECT_NO_THROW(check_picture_path(name));
  for (const char* name : {"a.jpg", "svg", "a", "a.svg.gz"}) EXPECT_THROW(check_picture_path(name), InputError);
}

TEST(RecommendationFigure, AMissingFolderIsNotCreated) {
  const std::string folder = scratch_path("missing");
  const Question question = made_question(2, 10, 20);
  try {
    draw_recommendation(question, recommend(question), folder + "/arms.svg");
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_EQ(error.what(), folder + "/arms.svg: cannot be written: there is no folder " + folder);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace longrun
