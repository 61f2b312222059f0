#include "longrun/decide/advice/outliers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

History two_arms(double (*curve)(Arm, int), int pulls, double sd, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 1);
  History history{.arm_names = {"tea", "coffee"}, .pulls = {}};
  for (int pull = 0; pull < pulls; ++pull) {
    for (const Arm arm : {0, 1}) history.pulls.push_back({arm, curve(arm, pull) + sd * noise(random)});
  }
  return history;
}

double flat(Arm arm, int) { return arm == 0 ? 0.20 : 2.40; }

TEST(Outliers, OfATypoAreFoundWhereverItIs) {
  for (std::size_t at = 2; at < 60; ++at) {  // a first reward may be anything
    History history = two_arms(flat, 30, 0.04, at);
    history.pulls[at].reward = 9.9;
    const std::vector<Outlier> outliers = find_far_rewards(history, {0, 10}, std::nullopt).outliers;
    ASSERT_EQ(outliers.size(), 1U) << at;
    EXPECT_EQ(outliers[0].pull, at);
    EXPECT_NEAR(outliers[0].typical, flat(at % 2 == 0 ? 0 : 1, 0), 0.1);
  }
}

TEST(Outliers, AreNotSeenInRewardsThatHaveNone) {
  const auto start = [](Arm, int pull) { return pull == 0 ? 0.0 : 0.9 - 0.5 / pull; };
  const auto ramp = [](Arm, int pull) { return 0.01 * pull; };
  const auto fall = [](Arm, int pull) { return pull < 15 ? 0.9 : 0.1; };
  int found = 0;
  int doubtful = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const auto curve : {+start, +ramp, +fall, flat}) {
      for (const double sd : {1e-6, 0.003, 0.1}) {
        const FarRewards far = find_far_rewards(two_arms(curve, 30, sd, seed), {0, 1}, std::nullopt);
        found += far.outliers.empty() ? 0 : 1;
        doubtful += far.doubtful.empty() ? 0 : 1;
      }
    }
  }
  EXPECT_LE(found, 2) << "of 2400 histories";
  EXPECT_LE(doubtful, 12) << "of 2400 histories: a few steep starts with much noise";
}

TEST(Outliers, AreNotSeenInYesOrNoRewardsNorInHeavyTails) {
  std::mt19937_64 random(1);
  History rare{.arm_names = {""}, .pulls = {}};
  for (int pull = 0; pull < 500; ++pull) rare.pulls.push_back({0, pull % 50 == 7 ? 1.0 : 0.0});
  EXPECT_TRUE(find_far_rewards(rare, {0, 1}, std::nullopt).outliers.empty());
  for (PastPull& pull : rare.pulls) pull.reward = 40 * *pull.reward;  // payments
  EXPECT_TRUE(find_far_rewards(rare, {0, 100}, std::nullopt).outliers.empty());
  History heavy{.arm_names = {""}, .pulls = {}};
  std::cauchy_distribution<double> cauchy(0.5, 0.01);
  for (int pull = 0; pull < 500; ++pull) heavy.pulls.push_back({0, cauchy(random)});
  EXPECT_TRUE(find_far_rewards(heavy, {0, 1}, std::nullopt).outliers.empty());
}

TEST(Outliers, AreNotSeenInAnArmThatIsNoisierThanTheOthers) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    History history{.arm_names = std::vector<std::string>(61), .pulls = {}};
    for (int pull = 0; pull < 40; ++pull) {
      for (Arm arm = 0; arm < 60; ++arm) {
        history.pulls.push_back({arm, 0.5 + std::normal_distribution<double>(0, 0.01)(random)});
      }
      history.pulls.push_back({60, std::bernoulli_distribution(0.4)(random) ? 0.95 : 0.1});
    }
    found += find_far_rewards(history, {0, 1}, std::nullopt).outliers.empty() ? 0 : 1;
  }
  EXPECT_EQ(found, 0) << "of 50 histories";
}

TEST(Outliers, AreNotSeenWhereHalfOfTheRewardsAreTheSame) {
  // Amounts of money: nearly half of them are the same fee, the others vary by a few euros.
  std::mt19937_64 random(6);
  int found = 0;
  for (int log = 0; log < 300; ++log) {
    History history{.arm_names = {"fee"}, .pulls = {}};
    for (int pull = 0; pull < 200; ++pull) {
      const bool varies = random() % 100 < (log % 2 == 0 ? 51U : 75U);
      const double cents = varies ? static_cast<double>(random() % 1000) : 500.0;
      history.pulls.push_back({0, 20 + (log % 3 == 0 ? std::round(cents / 100) : cents / 100)});
    }
    found += find_far_rewards(history, {0, 100}, std::nullopt).outliers.empty() ? 0 : 1;
  }
  EXPECT_EQ(found, 0);
}

