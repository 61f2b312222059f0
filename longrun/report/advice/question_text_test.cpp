#include "longrun/report/advice/question_text.h"

#include <gtest/gtest.h>

#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

using Sentences = std::vector<std::string>;

Question four_groups() {
  return {.history = {.arm_names = {"north", "south", "east", "7"}, .pulls = {}}, .horizon = 400};
}

TEST(ConstraintSentences, SayNothingWithoutConstraints) {
  EXPECT_EQ(constraint_sentences(four_groups()), Sentences{});
  EXPECT_EQ(horizon_text(four_groups()), "400 pulls");
  EXPECT_EQ(horizon_text({.history = {}, .horizon = 1}), "1 pull");
}

TEST(ConstraintSentences, StateEveryConstraintInWords) {
  Question question = four_groups();
  question.constraints.units_per_round = 8;
  question.constraints.units_lapse = true;
  question.constraints.minimum_pulls = {.every = 40, .named = {{1, 50}, {2, 0}}};
  question.constraints.minimum_share = {.named = {{0, 0.1}, {3, 0.1}, {1, 0.125}}};
  question.constraints.unavailable = {{2, {{20, 30}, {40, 40}}}, {3, {{5, 5}}}};
  question.unavailable_now = {0, 1};
  EXPECT_EQ(  // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): long sentences
      constraint_sentences(question),
      (Sentences{"Every round has 8 units; its pulls are decided together.", "Units that a round leaves unspent lapse.",
                 "Smallest number of pulls by the end: 0 for arm 'east'; 50 for arm 'south'; 40 for every other arm.",
                 ("Smallest share of the spent units, at all times: 10 % for arm 'north' and arm 7; 12.5 % for arm "
                  "'south'."),
                 "Not available in rounds 20 to 30 and 40: arm 'east'.", "Not available in round 5: arm 7.",
                 "Not available now: arm 'north' and arm 'south'."}));
  EXPECT_EQ(horizon_text(question), "400 units");
}

TEST(ConstraintSentences, CostsHaveTheirDecimals) {
  Question question = four_groups();
  question.constraints = Constraints::with_decimals(2);
  question.constraints.costs.named = {{0, 250}, {1, 75}, {2, 250}};
  question.horizon = 40050;
  EXPECT_EQ(
      constraint_sentences(question),
      Sentences{"Cost of a pull: 0.75 units for arm 'south'; 2.5 units for arm 'north' and arm 'east'; 1 unit for "
                "every other arm."});
  EXPECT_EQ(horizon_text(question), "400.5 units");
  question.constraints.costs = {.every = 200};
  EXPECT_EQ(constraint_sentences(question), Sentences{"Cost of a pull: 2 units for every arm."});
}

TEST(ConstraintSentences, NameNotMoreThan24Arms) {
  Question question{.history = {.arm_names = position_labels(100), .pulls = {}}, .horizon = 400};
  for (Arm arm = 0; arm < 30; ++arm) question.unavailable_now.push_back(arm);
  const std::string sentence = constraint_sentences(question).at(0);
  EXPECT_NE(sentence.find("arm 22, arm 23 and 6 more arms."), std::string::npos) << sentence;
}

TEST(ScaleText, HasBothEnds) {
  EXPECT_EQ(scale_text({.minimum = -2.5, .maximum = 1000000}), "Mean rewards lie between -2.5 and 1000000.");
}

}  // namespace
}  // namespace longrun
