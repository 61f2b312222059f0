#include "longrun/simulate/backtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/decide/question.h"
#include "longrun/simulate/contest.h"
#include "longrun/simulate/optimum.h"

namespace longrun {
namespace {

constexpr double kMiss = 0.1;               // probability outside an 80 % interval, on each side
constexpr double kNormalQuantile = 1.2816;  // of the same probability, in standard errors

void check_spec(const BacktestSpec& spec) {
  if (spec.policies.empty()) throw InputError("no policy is given; at least one is needed");
  std::set<std::string> seen;
  for (const PolicyChoice& policy : spec.policies) {
    if (!seen.insert(policy.text()).second) throw InputError(fmt::format("policy '{}' is given twice", policy.text()));
    if (policy.entry().traits.needs_plan) {
      throw InputError(fmt::format(
          "policy '{}' needs known reward curves; the optimum of the fitted curves is always part of the result",
          policy.text()));
    }
  }
  if (spec.replicates < 1 || spec.replicates > kMostRepeats)
    throw InputError(fmt::format("replicates {}: must be from 1 to {}", spec.replicates, kMostRepeats));
  if ((spec.resamples != 0 && spec.resamples < kFewestResamples) || spec.resamples > kMostRepeats) {
    throw InputError(
        fmt::format("resamples {}: must be 0 or from {} to {}", spec.resamples, kFewestResamples, kMostRepeats));
  }
  if (spec.horizon < 0 || spec.horizon > kLongestHorizon)
    throw InputError(fmt::format("horizon {}: must be from 1 to {}", spec.horizon, kLongestHorizon));
  check_rewards({.history = spec.history, .scale = spec.scale});
}

/// Returns the pulls of each arm if all arms get equally many, the first ones one more if the horizon is no multiple.
std::vector<Pulls> equal_split(Pulls horizon, std::size_t arms) {
  const auto count = static_cast<Pulls>(arms);
  std::vector<Pulls> pulls(arms, horizon / count);
  for (Pulls arm = 0; arm < horizon % count; ++arm) ++pulls[static_cast<std::size_t>(arm)];
  return pulls;
}

/// Consecutive replicates.
struct Replicates {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Returns the replicates on the bandit of resampled log `number`, from 1. They differ between resamples, so that the
/// mean over the resamples is that of many replicates.
Replicates replicates_of(const BacktestSpec& spec, std::size_t number) {
  const std::uint32_t count = std::min(spec.replicates, kReplicatesPerResample);
  const auto groups = spec.replicates / count;
  return {.first = static_cast<std::uint32_t>((number - 1) % groups) * count, .count = count};
}

/// The result of all ways to choose arms on one fitted bandit, in the order of Backtest::rows.
struct Comparison {
  Replicates replicates;
  std::vector<std::vector<double>> rewards;  // [row][replicate], per pull; references have one replicate
  std::vector<std::vector<double>> pulls;    // [row][arm], means

  /// Returns the mean over some of the replicates.
  double mean(std::size_t row, const Replicates& some) const {
    if (rewards[row].size() == 1) return rewards[row][0];
    const auto begin = rewards[row].begin() + (some.first - replicates.first);
    return std::accumulate(begin, begin + some.count, 0.0) / some.count;
  }
};

class Comparer {
 public:
  Comparer(const BacktestSpec& spec, Pulls horizon, const BacktestOptions& options)
      : spec_(spec), options_(options), horizon_(horizon) {
    contest_.policies = spec.policies;
    contest_.horizons = {horizon};
    contest_.seed = spec.seed;
    const std::uint64_t replicates = spec.replicates + std::uint64_t{spec.resamples} * replicates_of(spec, 1).count;
    progress_.runs_total = replicates * spec.policies.size();
    progress_.steps_total = progress_.runs_total * static_cast<std::uint64_t>(horizon);
  }

  Comparison compare(const Bandit& bandit, const Replicates& replicates) {
    const ContestBandit contest(contest_, bandit);
    const std::size_t policies = spec_.policies.size();
    const auto steps = static_cast<double>(horizon_);
    Comparison result{.replicates = replicates,
                      .rewards = std::vector<std::vector<double>>(policies + 2),
                      .pulls = std::vector(policies + 2, std::vector<double>(bandit.arms.size(), 0))};
    double optimum = 0;
    for (std::uint32_t replicate = replicates.first; replicate < replicates.first + replicates.count; ++replicate) {
      std::uint64_t reported = 0;
      for (const ContestRun& run : contest.play(bandit.noise, replicate, [&](std::uint64_t played) {
             report(played);
             ++reported;
           })) {
        result.rewards[run.policy].push_back(run.earned / steps);
        for (std::size_t arm = 0; arm < run.pulls.size(); ++arm)
          result.pulls[run.policy][arm] += static_cast<double>(run.pulls[arm]) / replicates.count;
        optimum = run.optimum;
      }
      // Without noise, a contest makes the runs of a policy that is not randomized once for all replicates.
      for (; reported < policies; ++reported) report(static_cast<std::uint64_t>(horizon_));
    }
    add_references(result, bandit, optimum);
    return result;
  }

