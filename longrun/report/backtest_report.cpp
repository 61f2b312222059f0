#include "longrun/report/backtest_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longrun/base/text.h"
#include "longrun/base/text_table.h"
#include "longrun/data/csv.h"
#include "longrun/decide/explanation.h"

namespace longrun {
namespace {

constexpr double kUnlikely = 0.01;  // probability below which choices are not random
constexpr double kCorrelated = 4;   // standard errors of the correlation of residuals
constexpr std::size_t kMostArmsListed = 8;

std::string in_words(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The words for the numbers of one backtest.
class BacktestWords {
 public:
  BacktestWords(const BacktestSpec& spec, const Backtest& result) : spec_(spec), result_(result) {}

  std::string arm(Arm number) const { return arm_label(spec_.history.arm_names, number); }
  std::string reward(double value) const { return reward_text(spec_.scale, value); }
  std::string unit_reward(double value) const { return reward(spec_.scale.from_unit(value)); }
  std::string difference(double value) const { return reward_difference_text(spec_.scale, value); }

  std::string with_interval(const LogEstimate& estimate, bool is_difference) const {
    const auto text = [&](double value) { return is_difference ? difference(value) : reward(value); };
    if (!estimate.interval) return text(estimate.value);
    return fmt::format("{} ({} to {})", text(estimate.value), text(estimate.interval->low),
                       text(estimate.interval->high));
  }

  /// Returns "arm 'coffee' with 12 rewards, ...", at most kMostArmsListed of them.
  std::string list(const std::vector<LoggedArm>& arms) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(arms.size(), kMostArmsListed); ++i) {
      parts.push_back(fmt::format("{} with {}", arm(arms[i].arm), in_words(arms[i].rewards.size(), "reward")));
    }
    if (arms.size() > kMostArmsListed) parts.push_back(fmt::format("and {} more", arms.size() - kMostArmsListed));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

 private:
  const BacktestSpec& spec_;
  const Backtest& result_;
};

void warn_of_arms(std::vector<std::string>& warnings, const BacktestWords& words, const Backtest& result) {
  if (!result.left_out.empty()) {
    warnings.push_back(fmt::format(
        "Left out, because fewer than {} rewards do not determine a curve: {}. No policy can choose {} here.",
        kLogFitTuning.fewest_pulls, words.list(result.left_out), result.left_out.size() == 1 ? "it" : "them"));
  }
  std::vector<LoggedArm> few;
  for (const LoggedArm& arm : result.arms) {
    if (std::ssize(arm.rewards) < kFewLoggedPulls) few.push_back(arm);
  }
  if (!few.empty()) {
    warnings.push_back(
        fmt::format("Too few rewards for a reliable curve (fewer than {}): {}.", kFewLoggedPulls, words.list(few)));
  }
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    if (result.fit.residual_correlation[i] < kCorrelated || std::ssize(result.arms[i].rewards) < kFewLoggedPulls)
      continue;
    warnings.push_back(fmt::format(
        "The rewards of {} change in a way that no single-peaked curve follows: successive residuals are correlated. "
        "Something other than its number of pulls may change them, such as the time.",
        words.arm(result.arms[i].arm)));
  }
}

void warn_of_pending(std::vector<std::string>& warnings, const BacktestWords& words, const Backtest& result) {
  const Pulls pending = result.log_pulls - result.log_rewards;
  if (pending == 0) return;
  std::vector<std::string> parts;
  std::size_t arms = 0;
  for (const std::vector<LoggedArm>& group : {result.arms, result.left_out}) {
    for (const LoggedArm& arm : group) {
      const Pulls unknown = arm.made - std::ssize(arm.rewards);
      if (unknown == 0 || ++arms > kMostArmsListed) continue;
      parts.push_back(fmt::format("{} of {} of {}", unknown, arm.made, words.arm(arm.arm)));
    }
  }
  if (arms > kMostArmsListed) parts.push_back(fmt::format("some of {} more arms", arms - kMostArmsListed));
  warnings.push_back(
      fmt::format("{} of {} pulls are pending ({}): the arm moved on along its curve, but a pull without a known "
                  "reward is no data.",
                  pending, result.log_pulls, fmt::join(parts, ", ")));
}

/// Returns whether two policies earned exactly the same, in every replicate as far as the estimates show.
bool earns_the_same(const BacktestRow& a, const BacktestRow& b) {
  return a.reward.value == b.reward.value && a.standard_error == b.standard_error && a.pulls == b.pulls;
}

void warn_of_extrapolation(std::vector<std::string>& warnings, const Backtest& result) {
  std::vector<std::string> parts;
  for (const BacktestRow& row : result.rows) {
    if (row.extrapolated < kMuchExtrapolated) continue;
    const std::string pulls = parts.empty() ? " pulls" : "";
    parts.push_back(row.reference ? fmt::format("{} of those of the {}", share_text(row.extrapolated), row.name)
                                  : fmt::format("{} of {}'s{}", share_text(row.extrapolated), row.name, pulls));
  }
  if (parts.empty()) return;
  warnings.push_back(fmt::format(
      "{} lie beyond the data of their arm; there the curve is assumed to stay at its last value. The intervals do not "
      "include the error of this assumption.",
      fmt::join(parts, ", ")));
}

void warn_of_choices(std::vector<std::string>& warnings, const BacktestSpec& spec, const Backtest& result) {
  if (!result.random_choices) return;
  const auto& [uniform, independent] = *result.random_choices;
  if (uniform && *uniform < kUnlikely) {
    warnings.push_back(
        fmt::format("The log contradicts that arms were chosen uniformly at random: the numbers of pulls "
                    "differ too much (chi-square test, p = {:.2g}).",
                    *uniform));
  }
  if (independent && *independent < kUnlikely) {
    warnings.push_back(
        fmt::format("The log contradicts that arms were chosen independently: an arm depends on the arm before it "
                    "(chi-square test, "
                    "p = {:.2g}).",
                    *independent));
  }
  if (!uniform || !independent) warnings.emplace_back("The log is too short to test whether its choices were random.");
  double largest = 0;
  for (const PolicyReplays& replay : result.replays)
    largest = std::max(largest, std::abs(replay.rejection->age_effect) * spec.scale.range());
  if (largest <= 0.01 * spec.scale.range()) return;
  warnings.push_back(fmt::format(
      "The replay by rejection assumes that rewards do not depend on earlier pulls. Here they do: by the fitted curves "
      "its results are wrong by up to {} per pull. Prefer the replay of columns.",
      reward_difference_text(spec.scale, largest)));
}

// ---- text

/// Returns a table whose first column is at the left.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::string alignment(rows[0].size(), 'r');
  alignment[0] = 'l';
  return text_table(rows, alignment);
}

