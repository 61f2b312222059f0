#pragma once

#include <array>
#include <cstddef>

#include "longrun/base/types.h"

namespace longrun {

/// Ways in which an arm may grow with its pulls, from 0 at its first: exponentials that level off after 4, 16, 64, ...
/// pulls, and powers of the number of pulls, some that level off and some that never do. Those that have not levelled
/// off within the horizon are scaled to reach 1 there. What an arm does is taken to be a level plus some growth of one
/// of these shapes, nobody knows which (GrowthEvidence).
class GrowthShapes {
 public:
  static constexpr std::size_t kMost = 24;
  using Values = std::array<double, kMost>;  ///< the first count() of them

  explicit GrowthShapes(Pulls horizon);

  std::size_t count() const { return exponentials_ + kPowers; }
  /// Every shape at a pull, from 1. Two square roots, one exponential, one logarithm and a few products.
  Values at(Pulls pull) const;
  /// The mean of every shape over the pulls pulls + 1 .. pulls + remaining. Powers by their integral, which is off by
  /// less than 1 % of their growth.
  Values mean_ahead(Pulls pulls, Pulls remaining) const;

 private:
  static constexpr std::size_t kPowers = 7;  // m^x with x = 3/4, 1/2, 1/4, -1/10, -1/4, -1/2, -1
  static constexpr double kFirstScale = 4;
  static constexpr double kRatio = 4;

  std::size_t exponentials_ = 1;
  double longest_scale_ = kFirstScale;
  Values lasting_{};  // 1 - e^(-1/scale)
  Values at_end_{};   // what the shape, not yet scaled, reaches at the horizon; 1 where it levels off
};

}  // namespace longrun
