#pragma once

#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/outlook.h"

namespace longrun {

/// What one observation says of the mean reward of its pull: it lies in [lower, upper].
struct Band {
  double lower = 0;
  double upper = 1;
};

struct CurvePoint {
  double x = 0;
  double y = 0;
};
/// Corners of the smallest concave curve above a set of points, from left to right.
using UpperHull = std::vector<CurvePoint>;

/// The curves that can explain the bands of an arm so far, if it is still rising. After n bands these are all v with
///
///   0 <= v_j <= 1,  lower_j <= v_j <= upper_j for j <= n,  v non-decreasing and concave,
///
/// and the one with the largest future starts from (n, level) and climbs by `slope` per pull until it reaches 1. With
/// l_j = max(lower_j, 0) and u_j = min(upper_j, 1),
///
///   level = min( u_n, min_{1<i<n} [ u_i + s_i (n - i) ] ),  s_i = min_{j<i} (u_i - l_j) / (i - j)
///   slope = min_{j<n} (level - l_j) / (n - j)
///
/// because a concave curve lies above every chord: a chord from (j, l_j) to (n, level) must pass below (i, u_i) for all
/// i in between, and a curve that does so exists. None exists, for good, once max_{j<=n} l_j > level.
///
/// add() is amortised O(log n): the points (j, l_j) form an upper convex hull, on which both minima over j are tangent
/// queries, and the lines of slope s_i through (i, u_i) form a lower envelope read at the growing n alone. A new line
/// that lies below an older one at n is also flatter (its chord starts from the same points), so it replaces it: lines
/// enter and leave the envelope at its ends only.
class RisingEnvelope {
 public:
  /// Takes in the band of the next pull. No effect once infeasible.
  void add(Band band);

  Pulls pulls() const { return pulls_; }
  /// False from the first band on that no concave non-decreasing curve in [0, 1] passes through.
  bool feasible() const { return feasible_; }
  /// The largest future. Needs feasible().
  const Outlook& outlook() const { return outlook_; }

 private:
  struct Line {  // y + slope * (at - x)
    double x;
    double y;
    double slope;
    double at(double where) const { return y + slope * (where - x); }
  };
  double smallest_slope_to(CurvePoint target) const;
  double envelope_at(double x);
  void add_line(Line line);

  UpperHull hull_;           // upper convex hull of the lower ends, slopes decreasing
  std::vector<Line> lines_;  // from first_line_ on: lower envelope, slopes decreasing, heights increasing
  std::size_t first_line_ = 0;
  Pulls pulls_ = 0;
  double highest_lower_ = 0;
  bool feasible_ = true;
  Outlook outlook_;
};

/// Largest total of the next `remaining` rewards over all concave, non-decreasing curves in [0, 1] that pass through
/// every observed band (the linear program (*) of the paper); nullopt when no such curve exists (the arm has peaked).
std::optional<double> optimistic_future(std::span<const Band> bands, Pulls remaining);

/// A curve that attains optimistic_future: its values at pulls 1 .. bands.size() + remaining. Empty where none exists.
std::vector<double> optimistic_curve(std::span<const Band> bands, Pulls remaining);

}  // namespace longrun