std::string end_of(const BacktestWords& words, const Replay& replay) {
  return replay.exhausted ? fmt::format("{} has no more rewards", words.arm(*replay.exhausted)) : "the horizon";
}

std::string replays_text(const BacktestSpec& spec, const BacktestWords& words, const Backtest& result) {
  std::size_t common = result.replays[0].columns.rewards.size();
  for (const PolicyReplays& replay : result.replays) common = std::min(common, replay.columns.rewards.size());
  const auto mean = [&](const Replay& replay, std::size_t pulls) {
    return pulls == 0 ? std::string("-") : words.unit_reward(replay.mean(pulls));
  };
  std::vector<std::vector<std::string>> rows{
      {"policy", "pulls", "reward", fmt::format("reward of the first {}", common), "ends with"}};
  for (const auto& [policy, columns, rejection] : result.replays) {
    const Pulls pulls = std::ssize(columns.rewards) + columns.unknown;
    rows.push_back({policy, fmt::format("{}", pulls), mean(columns, columns.rewards.size()), mean(columns, common),
                    end_of(words, columns)});
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
                    words.difference(rejection->age_effect * spec.scale.range())});
  }
  return text + "\nReplay by rejection: rows count where the policy agrees with the log (Li et al. 2011):\n" +
         table_text(rows);
}

}  // namespace

