#include "longrun/simulate/backtest/log_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/simulated_log.h"

namespace longrun {
namespace {

/// Returns the root mean squared error of the fitted curves over the logged pulls.
double curve_error(const Bandit& bandit, const std::vector<LoggedArm>& arms, const LogFit& fit) {
  double squares = 0;
  double count = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::vector<double> curve = fit.arms[i].values(arms[i].pulls);
    for (Pulls pull = 1; pull <= arms[i].pulls; ++pull) {
      const double error = curve[static_cast<std::size_t>(pull - 1)] - bandit.arms[i].reward(pull);
      squares += error * error;
      count += 1;
    }
  }
  return std::sqrt(squares / count);
}

TEST(LogFit, CurvesOfALogWithoutNoiseAreExact) {
  const Bandit bandit = three_hills(NoNoise{});
  const std::vector<LoggedArm> arms = logged_arms(column_log(bandit, 1, 190), {});
  const LogFit fit = fit_log(arms);
  EXPECT_LT(curve_error(bandit, arms, fit), 1e-9);
  EXPECT_TRUE(std::holds_alternative<NoNoise>(fit.noise));
  EXPECT_EQ(fit.sd, 0);
}

TEST(LogFit, ErrorOfTheCurvesShrinksWithThePulls) {
  // A hill over ten times as many pulls with ten times the rewards. A monotone curve has an error of order n^(-1/3):
  // ten times the rewards more than halve it.
  const Noise noise = Gaussian{.sd = 0.2};
  const auto mean_error = [&](double stretch) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Bandit bandit = three_hills(noise);
      for (Curve& arm : bandit.arms) arm = Constant{0.5};
      bandit.arms[0] =
          Hill{.start = 0.1, .top = 0.8, .end = 0.3, .peak = 50 * stretch, .rise = 0.7, .fall = 30 * stretch};
      bandit.arms[1] = Hill{.start = 0.7, .top = 0.7, .end = 0.1, .peak = 1, .fall = 60 * stretch};
      const std::vector<LoggedArm> arms = logged_arms(column_log(bandit, seed, static_cast<Pulls>(100 * stretch)), {});
      sum += curve_error(bandit, arms, fit_log(arms)) / 10;
    }
    return sum;
  };
  const double few = mean_error(1);
  const double many = mean_error(10);
  EXPECT_LT(few, 0.08) << "with 100 rewards per arm and noise of 0.2";
  EXPECT_LT(many, few / 1.9);
  EXPECT_LT(mean_error(100), many / 1.9);
}

TEST(LogFit, NoiseIsThatOfTheLog) {
  for (const double sd : {0.02, 0.1, 0.3}) {
    double ratios = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Bandit bandit = three_hills(Gaussian{.sd = sd});
      const std::vector<LoggedArm> arms = logged_arms(column_log(bandit, seed, 100), {});
      double squares = 0;
      for (const LoggedArm& arm : arms) {
        for (const auto& [pull, reward] : arm.rewards)
          squares += std::pow(reward - bandit.arms[static_cast<std::size_t>(arm.arm)].reward(pull), 2) / 300;
      }
      const LogFit fit = fit_log(arms);
      ASSERT_TRUE(std::holds_alternative<Gaussian>(fit.noise));
      EXPECT_EQ(std::get<Gaussian>(fit.noise).sd, fit.sd);
      EXPECT_NEAR(fit.sd / std::sqrt(squares), 1, 0.08) << "compared with the noise that was drawn";
      ratios += fit.sd / std::sqrt(squares) / 20;
    }
    EXPECT_NEAR(ratios, 1, 0.02) << "the parameters of the fit are accounted for";
  }
}

TEST(LogFit, OneOutlierDoesNotCountAsNoise) {
  const Bandit bandit = three_levels(Gaussian{.sd = 0.02});
  History history = column_log(bandit, 3, 100);
  const double before = fit_log(logged_arms(history, {})).sd;
  history.pulls[150].reward = 1.4;
  const LogFit fit = fit_log(logged_arms(history, {}));
  EXPECT_EQ(fit.outliers, 1U);
  EXPECT_NEAR(fit.sd, before, 0.15 * before);
}

TEST(LogFit, RareLargeRewardsAreNoiseAndNotOutliers) {
  History history{.arm_names = {"a"}, .pulls = {}};
  for (int i = 0; i < 400; ++i) history.pulls.push_back({0, i % 40 == 39 ? 0.9 : 0.001 * (i % 7)});
  const LogFit fit = fit_log(logged_arms(history, {}));
  EXPECT_EQ(fit.outliers, 0U);
  EXPECT_NEAR(fit.sd, 0.14, 0.02);
}

TEST(LogFit, RewardsOfZeroAndOneAreBernoulli) {
  const Bandit bandit = three_levels(Bernoulli{});
  EXPECT_TRUE(std::holds_alternative<Bernoulli>(fit_log(logged_arms(column_log(bandit, 1, 50), {})).noise));
  History scaled = column_log(bandit, 1, 50);
  for (PastPull& pull : scaled.pulls) pull.reward = 20 * *pull.reward;
  EXPECT_TRUE(std::holds_alternative<Bernoulli>(fit_log(logged_arms(scaled, {0, 20})).noise)) << "on their scale";
}