TEST(Outliers, AreNotSeenInNoiseThatTheScaleCutsOff) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    History history = two_arms([](Arm, int) { return 0.0; }, 60, 0.05, seed);
    for (PastPull& pull : history.pulls) pull.reward = std::max(0.0, *pull.reward);
    found += find_far_rewards(history, {0, 1}, std::nullopt).outliers.empty() ? 0 : 1;
  }
  EXPECT_LE(found, 1) << "of 200 histories";
}

TEST(Outliers, AreNoneIfMoreThanOneOfFiftyRewardsOfAllArmsWere) {
  // -1 stands for a missing reward in 1 of 30 rows of two arms, and in 1 of 60 of the third.
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  History history{.arm_names = {"a", "b", "c"}, .pulls = {}};
  for (int pull = 0; pull < 300; ++pull) {
    for (Arm arm = 0; arm < 3; ++arm) {
      history.pulls.push_back({arm, pull % (arm == 2 ? 60 : 30) == 7 ? -1.0 : 0.5 + noise(random)});
    }
  }
  EXPECT_TRUE(find_far_rewards(history, {0, 1}, std::nullopt).outliers.empty()) << "25 of 900 are no mistakes";
  for (PastPull& pull : history.pulls) {
    if (pull.arm != 2 && *pull.reward == -1) pull.reward = 0.5;
  }
  EXPECT_EQ(find_far_rewards(history, {0, 1}, std::nullopt).outliers.size(), 5U) << "5 of 900 may be";
}

TEST(Outliers, MayBeTwoOfAnArmOfFewRewards) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    History history = two_arms(flat, 60, 0.04, seed);
    history.pulls[20].reward = 9.9;
    history.pulls[seed % 2 == 0 ? 22 : 90].reward = 9.8;  // the next one of the arm, or a late one
    const FarRewards far = find_far_rewards(history, {0, 10}, std::nullopt);
    EXPECT_EQ(far.outliers.size(), 2U) << seed;
    EXPECT_TRUE(far.doubtful.empty()) << seed;
  }
}

TEST(Outliers, AreDoubtfulAtTheBeginningOfAnArmAndInASuddenFallAtItsEnd) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{59}}) {  // a first reward of arm 0, a last one of arm 1
      History history = two_arms(flat, 30, 0.04, seed);
      history.pulls[at].reward = at == 0 ? 9.9 : 0.1;
      const FarRewards far = find_far_rewards(history, {0, 10}, std::nullopt);
      EXPECT_TRUE(far.outliers.empty()) << seed;
      ASSERT_EQ(far.doubtful.size(), 1U) << seed;
      EXPECT_EQ(far.doubtful[0].pull, at);
      EXPECT_NEAR(far.doubtful[0].typical, flat(at == 0 ? 0 : 1, 0), 0.1);
    }
  }
}

TEST(Outliers, AFirstRewardFarBelowALevelIsDoubtful) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    History history = two_arms(flat, 30, 0.04, seed);
    history.pulls[0].reward = *history.pulls[0].reward - 0.5;
    const FarRewards far = find_far_rewards(history, {0, 1}, std::nullopt);
    EXPECT_TRUE(far.outliers.empty()) << seed;
    found += far.doubtful.size() == 1 && far.doubtful[0].pull == 0 ? 1 : 0;
    // An arm that grows steeply at first goes on growing.
    const auto grows = [](Arm, int pull) { return 0.9 - 0.7 * std::exp(-pull / 4.0); };
    EXPECT_TRUE(find_far_rewards(two_arms(grows, 30, 0.04, seed), {0, 1}, std::nullopt).doubtful.empty()) << seed;
  }
  EXPECT_GE(found, 35) << "of 50; in a quarter, chance looks like a trend or hides the distance";
}

