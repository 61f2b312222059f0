#include "longrun/decide/advice/curve_trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "longrun/policy/statistics/growth_regression.h"

namespace longrun {
namespace {

// Prior weights of the kinds of curves; only their ratios matter. They were chosen such that a constant arm is called
// rising or falling in at most 1 of 20 cases, that a straight trend, which is the most common question, is found early,
// and that an arm which has levelled off is rarely called rising or falling (docs/recommend.md has the table).
constexpr double kConstant = 0.42;
constexpr double kLine = 0.58;
constexpr double kLevelled = 0.045;
constexpr double kBroken = 0.04;
constexpr double kSettled = 0.032;      // whatever was before, constant since
constexpr double kLateLine = 0.02;      // whatever was before, a line since
constexpr double kPriorRewards = 100;   // limit on g: a prior that grew with the rewards would hide weak trends
constexpr double kLongLine = 200;       // rewards; that a curve stays a line for longer is less probable:
constexpr double kLongExponent = 3;     // the weights of the kinds that level off grow with this power of the rewards
constexpr double kMostLonger = 5;       // limit on that growth
constexpr double kGuessWeight = 1;      // of the rewards' variance as a guess of the noise's, in rewards
constexpr double kUnforeseen = 1e-9;    // probability of each direction, whatever the rewards are
constexpr double kRounding = 1e-12;     // relative differences below it are rounding errors
constexpr Pulls kFewest = 3;            // rewards; fewer say nothing about a trend
constexpr double kEarliestSplit = 0.2;  // share of the pulls before a part of its own
constexpr double kEarlyKinds = 4;       // constant, a line, two lines, and any curve: a level for each bucket
constexpr double kRewardsPerLevel = 4;  // a level for each bucket is one for at least so many rewards, on average
constexpr Pulls kFewestOfPart = 5;      // rewards
constexpr double kFewestOfRarer = 5;    // yes/no rewards of the rarer kind that are expected in each part
constexpr double kLeastRate = 0.1;      // of the constant's: a line of yes/no rewards is at least so far from 0 and 1
constexpr Pulls kFewestUsual = 6;       // rewards that are all the same; fewer may be so by chance
constexpr double kMostUnusual = 0.25;   // share of the rewards, as single events of one size, that others are at most
constexpr double kShownErrors = 3.5;    // standard errors; a line that changes by as much is stated in 4 of 5 cases
constexpr Pulls kEvenTurns = 16;        // turns are tried at every sixteenth of the pulls, and nearer to the end

/// Returns the probability that a normal variable is positive.
double positive(double mean, double variance) {
  if (variance > 0) return normal_below(mean / std::sqrt(variance));
  return mean > 0 ? 1 : mean < 0 ? 0 : 0.5;
}

/// Returns the value that most rewards have, if the others are rare and all on the same side of it, as sales of some
/// amount among pulls without one are; else nullopt.
std::optional<double> usual_reward(const RewardBucket& all, std::span<const RewardBucket> buckets) {
  std::map<double, Pulls> equal;  // rewards in buckets whose rewards are all the same, by their value
  Pulls in_equal = 0;
  for (const RewardBucket& bucket : buckets) {
    if (bucket.squares > 0) continue;
    equal[bucket.mean()] += bucket.count;
    in_equal += bucket.count;
  }
  const auto most = std::max_element(equal.begin(), equal.end(), [](auto& a, auto& b) { return a.second < b.second; });
  if (most == equal.end() || most->second < kFewestUsual || 2 * most->second <= in_equal) return std::nullopt;
  const double usual = most->first;
  const double above = all.mean() - usual;
  const bool one_sided = std::all_of(buckets.begin(), buckets.end(), [&](const RewardBucket& bucket) {
    return bucket.squares > 0 || bucket.count > 1 || (bucket.mean() - usual) * above >= 0;
  });
  const double squares = all.squares / static_cast<double>(all.count) + above * above;
  return one_sided && above != 0 && above * above <= kMostUnusual * squares ? std::optional(usual) : std::nullopt;
}

/// Returns the ends of buckets after which a curve may turn, as the number of buckets up to there: those nearest to
/// every sixteenth of the pulls, and some nearer to the end.
std::vector<std::size_t> turns_of(std::span<const RewardBucket> buckets, Pulls count) {
  std::vector<Pulls> wanted;
  for (Pulls i = 1; i < kEvenTurns; ++i) wanted.push_back(count * i / kEvenTurns);
  for (Pulls last = count / (2 * kEvenTurns); last >= kFewest; last /= 2) wanted.push_back(count - last);
  std::erase_if(wanted, [&](Pulls turn) { return turn < 2 || turn + 2 > count; });
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::size_t> turns;
  auto turn = wanted.begin();
  Pulls end = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    end += buckets[i].count;
    if (turn == wanted.end() || end < *turn) continue;
    if (end >= 2 && end + 2 <= count) turns.push_back(i + 1);
    while (turn != wanted.end() && *turn <= end) ++turn;
  }
  return turns;
}

/// Sums over the first rewards. x = pull / number of all pulls. Pulls whose rewards are lost count in x only.
struct Sums {
  double count = 0;
  double pulls = 0;  // until the last of these rewards, lost ones included
  double x = 0;
  double xx = 0;
  double y = 0;
  double xy = 0;
  double levels = 0;   // squares that a level for each bucket explains, the mean of all rewards being 0
  double buckets = 0;  // their number

