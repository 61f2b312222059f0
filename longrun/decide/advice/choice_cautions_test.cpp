#include "longrun/decide/advice/choice_cautions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns the first caution with this text, or an empty one.
std::string caution_with(const std::string& part, const Question& question, const Recommendation& answer) {
  const std::vector<std::string> all = cautions(question, answer);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.find(part) != std::string::npos; });
  return found == all.end() ? "" : *found;
}

constexpr const char* kDoubtfulFall = "the policy classified it as falling, which may be chance";

/// Returns a question about yes/no rewards of arms with these rates at their first and last pull.
struct Rates {
  double first = 0;
  double last = 0;
};
Question yes_no_question(const std::vector<Rates>& rates, int pulls, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Question question{.history = {.arm_names = {"a", "b", "c", "d"}, .pulls = {}}, .horizon = Pulls{8} * pulls};
  for (int pull = 0; pull < pulls; ++pull) {
    for (Arm arm = 0; arm < 4; ++arm) {
      const auto& [first, last] = rates[static_cast<std::size_t>(arm)];
      const double rate = first + (last - first) * pull / pulls;
      question.history.pulls.push_back({arm, std::bernoulli_distribution(rate)(random) ? 1.0 : 0.0});
    }
  }
  return question;
}

TEST(ChoiceCautions, NameTheBestArmIfItIsLeftForAFallThatItsRewardsDoNotShow) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  int left = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Question question = yes_no_question({{0.02, 0.02}, {0.3, 0.3}, {0.02, 0.02}, {0.02, 0.02}}, 150, seed);
    const Recommendation answer = recommend(question);
    const std::string caution = caution_with(kDoubtfulFall, question, answer);
    if (answer.next.first == 1) {
      EXPECT_EQ(caution, "") << seed;
    } else if (answer.arms[1].classified_falling) {
      ++left;
      EXPECT_TRUE(caution.starts_with("Arm 'b' now pays about 0.")) << seed << ": " << caution;
      EXPECT_TRUE(caution.ends_with("If you know no reason why it should fall, pull arm 'b'.")) << caution;
    }
  }
  EXPECT_GT(left, 0) << "else the logs do not test the claim";
}

TEST(ChoiceCautions, DoNotDoubtAFallThatRewardsShow) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  int said = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Question question = yes_no_question({{0.1, 0.4}, {0.9, 0.3}, {0.1, 0.1}, {0.2, 0.2}}, 150, seed);
    said += caution_with(kDoubtfulFall, question, recommend(question)).empty() ? 0 : 1;
  }
  EXPECT_LE(said, 2);
}

TEST(ChoiceCautions, OfNewestRewardsOutsideTheScaleNeedThreeOfThemIfTheNoiseIsNotStated) {
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 100, .scale = {0, 1000}};
  for (const double reward : {180.0, 1400.0, 170.0, 185.0, 1950.0}) {
    question.history.pulls.push_back({0, 300 + reward / 10});
    question.history.pulls.push_back({1, reward});
  }
  EXPECT_EQ(caution_with("as its nearest end", question, recommend(question)), "")
      << "the mean of arm 'b' is 777: the scale and the rewards are right";
}

}  // namespace
}  // namespace longrun