TEST(Outliers, TwoOrThreeLastRewardsFarFromThoseBeforeAreDoubtful) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const int count : {2, 3}) {
      for (const double typo : {9.9, 0.1}) {
        History history = two_arms(flat, 30, 0.04, seed);
        for (int last = 0; last < count; ++last)
          history.pulls[static_cast<std::size_t>(59 - 2 * last)].reward =
              typo + 0.02 * last;  // of arm 1, which pays 2.4
        const FarRewards far = find_far_rewards(history, {0, 10}, std::nullopt);
        EXPECT_TRUE(far.outliers.empty()) << seed;
        ASSERT_EQ(far.doubtful.size(), static_cast<std::size_t>(count)) << seed;
        EXPECT_EQ(far.doubtful.back().pull, 59U);
        for (const Outlier& each : far.doubtful) EXPECT_NEAR(each.typical, 2.4, 0.1);
      }
    }
  }
}

TEST(Outliers, OfTwoNeighboursAreFoundInTheMiddleOfAnArm) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    History history = two_arms(flat, 60, 0.04, seed);
    history.pulls[31].reward = 9.9;
    history.pulls[33].reward = seed % 2 == 0 ? 9.8 : 0.1;
    EXPECT_EQ(find_far_rewards(history, {0, 10}, std::nullopt).outliers.size(), 2U) << seed;
  }
}

TEST(Outliers, TwoOrThreeFirstRewardsFarFromThoseAfterAreDoubtful) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const int count : {2, 3}) {
      History history = two_arms(flat, 30, 0.04, seed);
      for (int first = 0; first < count; ++first)
        history.pulls[1 + 2 * static_cast<std::size_t>(first)].reward = 9.9 - 0.02 * first;  // of arm 1, which pays 2.4
      const FarRewards far = find_far_rewards(history, {0, 10}, std::nullopt);
      EXPECT_TRUE(far.outliers.empty()) << seed;
      ASSERT_EQ(far.doubtful.size(), static_cast<std::size_t>(count)) << seed;
      EXPECT_EQ(far.doubtful.front().pull, 1U);
      for (const Outlier& each : far.doubtful) EXPECT_NEAR(each.typical, 2.4, 0.1);
    }
  }
}

TEST(Outliers, WhereAnArmStepsTheTypicalRewardIsOneOfTheTwoLevels) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    // The first five rewards of each arm are in another unit, with ten times the noise.
    History history = two_arms([](Arm arm, int) { return arm == 0 ? 50.0 : 60.0; }, 30, 4, seed);
    for (std::size_t row = 0; row < 10; ++row) history.pulls[row].reward = 10 * *history.pulls[row].reward;
    const FarRewards far = find_far_rewards(history, {0, 1000}, std::nullopt);
    for (const auto& rewards : {far.outliers, far.doubtful}) {
      for (const Outlier& each : rewards) {
        EXPECT_TRUE(each.typical < 100 || each.typical > 350) << seed << ": " << each.typical << " has no reward near";
        ++found;
      }
    }
    if (seed > 0) continue;
    history = two_arms([](Arm, int pull) { return pull < 15 ? 50.0 : 500.0; }, 30, 4, seed);
    history.pulls[30].reward = 5'000;
    const FarRewards typo = find_far_rewards(history, {0, 10'000}, std::nullopt);
    ASSERT_EQ(typo.outliers.size(), 1U) << "a typo right after a step is farther away than the step is wide";
    EXPECT_NEAR(typo.outliers[0].typical, 500, 20);
  }
  EXPECT_LE(found, 100);
}

/// Returns a log of amounts whose logarithms are normal.
History lognormal_amounts(double sigma, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> amount(std::log(1000), sigma);
  History history{.arm_names = {"A", "B"}, .pulls = {}};
  for (int row = 0; row < 200; ++row) history.pulls.push_back({row % 2, amount(random) * (row % 2 == 0 ? 1.25 : 1)});
  return history;
}

TEST(Outliers, AreFoundInAtMostOneOfTwentyLogsOfSkewedAmounts) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const double sigma : {0.2, 0.4, 0.6, 0.8, 1.0, 1.3}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const FarRewards far = find_far_rewards(lognormal_amounts(sigma, seed), {0, 1e9}, std::nullopt);
      found += far.outliers.empty() && far.doubtful.empty() ? 0 : 1;
    }
    EXPECT_LE(found, 10) << sigma;
  }
}