  friend Sums operator-(const Sums& a, const Sums& b) {
    return {a.count - b.count, a.pulls - b.pulls, a.x - b.x,           a.xx - b.xx,
            a.y - b.y,         a.xy - b.xy,       a.levels - b.levels, a.buckets - b.buckets};
  }
};

/// The regression of the rewards on two ramps: before the turn and after it. Each ramp is constant elsewhere. All sums
/// are about the means.
struct Ramps {
  double before_before = 0;
  double before_after = 0;
  double after_after = 0;
  double before_y = 0;
  double after_y = 0;
};

Ramps ramps_at(const Sums& first, const Sums& all, double turn) {
  const Sums rest = all - first;
  const double before = first.x + turn * rest.count;
  const double after = rest.x - turn * rest.count;
  const double after_y = rest.xy - turn * rest.y;
  return {.before_before = first.xx + turn * turn * rest.count - before * before / all.count,
          .before_after = turn * after - before * after / all.count,
          .after_after = rest.xx - 2 * turn * rest.x + turn * turn * rest.count - after * after / all.count,
          .before_y = first.xy + turn * rest.y - before * all.y / all.count,
          .after_y = after_y - after * all.y / all.count};
}

/// The regression of rewards on a line.
struct Line {
  double xx;
  double xy;

  explicit Line(const Sums& sums)
      : xx(sums.xx - sums.x * sums.x / sums.count), xy(sums.xy - sums.x * sums.y / sums.count) {}
  double slope() const { return xy / xx; }
  double explained() const { return xx > 0 ? xy * xy / xx : 0; }
};

/// The regression of rewards on two lines that meet.
struct Broken {
  double determinant;
  bool valid;
  double before = 0;  // slope
  double after = 0;   // slope
  double explained = 0;

