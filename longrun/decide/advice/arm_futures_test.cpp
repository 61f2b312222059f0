#include "longrun/decide/advice/arm_futures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <tuple>

#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// A curve of an arm, by pull.
using ArmCurve = std::function<double(double)>;

/// Returns curves of one kind with random parameters.
struct CurveKind {
  const char* name;
  Pulls tells_after;  // pulls after which its rewards tell its future
  std::function<ArmCurve(std::mt19937_64&)> draw;
};

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

std::vector<CurveKind> curve_kinds() {
  return {{"constant", 1,
           [](std::mt19937_64& random) -> ArmCurve {
             return [level = between(random, 0.1, 0.9)](double) { return level; };
           }},
          {"levels off", 1,
           [](std::mt19937_64& random) -> ArmCurve {
             const double start = between(random, 0.1, 0.4);
             const double growth = between(random, 0.1, 0.5);
             const double scale = between(random, 10, 150);
             return [=](double pull) { return start + growth * (1 - std::exp(-pull / scale)); };
           }},
          {"falls", 1,
           [](std::mt19937_64& random) -> ArmCurve {
             const double start = between(random, 0.5, 0.9);
             const double fall = between(random, 0.1, 0.5);
             const double scale = between(random, 20, 200);
             return [=](double pull) { return start - fall * (1 - std::exp(-pull / scale)); };
           }},
          {"falls in a line", 1,
           [](std::mt19937_64& random) -> ArmCurve {
             const double start = between(random, 0.6, 0.9);
             const double slope = between(random, 0.2, 0.5) / 500;
             return [=](double pull) { return start - slope * pull; };
           }},
          {"grows in a line", 1'000,  // whether it goes on does not show
           [](std::mt19937_64& random) -> ArmCurve {
             const double start = between(random, 0.1, 0.3);
             const double slope = between(random, 0.2, 0.5) / 500;
             return [=](double pull) { return start + slope * pull; };
           }},
          {"rose and falls", 200, [](std::mt19937_64& random) -> ArmCurve {
             const double peak = between(random, 10, 40);
             const double high = between(random, 0.5, 0.9);
             const double fall = between(random, 0.001, 0.008);
             return [=](double pull) {
               return pull < peak ? high * std::sqrt(pull / peak) : std::max(0.0, high - fall * (pull - peak));
             };
           }}};
}

struct Coverage {
  double covered = 0;  // share of intervals that contain the truth
  double bias = 0;     // mean of expected less truth
  double error = 0;    // mean of their distance
};

Coverage coverage_of(const CurveKind& kind, Pulls seen, Pulls remaining, double sd, int curves) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, sd);
  Coverage result;
  for (int i = 0; i < curves; ++i) {
    const ArmCurve curve = kind.draw(random);
    Question question{.history = {.arm_names = {""}, .pulls = {}}, .horizon = seen + remaining, .noise = Gaussian{sd}};
    for (Pulls pull = 1; pull <= seen; ++pull) {
      question.history.pulls.push_back({0, curve(static_cast<double>(pull)) + noise(random)});
    }
    double truth = 0;
    for (Pulls pull = seen + 1; pull <= seen + remaining; ++pull) {
      truth += curve(static_cast<double>(pull)) / static_cast<double>(remaining);
    }
    const FutureRange expected = recommend(question).arms[0].expected.value();
    EXPECT_LE(expected.low, expected.high);
    constexpr double kRounding = 0.005;  // an arm that has fallen to 0 and one just above it are the same
    result.covered += expected.low - kRounding <= truth && truth <= expected.high + kRounding ? 1.0 / curves : 0;
    result.bias += (expected.mean - truth) / curves;
    result.error += std::abs(expected.mean - truth) / curves;
  }
  return result;
}

// Prints the table of docs/recommend.md.
TEST(ArmFutures, IntervalsContainTheTruthAboutAsOftenAsTheySay) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const CurveKind& kind : curve_kinds()) {
    for (const auto& [seen, sd] : std::vector<std::pair<Pulls, double>>{
             {20, 0.1}, {60, 0.1}, {200, 0.1}, {20, 0.03}, {60, 0.03}, {200, 0.03}, {200, 0.3}}) {
      const auto [covered, bias, error] = coverage_of(kind, seen, 300, sd, 200);
      fmt::print("{}, {} pulls, sd {}: {:.0f} %, {:.3f}\n", kind.name, seen, sd, 100 * covered, error);
      // An arm that has not reached its peak yet tells nothing about its fall.
      if (seen < kind.tells_after) continue;
      EXPECT_GE(covered, 0.55) << kind.name << ", " << seen << " pulls, sd " << sd;
      EXPECT_LE(std::abs(bias), 0.13) << kind.name << ", " << seen << " pulls, sd " << sd;
    }
  }
}

