#include "longrun/decide/advice/common_change.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "longrun/decide/advice/arm_population.h"
#include "longrun/solve/single_peaked_fit.h"

namespace longrun {
namespace {

constexpr std::size_t kNewest = 20'000;      // rewards that count
constexpr std::size_t kWindow = 8;           // pulls before a reward, those of whose arms are compared with it
constexpr std::size_t kFewestProducts = 50;  // fewer have no nearly normal sum
constexpr double kClearChange = 4;           // standard errors
constexpr double kSmallestPart = 0.01;       // of what arms change by their pulls: curves are not fitted exactly
constexpr double kRoundingOfReward = 1e-6;   // of a reward, as if its arm changed by so much

// A curve follows the noise of its rewards too, most of all at its ends, and these are the same for all arms. That
// makes the mean product at most this part of the variance that fitting takes.
constexpr double kOfFitting = 0.5;

/// A reward less its curve.
struct Residual {
  Arm arm = 0;
  double value = 0;
};

/// The residuals of a history, in order.
struct ResidualsInOrder {
  std::vector<Residual> residuals;
  double range = 0;       // the most that a curve changes; above 0 where rewards are
  double parameters = 0;  // of all curves
};

/// Returns the number of rewards that differ from the most frequent one: of rare successes, their number. The residuals
/// of very few of them are not like those of noise, because the curve follows each.
Pulls informative_rewards(const std::vector<PullReward>& rewards) {
  std::vector<double> sorted;
  sorted.reserve(rewards.size());
  for (const PullReward& each : rewards) sorted.push_back(each.reward);
  std::sort(sorted.begin(), sorted.end());
  Pulls most = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    most = std::max<Pulls>(most, end - begin);
    begin = end;
  }
  return std::ssize(sorted) - most;
}

ResidualsInOrder residuals_in_order(const History& history) {
  std::vector<std::vector<PullReward>> rewards(history.arm_names.size());
  std::vector<Pulls> made(rewards.size());
  std::size_t skipped = 0;  // known rewards that are too old
  for (const PastPull& pull : history.pulls) skipped += pull.reward ? 1U : 0U;
  skipped -= std::min(skipped, kNewest);
  std::vector<Residual> all;
  ResidualsInOrder result;
  for (const PastPull& pull : history.pulls) {
    const auto arm = static_cast<std::size_t>(pull.arm);
    ++made[arm];
    if (!pull.reward) continue;
    if (skipped > 0) {
      --skipped;
      continue;
    }
    rewards[arm].push_back({made[arm], *pull.reward});
    result.range = std::max(result.range, kRoundingOfReward * std::abs(*pull.reward));
    all.push_back({pull.arm, *pull.reward});
  }
  std::vector<std::vector<double>> curves(rewards.size());
  for (std::size_t arm = 0; arm < rewards.size(); ++arm) {
    if (informative_rewards(rewards[arm]) < kFewestToJudge) continue;
    const Pulls before = rewards[arm].front().pull - 1;
    for (PullReward& reward : rewards[arm]) reward.pull -= before;
    const SinglePeakedFit fit = fit_single_peaked(rewards[arm]);
    const std::vector<double> values = fit.values(rewards[arm].back().pull);
    result.parameters += static_cast<double>(fit.parameters);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    result.range = std::max(result.range, *high - *low);
    for (const PullReward& reward : rewards[arm])
      curves[arm].push_back(values[static_cast<std::size_t>(reward.pull - 1)]);
  }
  std::vector<std::size_t> next(rewards.size());
  for (const Residual& reward : all) {
    const auto arm = static_cast<std::size_t>(reward.arm);
    if (!curves[arm].empty()) result.residuals.push_back({reward.arm, reward.value - curves[arm][next[arm]++]});
  }
  return result;
}

}  // namespace

std::optional<CommonChange> find_common_change(const History& history) {
  const auto [residuals, range, parameters] = residuals_in_order(history);
  double sum = 0;
  double variance = 0;
  double squares = 0;
  std::size_t products = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    squares += residuals[i].value * residuals[i].value;
    double others = 0;
    std::size_t count = 0;
    for (std::size_t j = i - std::min(i, kWindow); j < i; ++j) {
      if (residuals[j].arm == residuals[i].arm) continue;
      others += residuals[j].value;
      ++count;
    }
    if (count == 0) continue;
    const double product = residuals[i].value * others;
    sum += product;
    variance += product * product;
    pairs += count;
    ++products;
  }
  if (products < kFewestProducts) return std::nullopt;
  const auto count = static_cast<double>(residuals.size());
  const double common = sum / static_cast<double>(pairs);
  const double of_fitting = kOfFitting * parameters / count * squares / count;
  const double of_curves = kSmallestPart * range;
  if (common <= of_fitting + of_curves * of_curves || !(sum >= kClearChange * std::sqrt(variance))) return std::nullopt;
  return CommonChange{.sd = std::sqrt(common), .noise_sd = std::sqrt(std::max(0.0, squares / count - common))};
}

}  // namespace longrun
