#include "longrun/decide/advice/reward_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "tests/long_tests.h"

namespace longrun {
namespace {

TEST(RewardSummary, KeepsTheNewestRewardsSinglyAndAllSums) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  RewardSummary summary;
  std::vector<double> rewards;
  for (int pull = 1; pull <= 5'000; ++pull) {
    rewards.push_back(uniform(random));
    summary.add(rewards.back());
    if (pull % 97 != 0) continue;
    const std::vector<RewardBucket> buckets = summary.buckets();
    EXPECT_LE(static_cast<double>(buckets.size()), 17 * (1 + std::log2(pull)));
    auto end = rewards.size();
    for (std::size_t i = buckets.size(); i-- > 0;) {
      const auto begin = end - static_cast<std::size_t>(buckets[i].count);
      double sum = 0;
      double squares = 0;
      for (std::size_t k = begin; k < end; ++k) sum += rewards[k];
      for (std::size_t k = begin; k < end; ++k) squares += std::pow(rewards[k] - sum / double(end - begin), 2);
      ASSERT_NEAR(buckets[i].sum, sum, 1e-9);
      ASSERT_NEAR(buckets[i].squares, squares, 1e-9);
      // A bucket is at most a sixteenth of the rewards from it to the newest.
      ASSERT_TRUE(buckets[i].count == 1 || 8 * buckets[i].count <= static_cast<Pulls>(rewards.size() - begin));
      end = begin;
    }
    EXPECT_EQ(end, 0U) << "every reward is in a bucket";
    EXPECT_EQ(summary.count(), pull);
  }
}

TEST(RewardSummary, KnowsThePlacesOfRewardsAmongLostPulls) {
  RewardSummary summary;
  std::vector<double> places;
  Pulls pulls = 0;
  for (int reward = 1; reward <= 1'000; ++reward) {
    const Pulls lost = reward % 97 == 0 ? 50 : reward % 7;
    pulls += lost + 1;
    places.push_back(static_cast<double>(pulls));
    summary.add(0.5, lost);
  }
  std::size_t first = 0;
  Pulls before = 0;
  for (const RewardBucket& bucket : summary.buckets()) {
    const auto next = first + static_cast<std::size_t>(bucket.count);
    double sum = 0;
    for (std::size_t i = first; i < next; ++i) sum += places[i];
    EXPECT_DOUBLE_EQ(static_cast<double>(before) + bucket.centre(), sum / static_cast<double>(bucket.count));
    before += bucket.pulls;
    first = next;
  }
  EXPECT_EQ(first, places.size());
  EXPECT_EQ(before, pulls);
  EXPECT_EQ(summary.pulls(), pulls);
}

TEST(RewardNow, IsTheMeanOfTheNewestRewards) {
  std::vector<double> rewards(1'024, 0.2);
  rewards.insert(rewards.end(), 200, 0.6);
  const RewardNow now = reward_now(RewardSummary(rewards), {.sd = 0.1});
  EXPECT_NEAR(now.mean, 0.6, 1e-9) << "not of an aligned block, and without the rewards before the change";
  EXPECT_LE(now.pulls, 200);
  EXPECT_GE(now.pulls, 128);
  EXPECT_NEAR(now.standard_error, 0.1 / std::sqrt(static_cast<double>(now.pulls)), 1e-12);
  EXPECT_EQ(reward_now(RewardSummary(std::vector{0.3}), {.sd = 0.1}).mean, 0.3);
  EXPECT_EQ(reward_now(RewardSummary(std::vector{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}), {.sd = 1}).pulls, 2)
      << "a quarter at most";
}

TEST(RewardSummary, EstimatesTheNoiseOfItsArm) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> noise(0, 0.05);
  for (const int pulls : {12, 100, 5'000}) {
    double mean = 0;
    for (int arm = 0; arm < 100; ++arm) {
      RewardSummary rewards;
      for (int pull = 0; pull < pulls; ++pull) rewards.add(0.2 + 0.5 * pull / pulls + noise(random));
      mean += rewards.noise_variance() / 100;
    }
    EXPECT_NEAR(std::sqrt(mean), 0.05, 0.01) << pulls;
  }
}

TEST(RewardNow, OfYesOrNoRewardsIsNotThatOfAFew) {
  std::mt19937_64 random(4);
  for (const double rate : {0.02, 0.3, 0.7}) {
    int far = 0;
    for (int arm = 0; arm < 200; ++arm) {
      RewardSummary rewards;
      for (int pull = 0; pull < 4'000; ++pull) rewards.add(std::bernoulli_distribution(rate)(random) ? 1 : 0);
      const RewardNow now = reward_now(rewards, {.sd = std::sqrt(rate * (1 - rate)), .yes_or_no = true});
      far += std::abs(now.mean - rate) > 3 * std::sqrt(rate * (1 - rate) / 1'000) ? 1 : 0;
    }
    EXPECT_LE(far, 12) << rate;
  }
}

TEST(RewardNow, EndsWithTheLastReward) {
  // Two arms of click data whose order an older block would invert.
  std::vector<double> rising(3'000, 0.02);
  std::vector<double> falling(3'000, 0.03);
  for (std::size_t i = 2'000; i < 3'000; ++i) {
    rising[i] = 0.035;
    falling[i] = 0.025;
  }
  EXPECT_GT(reward_now(RewardSummary(rising), {.sd = 0.15}).mean,
            reward_now(RewardSummary(falling), {.sd = 0.15}).mean);
}

TEST(RateInterval, ContainsARateThatRoundingHasPutAboveOne) {
  const RateInterval interval = rate_interval(1 + 1e-15, 12, 1.28);
  EXPECT_EQ(interval.high, 1);
  EXPECT_GT(interval.low, 0.8);
  EXPECT_EQ(rate_interval(-1e-15, 12, 1.28).low, 0);
}

TEST(RewardNow, HasAnIntervalThatHoldsInAboutFourOfFiveArms) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  struct Shape {
    const char* name;
    double (*mean)(double level, double time);  // level from 0.1 to 0.9
  };
  const Shape shapes[] = {
      {"flat", [](double level, double) { return level; }},
      {"rising", [](double level, double time) { return level * (0.3 + 0.7 * time); }},
      {"levelled", [](double level, double time) { return level * std::min(1.0, 0.3 + 2 * time); }},
      {"fallen lately", [](double level, double time) { return time < 0.9 ? 0.9 : 0.5 * level; }},
  };
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> levels(0.1, 0.9);
  std::normal_distribution<double> normal;
  for (const Shape& shape : shapes) {
    for (const bool yes_or_no : {false, true}) {
      for (const int pulls : {8, 20, 60, 300, 1'500}) {
        constexpr int kArms = 600;
        int inside = 0;
        for (int arm = 0; arm < kArms; ++arm) {
          const double level = levels(random);
          std::vector<double> means;
          std::vector<double> rewards;
          double sum = 0;
          for (int pull = 0; pull < pulls; ++pull) {
            means.push_back(shape.mean(level, pull / (pulls - 1.0)));
            rewards.push_back(yes_or_no ? (std::bernoulli_distribution(means.back())(random) ? 1.0 : 0.0)
                                        : means.back() + 0.1 * normal(random));
            sum += rewards.back();
          }
          const double rate = (sum + 0.5) / (pulls + 1);
          const RewardNow now = reward_now(
              RewardSummary(rewards), {.sd = yes_or_no ? std::sqrt(rate * (1 - rate)) : 0.1, .yes_or_no = yes_or_no});
          double truth = 0;  // the mean reward of the pulls that it is the mean of
          for (Pulls i = 1; i <= now.pulls; ++i) truth += means[means.size() - static_cast<std::size_t>(i)];
          truth /= static_cast<double>(now.pulls);
          EXPECT_TRUE(now.low <= now.mean && now.mean <= now.high);
          inside += now.low <= truth && truth <= now.high ? 1 : 0;
        }
        const double share = static_cast<double>(inside) / kArms;
        if (long_tests())
          std::printf("%s%s, %d pulls: %.0f %%\n", shape.name, yes_or_no ? ", yes or no" : ", sd 0.1", pulls,
                      100 * share);
        EXPECT_TRUE(share > 0.72 && share < 0.92)
            << shape.name << (yes_or_no ? ", yes or no, " : ", sd 0.1, ") << pulls << " pulls: " << share;
      }
    }
  }
}

}  // namespace
}  // namespace longrun
