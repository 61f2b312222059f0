#include "longrun/model/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/running_sum.h"

namespace longrun {
namespace {

// Where a power is 0, which is most of a long horizon, libm takes ten times as long to say so.
constexpr double kUnderflow = 746;  // e^-746 is less than half of the smallest number: rounded, it is 0

/// Returns std::exp(-x).
double exp_of_minus(double x) { return x > kUnderflow ? 0 : std::exp(-x); }

/// Returns std::pow(base, k).
double power(double base, double k) {
  return base >= 0 && (1 - base) * k > kUnderflow ? 0 : std::pow(base, k);  // base^k <= e^{-(1 - base) k}
}

}  // namespace

double Constant::operator()(Pulls) const { return level; }

double SaturatingPower::operator()(Pulls pull) const {
  return ceiling - drop * std::pow(static_cast<double>(pull), -exponent);
}

double CappedPower::operator()(Pulls pull) const {
  const double share = static_cast<double>(pull) / rise;
  return share >= 1 ? ceiling : ceiling * std::pow(share, exponent);
}

double RiseAndFall::operator()(Pulls pull) const {
  const double x = static_cast<double>(pull) - l;
  return a * exp_of_minus(k1 * x) + (c2 - c1) / (exp_of_minus((k1 + k2) * x) + 1) + c1;
}

double Novelty::operator()(Pulls pull) const {
  // The recursion x_k = r x_{k-1} + novelty decay^k + (1 - r) value with r = 1 - pull_to_value, as a sum.
  const auto k = static_cast<double>(pull - 1);
  const double r = 1 - pull_to_value;
  const double kept = power(r, k);
  const double gap = decay - r;
  // novelty * sum_{i=1..k} decay^i r^(k-i); for decay = r all k terms are equal.
  const double boost = std::abs(gap) < 1e-9 ? k * kept : decay * (power(decay, k) - kept) / gap;
  return (value * (1 - kept) + novelty * boost) / scale;
}

double ShiftedPower::operator()(Pulls pull) const {
  return std::min(1.0, ceiling * (1 - drop / std::pow(static_cast<double>(pull - 1) + shift, exponent)));
}

double SaturatingExponential::operator()(Pulls pull) const {
  return -ceiling * std::expm1(-rate * static_cast<double>(pull - 1));
}

double Hill::operator()(Pulls pull) const {
  const auto m = static_cast<double>(pull);
  if (m > peak) return end + (top - end) * exp_of_minus((m - peak) / fall);
  return peak > 1 ? start + (top - start) * std::pow((m - 1) / (peak - 1), rise) : top;
}

double Step::operator()(Pulls pull) const { return static_cast<double>(pull) <= pulls ? before : after; }

double Logistic::operator()(Pulls pull) const {
  return start + (top - start) / (1 + exp_of_minus((static_cast<double>(pull) - middle) / width));
}

double Gompertz::operator()(Pulls pull) const {
  return start + (top - start) * std::exp(-exp_of_minus((static_cast<double>(pull) - middle) / width));
}

double TwoRises::operator()(Pulls pull) const {
  const auto m = static_cast<double>(pull);
  const double x = std::min(m, peak) - 1;
  const double second = x > 0 ? (top - plateau) / (1 + std::pow(middle / x, exponent)) : 0;
  const double risen = start - (plateau - start) * std::expm1(-x / fast) + second;
  return m > peak ? end + (risen - end) * exp_of_minus((m - peak) / fall) : risen;
}

double Table::operator()(Pulls pull) const {
  const auto index = static_cast<std::size_t>(pull - 1);
  return index < rewards->size() ? (*rewards)[index] : after_end;
}

Curve::Curve(Formula formula) : formula_(std::move(formula)) {
  if (const Table* table = std::get_if<Table>(&formula_)) {
    if (table->rewards == nullptr || table->rewards->empty())
      throw InputError("the table of a curve has no rewards; at least 1 is needed");
    const std::vector<double>& rewards = *table->rewards;
    *this = tabulated(static_cast<Pulls>(rewards.size()));
  }
}

Curve Curve::from_rewards(std::vector<double> rewards) {
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    if (!std::isfinite(rewards[i]))
      throw InputError(fmt::format("reward {} of pull {} is not a finite number", rewards[i], i + 1));
  }
  return Curve{Table{.rewards = std::make_shared<const std::vector<double>>(std::move(rewards))}};
}

double Curve::formula_reward(Pulls pull) const {
  return std::visit([pull](const auto& formula) { return formula(pull); }, formula_);
}