TEST(ArmFutures, OfAnArmThatFallsSlowlyContainTheTruth) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  // Falls that few rewards show, in a straight line and among other arms: the range holds the truth in most cases.
  for (const auto& [sd, made, remaining, fall] :
       {std::tuple{0.1, 100, 400, 0.25}, {0.1, 200, 600, 0.4}, {0.2, 200, 600, 0.32}, {0.1, 200, 800, 0.25}}) {
    constexpr int kLogs = 60;
    int inside = 0;
    double bias = 0;
    for (std::uint64_t seed = 1; seed <= kLogs; ++seed) {
      std::mt19937_64 random(seed);
      std::normal_distribution<double> noise(0, sd);
      Question question{.history = {.arm_names = {"falls", "flat", "grows"}, .pulls = {}},
                        .horizon = 3 * made + remaining};
      const double slope = fall / (made + remaining);
      for (int pull = 1; pull <= made; ++pull) {
        question.history.pulls.push_back({0, 0.8 - slope * pull + noise(random)});
        question.history.pulls.push_back({1, 0.5 + noise(random)});
        question.history.pulls.push_back({2, 0.5 - 0.2 * std::exp(-pull / 50.0) + noise(random)});
      }
      const double truth = 0.8 - slope * (made + (remaining + 1) / 2.0);
      const FutureRange expected = recommend(question).arms[0].expected.value();
      inside += expected.low <= truth && truth <= expected.high ? 1 : 0;
      bias += (expected.mean - truth) / kLogs;
    }
    EXPECT_GE(inside, 0.7 * kLogs) << "sd " << sd << ", " << made << " pulls";
    EXPECT_LE(std::abs(bias), 0.06) << "sd " << sd << ", " << made << " pulls";
  }
}

/// Returns a log of arms with these rates of yes/no rewards, one pull of each at a time, and `remaining` pulls more.
Question steady_rates(std::uint64_t seed, const std::vector<double>& rates, int rewards, Pulls remaining) {
  std::mt19937_64 random(seed);
  const auto arms = static_cast<Arm>(rates.size());
  Question question{.history = {.arm_names = std::vector<std::string>(rates.size()), .pulls = {}},
                    .horizon = Pulls{arms} * rewards + remaining};
  for (int pull = 0; pull < rewards; ++pull) {
    for (Arm arm = 0; arm < arms; ++arm) {
      const bool success = std::bernoulli_distribution(rates[static_cast<std::size_t>(arm)])(random);
      question.history.pulls.push_back({arm, success ? 1.0 : 0.0});
    }
  }
  return question;
}

TEST(ArmFutures, WhereAllArmsPayNearlyAllFallsAreSmall) {
  // Loans of three groups that lose 4000 or pay 300: on this scale a later fall to 0 is a loss of all loans.
  constexpr int kLogs = 20;
  const std::vector<double> rates{0.95, 0.93, 0.97};
  std::vector<double> bias(3, 0);
  std::vector<int> inside(3, 0);
  for (std::uint64_t seed = 1; seed <= kLogs; ++seed) {
    const Recommendation answer = recommend(steady_rates(seed, rates, 200, 1400));
    for (std::size_t arm = 0; arm < 3; ++arm) {
      const FutureRange& expected = *answer.arms[arm].expected;
      bias[arm] += (expected.mean - rates[arm]) / kLogs;
      inside[arm] += expected.low <= rates[arm] && rates[arm] <= expected.high ? 1 : 0;
    }
  }
  for (std::size_t arm = 0; arm < 3; ++arm) {
    EXPECT_GT(bias[arm], -0.04) << "arm " << arm;
    EXPECT_LT(bias[arm], 0.01) << "arm " << arm;
    EXPECT_GE(inside[arm], 14) << "arm " << arm;
  }
}

TEST(ArmFutures, OfRareRewardsTheBestArmIsProbablyNearTheOthers) {
  constexpr int kLogs = 20;
  double expected = 0;
  double shown = 0;
  for (std::uint64_t seed = 1; seed <= kLogs; ++seed) {
    const Recommendation answer = recommend(steady_rates(seed, std::vector<double>(4, 0.02), 400, 2000));
    const ArmReport& best = answer.arms[static_cast<std::size_t>(answer.next.first)];
    expected += best.expected->mean / 0.02 / kLogs;
    shown += best.reward_now->mean / 0.02 / kLogs;
  }
  EXPECT_LT(expected, 1.35);
  EXPECT_LT(expected, shown - 0.2) << "the best arm is so partly by chance";
}

