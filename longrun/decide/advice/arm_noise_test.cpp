#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/noise_by_arm.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns a question about two constant arms, 'quiet' and 'loud', with noise of these standard deviations.
Question two_arms(double quiet, double loud, int pulls, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Question question{.history = {.arm_names = {"quiet", "loud"}, .pulls = {}}, .horizon = Pulls{10} * pulls};
  for (int pull = 0; pull < pulls; ++pull) {
    question.history.pulls.push_back({0, 0.4 + quiet * normal(random)});
    question.history.pulls.push_back({1, 0.5 + loud * normal(random)});
  }
  return question;
}

std::string caution_of(const Question& question) {
  const std::vector<std::string> sentences = cautions(question, recommend(question));
  return sentences.empty() ? "" : sentences.front();
}

TEST(NoiseOfAnArm, MakesTheErrorOfItsRewardNow) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const int pulls : {30, 100, 400}) {
    constexpr int kQuestions = 300;
    int inside[2] = {};
    double errors[2] = {};
    for (std::uint64_t seed = 0; seed < kQuestions; ++seed) {
      const Recommendation answer = recommend(two_arms(0.02, 0.2, pulls, seed));
      for (const std::size_t arm : {0U, 1U}) {
        const RewardNow& now = *answer.arms[arm].reward_now;
        const double truth = arm == 0 ? 0.4 : 0.5;
        inside[arm] += now.low <= truth && truth <= now.high ? 1 : 0;
        errors[arm] += now.standard_error * std::sqrt(static_cast<double>(now.pulls)) / kQuestions;
      }
    }
    for (const int count : inside) {
      EXPECT_GT(count, 0.7 * kQuestions) << pulls << " pulls";
      EXPECT_LT(count, 0.92 * kQuestions) << pulls << " pulls";
    }
    EXPECT_NEAR(errors[0], 0.02, 0.006) << pulls << " pulls";
    EXPECT_NEAR(errors[1], 0.2, 0.02) << pulls << " pulls";
  }
}

TEST(NoiseOfAnArm, ThatDiffersFromThatOfAnotherIsACaution) {
  const std::string caution = caution_of(two_arms(0.02, 0.2, 100, 1));
  EXPECT_TRUE(caution.starts_with("The rewards of arm 'loud' have noise of standard deviation 0.")) << caution;
  EXPECT_NE(caution.find("it takes longer than necessary to see a change of arm 'quiet', and can mistake the noise of "
                         "arm 'loud' for a change."),
            std::string::npos)
      << caution;
}

TEST(NoiseOfAnArm, ThatDiffersIsACautionInSpiteOfAnOutlierOrAJump) {
  const auto is_said = [](const Question& question) {
    const std::vector<std::string> sentences = cautions(question, recommend(question));
    return std::any_of(sentences.begin(), sentences.end(), [](const std::string& sentence) {
      return sentence.starts_with("The rewards of arm 'loud' have noise of standard deviation 0.");
    });
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Question question = two_arms(0.02, 0.2, 100, seed);
    question.scale = {.minimum = -1, .maximum = 5};
    ASSERT_TRUE(is_said(question)) << seed;
    Question typo = question;
    typo.history.pulls[100].reward = 5;  // of 'quiet'
    ASSERT_EQ(recommend(typo).outliers.size(), 1U) << seed;
    EXPECT_TRUE(is_said(typo)) << seed;
    for (std::size_t pull = 0; pull < 100; pull += 2) *question.history.pulls[pull].reward -= 1;
    ASSERT_NEAR(static_cast<double>(recommend(question).arms[0].misfit->counted), 48, 2) << seed;
    EXPECT_TRUE(is_said(question)) << seed;
  }
}

TEST(NoiseOfAnArm, ThatIsTheSameForAllArmsIsRarelyACaution) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  int said = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) said += caution_of(two_arms(0.1, 0.1, 30, seed)).empty() ? 0 : 1;
  EXPECT_LE(said, 1);
}

TEST(NoiseOfAnArm, OfRareOrSkewedAmountsThatIsTheSameForAllArmsIsRarelyACaution) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  std::mt19937_64 random(21);
  const auto sale = [&](double rate) { return std::bernoulli_distribution(rate)(random) ? 0.5 : 0.0; };
  const std::vector<std::pair<std::string, std::function<double()>>> kinds{
      {"50 of 100 with 3 %", [&] { return sale(0.03); }},
      {"50 of 100 with 10 %", [&] { return sale(0.1); }},
      {"exponential", [&] { return std::exponential_distribution(20.0)(random); }},
      {"lognormal", [&] { return 0.002 * std::lognormal_distribution(3.0, 0.8)(random); }},
  };
  for (const auto& [name, reward] : kinds) {
    for (const int pulls : {25, 100, 400}) {
      int said = 0;
      for (int log = 0; log < 100; ++log) {
        Question question{.history = {.arm_names = {"a", "b", "c", "d"}, .pulls = {}}, .horizon = Pulls{40} * pulls};
        for (int pull = 0; pull < 4 * pulls; ++pull) question.history.pulls.push_back({pull % 4, reward()});
        const auto sentences = cautions(question, recommend(question));
        said += std::any_of(sentences.begin(), sentences.end(), [](const std::string& sentence) {
          return sentence.find("have noise of standard deviation") != std::string::npos;
        });
      }
      EXPECT_LE(said, 5) << name << ", " << pulls << " pulls";
    }
  }
}

