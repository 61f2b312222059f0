#include "longrun/decide/arm_report.h"

#include <algorithm>
#include <cmath>

namespace longrun {
namespace {

// Before any arm is known, 1 of 4 is believed to fall at some time; every arm with enough pulls counts as one more.
constexpr double kPriorFallen = 1;
constexpr double kPriorArms = 4;
constexpr Pulls kFewestToJudge = 10;

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
  double fallen = 0;
  double judged = 0;
  for (Arm arm = 0; arm < static_cast<Arm>(rewards_.size()); ++arm) {
    if (rewards_[static_cast<std::size_t>(arm)].count() < kFewestToJudge) continue;
    fallen += has_fallen(arm) ? 1 : trend(arm).falling;
    judged += 1;
  }
  falls_later_ = (kPriorFallen + fallen) / (kPriorArms + judged);
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
                     .trend = trend(arm),
                     .noise = noise(arm),
                     .has_fallen = has_fallen(arm),
                     .falls_later = falls_later_,
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