 private:
  void add_references(Comparison& result, const Bandit& bandit, double optimum) const {
    const std::size_t equal = spec_.policies.size();
    const std::vector<Pulls> pulls = equal_split(horizon_, bandit.arms.size());
    double earned = 0;
    for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
      earned += bandit.arms[arm].cumulative(pulls[arm]);
      result.pulls[equal][arm] = static_cast<double>(pulls[arm]);
    }
    result.rewards[equal] = {earned / static_cast<double>(horizon_)};
    result.rewards[equal + 1] = {optimum / static_cast<double>(horizon_)};
  }

  void report(std::uint64_t steps) {
    const std::lock_guard lock(reporting_);
    progress_.runs_done += 1;
    progress_.steps_done += steps;
    if (options_.on_progress) options_.on_progress(progress_);
  }

  const BacktestSpec& spec_;
  const BacktestOptions& options_;
  Contest contest_;
  const Pulls horizon_;
  std::mutex reporting_;  // guards progress_ and the callback
  BacktestProgress progress_;
};

/// Returns the comparison on the bandit fitted to the log, then those on the bandits fitted to resampled logs.
std::vector<Comparison> compare_all(const BacktestSpec& spec, const Backtest& result, const BacktestOptions& options) {
  Comparer comparer(spec, result.horizon, options);
  const LogResampler resampler(result.arms, result.fit);
  std::vector<Comparison> comparisons(1 + std::size_t{spec.resamples});
  in_parallel(options.threads, comparisons.size(), [&](std::size_t number) {
    const CancellationScope scope(options.stop);
    throw_if_cancelled();
    if (number == 0) {
      comparisons[0] = comparer.compare(result.bandit, {.first = 0, .count = spec.replicates});
      return;
    }
    const std::vector<LoggedArm> arms = resampler.resampled(spec.seed, static_cast<std::uint32_t>(number));
    comparisons[number] =
        comparer.compare(fitted_bandit(arms, fit_log(arms), spec.history.arm_names), replicates_of(spec, number));
  });
  return comparisons;
}

double standard_error(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  if (count < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) / count);
}

/// The estimates of a backtest from its comparisons, in the unit of the log.
class Estimates {
 public:
  Estimates(const std::vector<Comparison>& all, const RewardScale& scale) : all_(all), scale_(scale) {}

  LogEstimate reward(std::size_t row) const {
    LogEstimate estimate = of(row);
    const auto in_unit = [&](double value) { return scale_.from_unit(value); };
    estimate.value = in_unit(std::clamp(estimate.value, 0.0, 1.0));
    if (estimate.interval) {  // no mean reward lies outside the scale
      estimate.interval = {in_unit(std::clamp(estimate.interval->low, 0.0, 1.0)),
                           in_unit(std::clamp(estimate.interval->high, 0.0, 1.0))};
    }
    return estimate;
  }
  /// Returns the policy regret of a row, which is never negative.
  LogEstimate regret(std::size_t optimum, std::size_t row) const {
    LogEstimate estimate = difference(optimum, row);
    estimate.value = std::max(0.0, estimate.value);
    if (estimate.interval) {
      estimate.interval = {std::max(0.0, estimate.interval->low), std::max(0.0, estimate.interval->high)};
    }
    return estimate;
  }
  /// Returns the reward of row a less that of row b.
  LogEstimate difference(std::size_t a, std::size_t b) const {
    LogEstimate estimate = of(a, b);
    estimate.value *= scale_.range();
    if (estimate.interval) {
      estimate.interval = {estimate.interval->low * scale_.range(), estimate.interval->high * scale_.range()};
    }
    return estimate;
  }

 private:
  /// Returns the estimate of the rewards of row a, less those of row b if it is given.
  LogEstimate of(std::size_t a, std::optional<std::size_t> b = std::nullopt) const {
    const auto value = [&](const Comparison& one, const Replicates& some) {
      return one.mean(a, some) - (b ? one.mean(*b, some) : 0);
    };
    std::vector<double> differences;
    for (std::size_t i = 1; i < all_.size(); ++i) {
      const Replicates& same = all_[i].replicates;
      differences.push_back(value(all_[i], same) - value(all_[0], same));
    }
    return bootstrap_estimate(value(all_[0], all_[0].replicates), std::move(differences), error_of(a, b));
  }

  /// Returns the standard error over the replicates on the fitted bandit. The replicates of two rows are paired; a
  /// reference has only one, which is exact.
  double error_of(std::size_t a, std::optional<std::size_t> b) const {
    const auto& rewards = all_[0].rewards;
    std::vector<double> values;
    for (std::size_t i = 0; i < std::max(rewards[a].size(), b ? rewards[*b].size() : 0); ++i) {
      const auto at = [&](std::size_t row) { return rewards[row][std::min(i, rewards[row].size() - 1)]; };
      values.push_back(at(a) - (b ? at(*b) : 0));
    }
    return standard_error(values);
  }