TEST(StatedNoise, FarFromThatOfTheRewardsIsACaution) {
  const auto caution = [](double stated, double shown) {
    Question question = two_arms(shown, shown, 40, 3);
    question.noise = Gaussian{stated};
    for (const std::string& sentence : cautions(question, recommend(question))) {
      if (sentence.starts_with("The noise is stated")) return sentence;
    }
    return std::string();
  };
  EXPECT_TRUE(caution(0.1, 0.1).empty());
  EXPECT_TRUE(caution(0.13, 0.1).empty());
  EXPECT_TRUE(caution(0.08, 0.1).empty());
  EXPECT_TRUE(
      caution(0.05, 0.1).starts_with("The noise is stated as one of standard deviation 0.050, but the rewards "
                                     "show about 0."))
      << caution(0.05, 0.1);
  EXPECT_NE(caution(0.05, 0.1).find("mistakes noise for changes"), std::string::npos);
  EXPECT_NE(caution(0.4, 0.1).find("sees late that an arm falls"), std::string::npos);
}

/// The curves of the arms of a log: of a level arm, of one that rises fast, of one that rises slowly, of one that
/// falls, and of an S-shaped one.
const std::vector<std::function<double(int)>> kCurves{
    [](int) { return 0.5; },
    [](int pull) { return 0.9 - 0.8 * std::exp(-pull / 10.0); },
    [](int pull) { return 0.1 + 0.002 * pull; },
    [](int pull) { return 0.2 + 0.7 * std::exp(-pull / 40.0); },
    [](int pull) { return 0.1 + 0.8 / (1 + std::exp((50 - pull) / 8.0)); },
};

/// An error of a reward, with a standard deviation of 1 before it is multiplied.
using DrawError = std::function<double()>;

/// Returns of how many of 100 logs of five arms it is said that `stated` contradicts them. The arms have the first of
/// kCurves, or one each.
int times_contradicted(double stated, double sd, const DrawError& error, int pulls, bool all_level = false) {
  int said = 0;
  for (int log = 0; log < 100; ++log) {
    History history{.arm_names = {"a", "b", "c", "d", "e"}, .pulls = {}};
    for (int pull = 0; pull < pulls; ++pull) {
      for (std::size_t arm = 0; arm < kCurves.size(); ++arm) {
        const double mean = kCurves[all_level ? 0 : arm](pull);
        history.pulls.push_back({static_cast<Arm>(arm), mean + sd * error()});
      }
    }
    said += contradicted_noise(history, stated, 1) ? 1 : 0;
  }
  return said;
}

TEST(StatedNoise, ThatIsRightIsRarelyContradicted) {
  std::mt19937_64 random(22);
  const std::vector<std::pair<std::string, DrawError>> kinds{
      {"Gaussian", [&] { return std::normal_distribution()(random); }},
      {"uniform", [&] { return std::uniform_real_distribution(-std::sqrt(3), std::sqrt(3))(random); }},
      {"Student-t", [&] { return std::student_t_distribution(3.0)(random) / std::sqrt(3); }},
      {"exponential", [&] { return std::exponential_distribution()(random); }},
      {"lognormal", [&] { return std::lognormal_distribution(0.0, 0.8)(random) / 1.299; }},
  };
  for (const auto& [name, error] : kinds) {
    for (const double sd : {0.02, 0.1, 0.3}) {
      for (const int pulls : {3, 10, 30, 100}) {
        EXPECT_LE(times_contradicted(sd, sd, error, pulls), 5) << name << " of " << sd << ", " << pulls << " pulls";
      }
    }
  }
  for (const double rate : {0.03, 0.1}) {
    const double sd = std::sqrt(rate * (1 - rate));
    const DrawError rare = [&] { return std::bernoulli_distribution(rate)(random) / sd; };
    for (const int pulls : {3, 10, 30, 100}) {
      for (const double amount : {0.1, 1.0}) {
        const double of_amount = amount * sd;
        EXPECT_LE(times_contradicted(of_amount, of_amount, rare, pulls, true), 5)
            << "amounts of " << amount << " with a rate of " << rate << ", " << pulls << " pulls";
      }
    }
  }
}

TEST(StatedNoise, OfNoneIsContradictedByNoiseButNotByExactCurves) {
  std::mt19937_64 random(24);
  const DrawError normal = [&] { return std::normal_distribution()(random); };
  for (const int pulls : {3, 10, 30, 100}) {
    EXPECT_EQ(times_contradicted(0, 0, normal, pulls), 0) << pulls;
    EXPECT_EQ(times_contradicted(0, 0, normal, pulls, true), 0) << pulls;
  }
  for (const double sd : {0.02, 0.1}) EXPECT_GE(times_contradicted(0, sd, normal, 20), 95) << sd;
  Question question = two_arms(0.1, 0.1, 40, 3);
  question.noise = NoNoise{};
  const std::vector<std::string> sentences = cautions(question, recommend(question));
  EXPECT_TRUE(std::any_of(sentences.begin(), sentences.end(), [](const std::string& sentence) {
    return sentence.starts_with("The noise is stated as none, but the rewards show about 0.");
  }));
}