TEST(Outliers, OfSkewedAmountsAreFoundIfAmountsHardlyReachThem) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  struct Typo {
    double sigma;
    double factor;
    int least;  // of 200 logs in which it is found
  };
  for (const Typo& typo : {Typo{0.2, 10, 198}, Typo{0.4, 10, 150}, Typo{0.4, 100, 198}, Typo{0.6, 10, 40},
                           Typo{0.6, 100, 190}, Typo{0.8, 100, 150}, Typo{1.0, 100, 70}}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      History history = lognormal_amounts(typo.sigma, seed);
      const std::size_t at = 4 + seed * 191 / 200;
      history.pulls[at].reward = typo.factor * *history.pulls[at].reward;
      const FarRewards far = find_far_rewards(history, {0, 1e9}, std::nullopt);
      found +=
          std::any_of(far.outliers.begin(), far.outliers.end(), [&](const Outlier& each) { return each.pull == at; })
              ? 1
              : 0;
    }
    EXPECT_GE(found, typo.least) << "sigma " << typo.sigma << ", factor " << typo.factor;
  }
}

double exponential_reward(std::mt19937_64& random) { return 500 * std::exponential_distribution<double>(1)(random); }
double exponential_or_none(std::mt19937_64& random) {
  return std::bernoulli_distribution(0.3)(random) ? 0 : exponential_reward(random);
}
double whole_exponential(std::mt19937_64& random) { return std::round(exponential_reward(random) / 10); }
double student_reward(std::mt19937_64& random) { return 0.4 + 0.05 * std::student_t_distribution<double>(5)(random); }
double laplace_reward(std::mt19937_64& random) {
  const double above = exponential_reward(random);
  const double below = exponential_reward(random);
  return 0.4 + (above - below) / 1e4;
}
double gaussian_reward(std::mt19937_64& random) { return 0.2 + std::normal_distribution<double>(0, 0.04)(random); }

History long_tailed_log(double (*draw)(std::mt19937_64&), int rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  History history{.arm_names = {"a", "b", "c"}, .pulls = {}};
  for (int row = 0; row < rows; ++row) history.pulls.push_back({row % 3, (1 + row % 3) * draw(random)});
  return history;
}

TEST(Outliers, AreFoundInAtMostOneOfTwentyLogsOfCorrectRewardsWithLongTails) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const auto draw :
       {exponential_reward, exponential_or_none, whole_exponential, student_reward, laplace_reward, gaussian_reward}) {
    for (const int rows : {40, 100, 200, 500, 2000}) {
      int found = 0;
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const FarRewards far = find_far_rewards(long_tailed_log(draw, rows, seed), {0, 1e9}, std::nullopt);
        found += far.outliers.empty() && far.doubtful.empty() ? 0 : 1;
      }
      EXPECT_LE(found, draw == gaussian_reward ? 1 : 10) << rows << " rows";
      if (long_tests()) fmt::print("{} rows: {} of 200\n", rows, found);
    }
  }
}

TEST(Outliers, ThatAreTyposAmongNormalAndLongTailedRewardsAreFound) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const double factor : {10, 100}) {
    for (const auto draw : {gaussian_reward, student_reward, laplace_reward}) {
      int found = 0;
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        History history = long_tailed_log(draw, 200, seed);
        const std::size_t at = 9 + seed % 180;
        history.pulls[at].reward = factor * *history.pulls[at].reward;
        const FarRewards far = find_far_rewards(history, {0, 1e9}, std::nullopt);
        found +=
            std::any_of(far.outliers.begin(), far.outliers.end(), [&](const Outlier& each) { return each.pull == at; })
                ? 1
                : 0;
      }
      EXPECT_GE(found, 195) << "factor " << factor;
    }
  }
}

