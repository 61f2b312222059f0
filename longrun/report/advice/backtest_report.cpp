#include "longrun/report/advice/backtest_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "longrun/base/text.h"
#include "longrun/base/text_table.h"
#include "longrun/data/csv.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/simulate/backtest/arm_order.h"

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

/// Returns the numbers of replays by how they end, the most frequent end first.
std::string ends_of(const BacktestSpec& spec, const std::vector<Replay>& replays) {
  std::map<std::optional<Arm>, std::size_t> counts;
  for (const Replay& replay : replays) ++counts[replay.exhausted];
  std::vector<std::pair<std::optional<Arm>, std::size_t>> ends(counts.begin(), counts.end());
  std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [arm, count] : ends) {
    const std::string end =
        arm ? fmt::format("{} has no more rewards", arm_label(spec.history.arm_names, *arm)) : "the horizon";
    parts.push_back(ends.size() == 1 ? end : fmt::format("{} ({} of {})", end, count, replays.size()));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Returns the mean of values and, if they differ, their range.
template <class Text>
std::string mean_and_range(const std::vector<double>& values, Text text) {
  if (values.empty()) return "-";
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return text(*low);
  return fmt::format("{} ({} to {})", text(mean), text(*low), text(*high));
}

/// Returns the fewest rewards of any replay of columns.
std::size_t fewest_replayed(const Backtest& result) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const PolicyReplays& replays : result.replays) {
    for (const Replay& replay : replays.columns) fewest = std::min(fewest, replay.rewards.size());
  }
  return fewest;
}

std::string replays_of_columns_text(const BacktestSpec& spec, const Backtest& result) {
  const std::size_t common = fewest_replayed(result);
  std::vector<std::vector<std::string>> rows{
      {"policy", "pulls", "reward", fmt::format("reward of the first {}", common), "ends with"}};
  bool some_unknown = false;
  for (const PolicyReplays& replays : result.replays) {
    std::vector<double> pulls;
    std::vector<double> rewards;
    std::vector<double> first;
    for (const Replay& replay : replays.columns) {
      some_unknown = some_unknown || replay.unknown > 0;
      pulls.push_back(static_cast<double>(std::ssize(replay.rewards) + replay.unknown));
      if (!replay.rewards.empty()) rewards.push_back(replay.mean(replay.rewards.size()));
      if (common > 0) first.push_back(replay.mean(common));
    }
    const auto reward = [&](double value) { return unit_reward_text(spec, value); };
    rows.push_back({replays.policy, mean_and_range(pulls, [](double value) { return fmt::format("{:.0f}", value); }),
                    mean_and_range(rewards, reward), mean_and_range(first, reward), ends_of(spec, replays.columns)});
  }
  return "\nReplay of columns: the k-th pull of an arm pays its k-th logged reward, without a model.\n" +
         wrapped(fmt::format("One run for each of {} orders of the arms, in which policies break ties: the mean and "
                             "the range.",
                             kArmOrders)) +
         "\n" + table_text(rows) + (some_unknown ? "Pulls whose reward is not known do not count in the mean.\n" : "");
}

std::string replays_text(const BacktestSpec& spec, const Backtest& result) {
  std::string text = replays_of_columns_text(spec, result);
  if (!spec.random_choices) return text;
  std::vector<std::vector<std::string>> rows{{"policy", "rows", "accepted", "reward", "due to later pulls"}};
  for (const auto& [policy, columns, rejection] : result.replays) {
    const std::vector<double>& rewards = rejection->replay.rewards;
    rows.push_back({policy, fmt::format("{}", rejection->rows), fmt::format("{}", rewards.size()),
                    rewards.empty() ? "-" : unit_reward_text(spec, rejection->replay.mean(rewards.size())),
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
                    " Each interval holds for one comparison only. The log supports that one policy earns more than "
                    "another only if "
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
