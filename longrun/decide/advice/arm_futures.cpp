#include "longrun/decide/advice/arm_futures.h"

#include <algorithm>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "longrun/policy/foresight/foresight_tuning.h"
#include "longrun/policy/statistics/growth_regression.h"

namespace longrun {
namespace {

constexpr Pulls kFewestForALine = 3;  // rewards; fewer say nothing about a trend
constexpr Pulls kBest = 8;            // a fall begins in the best of eight parts of the rewards
constexpr std::size_t kSpread = 128;
constexpr Pulls kCourse = 10;            // intervals of an expected course
constexpr double kOutside = 0.1;         // probability on each side of the interval of a FutureRange
constexpr double kStraightLine = 0.1;    // share of the probability of growth: it continues in a straight line
constexpr double kGrowsAfterAll = 0.15;  // share of the probability of a steady arm: its growth may be too slow to see
constexpr double kFallsAfterAll = 0.15;  // the same: its fall may be too slow to see
constexpr double kSlowFall = 100;        // rewards; fewer say so little about a slow fall that it counts less
constexpr double kStopsFalling = 0.12;   // share of the probability of a falling arm: it has come to its end
constexpr double kStraightFall = 0.35;   // share of the probability of a fall: it goes on in a straight line
// Growth and falls that have gone on for n pulls last for more than x n with a probability of (1 + x)^-power.
constexpr double kGrowthEnds = 0.5;
constexpr double kFallEnds = 0;
constexpr double kMisfitSd = 0.01;  // reward: distance of a curve from its shape; adds to the noise
constexpr double kFarTail = 6;      // standard deviations from which a normal distribution's tail is exponential

double normal_quantile(double share) {
  // In double precision: the default, long double, takes a fifth of the time of a recommendation for many arms.
  using Double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share, Double{});
}

/// Returns the quantile `share` of a normal variable, given that it is at least 0.
double positive_quantile(double mean, double sd, double share) {
  if (!(sd > 0)) return std::max(0.0, mean);
  const double z = mean / sd;
  if (z < -kFarTail) return -std::log1p(-share) * sd / -z;
  const double excluded = normal_below(-z);
  return std::max(0.0, mean + sd * normal_quantile(excluded + share * (1 - excluded)));
}

FutureRange summarized(std::vector<double> rewards) {
  std::sort(rewards.begin(), rewards.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(rewards.size()) - 0.5;
    const auto below = static_cast<std::size_t>(place);
    return std::lerp(rewards[below], rewards[below + 1], place - static_cast<double>(below));
  };
  const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
  return {.mean = mean, .low = quantile(kOutside), .high = quantile(1 - kOutside)};
}

/// Returns how long a process goes on that has lasted for a time of 1: more than x with probability 1 / (1 + x).
double as_long_again(double uniform) { return uniform / (1 - uniform); }

/// Returns the newest buckets that have `wanted` rewards together, oldest first.
std::vector<RewardBucket> newest(const std::vector<RewardBucket>& buckets, Pulls wanted) {
  std::size_t begin = buckets.size();
  for (Pulls count = 0; begin > 0 && count < wanted; count += buckets[begin].count) --begin;
  return {buckets.begin() + static_cast<std::ptrdiff_t>(begin), buckets.end()};
}

/// Returns the number of rewards since the middle of the best eighth of them, at least an eighth.
Pulls since_best(const std::vector<RewardBucket>& buckets, Pulls all) {
  const Pulls size = std::max(kFewestForALine, all / kBest);
  RewardBucket window;
  Pulls after = all;  // rewards after the window
  Pulls since = size;
  double best = -std::numeric_limits<double>::infinity();
  std::size_t oldest = 0;
  for (const RewardBucket& bucket : buckets) {
    window += bucket;
    after -= bucket.count;
    while (window.count - buckets[oldest].count >= size) {
      window.count -= buckets[oldest].count;
      window.sum -= buckets[oldest].sum;
      ++oldest;
    }
    if (window.count < size || !(window.mean() > best)) continue;
    best = window.mean();
    since = after + window.count / 2;
  }
  return std::max(since, size);
}

/// Returns the buckets as points. If `mirrored`, those of 1 - reward.
std::vector<RewardPoint> points_of(const std::vector<RewardBucket>& buckets, bool mirrored) {
  std::vector<RewardPoint> points;
  points.reserve(buckets.size());
  double before = 0;
  for (const RewardBucket& bucket : buckets) {
    points.push_back({.pull = before + bucket.centre(),
                      .mean = mirrored ? 1 - bucket.mean() : bucket.mean(),
                      .count = bucket.count});
    before += static_cast<double>(bucket.pulls);
  }
  return points;
}

struct Node {
  double place;   // from 0 to 1
  double weight;  // of all: 1
};
/// The nodes of Gaussian quadrature with 8 points.
constexpr std::array<Node, 8> kNodes{{{0.019855071751232, 0.050614268145188},
                                      {0.101666761293187, 0.111190517226687},
                                      {0.237233795041836, 0.156853322938944},
                                      {0.408282678752175, 0.181341891689181},
                                      {0.591717321247825, 0.181341891689181},
                                      {0.762766204958164, 0.156853322938944},
                                      {0.898333238706813, 0.111190517226687},
                                      {0.980144928248768, 0.050614268145188}}};

}  // namespace

