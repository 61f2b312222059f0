#include "longrun/data/fico.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>

#include "longrun/base/input_error.h"
#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

constexpr std::array kRewards{FicoReward::score_change, FicoReward::utility};

std::vector<double> rewards_of(const Curve& curve, Pulls pulls) {
  std::vector<double> rewards;
  for (Pulls pull = 1; pull <= pulls; ++pull) rewards.push_back(curve.reward(pull));
  return rewards;
}

TEST(FicoTable, TheShippedOneHasFourGroups) {
  const FicoTable& table = fico_2003();
  std::vector<std::string> names;
  for (const FicoGroup& group : table) {
    names.push_back(group.name);
    EXPECT_EQ(group.scores.size(), 198U);
    EXPECT_EQ(group.share_at_or_below.size(), 198U);
    EXPECT_EQ(group.repay_probability.size(), 198U);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"Asian", "Black", "Hispanic", "White"}));
  EXPECT_EQ(table[0].scores[1], 311.9047619);
  EXPECT_EQ(table[0].share_at_or_below[1], 0.0013);
  EXPECT_EQ(table[0].repay_probability[1], 0.0552);
}

TEST(Fico, ArmsAreTheGroupsAndPayNothingOnceAllHaveALoan) {
  for (const FicoReward reward : kRewards) {
    const Bandit bandit = fico_bandit("loans", fico_2003(), reward);
    EXPECT_EQ(bandit.arm_names, (std::vector<std::string>{"Asian", "Black", "Hispanic", "White"}));
    EXPECT_EQ(bandit.horizon, 2000);
    for (const Curve& curve : bandit.arms) {
      const std::vector<double> rewards = rewards_of(curve, 1000);
      EXPECT_EQ(*std::max_element(rewards.begin(), rewards.end()), 1);
      EXPECT_EQ(*std::min_element(rewards.begin(), rewards.end()), 0);
      EXPECT_EQ(curve.reward(1001), 0);
      EXPECT_EQ(curve.reward(1'000'000'000), 0);
    }
  }
}

// A table small enough to work out by hand: half of the group is at 400 to 600, half at 600 to 800.
const FicoTable kSmallTable{
    {.name = "all", .scores = {400, 600, 800}, .share_at_or_below = {0, 0.5, 1}, .repay_probability = {0.5, 0.75, 1}}};

TEST(Fico, TwoQuantilesByHand) {
  // u = 1/4 and 3/4: scores 500 and 700, best first; they repay with probability 5/8 and 7/8.
  // Eight times their gains: 7 * 75 - 150 > 0 and 5 * 75 - 3 * 150 < 0.
  const Bandit change = fico_bandit("two", kSmallTable, FicoReward::score_change, {.applicants = 2});
  EXPECT_EQ(rewards_of(change.arms[0], 3), (std::vector<double>{1, 0, 0}));
  // A loss of 25 instead of 150: 7 * 75 - 25 and 5 * 75 - 3 * 25.
  const Bandit mild = fico_bandit("mild", kSmallTable, FicoReward::score_change, {.applicants = 2, .score_loss = 25});
  EXPECT_DOUBLE_EQ(mild.arms[0].reward(2), 300.0 / 500);
  // No score above 710: the better one can gain only 10.
  const Bandit capped = fico_bandit("capped", kSmallTable, FicoReward::score_change,
                                    {.applicants = 2, .score_loss = 25, .highest_score = 710});
  EXPECT_DOUBLE_EQ(capped.arms[0].reward(1), (7.0 * 10 - 25) / 300);
  EXPECT_EQ(capped.arms[0].reward(2), 1);
  const Bandit utility = fico_bandit("utility", kSmallTable, FicoReward::utility,
                                     {.applicants = 2, .repaid_utility = 2, .default_utility = -1, .horizon = 7});
  EXPECT_DOUBLE_EQ(utility.arms[0].reward(2), (5.0 * 2 - 3) / (7 * 2 - 1));
  EXPECT_EQ(utility.horizon, 7);
}

TEST(Fico, ImpactOfTwoQuantilesByHand) {
  // As above: 7/8 * 75 - 1/8 * 150 for the one with score 700, 5/8 * 75 - 3/8 * 150 for the one with 500.
  for (const FicoReward reward : kRewards) {
    const Bandit bandit = fico_bandit("two", kSmallTable, reward, {.applicants = 2});
    ASSERT_NE(bandit.impact, nullptr);
    EXPECT_EQ(bandit.impact->unit, "credit score points");
    ASSERT_EQ(bandit.impact->per_pull.size(), 1U);
    EXPECT_EQ(bandit.impact->per_pull[0], (std::vector<double>{46.875, -9.375}));
    EXPECT_EQ(bandit.impact->mean_after(0, 1), 46.875 / 2);
    EXPECT_EQ(bandit.impact->mean_after(0, 2), (46.875 - 9.375) / 2);
    EXPECT_EQ(bandit.impact->mean_after(0, 2000), (46.875 - 9.375) / 2) << "no applicant is left";
  }
}

TEST(Fico, ImpactIsTheScoreChangeInPointsWhateverIsRewarded) {
  const Bandit change = fico_bandit("change", fico_2003(), FicoReward::score_change, {.sample_seed = 3});
  const Bandit utility = fico_bandit("utility", fico_2003(), FicoReward::utility, {.sample_seed = 3});
  ASSERT_EQ(change.impact->per_pull.size(), 4U);
  for (std::size_t arm = 0; arm < 4; ++arm) {
    const std::vector<double>& points = change.impact->per_pull[arm];
    ASSERT_EQ(points.size(), 1000U);
    EXPECT_EQ(utility.impact->per_pull[arm], points) << "the same applicants";
    // Rewards are these points divided by the largest, where they are positive.
    const double largest = *std::max_element(points.begin(), points.end());
    ASSERT_GT(largest, 0);
    int lost = 0;
    for (Pulls pull = 1; pull <= 1000; ++pull) {
      const double gained = points[static_cast<std::size_t>(pull - 1)];
      EXPECT_NEAR(change.arms[arm].reward(pull), std::max(0.0, gained / largest), 1e-12);
      EXPECT_GE(gained, -150);
      EXPECT_LE(gained, 75);
      lost += gained < 0 ? 1 : 0;
    }
    EXPECT_GT(lost, 0) << "the last applicants lose: a curve clipped at 0 hides that, impact must not";
  }
}

TEST(Fico, AGroupWithoutAnyGainPaysNothing) {
  const Bandit bandit = fico_bandit("lost", kSmallTable, FicoReward::utility, {.default_utility = -1'000'000});
  for (const double reward : rewards_of(bandit.arms[0], 999)) EXPECT_EQ(reward, 0);
}

TEST(Fico, NobodyIsAboveTheScoreAtWhichTheTableIsComplete) {
  FicoTable table = kSmallTable;
  table[0].share_at_or_below = {0.9, 0.9, 0.9};  // every applicant is clipped to the first score
  const Bandit bandit = fico_bandit("flat", table, FicoReward::score_change, {.applicants = 3, .score_loss = 10});
  EXPECT_EQ(rewards_of(bandit.arms[0], 4), (std::vector<double>{1, 1, 1, 0}));
}

TEST(Fico, ImpossibleOptionsAreRefused) {
  EXPECT_THROW(fico_bandit("none", fico_2003(), FicoReward::utility, {.applicants = 0}), InputError);
  EXPECT_THROW(fico_bandit("none", fico_2003(), FicoReward::utility, {.lowest_score = 850}), InputError);
}

TEST(FicoSample, TheSameSeedDrawsTheSameApplicantsAndAnotherSeedOthers) {
  for (const FicoReward reward : kRewards) {
    const Bandit once = fico_bandit("once", fico_2003(), reward, {.sample_seed = 7});
    const Bandit again = fico_bandit("again", fico_2003(), reward, {.sample_seed = 7});
    const Bandit other = fico_bandit("other", fico_2003(), reward, {.sample_seed = 8});
    for (std::size_t arm = 0; arm < once.arms.size(); ++arm) {
      EXPECT_EQ(rewards_of(once.arms[arm], 1000), rewards_of(again.arms[arm], 1000));
      EXPECT_NE(rewards_of(once.arms[arm], 1000), rewards_of(other.arms[arm], 1000));
    }
  }
}

TEST(FicoSample, GroupsDrawIndependently) {
  FicoTable twins = kSmallTable;
  twins.push_back(twins[0]);
  const Bandit bandit = fico_bandit("twins", twins, FicoReward::utility, {.sample_seed = 1});
  EXPECT_NE(rewards_of(bandit.arms[0], 10), rewards_of(bandit.arms[1], 10));
}

TEST(FicoSample, ItsMeanIsNearTheQuantiles) {
  // Not equal to them: the best of 1000 drawn scores varies, and where a curve is clipped at 0 noise can only raise it.
  constexpr int kSeeds = 100;
  for (const FicoReward reward : kRewards) {
    const Bandit quantiles = fico_bandit("quantiles", fico_2003(), reward);
    std::vector<std::vector<double>> means(4, std::vector<double>(1000));
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Bandit sample = fico_bandit("sample", fico_2003(), reward, {.sample_seed = seed});
      for (std::size_t arm = 0; arm < means.size(); ++arm) {
        for (Pulls pull = 1; pull <= 1000; ++pull)
          means[arm][static_cast<std::size_t>(pull - 1)] += sample.arms[arm].reward(pull) / kSeeds;
      }
    }
    for (std::size_t arm = 0; arm < means.size(); ++arm) {
      double total = 0;
      for (Pulls pull = 1; pull <= 1000; ++pull) {
        const double distance =
            std::abs(means[arm][static_cast<std::size_t>(pull - 1)] - quantiles.arms[arm].reward(pull));
        EXPECT_LT(distance, 0.08) << "arm " << arm << ", pull " << pull;
        total += distance;
      }
      EXPECT_LT(total / 1000, 0.006) << "arm " << arm;
    }
  }
}

// Curves from data are single-peaked only roughly. Deviation is the most a reward, or a slope while rising, is off.
TEST(Fico, CurvesAreNearlySinglePeaked) {
  struct Expected {
    FicoReward reward;
    std::map<std::string, double> deviation;
  };
  const std::array expected{
      // While they rise, slopes jump up from one row of the table to the next. After the peak, the Asian curve climbs
      // again by 0.038 from pull 316 on, as repayment falls with the score between 695 and 725, and the
      // last Black applicant pays 0.004, having no score left to lose.
      Expected{FicoReward::score_change,
               {{"Asian", 0.0378}, {"Black", 0.0725}, {"Hispanic", 0.0491}, {"White", 0.0182}}},
      // Falling but for the same dip of the Asian curve (0.063 deep), and one of the Black curve (0.052, at pull 18).
      Expected{FicoReward::utility, {{"Asian", 0.0628}, {"Black", 0.0519}, {"Hispanic", 0}, {"White", 0}}},
  };
  for (const auto& [reward, deviation] : expected) {
    const Bandit bandit = fico_bandit("loans", fico_2003(), reward);
    for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
      const Shape shape = shape_of(bandit.arms[arm], bandit.horizon);
      EXPECT_NEAR(shape.deviation, deviation.at(bandit.arm_names[arm]), 5e-5) << bandit.arm_names[arm];
      EXPECT_EQ(shape.peak == 1, reward == FicoReward::utility) << bandit.arm_names[arm];
    }
  }
}

