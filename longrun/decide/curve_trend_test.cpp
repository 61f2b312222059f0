#include "longrun/decide/curve_trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "longrun/base/text.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

using TimeCurve = std::function<double(double)>;  // of the time from 0 to 1

TimeCurve line(double from, double to) {
  return [=](double time) { return from + (to - from) * time; };
}

enum class RewardKind { yes_or_no, gaussian, gaussian_of_unknown_sd };
constexpr double kSd = 0.1;

/// Returns the share of 400 simulated arms for which each trend is stated.
std::map<Trend, double> calls(const TimeCurve& curve, int pulls, RewardKind kind) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::map<Trend, double> result;
  constexpr int kArms = 400;
  for (int arm = 0; arm < kArms; ++arm) {
    std::vector<double> rewards;
    double sum = 0;
    for (int pull = 0; pull < pulls; ++pull) {
      const double mean = curve(pull / (pulls - 1.0));
      const double reward = kind == RewardKind::yes_or_no ? (std::bernoulli_distribution(mean)(random) ? 1.0 : 0.0)
                                                          : mean + kSd * normal(random);
      rewards.push_back(reward);
      sum += reward;
    }
    std::optional<double> variance;
    if (kind == RewardKind::gaussian) variance = kSd * kSd;
    if (kind == RewardKind::yes_or_no) {
      const double rate = (sum + 0.5) / (pulls + 1);
      variance = rate * (1 - rate);
    }
    result[curve_trend(RewardSummary(rewards), variance).stated()] += 1.0 / kArms;
  }
  return result;
}

TEST(CurveTrend, FindsTrendsThatAnyoneSees) {
  EXPECT_EQ(curve_trend(RewardSummary(std::vector{0.30, 0.38, 0.45, 0.50, 0.56, 0.58}), std::nullopt).stated(),
            Trend::rising);
  EXPECT_GE(calls(line(0.3, 0.8), 500, RewardKind::yes_or_no)[Trend::rising], 0.9);
  EXPECT_GE(calls(line(0.8, 0.3), 200, RewardKind::yes_or_no)[Trend::falling], 0.9);
  EXPECT_GE(calls(line(0.1, 0.6), 22, RewardKind::gaussian)[Trend::rising], 0.9);
  EXPECT_GE(calls(line(0.1, 0.6), 22, RewardKind::gaussian_of_unknown_sd)[Trend::rising], 0.9);
}

TEST(CurveTrend, RarelyCallsAConstantArmRisingOrFalling) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const RewardKind kind : {RewardKind::yes_or_no, RewardKind::gaussian, RewardKind::gaussian_of_unknown_sd}) {
    for (const int pulls : {3, 4, 5, 6, 8, 10, 15, 22, 50, 100, 500, 2000}) {
      for (const double level : {0.02, 0.5, 0.9}) {
        auto share = calls(line(level, level), pulls, kind);
        EXPECT_LE(share[Trend::rising] + share[Trend::falling], 0.05)
            << "kind " << static_cast<int>(kind) << ", " << pulls << " pulls at " << level;
      }
    }
  }
}

TEST(CurveTrend, IsThatOfTheLaterPulls) {
  const TimeCurve peak = [](double time) { return 0.2 + 1.2 * std::min(time, 1 - time); };
  EXPECT_GE(calls(peak, 200, RewardKind::gaussian)[Trend::falling], 0.99);
  const TimeCurve levelled = [](double time) { return 0.2 + std::min(0.3, 2 * time); };
  auto share = calls(levelled, 1000, RewardKind::gaussian);
  EXPECT_GE(share[Trend::steady], 0.5);
  EXPECT_LE(share[Trend::rising] + share[Trend::falling], 0.05);
}

TEST(CurveTrend, OfAnArmThatHasLongBeenConstantIsNotThatOfItsBeginning) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const auto up = [](double end) { return [=](double time) { return 0.2 + 0.5 * std::min(1.0, time / end); }; };
  const auto hill = [](double end) {
    return
        [=](double time) { return time < end / 2 ? 0.2 + 1.2 * time / end : 0.8 - std::min(0.5, (time / end - 0.5)); };
  };
  for (const RewardKind kind : {RewardKind::yes_or_no, RewardKind::gaussian, RewardKind::gaussian_of_unknown_sd}) {
    for (const int pulls : {100, 300, 2000}) {
      for (const double end : {0.2, 0.3, 0.4, 0.45}) {
        for (const TimeCurve& curve : {TimeCurve(up(end)), TimeCurve(hill(end))}) {
          auto share = calls(curve, pulls, kind);
          // Few yes/no rewards do not tell a curve that has levelled off from one that still changes; see below.
          const bool few = kind == RewardKind::yes_or_no ? pulls <= 300 : pulls <= 100;
          if (few) continue;
          EXPECT_LE(share[Trend::rising] + share[Trend::falling], 0.05)
              << "kind " << static_cast<int>(kind) << ", " << pulls << " pulls, constant since " << end << ", at "
              << curve(0.1 * end) << ": rising " << share[Trend::rising] << ", falling " << share[Trend::falling];
        }
      }
    }
  }
}