TEST(StatedNoise, ThatIsHalfOrFourTimesTheRightOneIsContradictedAfterTwentyPullsOfFiveArms) {
  std::mt19937_64 random(23);
  const DrawError normal = [&] { return std::normal_distribution()(random); };
  const DrawError uniform = [&] { return std::uniform_real_distribution(-std::sqrt(3), std::sqrt(3))(random); };
  for (const double sd : {0.05, 0.1, 0.3}) {
    for (const double factor : {0.5, 4.0}) {
      EXPECT_GE(times_contradicted(factor * sd, sd, normal, 20), 95) << sd << ", " << factor;
      EXPECT_GE(times_contradicted(factor * sd, sd, uniform, 20), factor < 1 ? 95 : 90) << sd << ", " << factor;
    }
  }
}

TEST(StatedNoise, ThatIsTwiceTheRightOneIsNotContradictedBecauseItCostsNothing) {
  std::mt19937_64 random(25);
  const DrawError normal = [&] { return std::normal_distribution()(random); };
  for (const int pulls : {20, 100}) EXPECT_LE(times_contradicted(0.2, 0.1, normal, pulls), 5) << pulls;
}

TEST(StatedNoise, OfRecordedErrorsIsContradictedByTheSameRatios) {
  const std::vector<std::vector<double>> errors{std::vector<double>(50, 0.1), std::vector<double>(50, -0.1)};
  for (const double stated : {0.09, 0.1, 0.2, 0.29}) EXPECT_FALSE(contradicted_noise(errors, stated)) << stated;
  for (const double stated : {0.0, 0.05, 0.07, 0.31}) {
    const auto recorded = contradicted_noise(errors, stated);
    ASSERT_TRUE(recorded) << stated;
    EXPECT_NEAR(*recorded, 0.1, 1e-12);
  }
  EXPECT_FALSE(contradicted_noise(std::span(errors).first(1), 1)) << "50 errors are too few";
}

TEST(RewardNowOfTheChosenArm, IsSaidToBeThatOfNowOnlyIfTheArmStays) {
  Question rising{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 400};
  for (int pull = 0; pull < 60; ++pull) {
    rising.history.pulls.push_back({0, 0.2 + 0.01 * pull + 0.02 * (pull % 3)});
    rising.history.pulls.push_back({1, 0.1 + 0.02 * (pull % 3)});
  }
  const std::string moves = why(rising, recommend(rising))[1];
  EXPECT_TRUE(moves.starts_with("Arm 'a' has lately paid about 0.")) << moves;
  EXPECT_NE(moves.find("it is rising, over 99 %."), std::string::npos) << moves;
  Question level{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 400};
  for (int pull = 0; pull < 60; ++pull) {
    level.history.pulls.push_back({0, 0.9 + 0.02 * (pull % 3)});
    level.history.pulls.push_back({1, 0.1 + 0.02 * (pull % 3)});
  }
  const std::string stays = why(level, recommend(level))[1];
  EXPECT_TRUE(stays.starts_with("Arm 'a' now pays about 0.9")) << stays;
}

TEST(NoiseOfAnArm, IsNotEnlargedByTheFirstGuessOrByANoisierArm) {
  double quiet = 0;
  double alone = 0;
  constexpr int kQuestions = 100;
  for (std::uint64_t seed = 0; seed < kQuestions; ++seed) {
    quiet += recommend(two_arms(0.01, 0.2, 25, seed)).arms[0].noise_sd / kQuestions;
    alone += recommend(two_arms(0.01, 0.01, 25, seed)).arms[0].noise_sd / kQuestions;
  }
  EXPECT_NEAR(quiet, 0.01, 0.001);
  EXPECT_NEAR(alone, 0.01, 0.001);
}

TEST(NoiseOfAnArm, OfAllIsTheSameNumberInTheCautionAndBelowTheTable) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Question question = two_arms(0.02, 0.2, 40, seed);
    const Recommendation answer = recommend(question);
    const std::string sd = reward_difference_text(question.scale, *answer.sd_of_rewards);
    EXPECT_EQ(reward_difference_text(question.scale, answer.stated_sd), sd) << "the guess hardly counts here";
    const std::string caution = caution_of(question);
    EXPECT_NE(caution.find("The policy uses " + sd + " for all arms"), std::string::npos) << caution;
  }
}

TEST(NoiseOfAnArm, IsNotZeroWhereItsRewardsAreEqual) {
  Question question = two_arms(0, 0.1, 40, 1);
  const Recommendation answer = recommend(question);
  EXPECT_GT(answer.arms[0].noise_sd, 0);
  EXPECT_LT(answer.arms[0].noise_sd, 0.02);
  EXPECT_TRUE(std::isfinite(answer.arms[0].expected->mean));
}

}  // namespace
}  // namespace longrun
