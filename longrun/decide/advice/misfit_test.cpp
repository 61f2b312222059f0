#include "longrun/decide/advice/misfit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/advice/standing.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns the share of 400 simulated arms in which a contradiction is found, of this kind if one is given.
double found(const std::function<double(double)>& curve, int pulls, double sd, std::optional<MisfitKind> kind = {}) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 1);
  constexpr int kArms = 400;
  int count = 0;
  for (int arm = 0; arm < kArms; ++arm) {
    RewardSummary rewards;
    for (int pull = 0; pull < pulls; ++pull) rewards.add(curve(pull / (pulls - 1.0)) + sd * noise(random));
    const auto misfit = find_misfit(rewards, sd);
    count += misfit && (!kind || misfit->kind == *kind) ? 1 : 0;
  }
  return static_cast<double>(count) / kArms;
}

TEST(Misfit, IsRarelyFoundWhereTheAssumptionHolds) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const std::vector<std::function<double(double)>> curves{
      [](double) { return 0.5; },
      [](double time) { return 0.2 + 0.6 * time; },
      [](double time) { return 0.8 * std::sqrt(time); },
      [](double time) { return 0.9 - 0.8 * time * time; },                           // falls ever faster
      [](double time) { return time < 0.3 ? 3 * time : 0.9 - 1.2 * (time - 0.3); },  // peak
      [](double time) { return time < 0.5 ? 0.8 : 0.2; },                            // sudden fall
      [](double time) { return 0.2 + 0.7 * std::exp(-10 * time); }};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (const int pulls : {12, 40, 200, 2'000}) {
      for (const double sd : {0.02, 0.3}) {
        EXPECT_LE(found(curves[i], pulls, sd), 0.05) << "curve " << i << ", " << pulls << " pulls, sd " << sd;
      }
    }
  }
}

TEST(Misfit, LostPullsAreNoJump) {
  // An arm that grows by the same amount with every pull, 300 of which were lost.
  RewardSummary rewards;
  for (int pull = 1; pull <= 100; ++pull) rewards.add(0.1 + 0.001 * pull);
  rewards.add(0.1 + 0.001 * 401, 300);
  for (int pull = 402; pull <= 500; ++pull) rewards.add(0.1 + 0.001 * pull);
  EXPECT_FALSE(find_misfit(rewards, 0.001));

  // The same rewards without a lost pull do contradict the assumption.
  RewardSummary complete;
  for (int pull = 1; pull <= 100; ++pull) complete.add(0.1 + 0.001 * pull);
  for (int pull = 401; pull <= 500; ++pull) complete.add(0.1 + 0.001 * pull);
  const auto misfit = find_misfit(complete, 0.001);
  ASSERT_TRUE(misfit);
  EXPECT_EQ(misfit->kind, MisfitKind::speeds_up);
}

TEST(Misfit, IsFoundWhereGrowthSpeedsUp) {
  const auto speeds_up = [](double time) { return 0.1 + 0.8 * time * time * time; };
  EXPECT_GE(found(speeds_up, 100, 0.05, MisfitKind::speeds_up), 0.9);
  EXPECT_GE(found(speeds_up, 2'000, 0.3, MisfitKind::speeds_up), 0.9);
  const auto step = [](double time) { return time < 0.7 ? 0.2 : 0.8; };
  EXPECT_GE(found(step, 60, 0.1, MisfitKind::speeds_up), 0.9);
}

TEST(Misfit, IsFoundWhereAnArmRisesAgain) {
  const auto dip = [](double time) { return 0.8 - 0.5 * (time > 0.4 && time < 0.7 ? 1 : 0); };
  EXPECT_GE(found(dip, 80, 0.1, MisfitKind::rises_again), 0.9);
  const auto wave = [](double time) { return 0.5 + 0.3 * std::cos(9 * time); };
  EXPECT_GE(found(wave, 1'000, 0.3, MisfitKind::rises_again), 0.9);
}

TEST(Misfit, OfExactRewardsIsTheLargest) {
  RewardSummary rewards;
  for (int pull = 1; pull <= 160; ++pull)
    rewards.add(pull > 16 && pull <= 32 ? 0.4 : pull > 128 && pull <= 144 ? 0.79 : 0.8);
  EXPECT_LE(find_misfit(rewards, 0)->to, 32);
}

TEST(Misfit, OfAFewExactRewardsIsFound) {
  EXPECT_EQ(find_misfit(RewardSummary(std::vector{0.1, 0.15, 0.3, 0.5}), 0)->kind, MisfitKind::speeds_up);
  EXPECT_EQ(find_misfit(RewardSummary(std::vector{0.5, 0.3, 0.4}), 0)->kind, MisfitKind::rises_again);
  EXPECT_FALSE(find_misfit(RewardSummary(std::vector{0.1, 0.3, 0.4, 0.45, 0.3, 0.1}), 0));
}

TEST(Misfit, IsRarelySeenInAnArmThatIsNoisierThanTheOthers) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20 / sanitizer_slowdown(); ++seed) {
    std::mt19937_64 random(seed);
    Question question{.history = {.arm_names = std::vector<std::string>(10), .pulls = {}}, .horizon = 4'000};
    for (int pull = 0; pull < 200; ++pull) {
      for (Arm arm = 0; arm < 10; ++arm) {
        question.history.pulls.push_back(
            {arm, 0.5 + std::normal_distribution<double>(0, arm == 0 ? 0.1 : 0.005)(random)});
      }
    }
    const Recommendation answer = recommend(question);
    found += answer.arms[0].misfit ? 1 : 0;
    EXPECT_GT(answer.arms[0].reward_now->standard_error, 0.01);
  }
  EXPECT_LE(found, 1);
}

TEST(Misfit, NamesThePullsThatPayTooLittle) {
  RewardSummary rewards;
  for (int pull = 1; pull <= 100; ++pull) rewards.add(pull > 40 && pull <= 60 ? 0.3 : 0.8);
  const auto misfit = find_misfit(rewards, 0.05);
  ASSERT_TRUE(misfit);
  EXPECT_GE(misfit->from, 41);
  EXPECT_LE(misfit->to, 60);
}

TEST(Misfit, EndsWhereTheArmJumps) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto& [pulls, jump] :
         {std::pair{45, 18}, {45, 20}, {45, 22}, {45, 23}, {90, 41}, {200, 95}, {200, 100}}) {
      std::mt19937_64 random(seed);
      RewardSummary rewards;
      for (int pull = 0; pull < pulls; ++pull)
        rewards.add((pull < jump ? 0.3 : 0.6) + std::normal_distribution<double>(0, 0.04)(random));
      const auto misfit = find_misfit(rewards, 0.04);
      ASSERT_TRUE(misfit);
      EXPECT_GE(misfit->to, jump) << pulls << " pulls: rewards before the jump would count as if they were after it";
      EXPECT_LE(misfit->to, jump + 8) << pulls << " pulls: rewards after the jump are those that count";
    }
  }
}