TEST(Cautions, ThatTheChoiceRestsOnAFewNewestRewardsAreRareWithoutMistakes) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const auto grows = [](Arm arm, int pull) { return (arm == 0 ? 0.9 : 0.6) - 0.5 * std::exp(-pull / 10.0); };
  const auto starts_steeply = [](Arm arm, int pull) { return (arm == 0 ? 0.9 : 0.6) - 0.5 / (pull + 1); };
  const auto level = [](Arm arm, int) { return arm == 0 ? 0.5 : 0.6; };
  const auto falls = [](Arm arm, int pull) { return 0.2 + (arm == 0 ? 0.7 : 0.5) * std::exp(-pull / 10.0); };
  const std::pair<const char*, double (*)(Arm, int)> kinds[] = {
      {"flat", +level}, {"growing", +grows}, {"growing steeply at first", +starts_steeply}, {"falling", +falls}};
  for (const auto& [name, curve] : kinds) {
    for (const int pulls : {8, 15, 40}) {
      for (const double sd : {0.01, 0.05, 0.1}) {
        int said = 0;
        constexpr int kArms = 200;
        for (std::uint64_t seed = 0; seed < kArms / 2; ++seed) {
          const FarRewards far = find_far_rewards(two_arms(curve, pulls, sd, seed), {0, 1}, std::nullopt);
          std::array<bool, 2> of_arm{};
          for (const Outlier& each : far.doubtful) of_arm[each.pull % 2] = true;
          said += static_cast<int>(of_arm[0]) + static_cast<int>(of_arm[1]);
        }
        EXPECT_LE(said, kArms / 20) << name << ", " << pulls << " pulls, sd " << sd;
        if (long_tests()) fmt::print("{}, {} pulls, sd {}: {} of {} arms\n", name, pulls, sd, said, kArms);
      }
    }
  }
}

TEST(Cautions, NameDoubtfulRewardsAndTheChoiceWithoutThem) {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto close = [](Arm arm, int) { return arm == 0 ? 0.60 : 0.55; };
    Question question{.history = two_arms(close, 40, 0.04, seed), .horizon = 400};
    const Arm clean = recommend(question).next.first;
    question.history.pulls[78].reward = 0.01;  // the last of the better arm
    const Recommendation answer = recommend(question);
    EXPECT_TRUE(answer.outliers.empty());
    EXPECT_EQ(answer.first_without_doubtful, clean) << seed;
    const std::string caution = cautions(question, answer).at(0);
    EXPECT_TRUE(
        caution.starts_with("The reward 0.010 of arm 'tea' (pull 79 of the history) is far from the arm's "
                            "rewards next to it, as a mistake would be, but may be right. It counts as it is. "
                            "If it is a mistake, correct it: the choice is then "))
        << caution;
    EXPECT_EQ(caution.ends_with("then arm 'tea'."), clean != answer.next.first) << caution;
    changed += clean != answer.next.first ? 1 : 0;
    question.keep_outliers = true;
    EXPECT_TRUE(cautions(question, recommend(question)).empty()) << "the caller says that they are right";
  }
  EXPECT_GT(changed, 5);
}