// 300 yes/no rewards hardly tell a line from a curve that has levelled off at 45 % of them. docs/recommend.md has these
// numbers; the limits leave room for two standard errors of 400 arms.
TEST(CurveTrend, OfYesOrNoRewardsThatHaveLevelledOffIsRarelyCalled) {
  const auto up = [](double end) {
    return TimeCurve([=](double time) { return 0.2 + 0.5 * std::min(1.0, time / end); });
  };
  const auto hill = [](double end) {
    return TimeCurve(
        [=](double time) { return time < end / 2 ? 0.2 + 1.2 * time / end : 0.8 - std::min(0.5, (time / end - 0.5)); });
  };
  const auto wrong = [](const TimeCurve& curve) {
    auto share = calls(curve, 300, RewardKind::yes_or_no);
    return share[Trend::rising] + share[Trend::falling];
  };
  EXPECT_LE(wrong(up(0.2)), 0.05);
  EXPECT_LE(wrong(up(0.3)), 0.06);
  EXPECT_LE(wrong(up(0.4)), 0.14);
  EXPECT_LE(wrong(up(0.45)), 0.27);
  EXPECT_LE(wrong(hill(0.2)), 0.1);
  for (const double end : {0.3, 0.4, 0.45}) EXPECT_LE(wrong(hill(end)), 0.08) << end;
}

TEST(CurveTrend, GoesByPullsAndNotByKnownRewards) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  std::map<Trend, int> by_pulls;
  std::map<Trend, int> by_rewards;
  for (int arm = 0; arm < 100; ++arm) {
    RewardSummary rewards;  // rises over 100 pulls, then stays for 150, of whose rewards four in five are lost
    RewardSummary known;
    for (int pull = 0; pull < 100; ++pull) {
      const double reward = 0.2 + 0.005 * pull + noise(random);
      rewards.add(reward);
      known.add(reward);
    }
    for (int pull = 0; pull < 150; pull += 5) {
      const double reward = 0.7 + noise(random);
      rewards.add(reward, 4);
      known.add(reward);
    }
    ++by_pulls[curve_trend(rewards, 0.0025).stated()];
    ++by_rewards[curve_trend(known, 0.0025).stated()];
  }
  EXPECT_LE(by_pulls[Trend::rising] + by_pulls[Trend::falling], 5);
  EXPECT_GE(by_rewards[Trend::rising], 95);  // in the later half of the known rewards, the arm has risen
}

TEST(CurveTrend, DoesNotDependOnTheUnitOfRewards) {
  const std::vector<double> rewards{0.2, 0.31, 0.25, 0.42, 0.33, 0.5, 0.41};
  std::vector<double> euros;
  euros.reserve(rewards.size());
  for (const double reward : rewards) euros.push_back(1000 + 250 * reward);
  const CurveTrend a = curve_trend(RewardSummary(rewards), std::nullopt);
  const CurveTrend b = curve_trend(RewardSummary(euros), std::nullopt);
  EXPECT_NEAR(a.rising, b.rising, 1e-9);
  EXPECT_NEAR(a.falling, b.falling, 1e-9);
  const CurveTrend c = curve_trend(RewardSummary(rewards), 0.01);
  const CurveTrend d = curve_trend(RewardSummary(euros), 0.01 * 250 * 250);
  EXPECT_NEAR(c.rising, d.rising, 1e-9);
}

TEST(CurveTrend, IsFoundInSmallChangesOfLargeRewards) {
  for (const double offset : {0.0, 0.5, 1e6}) {
    for (const double step : {1e-7, 1e-3}) {
      std::vector<double> rewards;
      rewards.reserve(30);
      for (int i = 0; i < 30; ++i) rewards.push_back(offset + step * i);
      const CurveTrend trend = curve_trend(RewardSummary(rewards), std::nullopt);
      ASSERT_FALSE(std::isnan(trend.rising));
      EXPECT_EQ(trend.stated(), offset == 1e6 && step < 1e-6 ? trend.stated() : Trend::rising)
          << offset << ", " << step;
    }
  }
}

TEST(CurveTrend, IsThatOfALineWherePullsAreMirrored) {
  const std::vector<double> rewards{0.1, 0.35, 0.25, 0.42, 0.33, 0.5, 0.41, 0.6};
  std::vector<double> negated;
  negated.reserve(rewards.size());
  for (const double reward : rewards) negated.push_back(-reward);
  const CurveTrend up = curve_trend(RewardSummary(rewards), 0.01);
  const CurveTrend down = curve_trend(RewardSummary(negated), 0.01);
  EXPECT_NEAR(up.rising, down.falling, 1e-12);
  EXPECT_NEAR(up.steady, down.steady, 1e-12);
  EXPECT_NEAR(up.rising + up.falling + up.steady, 1, 1e-12);
}

TEST(CurveTrend, IsStatedByTheNumberThatIsPrinted) {
  for (double steady = 0.78; steady < 0.82; steady += 0.0005) {
    const CurveTrend trend{.rising = (1 - steady) / 2, .falling = (1 - steady) / 2, .steady = steady};
    const bool is_printed_as_80 = share_text(steady) >= "80 %";
    EXPECT_EQ(trend.stated() == Trend::steady, is_printed_as_80) << steady;
  }
}

TEST(CurveTrend, OfFewOrEqualRewardsIsNotStated) {
  EXPECT_EQ(curve_trend(RewardSummary(), std::nullopt).stated(), Trend::undecided);
  EXPECT_EQ(curve_trend(RewardSummary(std::vector{0.1, 0.9}), 0.0001).stated(), Trend::undecided);
  const CurveTrend equal = curve_trend(RewardSummary(std::vector<double>(50, 0.4)), std::nullopt);
  EXPECT_NEAR(equal.rising, equal.falling, 1e-9);
  EXPECT_NE(equal.stated(), Trend::rising);
}

}  // namespace
}  // namespace longrun
