#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "longrun/base/rounds.h"
#include "longrun/base/types.h"
#include "longrun/model/constraints.h"

namespace longrun {

/// The constraints of one problem, resolved: per-arm costs, minima, shares and availability for a given number of arms
/// and budget. Whether a schedule can meet them is a question for Feasibility (solve/).
class ResolvedConstraints {
 public:
  /// Throws FieldError, with the names of the constraints, for constraints that name arms which do not exist, that
  /// contradict each other, or under which no arm can ever be pulled.
  ResolvedConstraints(const Constraints& constraints, Arm arms, Pulls horizon);

  Arm arms() const { return static_cast<Arm>(costs_.size()); }
  const RoundBudget& budget() const { return budget_; }
  Pulls horizon() const { return budget_.units; }  ///< the budget, in units
  bool units_lapse() const { return units_lapse_; }

  Pulls cost(Arm arm) const { return costs_[index(arm)]; }
  const std::vector<Pulls>& costs() const { return costs_; }
  bool costs_differ() const { return smallest_cost_ < largest_cost_; }
  /// Returns the largest number of pulls that any schedule makes.
  Pulls most_pulls() const { return most_pulls(horizon()); }
  /// Returns the largest number of pulls that `units` units can buy.
  Pulls most_pulls(Pulls units) const { return units / smallest_cost_; }

  /// Returns whether a round is one pull and no constraint depends on its number.
  bool rounds_are_pulls() const { return rounds_are_pulls_; }

  bool available(Arm arm, Pulls round) const;
  /// Returns the rounds in which each arm is unavailable: ascending, disjoint, not adjacent, none after the last round.
  const std::vector<std::vector<RoundRange>>& unavailable() const { return unavailable_; }

  /// Returns the last round in which the arm is available, or 0.
  Pulls last_available(Arm arm) const;

  /// Returns the units granted in those of rounds 1 to `last` in which the arm is available.
  Pulls granted_while_available(Arm arm, Pulls last) const;

  Pulls minimum_pulls(Arm arm) const { return minimum_pulls_[index(arm)]; }
  double share(Arm arm) const { return shares_[index(arm)]; }
  /// Returns the number of pulls that the arm's share guarantees by the end.
  Pulls share_pulls(Arm arm) const { return share_pulls_[index(arm)]; }
  /// Returns the same for an arm that could not be pulled while `missed` units were spent, in rounds in which these
  /// constraints make it available.
  Pulls share_pulls(Arm arm, Pulls missed) const;
  bool has_shares() const { return has_shares_; }
  /// Returns the smallest number of pulls of the arm by the end: the larger of its minimum and its share.
  Pulls least_pulls(Arm arm) const { return std::max(minimum_pulls(arm), share_pulls(arm)); }
  /// Returns the same for all arms.
  std::vector<Pulls> least_pulls() const;
  /// Returns the smallest number of units spent at which pull `pull` of the arm's share may be made.
  Pulls share_release(Arm arm, Pulls pull) const;
  /// Returns the number of units spent by which pull `pull` of the arm's share is due.
  Pulls share_due(Arm arm, Pulls pull) const;

  /// Returns the same constraints with at least `pulls[arm]` minimum pulls of every arm.
  ResolvedConstraints with_minimum(std::span<const Pulls> pulls) const;

 private:
  static std::size_t index(Arm arm) { return static_cast<std::size_t>(arm); }
  /// Returns whether the units granted by the last round in which the arm is available pay for a pull of it.
  bool can_be_pulled(Arm arm) const;

  RoundBudget budget_;
  bool units_lapse_;
  Pulls smallest_cost_ = 1;
  Pulls largest_cost_ = 1;
  std::vector<Pulls> costs_;                          // [arm], each at least 1
  std::vector<Pulls> minimum_pulls_;                  // [arm]
  std::vector<double> shares_;                        // [arm], their sum is at most 1
  std::vector<Pulls> share_pulls_;                    // [arm]
  bool rounds_are_pulls_ = false;                     // see rounds_are_pulls()
  bool has_shares_ = false;                           // whether any share guarantees a pull
  std::vector<std::vector<RoundRange>> unavailable_;  // [arm], see unavailable()
};

}  // namespace longrun
