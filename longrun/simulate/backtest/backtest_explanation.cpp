#include "longrun/simulate/backtest/backtest_explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "longrun/base/text.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

constexpr double kUnlikely = 0.01;  // probability below which choices are not random
constexpr double kCorrelated = 4;   // standard errors of the correlation of residuals
constexpr std::size_t kMostArmsListed = 8;

std::string in_words(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Returns "arm 'coffee' with 12 rewards, ...", at most kMostArmsListed of them.
std::string arms_with_rewards(const BacktestSpec& spec, const std::vector<LoggedArm>& arms) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(arms.size(), kMostArmsListed); ++i) {
    parts.push_back(fmt::format("{} with {}", arm_label(spec.history.arm_names, arms[i].arm),
                                in_words(arms[i].rewards.size(), "reward")));
  }
  if (arms.size() > kMostArmsListed) parts.push_back(fmt::format("and {} more", arms.size() - kMostArmsListed));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void warn_of_arms(std::vector<std::string>& warnings, const BacktestSpec& spec, const Backtest& result) {
  if (!result.left_out.empty()) {
    warnings.push_back(fmt::format(
        "Left out, because fewer than {} rewards do not determine a curve: {}. No policy can choose {} here.",
        kLogFitTuning.fewest_pulls, arms_with_rewards(spec, result.left_out),
        result.left_out.size() == 1 ? "it" : "them"));
  }
  std::vector<LoggedArm> few;
  for (const LoggedArm& arm : result.arms) {
    if (std::ssize(arm.rewards) < kFewLoggedPulls) few.push_back(arm);
  }
  if (!few.empty()) {
    warnings.push_back(fmt::format("Too few rewards for a reliable curve (fewer than {}): {}.", kFewLoggedPulls,
                                   arms_with_rewards(spec, few)));
  }
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    if (result.fit.residual_correlation[i] < kCorrelated || std::ssize(result.arms[i].rewards) < kFewLoggedPulls)
      continue;
    warnings.push_back(fmt::format(
        "The rewards of {} change in a way that no single-peaked curve follows: successive residuals are correlated. "
        "Something other than its number of pulls may change them, such as the time.",
        arm_label(spec.history.arm_names, result.arms[i].arm)));
  }
}

/// Returns what the pulls of a history without a reward are. Lost rewards will never be known.
std::string_view without_reward(const History& history) {
  const auto is_lost = [](const PastPull& pull) { return pull.lost; };
  const auto is_pending = [](const PastPull& pull) { return !pull.reward && !pull.lost; };
  if (!std::any_of(history.pulls.begin(), history.pulls.end(), is_lost)) return "pending";
  return std::any_of(history.pulls.begin(), history.pulls.end(), is_pending) ? "pending or lost" : "lost";
}

void warn_of_unknown_rewards(std::vector<std::string>& warnings, const BacktestSpec& spec, const Backtest& result) {
  const Pulls unknown_rewards = result.log_pulls - result.log_rewards;
  if (unknown_rewards == 0) return;
  std::vector<std::string> parts;
  std::size_t arms = 0;
  for (const std::vector<LoggedArm>& group : {result.arms, result.left_out}) {
    for (const LoggedArm& arm : group) {
      const Pulls unknown = arm.made - std::ssize(arm.rewards);
      if (unknown == 0 || ++arms > kMostArmsListed) continue;
      parts.push_back(fmt::format("{} of {} of {}", unknown, arm.made, arm_label(spec.history.arm_names, arm.arm)));
    }
  }
  if (arms > kMostArmsListed) parts.push_back(fmt::format("some of {} more arms", arms - kMostArmsListed));
  warnings.push_back(
      fmt::format("{} of {} pulls are {} ({}): the arm moved on along its curve, but a pull without a known "
                  "reward is no data.",
                  unknown_rewards, result.log_pulls, without_reward(spec.history), fmt::join(parts, ", ")));
}

/// Returns whether two policies earned exactly the same, in every replicate as far as the estimates show.
bool earns_the_same(const BacktestRow& a, const BacktestRow& b) {
  return a.reward.value == b.reward.value && a.standard_error == b.standard_error && a.pulls == b.pulls;
}

/// Returns whether every choice of arms earns the same, because the fitted curves of all arms are level and equal.
bool all_curves_are_one_level(const Backtest& result) {
  constexpr double kSameReward = 1e-9;
  const double level = result.fit.arms[0].peak_reward();
  return std::all_of(result.fit.arms.begin(), result.fit.arms.end(), [&](const SinglePeakedFit& arm) {
    return std::abs(arm.start_reward() - level) < kSameReward && std::abs(arm.peak_reward() - level) < kSameReward &&
           std::abs(arm.end_reward() - level) < kSameReward;
  });
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

/// Returns the sentences about the best policy and those behind it.
std::vector<std::string> comparison_of_policies(const BacktestSpec& spec, const Backtest& result) {
  const BacktestRow& best = result.rows[result.best];
  std::vector<std::string> tied;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const BacktestRow& row = result.rows[i];
    if (i != result.best && !row.reference && earns_the_same(best, row)) tied.push_back(row.name);
  }
  const std::string rank = result.replays.size() == 1 ? ""
                           : tied.empty()             ? ", more than every other policy"
                                                      : fmt::format(", exactly as much as {}", fmt::join(tied, ", "));
  std::vector<std::string> sentences{
      fmt::format("On the bandit that is fitted to the log, {} earns {} per pull over {}{}.", best.name,
                  estimate_text(spec, best.reward), in_words(static_cast<std::size_t>(result.horizon), "pull"), rank)};
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
  return sentences;
}

}  // namespace

std::string estimate_text(const BacktestSpec& spec, const LogEstimate& estimate, bool is_difference) {
  const auto text = [&](double value) {
    return is_difference ? reward_difference_text(spec.scale, value) : reward_text(spec.scale, value);
  };
  if (!estimate.interval) return text(estimate.value);
  return fmt::format("{} ({} to {})", text(estimate.value), text(estimate.interval->low),
                     text(estimate.interval->high));
}

std::vector<std::string> backtest_conclusions(const BacktestSpec& spec, const Backtest& result) {
  std::vector<std::string> sentences;
  if (result.replays.size() > 1 && all_curves_are_one_level(result)) {
    sentences.push_back(
        fmt::format("The curves that are fitted to the arms are level and equal: every policy earns {} per pull, "
                    "whatever it pulls. There is nothing to compare.",
                    reward_text(spec.scale, result.rows[result.best].reward.value)));
  } else {
    sentences = comparison_of_policies(spec, result);
  }
  const std::string instead = result.horizon == result.log_rewards ? "" : fmt::format(" instead of {}", result.horizon);
  const Pulls unknown = result.log_pulls - result.log_rewards;
  sentences.push_back(
      fmt::format("The log itself earned {} per pull, over {} pulls{}{}.", reward_text(spec.scale, result.log_reward),
                  result.log_rewards, instead,
                  unknown == 0 ? "" : fmt::format("; {} further pulls are {}", unknown, without_reward(spec.history))));
  return sentences;
}

std::vector<std::string> backtest_warnings(const BacktestSpec& spec, const Backtest& result) {
  std::vector<std::string> warnings =
      cautions({.history = spec.history, .scale = spec.scale}, result.far, result.misfits, {});
  warn_of_unknown_rewards(warnings, spec, result);
  warn_of_extrapolation(warnings, result);
  warn_of_arms(warnings, spec, result);
  warn_of_choices(warnings, spec, result);
  return warnings;
}

}  // namespace longrun