FutureCurve FutureCurve::growing(const GrowthCurve& phi, Pulls made, double level, double growth) {
  FutureCurve curve;
  curve.level_ = level;
  curve.growth_ = growth;
  curve.phi_ = phi;
  curve.made_ = static_cast<double>(made);
  return curve;
}

FutureCurve FutureCurve::line(double level, double slope, double lasting) {
  FutureCurve curve;
  curve.level_ = level;
  curve.slope_ = slope;
  curve.lasting_ = lasting;
  return curve;
}

void FutureCurve::fall_after(double after, double slope, double lasting) {
  falls_after_ = after;
  fall_slope_ = slope;
  fall_lasting_ = lasting;
}

double FutureCurve::at(double k) const {
  const double growing = std::min(k, falls_after_);
  const double grown = growth_ > 0 ? growth_ * phi_.at(made_ + growing) : slope_ * std::min(growing, lasting_);
  const double fallen = fall_slope_ * std::clamp(k - growing, 0.0, fall_lasting_);
  const double reward = std::clamp(level_ + grown, 0.0, 1.0);
  return std::max(0.0, (mirrored_ ? 1 - reward : reward) - fallen);
}

double FutureCurve::mean(Pulls remaining) const {
  double sum = 0;
  if (remaining <= std::ssize(kNodes)) {
    for (Pulls k = 1; k <= remaining; ++k) sum += at(static_cast<double>(k));
    return sum / static_cast<double>(remaining);
  }
  for (const Node& node : kNodes) sum += node.weight * at(0.5 + node.place * static_cast<double>(remaining));
  return sum;
}

