#include "longrun/decide/arm_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace longrun {
namespace {

constexpr double kRecent = 0.25;                     // share of an arm's rewards that reward_now() uses at most
constexpr double kSameStandardErrors = 2;            // difference of two means that noise explains, in standard errors
constexpr std::array kFallDurations{0.2, 1.0, 5.0};  // by the rule that a process lasts as long again as it has lasted
constexpr double kFarthestSds = 8;                   // no probability is left outside
constexpr int kBisections = 50;
constexpr double kOutside = 0.1;  // probability on each side of the interval of an ExpectedReward

double mean_of(std::span<const double> rewards) {
  return std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
}

/// Returns the corners of the outlook's rewards, min(1, level + k slope), for k = 1..remaining.
std::vector<FuturePull> corners(const Outlook& outlook, Pulls made, Pulls remaining) {
  std::vector<FuturePull> points;
  const auto add = [&](double k) {
    if (!(k >= 1 && k <= static_cast<double>(remaining))) return;
    const Pulls pull = made + static_cast<Pulls>(k);
    if (!points.empty() && points.back().pull >= pull) return;
    const double line = outlook.level() + k * outlook.slope();
    points.push_back({.pull = pull, .reward = outlook.slope() > 0 ? std::min(1.0, line) : line});
  };
  add(1);
  if (outlook.slope() > 0) {
    add(outlook.pulls_below_one());
    add(outlook.pulls_below_one() + 1);
  }
  add(static_cast<double>(remaining));
  return points;
}

/// Returns the futures of an arm that falls: half of its pulls ago it began to, if it is not known to have been later.
std::vector<FutureReward> falling_futures(std::span<const double> rewards, Pulls remaining) {
  const std::size_t quarter = std::max<std::size_t>(1, rewards.size() / 4);
  const double now = mean_of(rewards.last(quarter));
  const double before = mean_of(rewards.last(2 * quarter).first(quarter));
  const double slope = std::max(0.0, before - now) / static_cast<double>(quarter);
  const double level = std::max(0.0, now - slope * static_cast<double>(quarter - 1) / 2);  // at the last pull
  const double duration = 2 * static_cast<double>(quarter);
  std::vector<FutureReward> futures;
  for (const double times : kFallDurations) {
    const auto future = static_cast<double>(remaining);
    const double steps = std::min({future, slope > 0 ? level / slope : future, times * duration});
    futures.push_back({.weight = 1, .mean = level - slope * steps * (1 - steps / (2 * future))});
  }
  return futures;
}

/// Returns the mean of a future whose rewards below 0 count as 0 and those above 1 as 1.
double mean_on_scale(const FutureReward& future) {
  if (!(future.sd > 0)) return std::clamp(future.mean, 0.0, 1.0);
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  const auto density = [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); };
  const double a = -future.mean / future.sd;
  const double b = (1 - future.mean) / future.sd;
  return future.mean * (below(b) - below(a)) + future.sd * (density(a) - density(b)) + 1 - below(b);
}