/// Returns the rewards of arm 0, which follow a curve, and of arm 1, which pays 0.4 a hundred times.
Question beside_a_flat_arm(double (*curve)(int), int pulls, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.1);
  Question question{.history = {.arm_names = {"curve", "flat"}, .pulls = {}}, .horizon = pulls + 1'100};
  for (int pull = 0; pull < pulls; ++pull) question.history.pulls.push_back({0, curve(pull) + noise(random)});
  for (int pull = 0; pull < 100; ++pull) question.history.pulls.push_back({1, 0.4 + noise(random)});
  return question;
}

double jump(int pull) { return pull < 300 ? 0.2 : 0.6; }
double dip(int pull) { return pull < 100 || pull >= 150 ? 0.6 : 0.2; }

TEST(Misfit, LeavesOnlyLaterRewardsToDecideOn) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const Question& question : {beside_a_flat_arm(jump, 340, seed), beside_a_flat_arm(dip, 170, seed)}) {
      const Recommendation answer = recommend(question);
      ASSERT_TRUE(answer.arms[0].misfit) << seed;
      EXPECT_EQ(answer.next.first, 0) << "which pays 0.6 now, the other 0.4";
      EXPECT_GT(answer.arms[0].index, 0.55);
      EXPECT_GT(*answer.arms[0].upper_bound_per_pull(), 0.55);
      EXPECT_EQ(answer.arms[0].pulls, std::ssize(question.history.pulls) - 100);
      const Pulls counted = answer.arms[0].misfit->counted;
      EXPECT_GT(counted, 0);
      EXPECT_LE(counted, 100);
      EXPECT_FALSE(answer.arms[1].misfit);
      const std::string caution = cautions(question, answer).at(0);
      EXPECT_NE(caution.find("so only its last " + std::to_string(counted) + " rewards count here."), std::string::npos)
          << caution;
    }
  }
}

TEST(Misfit, IsTheSameWithoutTheOtherEstimates) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const Question& question : {beside_a_flat_arm(jump, 340, seed), beside_a_flat_arm(dip, 170, seed)}) {
      const std::vector<std::optional<Misfit>> alone = find_misfits(question);
      const std::vector<std::optional<Misfit>> all = standing_of(question).misfits;
      ASSERT_EQ(alone.size(), all.size());
      ASSERT_TRUE(alone[0] && all[0]) << seed;
      EXPECT_EQ(std::tie(alone[0]->kind, alone[0]->from, alone[0]->to, alone[0]->clarity, alone[0]->counted),
                std::tie(all[0]->kind, all[0]->from, all[0]->to, all[0]->clarity, all[0]->counted));
      EXPECT_EQ(alone[1].has_value(), all[1].has_value());
    }
  }
}

