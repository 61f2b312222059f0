#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/statistics/growth_shapes.h"

namespace longrun {

/// A future that an arm may have, as far as a decision needs it.
struct Prospect {
  double weight;   ///< how much it is believed
  double average;  ///< reward per pull over all pulls that remain
  double now;      ///< reward of the next few pulls
};

/// A few of them, without a call to the heap: they are made anew for every index.
class Prospects {
 public:
  void add(const Prospect& prospect) { all_[count_++] = prospect; }
  std::size_t size() const { return count_; }
  const Prospect& operator[](std::size_t k) const { return all_[k]; }
  const Prospect* begin() const { return all_.data(); }
  const Prospect* end() const { return begin() + count_; }

 private:
  std::array<Prospect, 3 * (GrowthShapes::kMost + 2)> all_;  // three per shape, for no growth and for the trend
  std::size_t count_ = 0;
};

/// What is believed of an arm before any reward, found on the development seeds of the arena (docs/noise-study.md).
struct GrowthPrior {
  double level = 0.5;
  double level_sd = 0.5;
  double growth_sd = 2.5;  ///< over the horizon; anything, on the scale of rewards
  double no_growth = 0.2;  ///< probability
  double temper = 0.8;     ///< real curves have none of the shapes exactly, so evidence counts less than it would
};

/// What an arm's rewards say of how it grows: for every shape phi, a regression of reward = a + b phi(pull) + noise
/// with b >= 0, in three sums. Bayes' rule weighs the shapes, and "no growth at all", by how well they explain the
/// rewards.
class GrowthEvidence {
 public:
  void add(const GrowthShapes& shapes, const GrowthShapes::Values& phi, double reward);

  /// Appends what each shape expects of the next `remaining` pulls, and a deviation above and below; weights add up to
  /// `weight` (nearly: what is hardly believed is left out). `variance` is that of one reward about its shape, `now`
  /// the arm's present reward.
  void append_prospects(const GrowthShapes& shapes, Pulls remaining, double variance, double now, double weight,
                        Prospects& prospects) const;

 private:
  struct Sums {
    double phi = 0;
    double squares = 0;
    double products = 0;  // with the reward
  };
  struct Forecast {
    double log_evidence;
    double mean;
    double sd;
  };
  Forecast no_growth(double variance) const;
  Forecast growth(const Sums& sums, double ahead, double variance) const;

  Pulls pulls_ = 0;
  double rewards_ = 0;
  std::vector<Sums> sums_;
};

}  // namespace longrun