/// Returns the value that a mixture of normal distributions stays below with probability `share`.
double quantile(std::span<const FutureReward> mixture, double share) {
  double low = mixture[0].mean;
  double high = low;
  for (const FutureReward& part : mixture) {
    low = std::min(low, part.mean - kFarthestSds * part.sd);
    high = std::max(high, part.mean + kFarthestSds * part.sd);
  }
  for (int step = 0; step < kBisections; ++step) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const FutureReward& part : mixture) {
      const double z = part.sd > 0           ? (middle - part.mean) / part.sd
                       : middle >= part.mean ? kFarthestSds
                                             : -kFarthestSds;
      below += part.weight * 0.5 * std::erfc(-z / std::numbers::sqrt2);
    }
    (below < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

RewardNow reward_now(std::span<const double> rewards, double sd) {
  const auto most = static_cast<Pulls>(std::max(1.0, kRecent * static_cast<double>(rewards.size())));
  RewardNow longest{.mean = rewards.back(), .standard_error = sd};
  std::vector<RewardNow> shorter;
  double sum = 0;
  Pulls added = 0;
  const auto mean_of_newest = [&](Pulls pulls) {
    for (; added < pulls; ++added) sum += rewards[rewards.size() - 1 - static_cast<std::size_t>(added)];
    const auto count = static_cast<double>(pulls);
    return RewardNow{.mean = sum / count, .standard_error = sd / std::sqrt(count), .pulls = pulls};
  };
  for (Pulls pulls = 1; pulls <= most; pulls = pulls < most ? std::min(2 * pulls, most) : most + 1) {
    const RewardNow longer = mean_of_newest(pulls);
    const bool same = std::all_of(shorter.begin(), shorter.end(), [&](const RewardNow& run) {
      // The shorter run is a part of the longer one, so the variance of their difference is that of the difference.
      const double error = std::sqrt(
          std::max(0.0, run.standard_error * run.standard_error - longer.standard_error * longer.standard_error));
      return std::abs(run.mean - longer.mean) <= kSameStandardErrors * error;
    });
    if (!same) break;
    longest = longer;
    shorter.push_back(longer);
  }
  return longest;
}

ExpectedReward expected_reward(std::span<const double> rewards, Pulls remaining, double falling,
                               std::span<const FutureReward> growth) {
  std::vector<FutureReward> mixture;
  const auto add = [&](std::span<const FutureReward> futures, double weight) {
    double total = 0;
    for (const FutureReward& future : futures) total += future.weight;
    for (FutureReward future : futures) {
      future.weight *= weight / total;
      mixture.push_back(future);
    }
  };
  if (falling > 0) add(falling_futures(rewards, remaining), growth.empty() ? 1 : falling);
  if (!growth.empty()) add(growth, 1 - falling);
  ExpectedReward expected;
  for (const FutureReward& future : mixture) expected.mean += future.weight * mean_on_scale(future);
  // A few very different futures can move the mean out of the interval; it would look like a mistake.
  expected.low = std::min(expected.mean, std::clamp(quantile(mixture, kOutside), 0.0, 1.0));
  expected.high = std::max(expected.mean, std::clamp(quantile(mixture, 1 - kOutside), 0.0, 1.0));
  return expected;
}

std::optional<double> ArmReport::value_of_learning() const {
  if (!expected) return std::nullopt;
  return std::max(0.0, index - expected->mean);
}

void ArmReports::observe(Arm arm, double reward) {
  ledger_.add(arm);
  rule_.observe(arm, reward, ledger_);
  rewards_[static_cast<std::size_t>(arm)].push_back(reward);
  yes_or_no_ = yes_or_no_ && (reward == 0 || reward == 1);
}

ArmReport ArmReports::report(Arm arm, Pulls remaining) const {
  ArmReport report{.pulls = ledger_.pulls(arm), .index = rule_.index_from_zero(rule_.index(arm, ledger_))};
  const Outlook bound = exact() ? add_exact_estimates(arm, report) : add_noisy_estimates(arm, remaining, report);
  report.upper_bound_total = bound.total(remaining);
  report.upper_bound = corners(bound, report.pulls, remaining);
  return report;
}

Outlook ArmReports::add_exact_estimates(Arm arm, ArmReport& report) const {
  const std::vector<double>& rewards = rewards_[static_cast<std::size_t>(arm)];
  if (!rewards.empty()) {
    report.reward_now = RewardNow{.mean = rewards.back()};
    const double step = rewards.size() < 2 ? 0 : rewards.back() - rewards[rewards.size() - 2];
    report.trend =
        CurveTrend{.rising = step > 0 ? 1.0 : 0, .falling = step < 0 ? 1.0 : 0, .steady = step == 0 ? 1.0 : 0};
    if (rewards.size() < 2) report.trend = CurveTrend::unknown();
  }
  return rule_.exact()->outlook(arm);
}

Outlook ArmReports::add_noisy_estimates(Arm arm, Pulls remaining, ArmReport& report) const {
  const std::vector<double>& rewards = rewards_[static_cast<std::size_t>(arm)];
  const ArmForesight& foresight = rule_.arm(arm);
  const ForesightModel& model = rule_.model();
  if (!rewards.empty()) {
    const double sd = arm_sd(rewards);
    report.reward_now = reward_now(rewards, sd);
    // An estimate of the noise from all arms may be far from that of this one.
    const bool known = !sd_is_estimate() || yes_or_no_;
    report.trend = curve_trend(rewards, known ? std::optional(sd * sd) : std::nullopt);
  }
  if (report.pulls >= 2 && remaining > 0) {
    const double falls = foresight.falling() ? 1 : report.trend->falling;
    const std::vector<FutureReward> growth =
        foresight.falling() ? std::vector<FutureReward>{} : foresight.futures(remaining, model);
    report.expected = expected_reward(rewards, remaining, falls, growth);
  }
  return foresight.bound(std::max<Pulls>(1, remaining), model);
}

double ArmReports::arm_sd(std::span<const double> rewards) const {
  if (!yes_or_no_) return sd();
  const double rate =
      (std::accumulate(rewards.begin(), rewards.end(), 0.0) + 0.5) / (static_cast<double>(rewards.size()) + 1);
  return std::sqrt(rate * (1 - rate));
}

}  // namespace longrun