constexpr const char* kHeader = "group,percentile,score,share_at_or_below,repay_probability\n";

std::string file_with(const std::string& content) {
  // Tests may run at the same time, each with a file of its own.
  std::string path = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(FicoFile, IsReadLikeTheShippedTable) {
  const FicoTable table = read_fico_table(file_with(std::string(fico_2003_csv())));
  ASSERT_EQ(table.size(), fico_2003().size());
  for (std::size_t group = 0; group < table.size(); ++group) {
    EXPECT_EQ(table[group].name, fico_2003()[group].name);
    EXPECT_EQ(table[group].scores, fico_2003()[group].scores);
    EXPECT_EQ(table[group].share_at_or_below, fico_2003()[group].share_at_or_below);
    EXPECT_EQ(table[group].repay_probability, fico_2003()[group].repay_probability);
  }
}

TEST(FicoFile, GroupsKeepTheOrderOfTheFile) {
  const FicoTable table = read_fico_table(
      file_with(std::string(kHeader) +
                "\"young people\",0,300,0,0.5\r\nyoung people,1,301,0.5,0.5\r\nold,0,-1,0,0\nold,1,2,1,1\n\n"));
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].name, "young people");
  EXPECT_EQ(table[1].name, "old");
  EXPECT_EQ(table[1].scores, (std::vector<double>{-1, 2}));
}