ArmFutures::ArmFutures(const Known& known)
    : made_(static_cast<double>(std::max<Pulls>(1, known.rewards.pulls() + known.pending))),
      pending_(static_cast<double>(known.pending)),
      falls_later_(known.falls_later),
      fall_sd_(known.fall_sd) {
  const Pulls rewards = known.rewards.count();
  // Before the first reward, any level is as probable as any other.
  now_ = known.reward_now.value_or(RewardNow{.mean = 0.5, .standard_error = kForesightTuning.level_sd});
  if (known.level && now_.standard_error > 0) {
    const double own = 1 / (now_.standard_error * now_.standard_error);
    const double others = 1 / (known.level->sd * known.level->sd);
    now_.mean = (own * now_.mean + others * known.level->mean) / (own + others);
    now_.standard_error = 1 / std::sqrt(own + others);
  }
  CurveTrend trend = known.trend;
  if (rewards < kFewestForALine) {  // too few for the rate of a fall
    trend.steady += trend.falling;
    trend.falling = 0;
  }
  if (known.has_fallen) {
    trend.rising = 0;
    if (trend.steady + trend.falling <= 0) trend.falling = 1;
  } else {
    trend.rising += kGrowsAfterAll * trend.steady;
    trend.steady *= 1 - kGrowsAfterAll;
  }
  trend.steady += kStopsFalling * trend.falling;
  trend.falling *= 1 - kStopsFalling;
  if (rewards >= kFewestForALine) {
    const double known_share = std::min(1.0, static_cast<double>(rewards) / kSlowFall);
    const double falls = kFallsAfterAll * known_share * known_share * trend.steady;
    trend.falling += falls;
    trend.steady -= falls;
  }
  add(trend.steady, {.kind = Kind::constant});
  const std::vector<RewardBucket> buckets = known.rewards.buckets();
  double straight = 0;
  if (rewards >= kFewestForALine) {
    line_ = line_through(newest(buckets, std::max(kFewestForALine, (rewards + 1) / 2)), known.noise.sd);
    straight = kStraightLine;
    const std::vector<RewardBucket> fall = newest(buckets, since_best(buckets, rewards));
    Pulls begun = known.pending;
    for (const RewardBucket& bucket : fall) begun += bucket.pulls;
    fall_ = line_through(fall, known.noise.sd);
    add(trend.falling * kStraightFall, {.kind = Kind::line_down});
    add_growth(trend.falling * (1 - kStraightFall), Kind::falls, points_of(fall, true), known, begun);
  }
  add(trend.rising * straight, {.kind = Kind::line_up});
  add_growth(trend.rising * (1 - straight), Kind::grows, points_of(buckets, false), known,
             known.rewards.pulls() + known.pending);
  if (parts_.empty()) add(1, {.kind = Kind::constant});
  for (Part& part : parts_) part.until /= parts_.back().until;
}

void ArmFutures::add(double weight, Part part) {
  if (!(weight > 0)) return;
  part.until = weight + (parts_.empty() ? 0 : parts_.back().until);
  parts_.push_back(part);
}

void ArmFutures::add_growth(double weight, Kind kind, std::span<const RewardPoint> rewards, const Known& known,
                            Pulls begun) {
  if (!(weight > 0)) return;
  const bool grows = kind == Kind::grows;
  const GrowthPrior prior{.growth_sd = grows ? known.growth_sd : known.fall_sd,
                          .end_power = grows ? kGrowthEnds : kFallEnds,
                          .pulls = begun - known.pending};
  const double variance = known.noise.sd * known.noise.sd + kMisfitSd * kMisfitSd;
  for (const GrowthPosterior& growth : growth_posteriors(known.curves, rewards, variance, prior)) {
    add(weight * growth.weight, {.kind = kind, .growth = growth, .begun = begun});
  }
}

ArmFutures::Line ArmFutures::line_through(const std::vector<RewardBucket>& buckets, double sd) {
  double pulls = 0;
  for (const RewardBucket& bucket : buckets) pulls += static_cast<double>(bucket.pulls);
  double count = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const auto& [pull, mean, size] : points_of(buckets, false)) {
    const auto weight = static_cast<double>(size);
    count += weight;
    x += weight * pull;
    y += weight * mean;
    xx += weight * pull * pull;
    xy += weight * pull * mean;
  }
  const double spread = xx - x * x / count;
  return {.slope = spread > 0 ? (xy - x * y / count) / spread : 0,
          .slope_sd = spread > 0 ? sd / std::sqrt(spread) : 0,
          .centre = y / count,
          .centre_sd = sd / std::sqrt(count),
          .reach = pulls - x / count};
}

