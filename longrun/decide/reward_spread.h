#pragma once

#include <span>

#include "longrun/base/types.h"

namespace longrun {

/// What the rewards of all arms show of the size that a correct reward can have. Amounts of money are skewed: their
/// logarithms spread about as normal noise does, and the largest of many is far above the others. O(1) memory.
class RewardSpread {
 public:
  /// A reward, on the scale from 0 to 1 and in its own unit.
  struct Reward {
    double unit = 0;
    double amount = 0;
  };

  RewardSpread() = default;
  /// The spread of all rewards of a log, in any order. O(rewards).
  explicit RewardSpread(std::span<const Reward> rewards);

  /// Adds a reward. Its logarithm is compared with those before it. O(1).
  void add(const Reward& reward);
  /// Returns whether the scale can be right: at least 8 rewards are known, and at least half of them are on the scale.
  bool scale_fits() const;
  /// Returns whether `amount` is as large as skewed amounts can be: no reward is negative, and its logarithm is no
  /// further above the mean logarithm than chance explains by those above it. Of rare amounts, most rewards being 0,
  /// any size is possible while few are known.
  bool explains(double amount) const;
  /// Returns the same by the rewards without this one, which was added.
  bool explains_without(double amount) const;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(count_, inside_, negative_, amounts_, amounts_inside_, logs_, above_, squares_above_);
  }

 private:
  double mean_log() const { return logs_ / amounts_; }
  void add_above(double log);
  /// Returns whether most rewards are 0, and others are amounts, most of them outside the scale.
  bool has_rare_amounts() const;
  bool explains(double amount, double above, double squares_above) const;

  double count_ = 0;
  double inside_ = 0;          // rewards on the scale
  double negative_ = 0;        // rewards below 0
  double amounts_ = 0;         // rewards above 0
  double amounts_inside_ = 0;  // those of them that are on the scale
  double logs_ = 0;            // sum of the logarithms of the amounts
  double above_ = 0;           // amounts whose logarithm is above the mean logarithm
  double squares_above_ = 0;   // sum of the squares of their distances from it
};

}  // namespace longrun
