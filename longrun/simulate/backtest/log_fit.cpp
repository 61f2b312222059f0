#include "longrun/simulate/backtest/log_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "longrun/base/random.h"

namespace longrun {
namespace {

constexpr double kNoResidual = 1e-9;   // a standard deviation that is only rounding
constexpr double kNormalMad = 1.4826;  // standard deviation per median absolute deviation, of a normal distribution

SinglePeakedFit fit_arm(const LoggedArm& arm) {
  const auto count = static_cast<double>(arm.rewards.size());
  SinglePeakedFitOptions options{.least = 0, .most = 1};
  SinglePeakedFit exact = fit_single_peaked(arm.rewards, options);
  if (exact.squares <= count * kNoResidual * kNoResidual) return exact;  // rewards without noise
  options.smallest_cell = static_cast<std::size_t>(std::max(1.0, kLogFitTuning.cell * std::sqrt(count)));
  options.last_cell = static_cast<std::size_t>(
      std::max(static_cast<double>(kLogFitTuning.smallest_last_cell), kLogFitTuning.last_cell * count));
  return fit_single_peaked(arm.rewards, options);
}

std::vector<double> residuals_of(const LoggedArm& arm, const std::vector<double>& curve) {
  std::vector<double> residuals;
  residuals.reserve(arm.rewards.size());
  for (const auto& [pull, reward] : arm.rewards)
    residuals.push_back(reward - curve[static_cast<std::size_t>(pull - 1)]);
  return residuals;
}

/// Returns the factor by which fitting makes residuals smaller, at most 2: sqrt(rewards / (rewards - parameters)).
double enlargement(double rewards, double parameters) {
  return std::sqrt(rewards / std::max(rewards - parameters, rewards / 4));
}

/// Returns the correlation of successive residuals in standard errors; 0 if all are 0.
double successive_correlation(const std::vector<double>& residuals) {
  double products = 0;
  double squares = 0;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    squares += residuals[k] * residuals[k];
    if (k > 0) products += residuals[k - 1] * residuals[k];
  }
  const auto count = static_cast<double>(residuals.size());
  return squares <= count * kNoResidual * kNoResidual ? 0 : products / squares * std::sqrt(count);
}

/// Returns the size beyond which a residual is an outlier: far from the others, and too few to be the tail of the
/// noise. Infinite if there are none.
double outlier_size(const std::vector<double>& residuals) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> sizes;
  sizes.reserve(residuals.size());
  for (const double residual : residuals) sizes.push_back(std::abs(residual));
  const auto middle = sizes.begin() + std::ssize(sizes) / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double far = kLogFitTuning.far * kNormalMad * *middle;
  const auto count = std::count_if(sizes.begin(), sizes.end(), [&](double size) { return size > far; });
  const double most = std::max(1.0, kLogFitTuning.most_outliers * static_cast<double>(sizes.size()));
  return far > 0 && static_cast<double>(count) <= most ? far : kNone;  // NOLINT(bugprone-narrowing-conversions)
}

/// The residuals of all arms.
struct Residuals {
  std::vector<std::vector<double>> by_arm;
  std::vector<double> all;
  double parameters = 0;  // of the curves

  double sd() const {
    const double squares = std::inner_product(all.begin(), all.end(), all.begin(), 0.0);
    const auto count = static_cast<double>(all.size());
    return std::sqrt(squares / count) * enlargement(count, parameters);
  }
};

Residuals all_residuals(const std::vector<LoggedArm>& arms, const std::vector<SinglePeakedFit>& fits) {
  Residuals residuals;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    residuals.by_arm.push_back(residuals_of(arms[i], fits[i].values(arms[i].pulls)));
    residuals.all.insert(residuals.all.end(), residuals.by_arm[i].begin(), residuals.by_arm[i].end());
    residuals.parameters += static_cast<double>(fits[i].parameters);
  }
  return residuals;
}

std::vector<SinglePeakedFit> fit_arms(const std::vector<LoggedArm>& arms) {
  std::vector<SinglePeakedFit> fits;
  fits.reserve(arms.size());
  for (const LoggedArm& arm : arms) fits.push_back(fit_arm(arm));
  return fits;
}

/// Returns the standard deviation of the residuals without those beyond `size`. An outlier also bends the curve near
/// it, so the others are compared with curves that are fitted without outliers.
double sd_without_outliers(std::vector<LoggedArm> arms, const Residuals& residuals, double size) {
  for (std::size_t i = 0; i < arms.size(); ++i) {
    std::vector<PullReward> kept;
    for (std::size_t k = 0; k < arms[i].rewards.size(); ++k) {
      if (std::abs(residuals.by_arm[i][k]) <= size) kept.push_back(arms[i].rewards[k]);
    }
    arms[i].rewards = std::move(kept);
  }
  std::erase_if(arms, [](const LoggedArm& arm) { return arm.rewards.empty(); });
  return all_residuals(arms, fit_arms(arms)).sd();
}

bool all_yes_or_no(const std::vector<LoggedArm>& arms) {
  constexpr RewardScale kUnit;
  return std::all_of(arms.begin(), arms.end(), [&](const LoggedArm& arm) {
    return std::all_of(arm.rewards.begin(), arm.rewards.end(),
                       [&](const PullReward& pull) { return kUnit.is_end(pull.reward); });
  });
}