TEST(Cautions, NameRewardsThatAreTooManyForMistakes) {
  Question question{.history = two_arms(flat, 30, 0.04, 3), .horizon = 1'000, .scale = {0, 10}};
  for (const std::size_t pull : {10U, 20U, 30U, 40U, 50U, 54U}) question.history.pulls[pull].reward = 9.9;
  const Recommendation answer = recommend(question);
  EXPECT_TRUE(answer.outliers.empty());
  EXPECT_EQ(
      cautions(question, answer).at(0),
      "6 rewards are far from those next to them of the same arm, as mistakes would be, but may be right: 9.90 of "
      "arm 'tea' (pull 11 of the history), 9.90 of arm 'tea' (pull 21 of the history), 9.90 of arm 'tea' (pull "
      "31 of the history), 9.90 of arm 'tea' (pull 41 of the history), 9.90 of arm 'tea' (pull 51 of the "
      "history) and 1 more. They count as they are. If they are mistakes, correct them: the choice is then arm "
      "'coffee'.");
}

TEST(Cautions, SayWhichArmIsChosenIfOutliersAreKept) {
  // An arm that pays 0.3, and 100 times that in 1 of 100 cases; the other pays 0.6.
  History history{.arm_names = {"wins", "level"}, .pulls = {}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  for (int pull = 0; pull < 400; ++pull) {
    history.pulls.push_back({0, pull % 100 == 50 ? 60 : 0.3 + noise(random)});
    history.pulls.push_back({1, 0.6 + noise(random)});
  }
  Question question{.history = std::move(history), .horizon = 2'000, .scale = {0, 60}};
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.outliers.size(), 4U);
  question.keep_outliers = true;
  const Arm kept = recommend(question).next.first;
  EXPECT_EQ(answer.first_with_outliers, kept);
  EXPECT_FALSE(recommend(question).first_with_outliers);
  ASSERT_NE(kept, answer.next.first);
  question.keep_outliers = false;
  const std::vector<std::string> sentences = cautions(question, answer);
  EXPECT_TRUE(sentences.at(3).ends_with(" If these rewards are right, keep outliers: the choice is then arm 'wins'."))
      << sentences[3];
}

TEST(Cautions, NameMinimaThatCannotBeMetAnyMore) {
  History history{.arm_names = {"rise", "flat"}, .pulls = {}};
  for (int pull = 0; pull < 900; ++pull) history.pulls.push_back({pull % 3 == 0 ? 1 : 0, 0.4});  // 300 of 'flat'
  Question question{.history = std::move(history), .horizon = 1'500};
  const auto said = [&] {
    std::string all;
    for (const std::string& sentence : cautions(question, recommend(question))) all += sentence + "\n";
    return all;
  };
  EXPECT_EQ(said().find("met"), std::string::npos);
  const std::string flat = "The minimum of arm 'flat' cannot be met any more: it requires ";
  question.constraints.minimum_pulls.named = {{1, 1'000}};
  EXPECT_NE(said().find(flat + "1000 pulls at the end, and at most 900 are possible, the 300 so far included."),
            std::string::npos)
      << said();
  question.constraints.minimum_pulls.named = {{1, 900}};
  EXPECT_EQ(said().find("cannot"), std::string::npos) << said();
  question.constraints.minimum_pulls.named = {{0, 900}, {1, 900}};
  question.horizon = 1'800;  // 300 and 600 pulls are lacking, and 900 are left
  EXPECT_EQ(said().find("cannot"), std::string::npos) << said();
  question.constraints.minimum_pulls.named = {{0, 901}, {1, 899}};  // 301 and 599
  EXPECT_EQ(said().find("cannot"), std::string::npos) << said();
  question.constraints = {};
  question.horizon = 1'500;
  question.constraints.minimum_share.named = {{1, 0.9}};
  EXPECT_NE(said().find(flat + "1350 pulls at the end, and at most 900 are possible"), std::string::npos) << said();
  question.constraints = {};
  question.constraints.minimum_pulls.named = {{1, 400}};
  question.constraints.unavailable = {{1, {{901, 1'500}}}};
  EXPECT_NE(said().find(flat + "400 pulls at the end, and at most 300 are possible"), std::string::npos) << said();
  question.constraints.unavailable = {{1, {{901, 1'399}}}};  // units are kept for the last rounds
  EXPECT_EQ(said().find("cannot"), std::string::npos) << said();
  question.constraints = {.minimum_pulls = {.named = {{0, 900}, {1, 600}}}};  // 300 and 300 of 600: just possible
  EXPECT_EQ(said().find("cannot"), std::string::npos) << said();
  question.history.pulls.push_back({0, 0.4});
  question.history.pulls.push_back({0, 0.4});
  question.constraints = {.minimum_pulls = {.named = {{0, 800}, {1, 700}}}};  // 198 and 400 of 598
  EXPECT_EQ(said().find("cannot"), std::string::npos) << said();
  for (int pull = 0; pull < 300; ++pull) question.history.pulls.push_back({0, 0.4});  // 'rise' has 902
  EXPECT_NE(said().find(flat + "700 pulls at the end, and at most 598 are possible"), std::string::npos) << said();
  question.history = {.arm_names = {"a", "b", "c"},
                      .pulls = std::vector<PastPull>(90, PastPull{.arm = 2, .reward = 0.4})};
  question.horizon = 100;
  question.constraints = {.minimum_pulls = {.named = {{0, 6}, {1, 6}}}};  // each is possible, both are not
  EXPECT_NE(said().find("cannot all be met any more: those that are lacking cost 12 units, and 10 are left."),
            std::string::npos)
      << said();
}

TEST(Cautions, NameTheOneRewardThatIsNeitherYesNorNo) {
  std::mt19937_64 random(6);
  Question question{.history = {.arm_names = {"tea", "coffee"}, .pulls = {}}, .horizon = 1'000};
  for (int pull = 0; pull < 200; ++pull) {
    question.history.pulls.push_back({pull % 2, std::bernoulli_distribution(0.4)(random) ? 1.0 : 0.0});
    question.history.pulls.back().line = pull + 2;
  }
  EXPECT_TRUE(cautions(question, recommend(question)).empty());
  question.history.pulls[101].reward = 2;
  EXPECT_TRUE(cautions(question, recommend(question))
                  .at(0)
                  .starts_with("199 of 200 rewards are 0 or 1, but the reward 2 of arm 'coffee' (line 103) is not."));
  for (std::size_t pull = 0; pull < 200; pull += 10) question.history.pulls[pull].reward = 0.5;
  EXPECT_TRUE(cautions(question, recommend(question)).empty()) << "21 of 200 are no mistake";
}

TEST(Cautions, NameANumberThatMeansThatARewardIsMissing) {
  std::mt19937_64 random(7);
  Question question{.history = {.arm_names = {"tea", "coffee"}, .pulls = {}}, .horizon = 1'000};
  for (int pull = 0; pull < 200; ++pull) {
    const double reward = pull % 12 == 1 ? -1 : std::bernoulli_distribution(0.5)(random) ? 1 : 0;
    question.history.pulls.push_back({pull % 2, reward, pull + 2});
  }
  EXPECT_TRUE(
      cautions(question, recommend(question))
          .at(0)
          .starts_with("183 of 200 rewards are 0 or 1; the other 17 are -1, first that of arm 'coffee' (line 3), "
                       "and count as rewards. If this number means that a reward is missing, leave it out."))
      << cautions(question, recommend(question)).at(0);
}

TEST(Cautions, DoNotAdviseAnotherScaleForARateWithoutASuccess) {
  Question question{.history = {.arm_names = {"tea", "coffee"}, .pulls = {}}, .horizon = 1'000};
  for (int pull = 0; pull < 40; ++pull) question.history.pulls.push_back({pull % 2, 0.0});
  EXPECT_EQ(cautions(question, recommend(question)).at(0),
            "All 40 rewards are 0. If they should differ, check the column of rewards.");
}

TEST(Cautions, NameAScaleThatIsFarTooWide) {
  Question question{.history = two_arms(flat, 10, 0.04, 1), .horizon = 100, .scale = {0, 1'000}};
  EXPECT_TRUE(cautions(question, recommend(question)).at(0).starts_with("All rewards lie between 0.")) << "of 1000";
  question.scale = {0, 10};
  EXPECT_TRUE(cautions(question, recommend(question)).empty());
}

TEST(Cautions, NameAScaleThatIsMuchTooWideAfterFourRewards) {
  Question question{.history = {.arm_names = {"tea", "coffee"}, .pulls = {{0, 1000.1}, {1, 999.9}, {0, 1000.0}}},
                    .horizon = 100,
                    .scale = {0, 1'000'000}};
  EXPECT_TRUE(cautions(question, recommend(question)).empty());
  question.history.pulls.push_back({1, 999.95});
  EXPECT_TRUE(
      cautions(question, recommend(question)).at(0).starts_with("All rewards lie between 999.9 and 1000.1, a "));
  for (PastPull& pull : question.history.pulls) pull.reward = 1000;
  EXPECT_TRUE(cautions(question, recommend(question)).empty()) << "four equal rewards may be whole numbers";
}

TEST(Cautions, OfAScaleThatIsTooWideAreNotSeenInArmsWithLittleNoise) {
  int said = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const int pulls : {2, 3, 4}) {
      for (const double sd : {0.002, 0.01, 0.1}) {
        const auto close = [](Arm arm, int) { return arm == 0 ? 0.5 : 0.502; };
        said += scale_caution(two_arms(close, pulls, sd, seed), {0, 1}).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(said, 0) << "of 1800 histories";
}

TEST(Outliers, ChangeNothingSilently) {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Question question{.history = two_arms(flat, 30, 0.04, seed), .horizon = 1'000, .scale = {0, 10}};
    const Recommendation before = recommend(question);
    EXPECT_TRUE(before.outliers.empty());
    EXPECT_TRUE(cautions(question, before).empty());
    question.history.pulls[58].reward = 9.9;  // of the worse arm
    const Recommendation after = recommend(question);
    ASSERT_EQ(after.outliers.size(), 1U);
    EXPECT_EQ(after.next.first, before.next.first) << seed;
    EXPECT_NEAR(after.sd, before.sd, 0.2 * before.sd);
    const std::string caution = cautions(question, after).at(0);
    EXPECT_TRUE(caution.starts_with("The reward 9.90 of arm 'tea' (pull 59 of the history) is far from ")) << caution;
    question.keep_outliers = true;
    const Recommendation kept = recommend(question);
    EXPECT_TRUE(kept.outliers.empty());
    changed += kept.next.first != before.next.first ? 1 : 0;
  }
  EXPECT_GT(changed, 10) << "counted as it is, the typo changes the advice";
}

}  // namespace
}  // namespace longrun
