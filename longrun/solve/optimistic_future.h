#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/outlook.h"

namespace longrun {

/// An interval [lower, upper] that contains the mean reward of one pull, from its observation.
struct Band {
  double lower = 0;
  double upper = 1;
};

/// A point of a curve: a pull and a reward.
struct CurvePoint {
  double x = 0;
  double y = 0;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(x, y);
  }
};
/// The corners of the smallest concave curve above a set of points, from left to right.
using UpperHull = std::vector<CurvePoint>;

/// The set of curves that a still rising arm may have, given its bands so far. After n bands these are all v with
///
///   0 <= v_j <= 1,  lower_j <= v_j <= upper_j for j <= n,  v non-decreasing and concave,
///
/// and the one with the largest future starts from (n, level) and rises by `slope` per pull until it reaches 1. With
/// l_j = max(lower_j, 0) and u_j = min(upper_j, 1),
///
///   level = min( u_n, min_{1<i<n} [ u_i + s_i (n - i) ] ),  s_i = min_{j<i} (u_i - l_j) / (i - j)
///   slope = min_{j<n} (level - l_j) / (n - j)
///
/// because a concave curve lies above every chord: a chord from (j, l_j) to (n, level) must pass below (i, u_i) for all
/// i in between, and a curve that does so exists. Once max_{j<=n} l_j > level, none exists for any later n either.
///
/// add() is amortised O(log n): the points (j, l_j) form an upper convex hull, on which both minima over j are tangent
/// queries, and the lines of slope s_i through (i, u_i) form a lower envelope that is evaluated at growing n only. A
/// new line that lies below an older one at n is also flatter (its chord starts from the same points), so it replaces
/// it: lines enter and leave the envelope at its ends only. Most bands need no query for their line, because it lies
/// above the last line of the envelope from n on, and most tangent points are those of the band before.
class RisingEnvelope {
 public:
  /// Adds the band of the next pull. Has no effect once infeasible.
  void add(Band band);

  Pulls pulls() const { return pulls_; }
  /// Returns false if no concave non-decreasing curve in [0, 1] passes through all bands.
  bool feasible() const { return feasible_; }
  /// Returns the largest future. Requires feasible().
  const Outlook& outlook() const { return outlook_; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(hull_, lines_, first_line_, pulls_, highest_lower_, feasible_, outlook_);
  }

 private:
  struct Line {  // through (x, y)
    double x;
    double y;
    double slope;
    double at(double where) const { return y + slope * (where - x); }

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(x, y, slope);
    }
  };
  /// Returns the smallest slope from the hull to a point to its right. `tangent` is a point of the hull at which the
  /// search begins, and then the one that it has found.
  double smallest_slope_to(CurvePoint target, std::size_t& tangent) const;
  /// Returns whether the line through (x, upper), for the next band x, is certain to lie above the last line from x on.
  bool line_is_irrelevant(double x, double upper) const;
  /// Returns the lower envelope of all lines at x; infinity without lines. Calls must have growing x.
  double envelope_at(double x);
  void add_line(Line line);

  UpperHull hull_;              // upper convex hull of the lower ends, slopes decreasing
  std::vector<Line> lines_;     // from first_line_ on: lower envelope, slopes decreasing, heights increasing
  std::size_t first_line_ = 0;  // the line of the envelope at the current n; earlier lines are never used again
  Pulls pulls_ = 0;             // the number n of bands
  double highest_lower_ = 0;    // max_{j<=n} l_j
  bool feasible_ = true;        // once false, stays false
  Outlook outlook_;             // the largest future, while feasible

  // What makes queries short, and does not change their results; not saved.
  std::size_t tangent_to_upper_ = 0;  // the tangent point of the last query of its kind, if it is still on the hull
  std::size_t tangent_to_level_ = 0;
  /// The highest of the lower ends since the last line was added, moved along the last line to its x; infinity if not
  /// known.
  double highest_since_line_ = INFINITY;
};

/// Returns the largest total of the next `remaining` rewards over all concave, non-decreasing curves in [0, 1] that
/// pass through every observed band (the linear program (*) of the paper), or nullopt if no such curve exists (the arm
/// has peaked).
std::optional<double> optimistic_future(std::span<const Band> bands, Pulls remaining);

/// Returns a curve that attains optimistic_future(): its values at pulls 1 .. bands.size() + remaining. Empty if no
/// such curve exists.
std::vector<double> optimistic_curve(std::span<const Band> bands, Pulls remaining);

}  // namespace longrun