  const std::vector<Comparison>& all_;
  const RewardScale& scale_;
};

/// Returns the share of these pulls that lie beyond the logged pulls of their arm.
double share_beyond(const std::vector<double>& pulls, const std::vector<LoggedArm>& arms) {
  double beyond = 0;
  double all = 0;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    beyond += std::max(0.0, pulls[arm] - static_cast<double>(arms[arm].pulls));
    all += pulls[arm];
  }
  return beyond / all;
}

std::vector<BacktestRow> rows_of(const BacktestSpec& spec, Backtest& result, const std::vector<Comparison>& all) {
  const std::size_t policies = spec.policies.size();
  const Estimates estimates(all, spec.scale);
  for (std::size_t row = 1; row < policies; ++row) {
    if (estimates.difference(row, result.best).value > 0) result.best = row;
  }
  std::vector<BacktestRow> rows;
  for (std::size_t row = 0; row < policies + 2; ++row) {
    const bool optimum = row == policies + 1;
    rows.push_back({.name = row < policies ? spec.policies[row].text()
                            : optimum      ? "optimum"
                                           : "equal split",
                    .reference = row >= policies,
                    .reward = estimates.reward(row),
                    .standard_error = standard_error(all[0].rewards[row]) * spec.scale.range(),
                    .behind_best = estimates.difference(result.best, row),
                    .regret = estimates.regret(policies + 1, row),
                    .pulls = all[0].pulls[row],
                    .extrapolated = 0});
    if (optimum) {
      const std::vector<Pulls> best = optimal_allocation(result.bandit.tabulated(result.horizon), result.horizon).pulls;
      rows.back().pulls.assign(best.begin(), best.end());
    }
    rows.back().extrapolated = share_beyond(rows.back().pulls, result.arms);
  }
  return rows;
}

void split_arms(const BacktestSpec& spec, Backtest& result) {
  for (LoggedArm& arm : logged_arms(spec.history, spec.scale)) {
    const bool enough = std::ssize(arm.rewards) >= kLogFitTuning.fewest_pulls;
    (enough ? result.arms : result.left_out).push_back(std::move(arm));
  }
  if (result.arms.size() >= 2) return;
  throw InputError(fmt::format(
      "the log has {} with at least {} rewards; policies can be compared only if at least 2 arms have so many",
      result.arms.empty() ? "no arm" : "only 1 arm", kLogFitTuning.fewest_pulls));
}

std::vector<PolicyReplays> replays_of(const BacktestSpec& spec, const Backtest& result) {
  const Setting setting{.arms = static_cast<Arm>(result.arms.size()),
                        .horizon = result.horizon,
                        .noise = result.fit.noise,
                        .seed = spec.seed};
  std::vector<PolicyReplays> replays;
  for (const PolicyChoice& policy : spec.policies) {
    replays.push_back({.policy = policy.text(), .columns = replay_columns(policy, result.arms, setting)});
    if (!spec.random_choices) continue;
    replays.back().rejection = replay_by_rejection(policy, spec.history, result.arms, result.fit, setting);
  }
  return replays;
}

}  // namespace

LogEstimate bootstrap_estimate(double value, std::vector<double> differences, double standard_error) {
  if (differences.empty()) return {.value = value};
  std::sort(differences.begin(), differences.end());
  const auto quantile = [&](double probability) {  // linear between the order statistics
    const double place = probability * static_cast<double>(differences.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, differences.size() - 1);
    return differences[below] + (place - static_cast<double>(below)) * (differences[above] - differences[below]);
  };
  const double bias =
      std::accumulate(differences.begin(), differences.end(), 0.0) / static_cast<double>(differences.size());
  const double simulated = kNormalQuantile * standard_error;
  const double below = std::hypot(std::max(0.0, quantile(1 - kMiss) - bias), simulated);
  const double above = std::hypot(std::max(0.0, bias - quantile(kMiss)), simulated);
  return {.value = value - bias, .interval = LogInterval{value - bias - below, value - bias + above}};
}

Backtest backtest(const BacktestSpec& spec, const BacktestOptions& options) {
  check_spec(spec);
  const CancellationScope scope(options.stop);
  Backtest result;
  split_arms(spec, result);
  result.log_pulls = std::ssize(spec.history.pulls);
  result.horizon = spec.horizon > 0 ? spec.horizon : result.log_pulls;
  double total = 0;
  double known = 0;
  for (const PastPull& pull : spec.history.pulls) {
    total += pull.reward.value_or(0);
    known += pull.reward ? 1 : 0;
  }
  if (known == 0) throw InputError("the log has no rewards; at least one is needed");
  result.log_reward = total / known;
  result.fit = fit_log(result.arms);
  result.bandit = fitted_bandit(result.arms, result.fit, spec.history.arm_names);
  result.bandit.horizon = result.horizon;
  result.replays = replays_of(spec, result);
  if (spec.random_choices) result.random_choices = test_random_choices(spec.history);
  result.rows = rows_of(spec, result, compare_all(spec, result, options));
  return result;
}

}  // namespace longrun