  explicit Broken(const Ramps& ramps)
      : determinant(ramps.before_before * ramps.after_after - ramps.before_after * ramps.before_after),
        valid(determinant > 0) {
    if (!valid) return;
    before = (ramps.after_after * ramps.before_y - ramps.before_after * ramps.after_y) / determinant;
    after = (ramps.before_before * ramps.after_y - ramps.before_after * ramps.before_y) / determinant;
    explained = before * ramps.before_y + after * ramps.after_y;
  }
};

/// The posterior of a kind of curve, as far as it matters: its weight, and how probable it is that it rises.
struct Model {
  double log_weight = 0;
  double rises = 0;    // the probability that the curve is higher at its end than in its middle
  bool steady = true;  // whether it is the same there
};

/// The comparison of all kinds of curves for one arm.
class Comparison {
 public:
  Comparison(const RewardSummary& rewards, const TrendNoise& noise)
      : count_(static_cast<double>(rewards.count())),
        pulls_(static_cast<double>(rewards.pulls())),
        longer_(std::min(kMostLonger, std::pow(std::max(1.0, count_ / kLongLine), kLongExponent))),
        variance_(noise.variance),
        rate_(noise.yes_or_no ? std::optional((rewards.all().sum + 0.5) / (count_ + 1)) : std::nullopt),
        g_(std::min(count_, kPriorRewards)),
        shrink_(g_ / (1 + g_)) {
    const std::vector<RewardBucket> buckets = rewards.buckets();
    const std::vector<std::size_t> turns = turns_of(buckets, rewards.count());
    if (const auto usual = rate_ ? std::nullopt : usual_reward(rewards.all(), buckets)) set_rare(rewards.all(), *usual);
    std::vector<Sums> until;  // each turn
    auto turn = turns.begin();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (turn != turns.end() && *turn == i) {
        until.push_back(all_);
        ++turn;
      }
      add(buckets[i], rewards.all().mean());
    }
    if (squares_ <= count_ * std::pow(kRounding * rewards.all().mean(), 2)) {  // all rewards are the same
      squares_ = 0;
      for (Sums& sums : until) sums.y = sums.xy = sums.levels = 0;
      all_.y = all_.xy = all_.levels = 0;
    }
    models_.push_back({.log_weight = std::log(kConstant)});
    add_line();
    const double share = 1 / static_cast<double>(std::max<std::size_t>(1, turns.size()));
    for (const Sums& first : until) {
      if (!is_enough(std::min(first.count, count_ - first.count))) continue;
      const double x = first.pulls / pulls_;
      const Ramps ramps = ramps_at(first, all_, x);
      add_levelled(ramps, x, share);
      add_broken(ramps, x, share);
    }
    add_splits(until);
    const double mean = rewards.all().mean();
    const Line line(all_);
    const double half = kMiddle * std::sqrt(noise_variance(line.explained()) / line.xx);  // error of the change
    change_would_show_ = kShownErrors * half <= CurveTrend::kMatters * std::min(mean, 1 - mean);
  }

  CurveTrend result() const {
    double largest = models_[0].log_weight;
    for (const Model& model : models_) largest = std::max(largest, model.log_weight);
    double total = 0;
    CurveTrend trend{.steady = 0};
    for (const Model& model : models_) {
      const double weight = std::exp(model.log_weight - largest);
      total += weight;
      if (model.steady) {
        trend.steady += weight;
      } else {
        trend.rising += weight * model.rises;
        trend.falling += weight * (1 - model.rises);
      }
    }
    // No kind of curve is impossible, however small a rounded probability is.
    const auto probability = [&](double weight) { return (weight / total + kUnforeseen) / (1 + 3 * kUnforeseen); };
    return {.rising = probability(trend.rising),
            .falling = probability(trend.falling),
            .steady = probability(trend.steady),
            .change_would_show = change_would_show_};
  }

 private:
  static constexpr double kMiddle = 0.5;

  /// Adds rewards, all at the centre of their bucket. `mean` is that of all rewards.
  void add(const RewardBucket& bucket, double mean) {
    const auto size = static_cast<double>(bucket.count);
    const auto pulls = static_cast<double>(bucket.pulls);
    const double x = (all_.pulls + bucket.centre()) / pulls_;
    const double y = bucket.sum - size * mean;
    all_ = {all_.count + size, all_.pulls + pulls, all_.x + size * x,          all_.xx + size * x * x,
            all_.y + y,        all_.xy + x * y,    all_.levels + y * y / size, all_.buckets + 1};
    squares_ += bucket.squares + y * y / size;
    if (event_)
      points_.push_back({.x = x, .count = size, .successes = (bucket.sum - size * usual_) / *event_});
    else if (rate_)
      points_.push_back({.x = x, .count = size, .successes = bucket.sum});
  }

  /// Describes rewards of which most are `usual` by events: so many of one size that their sum and its variance are
  /// those of the others.
  void set_rare(const RewardBucket& all, double usual) {
    const double above = all.mean() - usual;
    usual_ = usual;
    event_ = (all.squares / count_ + above * above) / above;
    rate_ = above / *event_;
  }

  /// Returns whether so many yes/no rewards are enough for a part of a curve of its own; true for other rewards.
  bool is_enough(double count) const { return !rate_ || count * std::min(*rate_, 1 - *rate_) >= kFewestOfRarer; }

