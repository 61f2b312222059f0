#include "longrun/solve/optimistic_future.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longrun {
namespace {

/// Returns by how much a lower end may exceed the level before the bands count as contradictory: the rounding error of
/// a line extrapolated over n pulls, with a margin for bands of width 0, whose ends touch exactly.
double tolerance(double n) { return 1e-9 + 4e-16 * n; }

/// Adds a point that is to the right of all others.
void extend(UpperHull& hull, CurvePoint point) {
  while (hull.size() >= 2) {
    const CurvePoint& last = hull.back();
    const CurvePoint& before = hull[hull.size() - 2];
    if ((last.y - before.y) * (point.x - last.x) > (point.y - last.y) * (last.x - before.x)) break;
    hull.pop_back();
  }
  hull.push_back(point);
}

}  // namespace

void RisingEnvelope::add(Band band) {
  if (!feasible_) return;
  const auto n = static_cast<double>(++pulls_);
  const double lower = std::max(band.lower, 0.0);
  const double upper = std::min(band.upper, 1.0);
  highest_lower_ = std::max(highest_lower_, lower);

  double level = std::min(upper, envelope_at(n));
  if (highest_lower_ > level + tolerance(n)) {
    feasible_ = false;
    return;
  }
  level = std::max(level, highest_lower_);

  if (pulls_ == 1) {
    outlook_ = Outlook{};  // one band does not bound the slope: every later reward may be 1
  } else {
    double slope = level == upper ? 0 : smallest_slope_to({n, level}, tangent_to_level_);
    if (level == upper || !line_is_irrelevant(n, upper)) {
      const double steepest = smallest_slope_to({n, upper}, tangent_to_upper_);
      if (level == upper) slope = steepest;
      add_line({n, upper, steepest});
    }
    outlook_ = Outlook::rising(level, slope);
    if (lines_.size() > first_line_) {
      const Line& last = lines_.back();
      highest_since_line_ = std::max(highest_since_line_, lower - last.slope * (n - last.x));
    }
  }
  extend(hull_, {n, lower});
}

/// The line of the band is irrelevant if it is steeper than the last line L of the envelope, and above it at x. Its
/// slope is the smallest of (upper - l_j) / (x - j). So it is steeper if the parallel of L through (x, upper) is above
/// all lower ends. The ends before L are below L, because they were when L was added; the others are known.
bool RisingEnvelope::line_is_irrelevant(double x, double upper) const {
  constexpr double kMargin = 1e-9;  // rounding errors are below 1e-14, because the compared numbers are at most 2
  if (lines_.size() <= first_line_) return false;
  const Line& last = lines_.back();
  const double moved = upper - last.slope * (x - last.x);
  return moved > std::max(last.y, highest_since_line_) + kMargin;
}

/// Computes min_j (target.y - y_j) / (target.x - x_j) over the hull. The slopes from the target fall along the hull up
/// to the tangent point, then rise.
double RisingEnvelope::smallest_slope_to(CurvePoint target, std::size_t& tangent) const {
  const auto next_is_lower = [&](std::size_t index) {
    const CurvePoint& here = hull_[index];
    const CurvePoint& next = hull_[index + 1];
    return (target.y - next.y) * (target.x - here.x) < (target.y - here.y) * (target.x - next.x);
  };
  std::size_t low = 0;
  std::size_t high = hull_.size() - 1;
  const std::size_t before = std::min(tangent, high);
  if (before < high && next_is_lower(before)) {
    low = before + 1;
  } else {
    high = before;
    if (before > 0 && next_is_lower(before - 1)) low = before;
  }
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (next_is_lower(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  tangent = low;
  return (target.y - hull_[low].y) / (target.x - hull_[low].x);
}

double RisingEnvelope::envelope_at(double x) {
  while (first_line_ + 1 < lines_.size() && lines_[first_line_ + 1].at(x) <= lines_[first_line_].at(x)) ++first_line_;
  return first_line_ < lines_.size() ? lines_[first_line_].at(x) : std::numeric_limits<double>::infinity();
}

void RisingEnvelope::add_line(Line line) {
  while (lines_.size() > first_line_ && lines_.back().at(line.x) >= line.y) {
    lines_.pop_back();
    highest_since_line_ = std::numeric_limits<double>::infinity();  // of the line before it nothing is known
  }
  if (lines_.size() > first_line_ && line.slope >= lines_.back().slope) return;  // above the last line from here on
  const auto crossing = [](const Line& above, const Line& below) {  // where `above`, the flatter one, falls below
    return above.x + (above.y - below.at(above.x)) / (below.slope - above.slope);
  };
  while (lines_.size() > first_line_ + 1) {
    const Line& last = lines_.back();
    const Line& before = lines_[lines_.size() - 2];
    if (crossing(line, before) > crossing(last, before)) break;
    lines_.pop_back();  // never the lowest: where it is below `before`, the new line is lower
  }
  highest_since_line_ = -std::numeric_limits<double>::infinity();
  if (2 * first_line_ >= lines_.size()) {  // drop the unused lines; amortised O(1)
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(first_line_));
    first_line_ = 0;
  }
  lines_.push_back(line);
}

std::optional<double> optimistic_future(std::span<const Band> bands, Pulls remaining) {
  RisingEnvelope envelope;
  for (const Band& band : bands) envelope.add(band);
  if (!envelope.feasible()) return std::nullopt;
  return envelope.outlook().total(remaining);
}

std::vector<double> optimistic_curve(std::span<const Band> bands, Pulls remaining) {
  RisingEnvelope envelope;
  for (const Band& band : bands) envelope.add(band);
  if (!envelope.feasible()) return {};
  const std::size_t n = bands.size();
  const double level = n == 1 ? std::min(bands[0].upper, 1.0) : envelope.outlook().level();
  const double slope = n <= 1 ? 1 : envelope.outlook().slope();

  // Up to pull n: the lowest concave curve over all lower ends that ends at the level.
  UpperHull hull;
  for (std::size_t j = 1; j < n; ++j) extend(hull, {static_cast<double>(j), std::max(bands[j - 1].lower, 0.0)});
  if (n > 0) extend(hull, {static_cast<double>(n), level});
  std::vector<double> curve;
  curve.reserve(n + static_cast<std::size_t>(remaining));
  for (std::size_t corner = 0; corner < hull.size(); ++corner) {
    curve.push_back(hull[corner].y);
    if (corner + 1 == hull.size()) break;
    const CurvePoint& from = hull[corner];
    const CurvePoint& to = hull[corner + 1];
    const auto gap = static_cast<Pulls>(to.x - from.x);
    for (Pulls k = 1; k < gap; ++k) {
      curve.push_back(from.y + (to.y - from.y) * static_cast<double>(k) / static_cast<double>(gap));
    }
  }
  // After pull n: the steepest line that stays concave.
  for (Pulls k = 1; k <= remaining; ++k) curve.push_back(std::min(1.0, level + slope * static_cast<double>(k)));
  return curve;
}

}  // namespace longrun