void set_noise(LogFit& fit, const std::vector<LoggedArm>& arms) {
  const Residuals residuals = all_residuals(arms, fit.arms);
  for (const std::vector<double>& own : residuals.by_arm)
    fit.residual_correlation.push_back(successive_correlation(own));
  fit.sd = residuals.sd();
  if (fit.sd <= kNoResidual) fit.sd = 0;
  if (all_yes_or_no(arms)) {
    fit.noise = Bernoulli{};
    return;
  }
  if (fit.sd == 0) return;
  const double size = outlier_size(residuals.all);
  fit.outliers = static_cast<std::size_t>(std::count_if(residuals.all.begin(), residuals.all.end(),
                                                        [&](double residual) { return std::abs(residual) > size; }));
  if (fit.outliers > 0) fit.sd = sd_without_outliers(arms, residuals, size);
  fit.noise = Gaussian{.sd = fit.sd};
}

}  // namespace

std::vector<LoggedArm> logged_arms(const History& history, const RewardScale& scale) {
  std::vector<LoggedArm> arms(static_cast<std::size_t>(history.arms()));
  for (std::size_t i = 0; i < arms.size(); ++i) arms[i].arm = static_cast<Arm>(i);
  for (const PastPull& pull : history.pulls) {
    LoggedArm& arm = arms[static_cast<std::size_t>(pull.arm)];
    ++arm.made;
    if (!pull.reward) continue;
    arm.pulls = arm.made;
    arm.rewards.push_back({arm.made, scale.to_unit(*pull.reward)});
  }
  return arms;
}

LogFit fit_log(const std::vector<LoggedArm>& arms) {
  LogFit fit;
  fit.arms = fit_arms(arms);
  set_noise(fit, arms);
  return fit;
}

Bandit fitted_bandit(const std::vector<LoggedArm>& arms, const LogFit& fit, const std::vector<std::string>& arm_names) {
  Bandit bandit{
      .name = "fitted to the log", .arm_names = {}, .arms = {}, .noise = fit.noise, .recorded_noise = nullptr};
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::string& name = arm_names[static_cast<std::size_t>(arms[i].arm)];
    bandit.arm_names.push_back(name.empty() ? fmt::format("arm {}", arms[i].arm) : name);
    bandit.arms.emplace_back(Table{.rewards = std::make_shared<std::vector<double>>(fit.arms[i].values(arms[i].pulls)),
                                   .after_end = fit.arms[i].end_reward()});
  }
  return bandit;
}

LogResampler::LogResampler(const std::vector<LoggedArm>& arms, const LogFit& fit) : arms_(arms), fit_(fit) {
  std::vector<double> pooled;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    curves_.push_back(fit.arms[i].values(arms[i].pulls));
    std::vector<double> own = residuals_of(arms[i], curves_.back());
    const auto count = static_cast<double>(own.size());
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / count;
    const double factor = enlargement(count, static_cast<double>(fit.arms[i].parameters));
    for (double& residual : own) residual = (residual - mean) * factor;
    pooled.insert(pooled.end(), own.begin(), own.end());
    residuals_.push_back(std::move(own));
  }
  for (auto& own : residuals_) {
    if (std::ssize(own) < kLogFitTuning.own_residuals) own = pooled;
  }
  for (const LoggedArm& arm : arms) {
    for (const PullReward& pull : arm.rewards) mean_reward_ += pull.reward / static_cast<double>(pooled.size());
  }
}

/// Returns a log with the pulls of the log, and rewards with the mean mean(arm, pull) and its noise.
template <class Mean>
std::vector<LoggedArm> LogResampler::drawn(std::uint64_t seed, std::uint32_t number, Mean mean_of) const {
  std::vector<LoggedArm> arms = arms_;
  const bool yes_or_no = std::holds_alternative<Bernoulli>(fit_.noise);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const StreamKey key{
        .seed = seed, .replicate = number, .purpose = Purpose::resample, .lane = static_cast<std::uint32_t>(i)};
    const auto choices = static_cast<double>(residuals_[i].size());
    for (std::size_t k = 0; k < arms[i].rewards.size(); ++k) {
      auto& [pull, reward] = arms[i].rewards[k];
      const double mean = mean_of(i, pull);
      const double uniform = unit_interval(random_block(key, k / 2)[k % 2]);
      reward =
          yes_or_no ? (uniform < mean ? 1.0 : 0.0) : mean + residuals_[i][static_cast<std::size_t>(uniform * choices)];
    }
  }
  return arms;
}

std::vector<LoggedArm> LogResampler::resampled(std::uint64_t seed, std::uint32_t number) const {
  return drawn(seed, number,
               [&](std::size_t arm, Pulls pull) { return curves_[arm][static_cast<std::size_t>(pull - 1)]; });
}

std::vector<LoggedArm> LogResampler::level(std::uint64_t seed, std::uint32_t number) const {
  return drawn(seed, number, [&](std::size_t, Pulls) { return mean_reward_; });
}

}  // namespace longrun