  /// Returns the evidence of a regression, log_factor(), for yes/no rewards at most the log-likelihood of `fit`, a
  /// function of x up to a constant, over that of the constant.
  template <class Fit>
  double log_evidence(double explained, int slopes, Fit fit) const {
    const double evidence = log_factor(explained, slopes);
    if (!rate_ || evidence <= 0) return evidence;
    double mean = 0;
    for (const Point& point : points_) mean += point.count * fit(point.x);
    mean /= count_;
    const double scale = event_.value_or(1);  // of the rewards
    const double least = kLeastRate * std::min(*rate_, 1 - *rate_);
    double log_likelihood = 0;
    for (const Point& point : points_) {
      const double rate = std::clamp(*rate_ + (fit(point.x) - mean) / scale, least, 1 - least);
      if (point.successes > 0) log_likelihood += point.successes * std::log(rate / *rate_);
      if (event_)
        log_likelihood -= point.count * (rate - *rate_);
      else if (point.count > point.successes)
        log_likelihood += (point.count - point.successes) * std::log((1 - rate) / (1 - *rate_));
    }
    if (event_) log_likelihood /= 1 - *rate_;  // the variance of a reward is that of a Poisson number, less its square
    return std::min(evidence, log_likelihood - 0.5 * slopes * std::log1p(g_));
  }

  /// Returns the log of the Bayes factor of a regression with `slopes` slopes over the constant, if it explains
  /// `explained` of the rewards' squares.
  double log_factor(double explained, int slopes) const {
    const double penalty = 0.5 * slopes * std::log1p(g_);
    if (variance_ && *variance_ > 0) return 0.5 * shrink_ * explained / *variance_ - penalty;
    if (squares_ <= 0) return -penalty;  // all rewards are the same
    const double guessed = kGuessWeight * squares_ / (count_ - 1);
    const double unexplained = std::max(1 - shrink_, 1 - shrink_ * explained / (squares_ + guessed));
    return -0.5 * (count_ - 1 + kGuessWeight) * std::log(unexplained) - penalty;
  }
  /// Returns the variance of the noise, estimated from what a regression leaves unexplained if it is not known.
  double noise_variance(double explained) const {
    if (variance_) return *variance_;
    const double guessed = kGuessWeight * squares_ / (count_ - 1);
    return (squares_ + guessed - shrink_ * explained) / (count_ - 1 + kGuessWeight);
  }

  void add_line() {
    const Line line(all_);
    const double explained = line.explained();
    const double slope = shrink_ * line.slope();
    models_.push_back({.log_weight = std::log(kLine) + log_evidence(explained, 1, [=](double x) { return slope * x; }),
                       .rises = positive(slope, shrink_ * noise_variance(explained) / line.xx),
                       .steady = false});
  }
  void add_levelled(const Ramps& ramps, double turn, double share) {
    const double explained = ramps.before_y * ramps.before_y / ramps.before_before;
    const double slope = shrink_ * ramps.before_y / ramps.before_before;
    models_.push_back({.log_weight = std::log(kLevelled * longer_ * share) +
                                     log_evidence(explained, 1, [=](double x) { return slope * std::min(x, turn); }),
                       .rises = positive(slope, shrink_ * noise_variance(explained) / ramps.before_before),
                       .steady = turn <= kMiddle});
  }
  void add_broken(const Ramps& ramps, double turn, double share) {
    const Broken broken(ramps);
    if (!broken.valid) return;
    // The change from the middle to the end is a sum of the two slopes.
    const double u = std::max(0.0, turn - kMiddle);
    const double v = 1 - std::max(turn, kMiddle);
    const double variance =
        (u * u * ramps.after_after - 2 * u * v * ramps.before_after + v * v * ramps.before_before) / broken.determinant;
    const auto fit = [&](double x) {
      return shrink_ * (broken.before * std::min(x, turn) + broken.after * std::max(0.0, x - turn));
    };
    models_.push_back({.log_weight = std::log(kBroken * share) + log_evidence(broken.explained, 2, fit),
                       .rises = positive(shrink_ * (u * broken.before + v * broken.after),
                                         shrink_ * noise_variance(broken.explained) * variance),
                       .steady = false});
  }

