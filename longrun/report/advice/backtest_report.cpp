#include "longrun/report/advice/backtest_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "longrun/base/text.h"
#include "longrun/base/text_table.h"
#include "longrun/data/csv.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Returns a reward on the scale from 0 to 1 as text in the unit of the log.
std::string unit_reward_text(const BacktestSpec& spec, double reward) {
  return reward_text(spec.scale, spec.scale.from_unit(reward));
}

/// Returns a table whose first column is at the left.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::string alignment(rows[0].size(), 'r');
  alignment[0] = 'l';
  return text_table(rows, alignment);
}

std::string end_of(const BacktestSpec& spec, const Replay& replay) {
  if (!replay.exhausted) return "the horizon";
  return fmt::format("{} has no more rewards", arm_label(spec.history.arm_names, *replay.exhausted));
}

std::string replays_text(const BacktestSpec& spec, const Backtest& result) {
  std::size_t common = result.replays[0].columns.rewards.size();
  for (const PolicyReplays& replay : result.replays) common = std::min(common, replay.columns.rewards.size());
  const auto mean = [&](const Replay& replay, std::size_t pulls) {
    return pulls == 0 ? std::string("-") : unit_reward_text(spec, replay.mean(pulls));
  };
  std::vector<std::vector<std::string>> rows{
      {"policy", "pulls", "reward", fmt::format("reward of the first {}", common), "ends with"}};
  for (const auto& [policy, columns, rejection] : result.replays) {
    const Pulls pulls = std::ssize(columns.rewards) + columns.unknown;
    rows.push_back({policy, fmt::format("{}", pulls), mean(columns, columns.rewards.size()), mean(columns, common),
                    end_of(spec, columns)});
  }
  std::string text = "\nReplay of columns: the k-th pull of an arm pays its k-th logged reward. One run, no model:\n" +
                     table_text(rows);
  const bool some_unknown = std::any_of(result.replays.begin(), result.replays.end(),
                                        [](const PolicyReplays& replay) { return replay.columns.unknown > 0; });
  if (some_unknown) text += "Pulls whose reward is not known yet do not count in the mean.\n";
  if (!spec.random_choices) return text;
  rows = {{"policy", "rows", "accepted", "reward", "due to later pulls"}};
  for (const auto& [policy, columns, rejection] : result.replays) {
    const std::vector<double>& rewards = rejection->replay.rewards;
    rows.push_back({policy, fmt::format("{}", rejection->rows), fmt::format("{}", rewards.size()),
                    mean(rejection->replay, rewards.size()),
                    reward_difference_text(spec.scale, rejection->age_effect * spec.scale.range())});
  }
  return text + "\nReplay by rejection: rows count where the policy agrees with the log (Li et al. 2011):\n" +
         table_text(rows);
}

}  // namespace

std::vector<std::size_t> most_pulled_arms(const Backtest& result, std::size_t most) {
  std::vector<std::size_t> arms(result.arms.size());
  std::iota(arms.begin(), arms.end(), std::size_t{0});
  if (arms.size() <= most) return arms;
  const std::vector<double>& pulls = result.rows[result.best].pulls;
  std::stable_sort(arms.begin(), arms.end(), [&](std::size_t a, std::size_t b) { return pulls[a] > pulls[b]; });
  arms.resize(most);
  std::sort(arms.begin(), arms.end());
  return arms;
}

std::vector<std::vector<std::string>> backtest_policy_rows(const BacktestSpec& spec, const Backtest& result) {
  const bool intervals = result.rows[0].reward.interval.has_value();
  const std::string range = intervals ? " (80 %)" : "";
  std::vector<std::vector<std::string>> rows{
      {"policy", "reward" + range, "behind the best" + range, "regret" + range, "beyond the data"}};
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const BacktestRow& row = result.rows[i];
    const bool optimum = i + 1 == result.rows.size();
    rows.push_back({row.name, estimate_text(spec, row.reward),
                    i == result.best ? "best"
                    : optimum        ? "-"
                                     : estimate_text(spec, row.behind_best, true),
                    optimum ? "-" : estimate_text(spec, row.regret, true), share_text(row.extrapolated)});
  }
  return rows;
}