TEST(ArmFutures, ExpectWhatTheTrendSays) {
  // A stated trend, the present reward and the expected one never contradict each other.
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.1);
  int stated = 0;
  for (int i = 0; i < 400 / sanitizer_slowdown(); ++i) {
    const ArmCurve curve = curve_kinds()[static_cast<std::size_t>(i) % curve_kinds().size()].draw(random);
    Question question{.history = {.arm_names = {""}, .pulls = {}}, .horizon = 500};
    if (i % 2 == 0) question.noise = Gaussian{0.1};
    for (int pull = 1; pull <= 5 + i % 150; ++pull) question.history.pulls.push_back({0, curve(pull) + noise(random)});
    const ArmReport arm = recommend(question).arms[0];
    const double change = arm.expected->mean - arm.reward_now->mean;
    const double error = 3 * arm.reward_now->standard_error;
    const Trend trend = arm.trend->stated();
    EXPECT_TRUE(trend != Trend::rising || change >= -error) << i;
    EXPECT_TRUE(trend != Trend::falling || change <= error) << i;
    EXPECT_TRUE(trend != Trend::steady || std::abs(change) <= error + 0.1) << i;
    stated += trend == Trend::undecided ? 0 : 1;
  }
  if (sanitizer_slowdown() == 1) {
    EXPECT_GT(stated, 150);
  }
}

TEST(ArmFutures, OfARisingArmKnowThatTheOthersFell) {
  // Where three arms rose and fell after 20 to 40 pulls, a fourth that still rises at 66 is not expected to stay at 1.
  std::mt19937_64 random(9);
  std::normal_distribution<double> noise(0, 0.1);
  const auto expected_last = [&](bool others_fall) {
    Question question{.history = {.arm_names = {"", "", "", ""}, .pulls = {}}, .horizon = 1'000};
    for (int pull = 1; pull <= 66; ++pull) {
      for (const Arm arm : {0, 1, 2}) {
        const double level = std::min(1.0, pull / (20.0 + 10 * arm));
        const double fall = others_fall ? std::max(0.0, 0.02 * (pull - 20 - 10 * arm)) : 0;
        question.history.pulls.push_back({arm, std::max(0.0, level - fall) + noise(random)});
      }
      question.history.pulls.push_back({3, std::min(1.0, pull / 60.0) + noise(random)});
    }
    return recommend(question).arms[3].expected->mean;
  };
  EXPECT_LT(expected_last(true), 0.9);
  EXPECT_GT(expected_last(false), expected_last(true) + 0.03);
}

TEST(ArmFutures, OfExactRewardsFollowTheCurve) {
  Question question{.history = {.arm_names = {"", ""}, .pulls = {}}, .horizon = 400, .noise = NoNoise{}};
  for (int pull = 1; pull <= 100; ++pull) {
    question.history.pulls.push_back({0, 0.2 + 0.6 * (1 - std::exp(-pull / 64.0))});
    question.history.pulls.push_back({1, 0.5});
  }
  const Recommendation answer = recommend(question);
  double truth = 0;
  for (int pull = 101; pull <= 300; ++pull) truth += (0.2 + 0.6 * (1 - std::exp(-pull / 64.0))) / 200;
  EXPECT_NEAR(answer.arms[0].expected->mean, truth, 0.02);
  EXPECT_NEAR(answer.arms[1].expected->mean, 0.5, 0.02);
  EXPECT_NEAR(answer.arms[1].expected->high, 0.5, 0.02);
}

TEST(FutureCurve, HasTheMeanOfItsRewards) {
  for (const GrowthCurve& shape : growth_curves(1'000)) {
    EXPECT_EQ(shape.at(1), 0);
    EXPECT_NEAR(shape.at(1'000), 1, 1e-12);
    EXPECT_GE(shape.at(100), 0.098) << "concave";
    const FutureCurve curve = FutureCurve::growing(shape, 20, 0.1, 0.7);
    for (const Pulls remaining : {1, 5, 100, 980}) {
      double sum = 0;
      for (Pulls k = 1; k <= remaining; ++k) sum += curve.at(static_cast<double>(k));
      EXPECT_NEAR(curve.mean(remaining), sum / static_cast<double>(remaining), 0.005) << remaining;
    }
  }
  const FutureCurve fall = FutureCurve::line(0.5, -0.01, 20);
  EXPECT_NEAR(fall.at(10), 0.4, 1e-12);
  EXPECT_NEAR(fall.at(500), 0.3, 1e-12);
  EXPECT_EQ(FutureCurve::line(0.5, -0.01, 1e9).at(100), 0);
}

}  // namespace
}  // namespace longrun
