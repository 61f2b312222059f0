#include "longrun/decide/arm_report.h"

#include <algorithm>
#include <cmath>

namespace longrun {
namespace {

// Before any arm is known, 1 of 4 is believed to fall at some time; every arm with enough pulls counts as one more.
constexpr double kPriorFallen = 1;
constexpr double kPriorArms = 4;
constexpr Pulls kFewestToJudge = 10;
constexpr CurveTrend kPriorShares{.rising = 0.27, .falling = 0.27, .steady = 0.46};  // those of curve_trend()
constexpr std::size_t kFewestForALevel = 5;                                          // arms
constexpr double kPriorLevels = 2;      // arms that the prior of the level counts as
constexpr double kPriorLevelSd = 0.25;  // reward
constexpr int kShareSteps = 10;
constexpr double kGrowthAhead = 4;       // squared: an arm may grow twice as much as it has
constexpr double kLeastGrowthSd = 0.03;  // reward

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

/// Returns a trend, given the shares of all arms: where all others stay, one more is likely to stay.
CurveTrend trend_among(const CurveTrend& trend, const CurveTrend& shares) {
  const double rising = trend.rising * shares.rising / kPriorShares.rising;
  const double falling = trend.falling * shares.falling / kPriorShares.falling;
  const double steady = trend.steady * shares.steady / kPriorShares.steady;
  const double all = rising + falling + steady;
  return {rising / all, falling / all, steady / all};
}

/// Returns the square of the growth of the newest quarter of the rewards over the oldest, or 0 if that is negative,
/// less what noise alone would give on average.
double squared_growth(const RewardSummary& rewards, double sd) {
  const std::vector<RewardBucket> buckets = rewards.buckets();
  RewardBucket oldest;
  for (std::size_t i = 0; 4 * oldest.count < rewards.count(); ++i) oldest += buckets[i];
  RewardBucket newest;
  for (std::size_t i = buckets.size(); 4 * newest.count < rewards.count();) newest += buckets[--i];
  const double growth = std::max(0.0, newest.mean() - oldest.mean());
  const double noise = sd * sd * (1 / static_cast<double>(oldest.count) + 1 / static_cast<double>(newest.count));
  return growth * growth - noise / 2;
}

/// Returns the direction of the last step of exact rewards.
CurveTrend last_step(const RewardSummary& rewards) {
  if (rewards.count() < 2) return CurveTrend::unknown();
  const std::vector<RewardBucket> buckets = rewards.buckets();  // the newest have one reward each
  const double step = buckets.back().sum - buckets[buckets.size() - 2].sum;
  return {.rising = step > 0 ? 1.0 : 0, .falling = step < 0 ? 1.0 : 0, .steady = step == 0 ? 1.0 : 0};
}

}  // namespace

std::optional<double> ArmReport::value_of_learning() const {
  if (!expected) return std::nullopt;
  return std::max(0.0, index - expected->mean);
}

ArmReports::ArmReports(const Setting& setting, const Parameters& parameters)
    : ledger_(setting),
      rule_(setting, parameters),
      rewards_(static_cast<std::size_t>(setting.arms)),
      curves_(growth_curves(setting.horizon)),
      pending_(rewards_.size()) {}

void ArmReports::observe(Arm arm, double reward) {
  const auto at = static_cast<std::size_t>(arm);
  ledger_.add(arm);
  rule_.observe(arm, reward, ledger_);
  rewards_[at].add(reward);
  yes_or_no_ = yes_or_no_ && (reward == 0 || reward == 1);
}

void ArmReports::update() {
  rule_.start_refresh_if_due(ledger_);
  std::vector<CurveTrend> trends;
  double fallen = 0;
  double growth = 0;  // sum of squares
  for (Arm arm = 0; arm < static_cast<Arm>(rewards_.size()); ++arm) {
    const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
    if (rewards.count() < kFewestToJudge) continue;
    trends.push_back(trend(arm));
    fallen += has_fallen(arm) ? 1 : trends.back().falling;
    growth += squared_growth(rewards, noise(arm).sd);
  }
  const auto judged = static_cast<double>(trends.size());
  population_.shares = kPriorShares;
  for (int step = 0; step < kShareSteps; ++step) {  // each makes the shares more likely (expectation maximisation)
    CurveTrend sums{.rising = kPriorArms * kPriorShares.rising,
                    .falling = kPriorArms * kPriorShares.falling,
                    .steady = kPriorArms * kPriorShares.steady};
    for (const CurveTrend& each : trends) {
      const CurveTrend share = trend_among(each, population_.shares);
      sums.rising += share.rising;
      sums.falling += share.falling;
      sums.steady += share.steady;
    }
    const double all = kPriorArms + judged;
    population_.shares = {sums.rising / all, sums.falling / all, sums.steady / all};
  }
  population_.growth_sd =
      std::max(kLeastGrowthSd, std::sqrt((1 + kGrowthAhead * std::max(0.0, growth)) / (1 + judged)));
  population_.level = level_of_arms();
  population_.falls_later = (kPriorFallen + fallen) / (kPriorArms + judged);
}

std::optional<ArmLevel> ArmReports::level_of_arms() const {
  std::vector<RewardNow> arms;
  for (Arm arm = 0; arm < static_cast<Arm>(rewards_.size()); ++arm) {
    if (rewards_[static_cast<std::size_t>(arm)].count() < 2) continue;
    arms.push_back(*reward_now(arm));
    if (!(arms.back().standard_error > 0)) return std::nullopt;
  }
  if (arms.size() < kFewestForALevel) return std::nullopt;
  const auto mean_with = [&](double variance) {  // of all arms, each by its precision
    double weights = 0;
    double sum = 0;
    for (const RewardNow& arm : arms) {
      const double weight = 1 / (arm.standard_error * arm.standard_error + variance);
      weights += weight;
      sum += weight * arm.mean;
    }
    return sum / weights;
  };
  // The estimate of DerSimonian and Laird (1986) of the variance between arms.
  const double mean = mean_with(0);
  double weights = 0;
  double weight_squares = 0;
  double spread = 0;
  for (const RewardNow& arm : arms) {
    const double weight = 1 / (arm.standard_error * arm.standard_error);
    weights += weight;
    weight_squares += weight * weight;
    spread += weight * (arm.mean - mean) * (arm.mean - mean);
  }
  const double free = static_cast<double>(arms.size()) - 1;
  const double between = std::max(0.0, (spread - free) / (weights - weight_squares / weights));
  const double variance = (free * between + kPriorLevels * kPriorLevelSd * kPriorLevelSd) / (free + kPriorLevels);
  return ArmLevel{.mean = mean_with(variance), .sd = std::sqrt(variance)};
}

ArmReport ArmReports::report(Arm arm, Pulls remaining, Course course) const {
  const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
  ArmReport report{.pulls = ledger_.pulls(arm) + pending_[static_cast<std::size_t>(arm)],
                   .index = rule_.index_from_zero(rule_.index(arm, ledger_))};
  report.reward_now = reward_now(arm);
  if (report.reward_now) report.trend = trend(arm);
  report.misfit = misfit(arm);
  if (rewards.count() >= 2 && remaining > 0) {
    const std::vector<FutureCurve> curves = futures(arm).spread();
    report.expected = expected_reward(curves, remaining);
    if (course == Course::with) report.expected_course = expected_course(curves, report.pulls, remaining);
  }
  const Outlook upper = bound(arm, remaining);
  report.upper_bound_total = upper.total(remaining);
  report.upper_bound = corners(upper, report.pulls, remaining);
  return report;
}

std::optional<RewardNow> ArmReports::reward_now(Arm arm) const {
  const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
  if (rewards.count() == 0) return std::nullopt;
  return longrun::reward_now(rewards, noise(arm));
}

std::optional<Misfit> ArmReports::misfit(Arm arm) const {
  return find_misfit(rewards_[static_cast<std::size_t>(arm)], noise(arm).sd);
}

ArmFutures ArmReports::futures_after(Arm arm, Pulls pending) const {
  const auto at = static_cast<std::size_t>(arm);
  return ArmFutures({.rewards = rewards_[at],
                     .curves = curves_,
                     .trend = exact() ? trend(arm) : trend_among(trend(arm), population_.shares),
                     .noise = noise(arm),
                     .has_fallen = has_fallen(arm),
                     .growth_sd = population_.growth_sd,
                     .level = population_.level,
                     .falls_later = population_.falls_later,
                     .pending = pending});
}

bool ArmReports::has_fallen(Arm arm) const { return exact() ? trend(arm).falling == 1 : rule_.arm(arm).falling(); }

CurveTrend ArmReports::trend(Arm arm) const {
  const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
  if (exact()) return last_step(rewards);
  // An estimate of the noise from all arms may be far from that of this one.
  const bool known = !sd_is_estimate() || noise(arm).yes_or_no;
  const double arm_sd = noise(arm).sd;
  return curve_trend(rewards, known ? std::optional(arm_sd * arm_sd) : std::nullopt);
}

ArmNoise ArmReports::noise(Arm arm) const {
  if (!sd_is_estimate()) return {.sd = sd()};
  if (!yes_or_no_) {
    // An arm may be noisier than the others, from which the estimate is made as well.
    const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
    return {.sd = rewards.count() < kFewestToJudge ? sd() : std::max(sd(), std::sqrt(rewards.noise_variance()))};
  }
  const RewardBucket& all = rewards_[static_cast<std::size_t>(arm)].all();
  const double rate = (all.sum + 0.5) / (static_cast<double>(all.count) + 1);
  return {.sd = std::sqrt(rate * (1 - rate)), .yes_or_no = true};
}

Outlook ArmReports::bound(Arm arm, Pulls remaining) const {
  const Outlook outlook =
      exact() ? rule_.exact()->outlook(arm) : rule_.arm(arm).bound(std::max<Pulls>(1, remaining), rule_.model());
  if (outlook.slope() <= 0) return outlook;
  const auto pending = static_cast<double>(pending_[static_cast<std::size_t>(arm)]);
  return Outlook::rising(outlook.level() + pending * outlook.slope(), outlook.slope());
}

}  // namespace longrun