std::string error_of_table(const std::string& content) {
  const std::string path = file_with(content);
  return error_after_path(path, [&] { read_fico_table(path); });
}

TEST(FicoFile, ItsColumnsAreFixed) {
  EXPECT_EQ(error_of_table("group,percentile,scores,share_at_or_below,repay_probability\n"),
            ": line 1, column 3: 'scores' should be 'score'");
  EXPECT_EQ(error_of_table("group,percentile,score,share_at_or_below\n"),
            ": line 1, column 5: 'repay_probability' is missing");
  EXPECT_EQ(error_of_table("group,percentile,score,share_at_or_below,repay_probability,income\n"),
            ": line 1, column 6: 'income' is one column too many; the last column is 'repay_probability'");
  EXPECT_EQ(error_of_table("sep=;\ngroup;share\n"), ": line 2, column 2: 'share' should be 'percentile'");
  EXPECT_EQ(error_of_table("a,0,300,0,0.5\na,1,301,1,0.5\n"), ": line 1, column 1: 'a' should be 'group'");
  EXPECT_EQ(error_of_table(""),
            ": is empty; it should start with the names of the columns "
            "group,percentile,score,share_at_or_below,repay_probability");
  EXPECT_EQ(error_of_table("\n"),
            ": line 1 is empty; it should name the columns "
            "group,percentile,score,share_at_or_below,repay_probability");
  EXPECT_EQ(error_of_table(kHeader), ": has no rows after the header");
  EXPECT_EQ(error_of_table("group,percentile\x01\na,0\n"),
            ": line 1, byte 17: is the control character 0x01; this is not a CSV file");
}

