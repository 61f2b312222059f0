#include "longrun/simulate/backtest/replay.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "longrun/base/cancellation.h"
#include "longrun/decide/live_policy.h"

namespace longrun {
namespace {

constexpr double kFewestExpected = 5;  // per cell of a chi-square test, the usual rule

/// Returns P(X >= statistic) for X chi-squared.
double upper_tail(double statistic, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

void check_cancelled(Pulls step) {
  if (step % 1024 == 0) throw_if_cancelled();  // a live decision is slower than a step of the play loop
}

}  // namespace

double Replay::mean(std::size_t pulls) const {
  return std::accumulate(rewards.begin(), rewards.begin() + static_cast<std::ptrdiff_t>(pulls), 0.0) /
         static_cast<double>(pulls);
}

Replay replay_columns(const PolicyChoice& policy, const std::vector<LoggedArm>& arms, const Setting& setting) {
  const auto live = make_policy(policy, setting);
  Replay replay;
  std::vector<Pulls> pulls(arms.size(), 0);
  std::vector<std::size_t> next(arms.size(), 0);  // position in LoggedArm::rewards
  for (Pulls step = 0; step < setting.horizon; ++step) {
    check_cancelled(step);
    const Arm chosen = live->choose();
    const auto i = static_cast<std::size_t>(chosen);
    if (pulls[i] == arms[i].pulls) {
      replay.exhausted = arms[i].arm;
      break;
    }
    ++pulls[i];
    if (next[i] < arms[i].rewards.size() && arms[i].rewards[next[i]].pull == pulls[i]) {
      const double reward = arms[i].rewards[next[i]++].reward;
      live->observe(chosen, reward);
      replay.rewards.push_back(reward);
    } else {
      live->lose(chosen);
      ++replay.unknown;
    }
  }
  return replay;
}

RejectionReplay replay_by_rejection(const PolicyChoice& policy, const History& history,
                                    const std::vector<LoggedArm>& arms, const LogFit& fit, const Setting& setting) {
  std::vector<std::optional<std::size_t>> place(static_cast<std::size_t>(history.arms()));  // of a logged arm in `arms`
  std::vector<std::vector<double>> curves;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    place[static_cast<std::size_t>(arms[i].arm)] = i;
    curves.push_back(fit.arms[i].values(arms[i].pulls));
  }
  const auto live = make_policy(policy, setting);
  RejectionReplay result;
  std::vector<Pulls> made(arms.size(), 0);
  std::vector<Pulls> logged(arms.size(), 0);
  std::vector<std::size_t> next(arms.size(), 0);
  Arm chosen = live->choose();
  double delay = 0;
  double effect = 0;
  for (const PastPull& row : history.pulls) {
    check_cancelled(result.rows++);
    const auto found = place[static_cast<std::size_t>(row.arm)];
    if (!found) continue;
    const Pulls pull = ++logged[*found];
    if (pull > arms[*found].pulls) continue;  // its reward is pending
    const bool has_reward =
        next[*found] < arms[*found].rewards.size() && arms[*found].rewards[next[*found]].pull == pull;
    const double reward = has_reward ? arms[*found].rewards[next[*found]++].reward : 0;
    if (!has_reward || static_cast<Arm>(*found) != chosen) continue;
    const std::vector<double>& curve = curves[*found];
    delay += static_cast<double>(pull - ++made[*found]);
    effect += curve[static_cast<std::size_t>(pull - 1)] - curve[static_cast<std::size_t>(made[*found] - 1)];
    live->observe(chosen, reward);
    result.replay.rewards.push_back(reward);
    if (std::ssize(result.replay.rewards) == setting.horizon) break;
    chosen = live->choose();
  }
  if (std::ssize(result.replay.rewards) < setting.horizon) {
    result.replay.exhausted = arms[static_cast<std::size_t>(chosen)].arm;
  }
  const auto accepted = static_cast<double>(std::max<std::size_t>(1, result.replay.rewards.size()));
  result.mean_delay = delay / accepted;
  result.age_effect = effect / accepted;
  return result;
}

RandomChoiceTest test_random_choices(const History& history) {
  const auto arms = static_cast<double>(history.arms());
  const auto rows = static_cast<double>(history.pulls.size());
  RandomChoiceTest test;
  if (arms < 2) return test;
  if (rows / arms >= kFewestExpected) {
    std::vector<double> counts(static_cast<std::size_t>(history.arms()), 0);
    for (const PastPull& row : history.pulls) counts[static_cast<std::size_t>(row.arm)] += 1;
    double statistic = 0;
    for (const double count : counts) statistic += (count - rows / arms) * (count - rows / arms) / (rows / arms);
    test.uniform = upper_tail(statistic, arms - 1);
  }
  // Pairs of successive arms. Their table of counts has expected values from the counts of its rows and columns.
  const double pairs = rows - 1;
  if (pairs < kFewestExpected * arms * arms) return test;
  std::map<Arm, double> before;
  std::map<Arm, double> after;
  std::map<std::pair<Arm, Arm>, double> both;
  for (std::size_t i = 1; i < history.pulls.size(); ++i) {
    before[history.pulls[i - 1].arm] += 1;
    after[history.pulls[i].arm] += 1;
    both[{history.pulls[i - 1].arm, history.pulls[i].arm}] += 1;
  }
  double fewest = pairs;
  double statistic = 0;
  for (const auto& [first, first_count] : before) {
    for (const auto& [second, second_count] : after) {
      const double expected = first_count * second_count / pairs;
      const auto found = both.find({first, second});
      const double count = found == both.end() ? 0 : found->second;
      fewest = std::min(fewest, expected);
      statistic += (count - expected) * (count - expected) / expected;
    }
  }
  if (before.size() < 2 || after.size() < 2 || fewest < kFewestExpected) return test;
  test.independent =
      upper_tail(statistic, static_cast<double>(before.size() - 1) * static_cast<double>(after.size() - 1));
  return test;
}

}  // namespace longrun