double Curve::cumulative(Pulls pulls) const {
  if (pulls <= 0) return 0;
  const auto known = std::min<Pulls>(pulls, static_cast<Pulls>(tabulated_));
  RunningSum sum;
  if (known > 0) sum.add(lookup_->cumulative[static_cast<std::size_t>(known - 1)]);
  std::visit(
      [&](const auto& formula) {
        for (Pulls pull = known + 1; pull <= pulls; ++pull) sum.add(formula(pull));
      },
      formula_);
  return sum.value();
}

Pulls Curve::length() const {
  const Table* table = std::get_if<Table>(&formula_);
  if (table == nullptr || !std::isnan(table->after_end)) return std::numeric_limits<Pulls>::max();
  return static_cast<Pulls>(table->rewards->size());
}

Curve Curve::tabulated(Pulls pulls) const {
  const auto wanted = static_cast<std::size_t>(std::min(pulls, length()));
  if (wanted <= tabulated_) return *this;
  auto lookup = std::make_shared<Lookup>();
  lookup->rewards.reserve(wanted);
  lookup->cumulative.reserve(wanted);
  RunningSum sum;
  for (std::size_t index = 0; index < wanted; ++index) {
    if (index % kStepsPerCancellationCheck == 0) throw_if_cancelled();
    const double reward = formula_reward(static_cast<Pulls>(index + 1));
    sum.add(reward);
    lookup->rewards.push_back(reward);
    lookup->cumulative.push_back(sum.value());
  }
  Curve curve = *this;
  curve.set_lookup(std::move(lookup));
  return curve;
}

void Curve::set_lookup(std::shared_ptr<const Lookup> lookup) {
  rewards_ = lookup->rewards.data();
  tabulated_ = lookup->rewards.size();
  lookup_ = std::move(lookup);
}

double Curve::resolution() const {
  constexpr int kMostPlaces = 12;
  const Table* table = std::get_if<Table>(&formula_);
  if (table == nullptr) return 0;
  double units = 10;  // 10^decimals
  int decimals = 1;
  for (const double reward : *table->rewards) {
    // A decimal k / 10^d is read as the double nearest to it, which is also the quotient of the two exact numbers.
    while (std::round(reward * units) / units != reward) {
      if (++decimals > kMostPlaces) return 0;
      units *= 10;
    }
  }
  return 1 / units;
}

namespace {

/// Returns the largest excess of a step over an earlier one, up to `peak`, where a step is the growth over `window`
/// pulls. 0 if the curve is concave.
double largest_bend(const Curve& curve, Pulls peak, Pulls window) {
  double largest = 0;
  double flattest = std::numeric_limits<double>::infinity();
  for (Pulls pull = 1 + window; pull <= peak; pull += window) {
    const double step = curve.reward(pull) - curve.reward(pull - window);
    largest = std::max(largest, step - flattest);
    flattest = std::min(flattest, step);
  }
  return largest;
}

}  // namespace

Shape shape_of(const Curve& curve, Pulls pulls, const ShapeTolerance& tolerance) {
  Shape shape;
  double highest = curve.reward(1);
  for (Pulls pull = 2; pull <= pulls; ++pull) {
    if (curve.reward(pull) > highest + tolerance.step) {
      highest = curve.reward(pull);
      shape.peak = pull;
    }
  }
  double largest_fall = 0;  // before the peak, below the highest reward so far
  double largest_rise = 0;  // after it, above the lowest reward so far
  double before = curve.reward(1);
  double after = highest;
  for (Pulls pull = 2; pull <= pulls; ++pull) {
    const double reward = curve.reward(pull);
    if (pull <= shape.peak) {
      largest_fall = std::max(largest_fall, before - reward);
      before = std::max(before, reward);
    } else {
      largest_rise = std::max(largest_rise, reward - after);
      after = std::min(after, reward);
    }
  }
  double bend = largest_bend(curve, shape.peak, 1);
  // Rounded rewards hide slow changes of slope in single steps; longer windows show them.
  const bool rounded = tolerance.slope > ShapeTolerance{}.slope;
  for (Pulls window = 2; rounded && window < shape.peak; window *= 2) {
    bend = std::max(bend, largest_bend(curve, shape.peak, window));
  }
  shape.deviation = std::max({largest_fall, largest_rise, bend});
  shape.concave_rise = bend <= tolerance.slope;
  shape.falling = shape.peak == 1 && largest_rise <= tolerance.step;
  shape.rising = largest_fall <= tolerance.step && after >= highest - tolerance.step;
  shape.single_peaked = shape.concave_rise && std::max(largest_fall, largest_rise) <= tolerance.step;
  return shape;
}

ShapeTolerance rounding_tolerance(const Curve& curve) {
  const double resolution = curve.resolution();
  const ShapeTolerance exact;
  return {.step = exact.step + resolution, .slope = exact.slope + 2 * resolution};
}

}  // namespace longrun