TEST(FicoFile, SaysWhatIsWrongAndWhere) {
  const auto after = [](const std::string& first_rows, const std::string& row) {
    return error_of_table(kHeader + first_rows + row + "\n");
  };
  const std::string row = "a,0,300,0.1,0.5\n";
  const std::string group = row + "a,1,301,0.2,0.6\n";
  EXPECT_EQ(after(row, "a,1,30l,0.2,0.6"), ": line 3, column 3 (score): '30l' is not a finite number");
  EXPECT_EQ(after(row, "a,,301,0.2,0.6"), ": line 3, column 2 (percentile): '' is not a finite number");
  EXPECT_EQ(after(row, "a,1,nan,0.2,0.6"), ": line 3, column 3 (score): 'nan' is not a finite number");
  EXPECT_EQ(after(row, "a,101,301,0.2,0.6"), ": line 3, column 2 (percentile): 101 is outside [0, 100]");
  EXPECT_EQ(after(row, "a,1,301,1.2,0.6"), ": line 3, column 4 (share_at_or_below): 1.2 is outside [0, 1]");
  EXPECT_EQ(after(row, "a,1,301,0.2,-0.6"), ": line 3, column 5 (repay_probability): -0.6 is outside [0, 1]");
  EXPECT_EQ(after(row, "a,1,301,0.05,0.6"),
            ": line 3, column 4 (share_at_or_below): 0.05 is below the share before it, 0.1");
  EXPECT_EQ(after(row, "a,1,300,0.2,0.6"), ": line 3, column 3 (score): 300 is not above the score before it, 300");
  EXPECT_EQ(after(row, "a,1,301,0.2"), ": line 3 has 4 columns, the header 5");
  EXPECT_EQ(after(group, "b,0,300,0,0"),
            ": line 4, column 1 (group): 'b' has only this row; a group needs two or more");
  EXPECT_EQ(after(row, "b,0,300,0,0\nb,1,301,1,1"),
            ": line 2, column 1 (group): 'a' has only this row; a group needs two or more");
  EXPECT_EQ(after(group, "b,0,300,0,0\nb,1,301,1,1\na,2,302,1,1"),
            ": line 6, column 1 (group): 'a' appears again after 'b'; the rows of a group must follow each other");
  EXPECT_EQ(after(group, ",0,300,0,0"), ": line 4, column 1 (group): the name of the group is missing");
  EXPECT_EQ(after(row, "\na,1,301,0.2,0.6"), ": line 3 is empty, but rows follow it");
  EXPECT_THROW(read_fico_table("no/such/file.csv"), InputError);
  EXPECT_THROW(read_fico_table(::testing::TempDir()), InputError);
}

}  // namespace
}  // namespace longrun
