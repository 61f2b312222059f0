#include "longrun/simulate/backtest/backtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/decide/advice/question.h"
#include "longrun/decide/advice/standing.h"
#include "longrun/simulate/backtest/arm_order.h"
#include "longrun/simulate/contest.h"
#include "longrun/simulate/optimum.h"

namespace longrun {
namespace {

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
  const Question question{.history = spec.history, .scale = spec.scale};
  check_rewards(question);
  check_means(question);
}

/// Returns the pulls of each arm if all arms get equally many, the first ones one more if the horizon is no multiple.
std::vector<Pulls> equal_split(Pulls horizon, std::size_t arms) {
  const auto count = static_cast<Pulls>(arms);
  std::vector<Pulls> pulls(arms, horizon / count);
  for (Pulls arm = 0; arm < horizon % count; ++arm) ++pulls[static_cast<std::size_t>(arm)];
  return pulls;
}

/// Returns the number of logs on which policies are compared, the log itself included: number 0 is the log, then come
/// the resampled logs and, if policies are compared with each other, the level ones.
std::size_t log_count(const BacktestSpec& spec) {
  return 1 + std::size_t{spec.resamples} * (spec.policies.size() > 1 ? 2 : 1);
}

/// Returns the replicates on the bandit of log `number`, from 1. They differ between resamples, so that the
/// mean over the resamples is that of many replicates.
Replicates replicates_of(const BacktestSpec& spec, std::size_t number) {
  const std::uint32_t count = std::min(spec.replicates, kReplicatesPerResample);
  const auto groups = spec.replicates / count;
  return {.first = static_cast<std::uint32_t>((number - 1) % groups) * count, .count = count};
}

class Comparer {
 public:
  Comparer(const BacktestSpec& spec, Pulls horizon, const BacktestOptions& options)
      : spec_(spec), options_(options), horizon_(horizon) {
    contest_.policies = spec.policies;
    contest_.horizons = {horizon};
    contest_.seed = spec.seed;
    const std::uint64_t replicates =
        spec.replicates + std::uint64_t{log_count(spec) - 1} * replicates_of(spec, 1).count;
    progress_.runs_total = replicates * spec.policies.size();
    progress_.steps_total = progress_.runs_total * static_cast<std::uint64_t>(horizon);
  }

  PolicyComparison compare(const Bandit& bandit, const Replicates& replicates) {
    const std::size_t policies = spec_.policies.size();
    PolicyComparison result{.replicates = replicates,
                            .rewards = std::vector(policies, std::vector<double>(replicates.count, 0)),
                            .pulls = std::vector(policies + 2, std::vector<double>(bandit.arms.size(), 0))};
    result.rewards.resize(policies + 2);
    double optimum = 0;
    for (std::uint32_t first = 0; first < std::min(kArmOrders, replicates.count); ++first)
      optimum = play_in_order_of(replicates.first + first, bandit, result);
    add_references(result, bandit, optimum);
    return result;
  }

 private:
  /// Plays the replicate `first` and those after it that have the same order of arms. Returns the optimum.
  double play_in_order_of(std::uint32_t first, const Bandit& bandit, PolicyComparison& result) {
    const std::vector<std::size_t> order = arm_order(spec_.seed, first, bandit.arms.size());
    const ContestBandit contest(contest_, in_order(bandit, order));
    const auto [begin, count] = result.replicates;
    double optimum = 0;
    for (std::uint32_t replicate = first; replicate < begin + count; replicate += kArmOrders) {
      std::uint64_t reported = 0;
      for (const ContestRun& run : contest.play(bandit.noise, replicate, [&](std::uint64_t played) {
             report(played);
             ++reported;
           })) {
        result.rewards[run.policy][replicate - begin] = run.earned / static_cast<double>(horizon_);
        for (std::size_t place = 0; place < order.size(); ++place)
          result.pulls[run.policy][order[place]] += static_cast<double>(run.pulls[place]) / count;
        optimum = run.optimum;
      }
      // Without noise, a contest makes the runs of a policy that is not randomized once for all replicates.
      for (; reported < spec_.policies.size(); ++reported) report(static_cast<std::uint64_t>(horizon_));
    }
    return optimum;
  }

