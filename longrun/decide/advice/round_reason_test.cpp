// What a recommendation says about a whole round, and about the lack of one, is true.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/standing.h"

namespace longrun {
namespace {

/// Returns a question about two arms with 40 rewards each, of about 0.5 and 0.45, and a new one with these rewards.
Question new_arm_question(const std::vector<double>& rewards) {
  Question question{.history = {.arm_names = {"a", "b", "new"}, .pulls = {}}, .horizon = 1000, .noise = Gaussian{0.1}};
  for (int pull = 0; pull < 40; ++pull) {
    const double noise = 0.1 * std::sin(2 * pull);
    question.history.pulls.push_back({0, 0.5 + noise});
    question.history.pulls.push_back({1, 0.45 - noise});
  }
  for (const double reward : rewards) question.history.pulls.push_back({2, reward});
  return question;
}

std::string all_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

/// Returns the pulls of the last arm among the next `count` ones that are decided one by one, if each pull of that arm
/// pays `reward`.
Pulls one_by_one(Question question, Pulls count, double reward) {
  Pulls pulls = 0;
  for (Pulls pull = 0; pull < count; ++pull) {
    const Arm arm = recommend(question).next.first;
    EXPECT_EQ(arm, 2) << "the other arms' rewards would have to be known";
    ++pulls;
    question.history.pulls.push_back({arm, reward});
  }
  return pulls;
}

TEST(RoundReason, TheCountIsThatOfPullsThatPayWhatIsExpectedOfThem) {
  Question question = new_arm_question({0.9});
  const Pulls pulls = one_by_one(question, 39, 0.9);  // one reward: what is expected is that reward
  question.constraints.units_per_round = 40;
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.next.arms.size(), 1U);
  EXPECT_EQ(answer.next.arms[0].arm, 2);
  EXPECT_EQ(answer.next.pulls(), pulls) << "81 pulls are made; the rest of the third round is recommended";
}

TEST(RoundReason, SaysHowManyPullsTheInitialPullsExplain) {
  Question question = new_arm_question({0.9});
  question.noise = NoNoise{};  // then every arm has several initial pulls
  for (PastPull& pull : question.history.pulls) pull.reward = pull.arm == 2 ? 0.9 : 0.5;
  question.constraints.units_per_round = 40;
  const Recommendation answer = recommend(question);
  const Pulls lacking = answer.initial_pulls - 1;
  ASSERT_GT(lacking, 1);
  const std::string reasons = all_of(why(question, answer));
  EXPECT_NE(reasons.find(fmt::format("Every arm gets {} pulls before arms are compared; arm 'new' has 1 so far. That "
                                     "is the reason of {} of its 39 pulls; the other {} are the choice of the policy "
                                     "if the first pay what is expected after 1 reward.",
                                     lacking + 1, lacking, 39 - lacking)),
            std::string::npos)
      << reasons;
  EXPECT_NE(reasons.find("each as if those before it had continued the last step of their arms."), std::string::npos);
  question.constraints = {};
  EXPECT_EQ(all_of(why(question, recommend(question))).find("That is the reason of"), std::string::npos)
      << "a round of one pull has one reason";
}

TEST(RoundReason, ARoundOnFewRewardsIsCautionedAgainst) {
  Question question = new_arm_question({0.9});
  EXPECT_TRUE(cautions(question, recommend(question)).empty()) << "one pull at a time";
  question.constraints.units_per_round = 40;
  const std::vector<std::string> warned = cautions(question, recommend(question));
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_TRUE(
      warned[0].starts_with("All 39 pulls of the round go to arm 'new', of which only 1 reward is known. "
                            "Smaller rounds would learn more"))
      << warned[0];
  // The truth of "smaller rounds would learn more": bad rewards end the pulls of the arm where they are known in time.
  Question disappointed = new_arm_question({0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  EXPECT_NE(recommend(disappointed).next.first, 2);
  Question known = new_arm_question(std::vector<double>(10, 0.9));
  known.constraints.units_per_round = 45;  // 90 pulls are made
  EXPECT_TRUE(cautions(known, recommend(known)).empty()) << "ten rewards are enough";
  ASSERT_EQ(recommend(known).next.arms[0].arm, 2);
  Question small = new_arm_question({0.9});
  small.constraints.units_per_round = 9;  // 9 rounds are complete
  EXPECT_TRUE(cautions(small, recommend(small)).empty()) << "the round is small";
}

TEST(RoundReason, WithoutRewardsTheLeastChosenArmIsNext) {
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 100};
  question.constraints.units_per_round = 40;
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.next.arms.size(), 2U);
  EXPECT_EQ(answer.next.arms[0].pulls(), 20);
  EXPECT_NE(all_of(why(question, answer))
                .find("until the first reward is known, the arm that was chosen least often is next"),
            std::string::npos);
  EXPECT_TRUE(cautions(question, answer).empty());
}

std::string why_nothing(const Question& question) {
  const Recommendation answer = recommend(question);
  EXPECT_TRUE(answer.next.arms.empty());
  return all_of(why(question, answer));
}

TEST(RoundReason, TheObstacleThatHoldsIsNamed) {
  const Question spent{.history = {.arm_names = {"a", "b"}, .pulls = {{0, 0.5}, {1, 0.5}}}, .horizon = 2};
  EXPECT_EQ(why_nothing(spent), "All 2 pulls have been made.\n");

  Question costly{.history = {.arm_names = {"a", "b"}, .pulls = {{0, 0.5}, {1, 0.5}}}, .horizon = 14};
  costly.constraints.costs.named = {{1, 10}};
  costly.unavailable_now = {0, 1};
  EXPECT_EQ(why_nothing(costly), "All arms are unavailable now.\n");
  costly.unavailable_now = {0};
  EXPECT_EQ(why_nothing(costly), "The remaining 3 units do not pay for a pull of any arm that is available now.\n");
  costly.horizon = 11;
  EXPECT_EQ(why_nothing(costly), "No units are left.\n");

  Question reserved{.history = {.arm_names = {"a", "b"}, .pulls = {{1, 0.5}, {1, 0.5}}}, .horizon = 5};
  reserved.constraints.minimum_pulls.named = {{0, 3}};
  reserved.unavailable_now = {0};
  EXPECT_EQ(why_nothing(reserved),
            "The rest of the budget is reserved for the minimum pulls and shares of arms that are unavailable.\n");

  Question gone{.history = {.arm_names = {"a", "b"}, .pulls = {{0, 0.5}, {1, 0.5}}}, .horizon = 5};
  gone.constraints.unavailable = {{0, {{3, 5}}}, {1, {{3, 5}}}};
  EXPECT_EQ(why_nothing(gone), "No arm can be paid for in a remaining round in which it is available.\n");

  Question far{.history = {.arm_names = {"a"}, .pulls = {}}, .horizon = 100'000'000};
  far.constraints.unavailable = {{0, {{1, 90'000'000}}}};
  EXPECT_EQ(why_nothing(far),
            "No arm can be pulled in the rounds that were searched; a later round may have a pull.\n");
}

TEST(Recommendation, FutureRangeIsThatOfThePullsThatTheBudgetPaysForAtTheArmsCost) {
  Question question = new_arm_question(std::vector<double>(20, 0.7));
  for (std::size_t pull = 0; pull < 20; ++pull)
    question.history.pulls[80 + pull].reward = 0.5 + 0.02 * static_cast<double>(pull);  // it grows
  question.horizon = 700;
  question.constraints.costs.named = {{0, 3}, {1, 1}, {2, 4}};
  const Recommendation answer = recommend(question);
  EXPECT_EQ(answer.units_left, 700 - 40 * 3 - 40 - 20 * 4);
  EXPECT_EQ(answer.index_pulls, 460) << "expensive pulls so far count with what they cost";
  EXPECT_TRUE(answer.costs_differ);
  for (Arm arm = 0; arm < 3; ++arm) {
    const ArmReport& report = answer.arms[static_cast<std::size_t>(arm)];
    EXPECT_EQ(report.remaining, 460 / question.constraints.costs.at(arm));
    const Standing standing = standing_of(question);
    const FutureRange expected = expected_reward(standing.reports.futures(arm).spread(), report.remaining);
    EXPECT_EQ(report.expected->mean, expected.mean);
    EXPECT_EQ(report.expected_course.back().pull, report.pulls + report.remaining);
    EXPECT_EQ(report.upper_bound.back().pull, report.pulls + report.remaining);
    EXPECT_LE(report.upper_bound_total, static_cast<double>(report.remaining));
    const double over_index = expected_reward(standing.reports.futures(arm).spread(), answer.index_pulls).mean;
    EXPECT_EQ(*report.value_of_learning, std::max(0.0, report.index - over_index));
  }
  const Arm growing = 2;
  const double over_all = expected_reward(standing_of(question).reports.futures(growing).spread(), 460).mean;
  EXPECT_NE(answer.arms[2].expected->mean, over_all) << "the cheapest arm could get 460 pulls, this one cannot";
  question.horizon = 241;  // one unit is left
  const Recommendation last = recommend(question);
  EXPECT_EQ(last.arms[1].remaining, 1);
  EXPECT_FALSE(last.arms[2].expected) << "it cannot be paid for";
}

TEST(Recommendation, PullsOfTheExplanationAreThoseOfTheArmsCost) {
  Question question = new_arm_question(std::vector<double>(20, 0.9));
  question.constraints.costs.named = {{0, 3}, {1, 3}, {2, 2}};
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.next.first, 2);
  EXPECT_NE(
      all_of(why(question, answer)).find("Over the 360 pulls that the remaining 720 units pay for it is expected"),
      std::string::npos);
}

}  // namespace
}  // namespace longrun
