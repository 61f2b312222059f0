#include "longrun/simulate/backtest/backtest.h"

#include <atomic>
#include <optional>
#include <tuple>

#include "longrun/simulate/backtest/backtest_explanation.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"
#include "python/src/questions.h"

namespace longrun {
namespace {

using EstimateFields = std::tuple<double, std::optional<double>, std::optional<double>>;

EstimateFields estimate_of(const LogEstimate& estimate) {
  if (!estimate.interval) return {estimate.value, std::nullopt, std::nullopt};
  return {estimate.value, estimate.interval->low, estimate.interval->high};
}

auto row_of(const BacktestRow& row) {
  return std::tuple(row.name, row.reference, estimate_of(row.reward), row.standard_error, estimate_of(row.behind_best),
                    row.clearly_behind, estimate_of(row.regret), row.pulls, row.extrapolated);
}

/// The number, pulls, pending pulls and fitted curve (first, highest, peak, last) of an arm.
using LoggedArmFields = std::tuple<Arm, Pulls, Pulls, std::optional<std::tuple<double, double, Pulls, double>>>;

std::vector<LoggedArmFields> arms_of(const BacktestSpec& spec, const Backtest& result) {
  std::vector<LoggedArmFields> arms;
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    const LoggedArm& arm = result.arms[i];
    const SinglePeakedFit& fit = result.fit.arms[i];
    arms.emplace_back(arm.arm, arm.made, arm.made - std::ssize(arm.rewards),
                      std::tuple(spec.scale.from_unit(fit.start_reward()), spec.scale.from_unit(fit.peak_reward()),
                                 static_cast<Pulls>(fit.peak()), spec.scale.from_unit(fit.end_reward())));
  }
  for (const LoggedArm& arm : result.left_out)
    arms.emplace_back(arm.arm, arm.made, arm.made - std::ssize(arm.rewards), std::nullopt);
  return arms;
}

/// The pulls, those of them without a known reward, the mean of the others and the exhausted arm.
auto replay_of(const BacktestSpec& spec, const Replay& replay) {
  std::optional<double> reward;
  if (!replay.rewards.empty()) reward = spec.scale.from_unit(replay.mean(replay.rewards.size()));
  return std::tuple(static_cast<Pulls>(std::ssize(replay.rewards)) + replay.unknown, replay.unknown, reward,
                    replay.exhausted);
}

auto replays_of(const BacktestSpec& spec, const PolicyReplays& replays) {
  using Fields = decltype(replay_of(spec, Replay{}));
  std::vector<Fields> columns;
  for (const Replay& replay : replays.columns) columns.push_back(replay_of(spec, replay));
  std::optional<std::tuple<Fields, Pulls, double, double>> rejection;
  if (replays.rejection) {
    rejection.emplace(replay_of(spec, replays.rejection->replay), replays.rejection->rows,
                      replays.rejection->mean_delay, replays.rejection->age_effect * spec.scale.range());
  }
  return std::tuple(replays.policy, std::move(columns), std::move(rejection));
}

auto backtested(std::vector<std::string> arm_names, const PastPulls& past, Pulls horizon,
                const std::vector<std::string>& policies, std::tuple<double, double> scale, bool keep_outliers,
                bool random_choices, std::uint32_t replicates, std::uint32_t resamples, std::uint64_t seed, int threads,
                const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  BacktestSpec spec{.history = history_from(std::move(arm_names), past),
                    .keep_outliers = keep_outliers,
                    .scale = {.minimum = std::get<0>(scale), .maximum = std::get<1>(scale)},
                    .horizon = horizon,
                    .replicates = replicates,
                    .resamples = resamples,
                    .random_choices = random_choices,
                    .seed = seed};
  for (const std::string& policy : policies) spec.policies.emplace_back(policy);
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
  Backtest result;
  in_rows([&] {
    run_interruptible(
        [&](const std::atomic<bool>& stop) {
          const auto on_progress = [&](const BacktestProgress& made) {
            done = made.steps_done;
            total = made.steps_total;
          };
          result = backtest(spec, {.threads = threads, .on_progress = on_progress, .stop = &stop});
        },
        [&] {
          if (total > 0) progress(done, total);
        });
  });
  std::vector<decltype(row_of(result.rows[0]))> rows;
  for (const BacktestRow& row : result.rows) rows.push_back(row_of(row));
  std::vector<decltype(replays_of(spec, result.replays[0]))> replays;
  for (const PolicyReplays& replay : result.replays) replays.push_back(replays_of(spec, replay));
  std::optional<std::tuple<std::optional<double>, std::optional<double>>> choices;
  if (result.random_choices) choices.emplace(result.random_choices->uniform, result.random_choices->independent);
  return std::tuple(backtest_conclusions(spec, result), backtest_warnings(spec, result), result.horizon,
                    std::tuple(result.log_pulls, result.log_pulls - result.log_rewards, result.log_reward),
                    std::tuple(to_text(result.fit.noise), result.fit.sd * spec.scale.range(), result.fit.outliers),
                    arms_of(spec, result), rows, result.best, result.by_chance, replays, choices);
}

}  // namespace

void add_backtest(nb::module_& module) {
  const std::vector<std::string> policies(kBacktestPolicies.begin(), kBacktestPolicies.end());
  module.def("backtest_policies", [policies] { return policies; });  // a function, because it has a complete type
  module.def("backtest", &backtested, "arm_names"_a, "history"_a, "horizon"_a, "policies"_a, "scale"_a,
             "keep_outliers"_a, "random_choices"_a, "replicates"_a, "resamples"_a, "seed"_a, "threads"_a, "progress"_a);
}

}  // namespace longrun