std::vector<std::vector<std::string>> backtest_arm_rows(const BacktestSpec& spec, const Backtest& result) {
  const bool pending = result.log_rewards < result.log_pulls;
  std::vector<std::vector<std::string>> rows{{"arm", "pulls", "first", "highest", "at pull", "last"}};
  if (pending) rows[0].insert(rows[0].begin() + 2, "rewards");
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    const SinglePeakedFit& fit = result.fit.arms[i];
    rows.push_back({label_of(spec.history.arm_names, result.arms[i].arm), fmt::format("{}", result.arms[i].made),
                    unit_reward_text(spec, fit.start_reward()), unit_reward_text(spec, fit.peak_reward()),
                    fmt::format("{}", fit.peak()), unit_reward_text(spec, fit.end_reward())});
    if (pending) rows.back().insert(rows.back().begin() + 2, fmt::format("{}", result.arms[i].rewards.size()));
  }
  return rows;
}

std::string backtest_noise(const BacktestSpec& spec, const Backtest& result) {
  if (std::holds_alternative<Bernoulli>(result.fit.noise)) return "Every reward has one of two values (yes or no).";
  if (result.fit.sd == 0) return "The curves explain the rewards exactly, without noise.";
  std::string text = fmt::format("The noise has standard deviation {}, estimated from the residuals.",
                                 reward_difference_text(spec.scale, result.fit.sd * spec.scale.range()));
  if (result.fit.outliers > 0) {
    text +=
        fmt::format(" {} too far from the curve to count in the noise.",
                    result.fit.outliers == 1 ? "One reward is" : fmt::format("{} rewards are", result.fit.outliers));
  }
  return text;
}

std::string backtest_meaning(const BacktestSpec& spec, const Backtest& result) {
  std::string text = fmt::format(
      "Rewards are means per pull. Regret is policy regret per pull, compared with the optimum of the fitted curves. "
      "Beyond the data are pulls of an arm after its last known reward. Means of {} simulated runs{}.",
      spec.replicates,
      spec.resamples == 0 ? "" : fmt::format(", intervals and bias from {} resampled logs", spec.resamples));
  if (!result.by_chance) return text;
  return text + fmt::format(
                    " Each interval holds for itself. The log supports that one policy earns more than another only if "
                    "that holds for all policies together with 95 %, and the difference exceeds {}, which 1 of 20 logs "
                    "exceeds if all arms pay the same.",
                    reward_difference_text(spec.scale, *result.by_chance));
}

std::string backtest_text(const BacktestSpec& spec, const Backtest& result) {
  std::string text = wrapped(fmt::format("{}", fmt::join(backtest_conclusions(spec, result), " "))) + "\n\n";
  text += table_text(backtest_policy_rows(spec, result)) + "\n" + wrapped(backtest_meaning(spec, result)) +
          "\n\nFitted curves:\n" + table_text(backtest_arm_rows(spec, result)) + wrapped(backtest_noise(spec, result)) +
          "\n";
  text += replays_text(spec, result);
  const std::vector<std::string> warnings = backtest_warnings(spec, result);
  if (warnings.empty()) return text;
  text += "\nWhat the log does not support:\n";
  for (const std::string& warning : warnings) text += wrapped("- " + warning, "  ") + "\n";
  return text;
}

std::string backtest_csv(const Backtest& result) {
  std::string text =
      "policy,reference,reward,reward_low,reward_high,behind_best,behind_best_low,behind_best_high,regret,regret_low,"
      "regret_high,extrapolated,clearly_behind\n";
  const auto cells = [](const LogEstimate& estimate) {
    if (!estimate.interval) return fmt::format("{},,", estimate.value);
    return fmt::format("{},{},{}", estimate.value, estimate.interval->low, estimate.interval->high);
  };
  for (const BacktestRow& row : result.rows) {
    text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(row.name), row.reference ? 1 : 0, cells(row.reward),
                        cells(row.behind_best), cells(row.regret), row.extrapolated, row.clearly_behind ? 1 : 0);
  }
  return text;
}

std::string backtest_curves_csv(const Backtest& result) {
  std::vector<std::string> names;
  for (const std::string& name : result.bandit.arm_names) names.push_back(csv_cell(name));
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (Pulls pull = 1; pull <= result.horizon; ++pull) {
    std::vector<double> rewards;
    for (const Curve& curve : result.bandit.arms) rewards.push_back(curve.reward(pull));
    text += fmt::format("{}\n", fmt::join(rewards, ","));
  }
  return text;
}

}  // namespace longrun