std::vector<std::string> backtest_conclusions(const BacktestSpec& spec, const Backtest& result) {
  const BacktestWords words(spec, result);
  const BacktestRow& best = result.rows[result.best];
  std::vector<std::string> tied;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const BacktestRow& row = result.rows[i];
    if (i != result.best && !row.reference && earns_the_same(best, row)) tied.push_back(row.name);
  }
  const std::string rank = result.replays.size() == 1 ? ""
                           : tied.empty()             ? ", the most of the policies"
                                                      : fmt::format(", exactly as much as {}", fmt::join(tied, ", "));
  std::vector<std::string> sentences{fmt::format(
      "On the bandit that is fitted to the log, {} earns {} per pull over {}{}.", best.name,
      words.with_interval(best.reward, false), in_words(static_cast<std::size_t>(result.horizon), "pull"), rank)};
  std::vector<std::string> same;
  std::vector<std::string> behind;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    if (i == result.best || result.rows[i].reference || !result.rows[i].reward.interval) continue;
    if (earns_the_same(best, result.rows[i])) continue;
    (result.rows[i].clearly_behind ? behind : same).push_back(result.rows[i].name);
  }
  if (!behind.empty()) {
    const bool assumed = best.extrapolated >= kMuchExtrapolated;
    sentences.push_back(
        fmt::format("{} that it earns more than {}.",
                    assumed ? "If the curves go on as assumed below, the log supports" : "The log supports",
                    fmt::join(behind, ", ")));
  }
  if (!same.empty()) {
    sentences.push_back(fmt::format("The log does not show that it earns more than {}: the difference may be chance.",
                                    fmt::join(same, ", ")));
  }
  const std::string instead = result.horizon == result.log_rewards ? "" : fmt::format(" instead of {}", result.horizon);
  const Pulls pending = result.log_pulls - result.log_rewards;
  sentences.push_back(fmt::format(
      "The log itself earned {} per pull, over {} pulls{}{}.", words.reward(result.log_reward), result.log_rewards,
      instead, pending == 0 ? "" : fmt::format("; the rewards of {} further pulls are not known yet", pending)));
  return sentences;
}

std::vector<std::string> backtest_warnings(const BacktestSpec& spec, const Backtest& result) {
  const BacktestWords words(spec, result);
  std::vector<std::string> warnings;
  if (std::string caution = scale_caution(spec.history, spec.scale); !caution.empty())
    warnings.push_back(std::move(caution));
  warn_of_pending(warnings, words, result);
  warn_of_extrapolation(warnings, result);
  warn_of_arms(warnings, words, result);
  warn_of_choices(warnings, spec, result);
  return warnings;
}

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
  const BacktestWords words(spec, result);
  const bool intervals = result.rows[0].reward.interval.has_value();
  const std::string range = intervals ? " (80 %)" : "";
  std::vector<std::vector<std::string>> rows{
      {"policy", "reward" + range, "behind the best" + range, "regret" + range, "beyond the data"}};
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const BacktestRow& row = result.rows[i];
    const bool optimum = i + 1 == result.rows.size();
    rows.push_back({row.name, words.with_interval(row.reward, false),
                    i == result.best ? "best"
                    : optimum        ? "-"
                                     : words.with_interval(row.behind_best, true),
                    optimum ? "-" : words.with_interval(row.regret, true), share_text(row.extrapolated)});
  }
  return rows;
}

std::vector<std::vector<std::string>> backtest_arm_rows(const BacktestSpec& spec, const Backtest& result) {
  const BacktestWords words(spec, result);
  const bool pending = result.log_rewards < result.log_pulls;
  std::vector<std::vector<std::string>> rows{{"arm", "pulls", "first", "highest", "at pull", "last"}};
  if (pending) rows[0].insert(rows[0].begin() + 2, "rewards");
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    const SinglePeakedFit& fit = result.fit.arms[i];
    rows.push_back({label_of(spec.history.arm_names, result.arms[i].arm), fmt::format("{}", result.arms[i].made),
                    words.unit_reward(fit.start_reward()), words.unit_reward(fit.peak_reward()),
                    fmt::format("{}", fit.peak()), words.unit_reward(fit.end_reward())});
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
  const BacktestWords words(spec, result);
  std::string text = wrapped(fmt::format("{}", fmt::join(backtest_conclusions(spec, result), " "))) + "\n\n";
  text += table_text(backtest_policy_rows(spec, result)) + "\n" + wrapped(backtest_meaning(spec, result)) +
          "\n\nFitted curves:\n" + table_text(backtest_arm_rows(spec, result)) + wrapped(backtest_noise(spec, result)) +
          "\n";
  text += replays_text(spec, words, result);
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
