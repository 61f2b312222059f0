#pragma once

#include <optional>
#include <vector>

#include "longrun/policy/foresight/arm_foresight.h"
#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/spo.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {

/// Foresight, the policy that longrun recommends: pulls the arm that is worth most over the pulls that remain, given
/// all futures that its noisy rewards leave open and the freedom to leave it (ArmForesight). Observations that are
/// exact leave nothing to weigh: without noise it is SPO, to the pull, with SPO's guarantee.
///
/// An arm's index is computed anew when it falls or when its pulls have grown by a tenth, so that what is tried is
/// tried for a while; all indices when a fiftieth of the remaining time has passed, but not more often than 16 indices
/// per pull on average. A pull costs O(log horizon), whatever the number of arms.
///
/// Outside the play loop as every IndexPolicy. Where the noise is not known, its standard deviation is estimated from
/// the rewards of all arms (NoiseScale).
class ForesightRule {
 public:
  static constexpr bool kIndexMayGrow = false;  // where it may (noise), indices are kept, see all_due()

  ForesightRule(const Setting& setting, const Parameters& parameters);

  Pulls initial_pulls() const;
  void observe(Arm arm, double reward, const Ledger& ledger);
  void prepare(const Ledger&) {}
  double index(Arm arm, const Ledger& ledger) const;
  double from_zero(double index) const { return exact_ ? exact_->from_zero(index) : index; }
  std::optional<FixedRank> fixed_rank(Arm arm) const { return exact_ ? exact_->fixed_rank(arm) : std::nullopt; }

  /// Whether the arm's index needs not be computed after its last reward.
  bool stands(Arm arm) const { return !exact_ && !arms_[static_cast<std::size_t>(arm)].due; }
  /// Whether all indices are to be computed anew.
  bool all_due(const Ledger& ledger);

  /// SPO, where observations are exact; then there is no arm() to ask.
  const SpoRule* exact() const { return exact_ ? &*exact_ : nullptr; }
  const ArmForesight& arm(Arm arm) const { return arms_[static_cast<std::size_t>(arm)].foresight; }
  const ForesightModel& model() const { return model_; }
  /// Whether the model's standard deviation is an estimate.
  bool sd_is_estimate() const { return noise_.has_value(); }

 private:
  /// Arms that fall are ordered by their levels. But an arm that needs time to grow has to be started now, while the
  /// pulls of those that fall do not run away: against it counts what they pay on average, not what they pay next.
  void discount_falls(Pulls remaining);

  struct State {
    ArmForesight foresight;
    Pulls indexed_at = 0;
    bool due = true;
  };
  std::optional<SpoRule> exact_;  // in place of all below, where observations are exact
  bool bound_only_;
  ForesightModel model_;
  std::optional<NoiseScale> noise_;  // where it is to be estimated
  std::vector<State> arms_;
  Pulls refreshed_at_ = 0;  // pulls made
  Pulls remaining_then_ = 0;
};

using Foresight = IndexPolicy<ForesightRule>;

inline constexpr Parameter kForesightEstimateSd{
    .name = "estimate_sd",
    .meaning = "1: estimate the standard deviation of the noise from the rewards, 0: use that of the setting",
    .default_value = 0.0,
    .minimum = 0,
    .maximum = 1,
    .whole = true};
inline constexpr Parameter kForesightBoundOnly{
    .name = "bound_only",
    .meaning = "1: compare arms by upper bounds on their future rewards, as SPO does, 0: by expected futures",
    .default_value = 0.0,
    .minimum = 0,
    .maximum = 1,
    .whole = true};
inline constexpr Parameter kForesightParameters[] = {kForesightEstimateSd, kForesightBoundOnly};

Foresight make_foresight(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