  void add_references(PolicyComparison& result, const Bandit& bandit, double optimum) const {
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

/// Returns the comparisons on the bandits fitted to all logs, in the order of log_count().
std::vector<PolicyComparison> compare_all(const BacktestSpec& spec, const Backtest& result,
                                          const BacktestOptions& options) {
  Comparer comparer(spec, result.horizon, options);
  const LogResampler resampler(result.arms, result.fit);
  std::vector<PolicyComparison> comparisons(log_count(spec));
  in_parallel(options.threads, comparisons.size(), [&](std::size_t number) {
    const CancellationScope scope(options.stop);
    throw_if_cancelled();
    if (number == 0) {
      comparisons[0] = comparer.compare(result.bandit, {.first = 0, .count = spec.replicates});
      return;
    }
    const auto draw = static_cast<std::uint32_t>(number);
    const std::vector<LoggedArm> arms =
        number <= spec.resamples ? resampler.resampled(spec.seed, draw) : resampler.level(spec.seed, draw);
    comparisons[number] =
        comparer.compare(fitted_bandit(arms, fit_log(arms), spec.history.arm_names), replicates_of(spec, number));
  });
  return comparisons;
}

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

LogEstimate negative(const LogEstimate& estimate) {
  LogEstimate result{.value = -estimate.value};
  if (estimate.interval) result.interval = {-estimate.interval->high, -estimate.interval->low};
  return result;
}

std::vector<BacktestRow> rows_of(const BacktestSpec& spec, Backtest& result, const std::vector<PolicyComparison>& all) {
  const std::size_t policies = spec.policies.size();
  const LogEstimates estimates(all, spec.resamples, spec.scale);
  for (std::size_t row = 1; row < policies; ++row) {
    if (estimates.difference(row, result.best).value > 0) result.best = row;
  }
  std::vector<bool> clearly_behind(policies + 2, false);
  if (spec.resamples > 0 && policies > 1) {
    const JointEvidence evidence = estimates.evidence(result.best);
    std::copy(evidence.clearly_behind.begin(), evidence.clearly_behind.end(), clearly_behind.begin());
    result.by_chance = evidence.by_chance;
  }
  std::vector<BacktestRow> rows;
  for (std::size_t row = 0; row < policies + 2; ++row) {
    const bool optimum = row == policies + 1;
    rows.push_back(
        {.name = row < policies ? spec.policies[row].text()
                 : optimum      ? "optimum"
                                : "equal split",
         .reference = row >= policies,
         .reward = optimum ? estimates.optimum_reward() : estimates.reward(row),
         .standard_error = standard_error_of_mean(all[0].rewards[row]) * spec.scale.range(),
         .behind_best = optimum ? negative(estimates.regret(result.best)) : estimates.difference(result.best, row),
         .clearly_behind = clearly_behind[row],
         .regret = estimates.regret(row),
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

/// Splits the arms into those with enough rewards for a curve and the others, and fits the curves.
void fit_arms_of(const BacktestSpec& spec, Backtest& result) {
  result.arms.clear();
  result.left_out.clear();
  for (LoggedArm& arm : logged_arms(spec.history, spec.scale)) {
    const bool enough = std::ssize(arm.rewards) >= kLogFitTuning.fewest_pulls;
    (enough ? result.arms : result.left_out).push_back(std::move(arm));
  }
  sort_by_label(result.arms, spec.history.arm_names);
  if (result.arms.size() < 2) {
    throw InputError(fmt::format(
        "the log has {} with at least {} rewards; policies can be compared only if at least 2 arms have so many",
        result.arms.empty() ? "no arm" : "only 1 arm", kLogFitTuning.fewest_pulls));
  }
  result.fit = fit_log(result.arms);
}

/// Returns the replays of columns of one policy, one for every order of the arms.
std::vector<Replay> replays_of_columns(const PolicyChoice& policy, Setting setting, const Backtest& result) {
  std::vector<Replay> replays;
  for (std::uint32_t number = 0; number < kArmOrders; ++number) {
    std::vector<LoggedArm> arms;
    for (const std::size_t arm : arm_order(setting.seed, number, result.arms.size())) arms.push_back(result.arms[arm]);
    setting.replicate = number;
    replays.push_back(replay_columns(policy, arms, setting));
  }
  return replays;
}

std::vector<PolicyReplays> replays_of(const BacktestSpec& spec, const Backtest& result) {
  const Setting setting{.arms = static_cast<Arm>(result.arms.size()),
                        .horizon = result.horizon,
                        .noise = result.fit.noise,
                        .seed = spec.seed};
  std::vector<PolicyReplays> replays;
  for (const PolicyChoice& policy : spec.policies) {
    replays.push_back({.policy = policy.text(), .columns = replays_of_columns(policy, setting, result)});
    if (!spec.random_choices) continue;
    replays.back().rejection = replay_by_rejection(policy, spec.history, result.arms, result.fit, setting);
  }
  return replays;
}

/// Returns the values in this order.
template <class Value>
std::vector<Value> ordered(const std::vector<Value>& values, const std::vector<std::size_t>& order) {
  std::vector<Value> result;
  result.reserve(order.size());
  for (const std::size_t place : order) result.push_back(values[place]);
  return result;
}

/// Sorts everything that is listed by arm in the order of the log.
void sort_as_in_log(Backtest& result) {
  std::vector<std::size_t> order(result.arms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return result.arms[a].arm < result.arms[b].arm; });
  result.arms = ordered(result.arms, order);
  result.fit.arms = ordered(result.fit.arms, order);
  result.fit.residual_correlation = ordered(result.fit.residual_correlation, order);
  result.bandit = in_order(result.bandit, order);
  for (BacktestRow& row : result.rows) row.pulls = ordered(row.pulls, order);
}

/// Returns the misfits of a log without outliers, by arm, as recommend() finds them.
std::vector<std::optional<Misfit>> misfits_of_log(const BacktestSpec& spec) {
  const Question question{
      .history = spec.history, .horizon = std::ssize(spec.history.pulls), .scale = spec.scale, .keep_outliers = true};
  std::vector<std::optional<Misfit>> misfits = find_misfits(question);
  for (std::optional<Misfit>& misfit : misfits) {
    if (misfit) misfit->counted = 0;  // curves are fitted to all rewards
  }
  return misfits;
}

}  // namespace

Backtest backtest(const BacktestSpec& asked, const BacktestOptions& options) {
  check_spec(asked);
  const CancellationScope scope(options.stop);
  Backtest result;
  BacktestSpec spec = asked;
  fit_arms_of(spec, result);
  // Where curves explain all rewards exactly, a reward far from the others is a corner of its curve.
  if (!spec.keep_outliers && result.fit.sd > 0) {
    result.far = find_far_rewards(spec.history, spec.scale, std::nullopt);
    spec.history = cleaned(std::move(spec.history), result.far.outliers);
    if (!result.far.outliers.empty()) fit_arms_of(spec, result);
  }
  result.misfits.resize(spec.history.arm_names.size());
  if (result.fit.sd > 0) result.misfits = misfits_of_log(spec);
  result.log_pulls = std::ssize(spec.history.pulls);
  result.horizon = spec.horizon > 0 ? spec.horizon : result.log_pulls;
  double total = 0;
  double known = 0;
  for (const PastPull& pull : spec.history.pulls) {
    total += pull.reward.value_or(0);
    known += pull.reward ? 1 : 0;
  }
  if (known == 0) throw InputError("the log has no rewards; at least one is needed");
  result.log_rewards = static_cast<Pulls>(known);
  result.log_reward = total / known;
  result.bandit = fitted_bandit(result.arms, result.fit, spec.history.arm_names);
  result.bandit.horizon = result.horizon;
  result.replays = replays_of(spec, result);
  if (spec.random_choices) result.random_choices = test_random_choices(spec.history);
  result.rows = rows_of(spec, result, compare_all(spec, result, options));
  sort_as_in_log(result);
  return result;
}

}  // namespace longrun