  /// Adds curves whose later part, from a split in the first half on, has nothing to do with the earlier one: the
  /// shapes above do not follow every early curve, and what they miss there must not look like a trend of the later
  /// half.
  void add_splits(const std::vector<Sums>& until) {
    const auto is_split = [&](const Sums& early) {
      const double place = early.pulls / pulls_;
      return place >= kEarliestSplit && place <= kMiddle + kRounding &&
             std::min(early.count, count_ - early.count) >= static_cast<double>(kFewestOfPart) &&
             is_enough(std::min(early.count, count_ - early.count));
    };
    const auto splits = static_cast<double>(std::count_if(until.begin(), until.end(), is_split));
    for (std::size_t i = 0; i < until.size(); ++i) {
      if (!is_split(until[i])) continue;
      const double share = 1 / (kEarlyKinds * splits);
      add_late(until[i], {}, share);
      add_late(until[i], {.explained = Line(until[i]).explained(), .slopes = 1}, share);
      if (until[i].buckets * kRewardsPerLevel <= until[i].count && is_enough(until[i].count / until[i].buckets)) {
        add_late(until[i],
                 {.explained = until[i].levels - until[i].y * until[i].y / until[i].count,
                  .slopes = static_cast<int>(until[i].buckets) - 1},
                 share);
      }
      for (std::size_t turn = 0; turn < i; ++turn) {
        const Broken broken(ramps_at(until[turn], until[i], until[turn].pulls / pulls_));
        if (!broken.valid) continue;
        add_late(until[i], {.explained = broken.explained, .slopes = 2}, share / static_cast<double>(i));
      }
    }
  }
  /// The part of the rewards' squares that a curve of the earlier pulls explains there.
  struct Early {
    double explained = 0;
    int slopes = 0;
  };
  /// Adds the curves that are like `before` until the split, and constant or a line since.
  void add_late(const Sums& early, const Early& before, double share) {
    const Sums late = all_ - early;
    const Line line(late);
    const double apart = early.y * early.y / early.count + late.y * late.y / late.count;  // their levels differ
    const double constant = before.explained + apart;
    models_.push_back({.log_weight = std::log(kSettled * longer_ * share) + log_factor(constant, before.slopes + 1)});
    if (!(line.xx > 0)) return;
    const double explained = constant + line.explained();
    models_.push_back({.log_weight = std::log(kLateLine * share) + log_factor(explained, before.slopes + 2),
                       .rises = positive(shrink_ * line.slope(), shrink_ * noise_variance(explained) / line.xx),
                       .steady = false});
  }

  double count_;   // of the rewards
  double pulls_;   // until the last reward, lost ones included
  double longer_;  // factor of the weights of kinds that level off
  std::optional<double> variance_;
  std::optional<double> rate_;   // of the constant, if rewards are yes or no; of events, if they are mostly the same
  double usual_ = 0;             // reward, if most are the same
  std::optional<double> event_;  // how far an event is from it, if most are the same
  double g_;                     // the variance of the prior, in units of that of the estimate
  double shrink_;                // g / (1 + g), by which the prior shrinks slopes
  Sums all_;
  double squares_ = 0;  // of the rewards about their mean
  std::vector<Model> models_;
  /// The rewards of a bucket, if they are yes or no, or mostly the same.
  struct Point {
    double x;
    double count;
    double successes;  // or events
  };
  std::vector<Point> points_;
  bool change_would_show_ = true;
};

}  // namespace

std::string_view name(Trend trend) {
  switch (trend) {
    case Trend::rising:
      return "rising";
    case Trend::falling:
      return "falling";
    case Trend::steady:
      return "steady";
    case Trend::undecided:
      break;
  }
  return "undecided";
}

Trend CurveTrend::stated() const {
  if (rising >= kStated) return Trend::rising;
  if (falling >= kStated) return Trend::falling;
  if (steady >= kStated && change_would_show) return Trend::steady;
  return Trend::undecided;
}

double CurveTrend::probability() const { return std::max({rising, falling, steady}); }

CurveTrend curve_trend(const RewardSummary& rewards, const TrendNoise& noise) {
  if (rewards.count() < kFewest) return CurveTrend::unknown();
  return Comparison(rewards, noise).result();
}

}  // namespace longrun
