#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/foresight/foresight_tuning.h"
#include "longrun/policy/statistics/growth_regression.h"
#include "longrun/policy/statistics/growth_shapes.h"

namespace longrun {

/// The probabilities of the kinds of curves that an arm may have. They add up to 1.
struct CurveKinds {
  double constant = 0;
  double grows = 0;  ///< from any level
  double grows_from_zero = 0;

  double growth() const { return grows + grows_from_zero; }
  CurveKinds scaled(double factor) const { return {factor * constant, factor * grows, factor * grows_from_zero}; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(constant, grows, grows_from_zero);
  }
};

/// A point of the five-point Gauss-Hermite rule for a normal distribution.
struct NormalPoint {
  double deviation;  ///< standard deviations
  double weight;
};
/// The level of an arm without growth is evaluated at these. Its tails matter: with few points, an arm with one unlucky
/// reward would not be tried again.
inline constexpr std::array<NormalPoint, 5> kNoGrowthPoints{{{-2.85697001387281, 0.0112574113277207},
                                                             {-1.35562617997427, 0.222075922005613},
                                                             {0, 0.533333333333333},
                                                             {1.35562617997427, 0.222075922005613},
                                                             {2.85697001387281, 0.0112574113277207}}};

/// A possible future of an arm.
struct Prospect {
  double weight;   ///< its probability
  double average;  ///< reward per pull over all remaining pulls
  double now;      ///< reward of the next few pulls
};

/// A list of prospects with a fixed capacity. It never allocates, because every index computation fills one.
class Prospects {
 public:
  /// Adds a prospect. The capacity is enough for those of all models of GrowthEvidence, of a straight line and of
  /// hidden growth.
  void add(const Prospect& prospect) { all_[count_++] = prospect; }

  std::size_t size() const { return count_; }
  const Prospect& operator[](std::size_t k) const { return all_[k]; }
  const Prospect* begin() const { return all_.data(); }
  const Prospect* end() const { return begin() + count_; }
  Prospect* begin() { return all_.data(); }
  Prospect* end() { return begin() + count_; }

 private:
  static constexpr std::size_t kPerModel = kForesightTuning.deviations.size();
  std::array<Prospect, kPerModel*(2 * GrowthShapes::kMost + 1) + kNoGrowthPoints.size() + 1> all_;
  std::size_t count_ = 0;  // only the first count_ of all_ are initialised
};

/// The posterior of an arm's curve. For every shape phi there are two regressions, reward = a + b phi(pull) + noise
/// with b >= 0, which differ in the prior of the level a: any level, or near 0. One more model has no growth, b = 0.
/// The prior (ForesightTuning) is normal in a and half-normal in b. Bayes' rule weights the models by how well they
/// explain the rewards. O(shapes) memory and time per reward.
class GrowthEvidence {
 public:
  /// Adds the reward of the next pull.
  void add(const GrowthShapes& shapes, double reward);
  /// Adds a pull whose reward is unknown.
  void add_lost() { ++lost_; }

  /// The prior and the noise that the models are computed with.
  struct Belief {
    const GrowthShapes& shapes;
    CurveKinds prior;      ///< all shapes of a kind are equally probable
    double variance = 0;   ///< of a reward about its shape
    double growth_sd = 0;  ///< reward: standard deviation of b before its truncation
  };
  /// Returns the posterior probabilities of the kinds. Requires a reward.
  CurveKinds kinds(const Belief& belief) const;
  /// Appends for every model its expected average reward over the next `remaining` pulls, and averages some standard
  /// errors above and below. The weights add up to `weight`, less those of models that are left out because their
  /// belief is below ForesightTuning::smallest_belief. `now` is the arm's present reward. Requires a reward.
  void append_prospects(const Belief& belief, Pulls remaining, double now, double weight, Prospects& prospects) const;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(pulls_, lost_, first_, rewards_, sums_);
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
  /// One model, given the rewards.
  struct Model {
    double weight;    // its probability, once the weights are normalized
    double exponent;  // a factor e^exponent that is still missing in the weight, before
    double prior;     // another such factor: its probability before any reward
    double aa;        // of the precision matrix
    double a_mean;    // without the condition b >= 0; relative to the prior's mean
    double a_per_b;   // change of the mean of a per unit of b
    double b_mean;    // without the condition
    double b_sd;      // without the condition
    double z;         // b_mean / b_sd
    double positive;  // the probability of the condition, unless it underflows; set if the weight is above 0
  };
  using Models = std::array<Model, 2 * GrowthShapes::kMost + 1>;
  /// Fills the models: without growth, then of growth from any level by shape, then of growth from 0 by shape if the
  /// first reward allows it. Returns their number.
  std::size_t fill(const Belief& belief, Models& models) const;
  static void complete_weight(Model& model, double largest);
  Model without_growth(const Belief& belief) const;
  Model with_growth(const Belief& belief, double prior, const Sums& sums, const LevelPrior& level) const;

  Pulls pulls_ = 0;         // number of rewards
  Pulls lost_ = 0;          // number of pulls without a reward
  double first_ = 0;        // the reward of the first pull; 0 if it is lost
  double rewards_ = 0;      // their sum
  std::vector<Sums> sums_;  // by shape; empty before the first reward
};

}  // namespace longrun
