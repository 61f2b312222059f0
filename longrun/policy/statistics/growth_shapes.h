#pragma once

#include <array>
#include <cstddef>

#include "longrun/base/types.h"
#include "longrun/policy/foresight/foresight_tuning.h"

namespace longrun {

/// The shapes phi(m) that the growth of an arm's reward with its pulls m = 1, 2, ... may have. Each starts at
/// phi(1) = 0: exponentials 1 - e^(-(m-1)/scale) with scales of 4, 16, 64, ... pulls, up to the first that is at least
/// the horizon or the limit kMost, and powers of m, rising ones and ones that level off. Shapes that have not levelled
/// off within the horizon are scaled to 1 there. GrowthEvidence models an arm's curve as a level plus a multiple of one
/// shape.
///
/// Evaluating all shapes takes O(1): a few roots, one exponential and one logarithm.
class GrowthShapes {
 public:
  static constexpr std::size_t kMost = 24;   ///< limit on count()
  using Values = std::array<double, kMost>;  ///< by shape; only the first count() are used

  explicit GrowthShapes(Pulls horizon);

  std::size_t count() const { return exponentials_ + kPowers; }
  /// Returns every shape's value at `pull` >= 1.
  Values at(Pulls pull) const;
  /// Returns every shape's mean over pulls + 1 .. pulls + remaining. That of a power is computed from its integral; the
  /// error is below 1 % of the growth.
  Values future_mean(Pulls pulls, Pulls remaining) const;

 private:
  static constexpr std::size_t kPowers = 7;  // m^x with x = 3/4, 1/2, 1/4, -1/10, -1/4, -1/2, -1
  static constexpr double kRatio = 4;        // of successive scales; at() and future_mean() take fourth powers for it

  std::size_t exponentials_ = 1;                                   // number of exponential shapes, which come first
  double longest_scale_ = kForesightTuning.shortest_growth_scale;  // pulls; that of the last exponential
  Values decay_{};                                                 // of each exponential: 1 - e^(-1/scale)
  Values at_end_{};  // unscaled value at the horizon, by which the shape is divided; 1 for powers that level off
};

}  // namespace longrun