TEST(LogFit, FittedBanditIsSinglePeakedAndConstantAfterTheLog) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<LoggedArm> arms = logged_arms(column_log(three_hills(Gaussian{.sd = 0.4}), seed, 300), {});
    const LogFit fit = fit_log(arms);
    const Bandit bandit = fitted_bandit(arms, fit, {"late", "", "level"});
    EXPECT_EQ(bandit.arm_names, (std::vector<std::string>{"late", "arm 1", "level"}));
    for (std::size_t arm = 0; arm < 3; ++arm) {
      EXPECT_TRUE(shape_of(bandit.arms[arm], 500).single_peaked) << seed;
      for (Pulls pull = 1; pull <= 500; ++pull) {
        ASSERT_GE(bandit.arms[arm].reward(pull), 0);
        ASSERT_LE(bandit.arms[arm].reward(pull), 1);
      }
      EXPECT_EQ(bandit.arms[arm].reward(500), fit.arms[arm].end_reward());
      EXPECT_EQ(bandit.arms[arm].reward(300), fit.arms[arm].end_reward());
    }
  }
}

TEST(LogFit, CorrelatedResidualsShowAnotherShape) {
  Bandit bandit = three_levels(Gaussian{.sd = 0.1});
  const auto correlation = [&](std::uint64_t seed) {
    return fit_log(logged_arms(column_log(bandit, seed, 300), {})).residual_correlation;
  };
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const double errors : correlation(seed)) EXPECT_LT(errors, 4) << "a level arm, log " << seed;
  }
  std::vector<double> waves(300);
  for (std::size_t i = 0; i < 300; ++i) waves[i] = 0.5 + 0.3 * std::sin(static_cast<double>(i) / 20);
  bandit.arms[1] = Curve::from_rewards(waves);
  EXPECT_GT(correlation(1)[1], 6);
}

TEST(LogResampler, DrawsLogsLikeTheLog) {
  const Bandit bandit = three_hills(Gaussian{.sd = 0.2});
  const std::vector<LoggedArm> arms = logged_arms(column_log(bandit, 5, 200), {});
  const LogFit fit = fit_log(arms);
  const LogResampler resampler(arms, fit);
  const std::vector<LoggedArm> first = resampler.resampled(9, 1);
  EXPECT_EQ(first[1].rewards, resampler.resampled(9, 1)[1].rewards);
  EXPECT_NE(first[1].rewards, resampler.resampled(9, 2)[1].rewards);
  EXPECT_NE(first[1].rewards, resampler.resampled(8, 1)[1].rewards);
  double sum = 0;
  double squares = 0;
  const std::vector<double> curve = fit.arms[0].values(200);
  for (std::uint32_t number = 1; number <= 50; ++number) {
    const std::vector<LoggedArm> again = resampler.resampled(9, number);
    for (const auto& [pull, reward] : again[0].rewards) {
      const double residual = reward - curve[static_cast<std::size_t>(pull - 1)];
      sum += residual / 10'000;
      squares += residual * residual / 10'000;
    }
  }
  EXPECT_NEAR(sum, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares), 0.2, 0.03);
}

TEST(LogResampler, AnArmWithFewRewardsHasTheResidualsOfAllArms) {
  // Five rewards of one arm are fitted almost exactly: resampled with its own residuals they would not vary.
  Bandit bandit = three_levels(Gaussian{.sd = 0.2});
  History history = column_log(bandit, 5, 200);
  history.pulls.resize(405);
  const std::vector<LoggedArm> arms = logged_arms(history, {});
  const LogFit fit = fit_log(arms);
  const LogResampler resampler(arms, fit);
  const std::vector<double> curve = fit.arms[2].values(5);
  double squares = 0;
  for (std::uint32_t number = 1; number <= 200; ++number) {
    const std::vector<LoggedArm> again = resampler.resampled(1, number);
    for (const auto& [pull, reward] : again[2].rewards) {
      const double residual = reward - curve[static_cast<std::size_t>(pull - 1)];
      squares += residual * residual / 1000;
    }
  }
  EXPECT_NEAR(std::sqrt(squares), 0.2, 0.03);
}

TEST(LogResampler, AllArmsOfALevelLogPayTheMeanOfTheLog) {
  for (const Noise& noise : {Noise(Gaussian{.sd = 0.2}), Noise(Bernoulli{})}) {
    const History history = column_log(three_levels(noise), 5, 200);
    const std::vector<LoggedArm> arms = logged_arms(history, {});
    const LogFit fit = fit_log(arms);
    double mean = 0;
    for (const PastPull& pull : history.pulls) mean += *pull.reward / 600;
    const LogResampler resampler(arms, fit);
    std::vector<double> means(3, 0);
    for (std::uint32_t number = 1; number <= 50; ++number) {
      const std::vector<LoggedArm> again = resampler.level(9, number);
      for (std::size_t arm = 0; arm < 3; ++arm) {
        for (const PullReward& pull : again[arm].rewards) means[arm] += pull.reward / 10'000;
      }
    }
    for (const double each : means) EXPECT_NEAR(each, mean, 0.02) << "the arms of the log pay 0.3, 0.45 and 0.6";
  }
}

TEST(LogResampler, YesNoRewardsStayYesOrNo) {
  const std::vector<LoggedArm> arms = logged_arms(column_log(three_levels(Bernoulli{}), 5, 400), {});
  const LogFit fit = fit_log(arms);
  double ones = 0;
  const std::vector<LoggedArm> again = LogResampler(arms, fit).resampled(1, 1);
  for (const auto& [pull, reward] : again[2].rewards) {
    EXPECT_TRUE(reward == 0 || reward == 1);
    ones += reward;
  }
  EXPECT_NEAR(ones / 400, 0.6, 0.1);
}

}  // namespace
}  // namespace longrun
