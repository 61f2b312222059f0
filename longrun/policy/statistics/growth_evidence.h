#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/foresight/foresight_tuning.h"
#include "longrun/policy/statistics/growth_shapes.h"

namespace longrun {

/// A possible future of an arm.
struct Prospect {
  double weight;   ///< its probability
  double average;  ///< reward per pull over all remaining pulls
  double now;      ///< reward of the next few pulls
};

/// A list of prospects with a fixed capacity. It never allocates, because every index computation fills one.
class Prospects {
 public:
  /// Adds a prospect. The capacity is enough for those of all growth shapes, of no growth and of a straight line.
  void add(const Prospect& prospect) { all_[count_++] = prospect; }
  std::size_t size() const { return count_; }
  const Prospect& operator[](std::size_t k) const { return all_[k]; }
  const Prospect* begin() const { return all_.data(); }
  const Prospect* end() const { return begin() + count_; }

 private:
  std::array<Prospect, kForesightTuning.deviations.size() * (GrowthShapes::kMost + 2)> all_;
  std::size_t count_ = 0;  // only the first count_ of all_ are initialised
};

/// The posterior of an arm's growth: for every shape phi the regression reward = a + b phi(pull) + noise with b >= 0,
/// and the model without growth, b = 0. The prior (ForesightTuning) is normal in a and half-normal in b. Bayes' rule
/// weights the models by how well they explain the rewards. O(shapes) memory and time per reward.
class GrowthEvidence {
 public:
  /// Adds the reward of the next pull.
  void add(const GrowthShapes& shapes, double reward);
  /// Adds a pull whose reward is unknown.
  void add_lost() { ++lost_; }

  /// Appends for every model its expected average reward over the next `remaining` pulls, and that average one standard
  /// error above and below (ForesightTuning::deviations). The weights add up to `weight`, less those of models that are
  /// left out because their belief is below ForesightTuning::smallest_belief. `variance` is that of a reward about its
  /// shape, `now` the arm's present reward.
  void append_prospects(const GrowthShapes& shapes, Pulls remaining, double variance, double now, double weight,
                        Prospects& prospects) const;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(pulls_, lost_, rewards_, sums_);
  }

 private:
  struct Sums {  // over all rewards
    double phi = 0;
    double squares = 0;   // of phi
    double products = 0;  // of phi and the reward

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(phi, squares, products);
    }
  };
  struct Forecast {
    double log_evidence;
    double mean;  // of the average future reward
    double sd;    // of the average future reward
  };
  Forecast forecast_without_growth(double variance) const;
  Forecast forecast_with_growth(const Sums& sums, double future_phi, double variance) const;

  Pulls pulls_ = 0;         // number of rewards
  Pulls lost_ = 0;          // number of pulls without a reward
  double rewards_ = 0;      // their sum
  std::vector<Sums> sums_;  // by shape; empty before the first reward
};

}  // namespace longrun
