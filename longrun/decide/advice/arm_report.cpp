#include "longrun/decide/advice/arm_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/parallel.h"
#include "longrun/decide/reward_scale.h"

namespace longrun {
namespace {

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

/// Limits what is expected to the bound, which is certain if rewards are exact.
void limit_to_bound(ArmReport& report, const Outlook& bound) {
  const auto limit = [](FutureRange& expected, double most) {
    expected = {std::min(expected.mean, most), std::min(expected.low, most), std::min(expected.high, most)};
  };
  if (report.expected) limit(*report.expected, *report.upper_bound_per_pull());
  for (ExpectedPull& each : report.expected_course) {
    const Pulls ahead = each.pull - report.pulls;
    limit(each.reward, bound.total(ahead) - bound.total(ahead - 1));
  }
}

}  // namespace

ArmReports::ArmReports(const Setting& setting, const Parameters& parameters)
    : ledger_(setting),
      rule_(setting, parameters),
      rewards_(static_cast<std::size_t>(setting.arms)),
      curves_(growth_curves(setting.horizon)),
      imagined_(setting.arms, sd_is_estimate() ? std::nullopt : std::optional(standard_deviation(setting.noise))),
      pending_(rewards_.size()),
      lost_(rewards_.size()) {}

void ArmReports::observe(Arm arm, double reward) {
  const auto at = static_cast<std::size_t>(arm);
  ledger_.add(arm);
  rule_.observe(arm, reward, ledger_);
  imagined_.add(arm, reward);
  rewards_[at].add(reward, std::exchange(lost_[at], 0));
  yes_or_no_ = yes_or_no_ && RewardScale{}.is_end(reward);
}

void ArmReports::add_lost(Arm arm) {
  ledger_.add_lost(arm);
  rule_.lose(arm, ledger_);
  ++lost_[static_cast<std::size_t>(arm)];
}

void ArmReports::imagine_pending() {
  belief_.reset();
  if (std::all_of(pending_.begin(), pending_.end(), [](Pulls pending) { return pending == 0; })) return;
  belief_.emplace(Belief{ledger_, rule_});
  for (std::size_t at = 0; at < pending_.size(); ++at) {
    const auto arm = static_cast<Arm>(at);
    for (Pulls ahead = 1; ahead <= pending_[at]; ++ahead) {
      belief_->ledger.add(arm);
      belief_->rule.imagine(arm, imagined_.of(arm, ahead), belief_->ledger);
    }
  }
  belief_->rule.start_refresh_if_due(belief_->ledger);
}

void ArmReports::update(std::optional<Pulls> remaining) {
  if (remaining) ledger_.set_remaining(*remaining + std::accumulate(pending_.begin(), pending_.end(), Pulls{0}));
  imagine_pending();
  rule_.start_refresh_if_due(ledger_);
  update_noise();
  in_parallel(rewards_.size() < kFewestForThreads ? 1 : 0, rewards_.size(), [&](std::size_t arm) {
    throw_if_cancelled();
    estimates_[arm] = estimate(static_cast<Arm>(arm));
  });
  population_ = population_of(rewards_, estimates_);
  std::vector<OwnEstimate> known;
  for (const OwnEstimate& own : estimates_) {
    if (own.reward_now) known.push_back(own);
  }
  const std::vector<PooledReward> pooled = pooled_rewards(known);
  pooled_.assign(estimates_.size(), {});
  auto next = pooled.begin();
  for (std::size_t arm = 0; arm < estimates_.size(); ++arm) {
    if (estimates_[arm].reward_now) pooled_[arm] = *next++;
  }
}

void ArmReports::update_noise() {
  // The first guess of the noise makes small noise larger; it counts only as long as few rewards tell the noise.
  const double of_rewards = second_differences() < kFewestForOwnNoise ? 0 : sd_of_rewards().value_or(0);
  sd_of_all_ = of_rewards > 0 ? of_rewards : sd();
  estimates_.resize(rewards_.size());
  for (std::size_t arm = 0; arm < estimates_.size(); ++arm) estimates_[arm].noise = noise(static_cast<Arm>(arm));
}

ArmReport ArmReports::report(Arm arm, const Remaining& remaining, Course course) const {
  const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
  ArmReport report{.pulls = ledger_.tried(arm) + pending_[static_cast<std::size_t>(arm)],
                   .rewards = rewards.count(),
                   .pending = pending_[static_cast<std::size_t>(arm)],
                   .remaining = remaining.of_arm};
  const ForesightRule& rule = belief_ ? belief_->rule : rule_;
  report.index = rule.index_from_zero(rule.index(arm, belief_ ? belief_->ledger : ledger_));
  if (report.pending > 0) report.pending_counted_as = imagined_.of(arm, 1);
  // While pulls are pending, the policy decides as if their rewards were known.
  report.lacks_initial_pull = Ledger::lacks(report.rewards + report.pending, report.pulls, rule_.initial_pulls());
  report.reward_now = reward_now(arm);
  if (report.reward_now) {
    const PooledReward& pooled = pooled_[static_cast<std::size_t>(arm)];
    // Noise can put the mean of rewards outside the scale, but no mean reward is there.
    report.reward_now->estimate = std::clamp(pooled.mean, 0.0, 1.0);
    report.reward_now->low = std::clamp(pooled.low, 0.0, 1.0);
    report.reward_now->high = std::clamp(pooled.high, 0.0, 1.0);
  }
  report.noise_sd = noise_sd(arm);
  if (report.reward_now) report.trend = estimates_[static_cast<std::size_t>(arm)].trend;
  report.misfit = misfit(arm);
  report.classified_falling = !exact() && estimates_[static_cast<std::size_t>(arm)].has_fallen;
  if (rewards.count() >= 2 && report.remaining > 0) {
    const std::vector<FutureCurve> curves = futures(arm).spread();
    report.expected = expected_reward(curves, report.remaining);
    const double compared = remaining.of_index == report.remaining ? report.expected->mean
                                                                   : expected_reward(curves, remaining.of_index).mean;
    report.value_of_learning = std::max(0.0, report.index - compared);
    if (course == Course::with) report.expected_course = expected_course(curves, report.pulls, report.remaining);
  }
  const Outlook upper = bound(arm, report.remaining);
  report.upper_bound_total = upper.total(report.remaining);
  if (exact() && !report.misfit) limit_to_bound(report, upper);
  report.upper_bound = corners(upper, report.pulls, report.remaining);
  return report;
}

double ArmReports::second_differences() const {
  double differences = 0;
  for (const RewardSummary& rewards : rewards_) {
    differences += static_cast<double>(std::max<Pulls>(0, rewards.count() - 2));
  }
  return differences;
}

std::optional<double> ArmReports::sd_of_rewards() const {
  if (!sd_is_estimate()) return std::nullopt;
  const double differences = second_differences();
  if (differences == 0) return std::nullopt;
  const double guesses = kForesightTuning.sd_guess_weight;
  const double guessed = guesses * kForesightTuning.sd_guess * kForesightTuning.sd_guess;
  return std::sqrt(std::max(0.0, (sd() * sd() * (differences + guesses) - guessed) / differences));
}

double ArmReports::stated_sd() const {
  constexpr double kAbout = 1.1;  // the policy's number is the same as the estimate up to this factor
  const std::optional<double> of_rewards = sd_of_rewards();
  return of_rewards && sd() <= kAbout * *of_rewards ? *of_rewards : sd();
}

std::optional<double> ArmReports::mean_reward(Arm arm) const {
  const RewardBucket& all = rewards_[static_cast<std::size_t>(arm)].all();
  return all.count > 0 ? std::optional(all.mean()) : std::nullopt;
}

std::optional<double> ArmReports::mean_of_all() const {
  RewardBucket all;
  for (const RewardSummary& rewards : rewards_) all += rewards.all();
  return all.count > 0 ? std::optional(all.mean()) : std::nullopt;
}

std::optional<Misfit> ArmReports::misfit(Arm arm) const {
  const auto at = static_cast<std::size_t>(arm);
  return find_misfit(rewards_[at], estimates_[at].noise.sd);
}

ArmFutures ArmReports::futures_after(Arm arm, Pulls pending) const {
  const auto at = static_cast<std::size_t>(arm);
  const OwnEstimate& own = estimates_[at];
  return ArmFutures({.rewards = rewards_[at],
                     .curves = curves_,
                     .trend = exact() ? own.trend : population_.trend_among_all(own.trend),
                     .noise = own.noise,
                     .reward_now = own.reward_now,
                     .has_fallen = own.has_fallen,
                     .growth_sd = population_.growth_sd,
                     .fall_sd = population_.fall_sd,
                     .level = population_.level,
                     .falls_later = population_.falls_later,
                     .pending = pending + lost_[at]});
}

OwnEstimate ArmReports::estimate(Arm arm) const {
  const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
  OwnEstimate own{.noise = estimates_[static_cast<std::size_t>(arm)].noise};
  if (rewards.count() > 0) own.reward_now = longrun::reward_now(rewards, own.noise);
  if (exact()) {
    own.trend = last_step(rewards);
    own.has_fallen = own.trend.falling == 1;
    return own;
  }
  // An estimate of the noise from all arms may be far from that of this one.
  const bool known = !sd_is_estimate() || own.noise.yes_or_no;
  own.trend = curve_trend(rewards, {.variance = known ? std::optional(own.noise.sd * own.noise.sd) : std::nullopt,
                                    .yes_or_no = own.noise.yes_or_no});
  own.has_fallen = rule_.arm(arm).falling();
  return own;
}

ArmNoise ArmReports::noise(Arm arm) const {
  if (!sd_is_estimate()) return {.sd = sd()};
  if (!yes_or_no_) {
    // The policy uses one noise for all arms, but an arm may be noisier, or less noisy, than the others. The
    // noise of all counts as a small part of a reward, so that no arm whose rewards are equal is without noise.
    constexpr double kWeightOfAll = 0.02;
    const double of_all = sd_of_all_;
    const RewardSummary& rewards = rewards_[static_cast<std::size_t>(arm)];
    if (rewards.count() < kFewestToJudge) return {.sd = of_all};
    const double own = rewards.noise_variance();
    if (rewards.count() < kFewestForOwnNoise) return {.sd = std::max(of_all, std::sqrt(own))};
    const auto differences = static_cast<double>(rewards.count() - 1);
    return {.sd = std::sqrt((differences * own + kWeightOfAll * of_all * of_all) / (differences + kWeightOfAll))};
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