TEST(Misfit, ThatIsNotClearIsSaidToCountUnlikeAClearOne) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 20 / sanitizer_slowdown(); ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.1);
    Question question{.history = {.arm_names = {"clear", "less", "flat"}, .pulls = {}}, .horizon = 2'000};
    for (int pull = 0; pull < 120; ++pull) {
      question.history.pulls.push_back({0, (pull < 80 ? 0.2 : 0.7) + noise(random)});
      question.history.pulls.push_back({1, (pull < 80 ? 0.4 : 0.58) + noise(random)});
      question.history.pulls.push_back({2, 0.45 + noise(random)});
    }
    const Recommendation answer = recommend(question);
    ASSERT_TRUE(answer.arms[0].misfit && answer.arms[0].misfit->counted > 0) << seed;
    if (!answer.arms[1].misfit || answer.arms[1].misfit->counted > 0) continue;
    ++seen;
    const std::vector<std::string> said = cautions(question, answer);
    EXPECT_EQ(said.at(0).find("Unlike"), std::string::npos) << said[0];
    EXPECT_NE(said.at(1).find(" Unlike those of an arm whose change is clearer, all of its rewards count: they "
                              "contradict the assumption by " +
                              fmt::format("{:.1f} standard errors", answer.arms[1].misfit->clarity)),
              std::string::npos)
        << said[1];
    EXPECT_TRUE(said[1].ends_with(" standard errors, and it takes 6 to leave earlier ones out.")) << said[1];
  }
  EXPECT_GT(seen, 5 / sanitizer_slowdown());
}

TEST(Misfit, OfHalfOfTheArmsIsNotOfTheirPulls) {
  const auto says_so = [](int arms_that_jump) {
    std::mt19937_64 random(1);
    Question question{.history = {.arm_names = {"a", "b", "c", "d"}, .pulls = {}}, .horizon = 1'000};
    for (int pull = 0; pull < 80; ++pull) {
      for (Arm arm = 0; arm < 4; ++arm) {
        const double level = pull >= 50 && arm < arms_that_jump ? 0.7 : 0.3;
        question.history.pulls.push_back({arm, level + std::normal_distribution<double>(0, 0.05)(random)});
      }
    }
    const std::vector<std::string> said = cautions(question, recommend(question));
    return std::find(said.begin(), said.end(),
                     std::to_string(arms_that_jump) +
                         " of 4 arms change in a way that their own pulls do not explain. Something else, such as "
                         "time, may change the rewards: expected rewards and plans do not hold then.") != said.end();
  };
  EXPECT_FALSE(says_so(1));
  EXPECT_TRUE(says_so(2));
  EXPECT_TRUE(says_so(4));
}

TEST(Misfit, ThatAStudyHasCountedIsSaidWhereItDecidesTheChoice) {
  const auto text = [](double reward) { return reward_text({}, reward); };
  Question question = beside_a_flat_arm([](int pull) { return pull < 1'024 ? 0.2 : 0.6; }, 1'224, 1);
  question.history.pulls.resize(1'224 + 50);
  for (std::size_t pull = 1'224; pull < question.history.pulls.size(); ++pull)
    *question.history.pulls[pull].reward -= 0.1;
  question.horizon = 3'000;
  question.keep_outliers = true;
  Study study({.arms = question.history.arm_names, .budget = question.horizon});
  for (const PastPull& pull : question.history.pulls) study.apply(Observed{pull.arm, *pull.reward});
  const Recommendation answer = recommend(question, study);
  ASSERT_EQ(answer.next.first, 1);
  ASSERT_EQ(answer.better, 0);
  EXPECT_EQ(answer.arms[0].misfit->counted, 0);
  const std::vector<std::string> said = cautions(question, answer);
  EXPECT_NE(said.at(0).find("so the upper bound of this arm may not hold"), std::string::npos) << said[0];
  ASSERT_TRUE(answer.without_misfit);
  const auto& [rewards, index, index_of_first] = *answer.without_misfit;
  EXPECT_GT(index, index_of_first);
  EXPECT_EQ(said.at(1), "Arm 'curve' is expected to pay " +
                            text(answer.arms[0].expected->mean - answer.arms[1].expected->mean) +
                            " more per remaining pull than arm 'flat', but has a smaller index, " +
                            text(answer.arms[0].index) + " instead of " + text(answer.arms[1].index) +
                            ". That is because it counts its first " + std::to_string(rewards) +
                            " rewards, which contradict the assumption; without them its index would be " +
                            text(index) + ", above that of arm 'flat', " + text(index_of_first) + ".");
  // The truth of "without them".
  EXPECT_EQ(rewards, answer.arms[0].misfit->to);
  Question without = question;
  for (std::size_t pull = 0; pull < static_cast<std::size_t>(rewards); ++pull)
    without.history.pulls[pull] = {.arm = 0, .reward = std::nullopt, .lost = true};
  const Recommendation later = recommend(without);
  EXPECT_EQ(later.next.first, 0);
  EXPECT_NEAR(later.arms[0].index, index, 0.001) << "but for the order in which the arms are observed";
  EXPECT_NEAR(later.arms[1].index, index_of_first, 0.001);
}

}  // namespace
}  // namespace longrun