FutureCurve ArmFutures::without_later_fall(const std::array<double, kUniform>& uniform, const Part& part) const {
  const double normal = normal_quantile(uniform[2]);
  switch (part.kind) {
    case Kind::grows:
    case Kind::falls: {
      const GrowthPosterior& fit = part.growth;
      const double growth = positive_quantile(fit.growth_mean, fit.growth_sd, uniform[1]);
      const double level =
          fit.level_at_mean + fit.level_per_growth * (growth - fit.growth_mean) + fit.level_sd * normal;
      FutureCurve curve = FutureCurve::growing(fit.phi, part.begun, level, growth);
      if (part.kind == Kind::falls) curve.mirror();
      return curve;
    }
    case Kind::line_up: {
      const double slope = positive_quantile(line_->slope, line_->slope_sd, uniform[1]);
      const double level = line_->centre + line_->centre_sd * normal + (line_->reach + pending_) * slope;
      // The slope of a concave curve that started at 0 or above is at most that of the line from its start.
      const double steepest = std::max(0.0, level) / std::max(1.0, made_ - 1);
      return FutureCurve::line(level, std::min(slope, steepest), made_ * as_long_again(uniform[3]));
    }
    case Kind::line_down: {
      const double slope = positive_quantile(-fall_->slope, fall_->slope_sd, uniform[1]);
      const double level = fall_->centre + fall_->centre_sd * normal - (fall_->reach + pending_) * slope;
      return FutureCurve::line(level, -slope,
                               fall_sd_ < 1 ? fall_sd_ / slope : std::numeric_limits<double>::infinity());
    }
    case Kind::constant:
      break;
  }
  return FutureCurve::line(now_.mean + now_.standard_error * normal, 0, 0);
}

FutureCurve ArmFutures::draw(const std::array<double, kUniform>& uniform) const {
  const auto part =
      std::find_if(parts_.begin(), parts_.end() - 1, [&](const Part& each) { return uniform[0] <= each.until; });
  FutureCurve curve = without_later_fall(uniform, *part);
  if (part->kind == Kind::falls || part->kind == Kind::line_down || uniform[4] >= falls_later_) return curve;
  const double after = made_ * as_long_again(uniform[4] / falls_later_);
  const double lasting = (made_ + after) * as_long_again(uniform[3]);
  curve.fall_after(after, uniform[5] * std::min(fall_sd_, curve.at(after)) / lasting, lasting);
  return curve;
}

std::vector<FutureCurve> ArmFutures::spread() const {
  // Multiples of these numbers, modulo 1, are spread evenly in five dimensions: powers of 1 / 1.1347..., the root of
  // x^6 = x + 1 (Roberts 2018).
  constexpr std::array<double, kUniform - 1> kSteps{0.8812714616335696, 0.7766393890897682, 0.6844301295853426,
                                                    0.6031687406857282, 0.5315553977157392};
  std::vector<FutureCurve> curves;
  curves.reserve(kSpread);
  for (std::size_t i = 0; i < kSpread; ++i) {
    std::array<double, kUniform> uniform{(static_cast<double>(i) + 0.5) / static_cast<double>(kSpread)};
    for (std::size_t j = 0; j < kSteps.size(); ++j) {
      const double place = 0.5 + static_cast<double>(i + 1) * kSteps[j];
      uniform[j + 1] = std::clamp(place - std::floor(place), 1e-9, 1 - 1e-9);
    }
    curves.push_back(draw(uniform));
  }
  return curves;
}

FutureRange expected_reward(std::span<const FutureCurve> curves, Pulls remaining) {
  std::vector<double> means;
  means.reserve(curves.size());
  for (const FutureCurve& curve : curves) means.push_back(curve.mean(remaining));
  return summarized(std::move(means));
}

std::vector<ExpectedPull> expected_course(std::span<const FutureCurve> curves, Pulls made, Pulls remaining) {
  std::vector<ExpectedPull> course;
  for (Pulls place = 0; place <= kCourse; ++place) {
    // Early pulls are nearer to each other, because most curves bend there.
    const double share = static_cast<double>(place) / static_cast<double>(kCourse);
    const Pulls ahead = 1 + static_cast<Pulls>(share * share * static_cast<double>(remaining - 1));
    if (!course.empty() && course.back().pull == made + ahead) continue;
    std::vector<double> rewards;
    rewards.reserve(curves.size());
    for (const FutureCurve& curve : curves) rewards.push_back(curve.at(static_cast<double>(ahead)));
    course.push_back({.pull = made + ahead, .reward = summarized(std::move(rewards))});
  }
  return course;
}

}  // namespace longrun
