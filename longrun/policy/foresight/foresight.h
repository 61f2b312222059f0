#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/policy/foresight/arm_foresight.h"
#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/spo.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {

/// The index rule of foresight, the policy that longrun recommends. An arm's index is its expected reward per remaining
/// pull, over all futures that are consistent with its noisy rewards and with the option to leave it (ArmForesight).
/// Without noise the policy makes the same decisions as SPO, and SPO's guarantee holds.
///
/// The index of a falling arm is recomputed at every reward, that of another arm once its pulls have grown by more than
/// a tenth, so that a trial of an arm lasts for a while. All indices are recomputed after a fiftieth of the remaining
/// pulls, but at most 16 per pull on average (ForesightTuning). A pull costs O(log horizon), independent of the number
/// of arms.
///
/// With `estimate_sd` the standard deviation of the noise is estimated from the rewards of all arms (NoiseScale).
class ForesightRule {
 public:
  static constexpr bool kIndexMayGrow = false;  // under noise it may, but stored indices are used: start_refresh_if_due

  ForesightRule(const Setting& setting, const Parameters& parameters);

  Pulls initial_pulls() const;
  void observe(Arm arm, double reward, const Ledger& ledger);
  void lose(Arm arm, const Ledger& ledger);
  /// Adds a reward that says nothing about the noise, nor to other arms about kinds of curves.
  void imagine(Arm arm, double reward, const Ledger& ledger);
  void prepare(const Ledger&) {}
  double index(Arm arm, const Ledger& ledger) const;
  double index_from_zero(double index) const { return exact_ ? exact_->index_from_zero(index) : index; }
  std::optional<FixedRank> fixed_rank(Arm arm) const { return exact_ ? exact_->fixed_rank(arm) : std::nullopt; }

  /// Returns whether the stored index of the arm is still valid after its last reward.
  bool index_is_current(Arm arm) const { return !exact_ && !arms_[static_cast<std::size_t>(arm)].outdated; }
  /// Returns whether all indices must be recomputed now. If so, updates the discount of falling arms for it.
  bool start_refresh_if_due(const Ledger& ledger);

  /// Returns the rule of SPO if observations are exact, else nullptr.
  const SpoRule* exact() const { return exact_ ? &*exact_ : nullptr; }
  /// Returns the state of an arm. Requires noisy observations: exact() == nullptr.
  const ArmForesight& arm(Arm arm) const { return arms_[static_cast<std::size_t>(arm)].foresight; }
  const ForesightModel& model() const { return model_; }
  /// Returns whether the model's standard deviation is an estimate.
  bool sd_is_estimate() const { return noise_.has_value(); }

  void add_arm();
  void extend(Pulls pulls);

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(exact_, model_, noise_, arms_, refreshed_at_, remaining_then_);
  }

 private:
  /// Sets the factor that multiplies the levels of all falling arms. Falling arms are compared with each other by their
  /// levels. Compared with an arm that needs time to grow, what counts is their average over the remaining pulls: the
  /// pulls of a falling arm can wait, those of a growing arm cannot.
  void update_fall_discount(Pulls remaining);
  /// Makes start_refresh_if_due() recompute all indices, because something that they all depend on has changed.
  void make_refresh_due();

  struct State {
    ArmForesight foresight;
    Pulls indexed_at = 0;  // the arm's pulls when its index was last recomputed because of its own rewards
    bool outdated = true;  // whether the last reward made the stored index invalid

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(foresight, indexed_at, outdated);
    }
  };
  std::optional<SpoRule> exact_;  // set if observations are exact; then the members below are unused
  bool bound_only_;
  ForesightModel model_;
  std::optional<NoiseScale> noise_;  // set if the noise is estimated
  std::vector<State> arms_;          // by arm
  Pulls refreshed_at_ = 0;           // pulls made at the last refresh of all indices; 0 before the first
  Pulls remaining_then_ = 0;         // pulls remaining at that refresh; 0 before the first
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

/// A constant of ForesightTuning that is a parameter, so that users can measure what it contributes.
struct TunedConstant {
  double ForesightTuning::*constant;
  std::string_view name;
  std::string_view meaning;
  double maximum;
  double minimum = 0;

  constexpr Parameter parameter() const {
    return {.name = name,
            .meaning = meaning,
            .default_value = kForesightTuning.*constant,
            .minimum = minimum,
            .maximum = maximum};
  }
};
inline constexpr std::array kForesightTuned{
    TunedConstant{&ForesightTuning::no_growth, "no_growth", "probability that an arm does not grow, before any reward",
                  0.49},
    TunedConstant{&ForesightTuning::from_zero, "from_zero", "probability that an arm grows from 0, before any reward",
                  0.49},
    TunedConstant{&ForesightTuning::growth_horizon, "growth_horizon",
                  "horizon from which on no_growth and from_zero hold; growth is less probable on shorter horizons",
                  1e9, 2},
    TunedConstant{&ForesightTuning::prior_arms, "prior_arms",
                  "number of arms that no_growth and from_zero count as, in addition to the other arms", 1e9, 1e-3},
    TunedConstant{&ForesightTuning::telling_pulls, "telling_pulls",
                  "pulls after which an arm informs the others with half of its full weight: n / (n + telling_pulls)",
                  1e9},
    TunedConstant{&ForesightTuning::growth_sd, "growth_sd", "standard deviation of an arm's growth over the horizon",
                  100, 1e-3},
    TunedConstant{&ForesightTuning::misfit_sd, "misfit_sd", "distance of a curve from the shapes of growth", 1, 1e-6},
    TunedConstant{&ForesightTuning::straight_line, "straight_line",
                  "share of growing arms that grow in a straight line", 0.5},
    TunedConstant{&ForesightTuning::hidden_growth, "hidden_growth",
                  "share of growing arms whose growth does not show from the first pull", 0.5},
    TunedConstant{&ForesightTuning::hidden_growth_pulls, "hidden_growth_pulls",
                  "pulls over which hidden growth appears: it is still hidden after n pulls with probability (1 + n / "
                  "hidden_growth_pulls)^-4",
                  1e9, 1e-3},
    TunedConstant{&ForesightTuning::outlier, "outlier",
                  "standard errors up to which one reward counts as a sign of a fall", 1e9},
    TunedConstant{&ForesightTuning::trial_cost, "trial_cost",
                  "pulls that a trial of an arm takes, per pull so far and per other arm", 1e9},
    TunedConstant{&ForesightTuning::trial_offset, "trial_offset",
                  "pulls that are added to those of the arm so far to compute the length of a trial", 1e9},
    TunedConstant{
        &ForesightTuning::end_of_growth, "end_of_growth",
        "how far the end of a future lies above its present reward, as a multiple of how far its average does", 1e9},
    TunedConstant{
        &ForesightTuning::arm_refresh, "arm_refresh",
        "share by which an arm's pulls must grow before its index is recomputed and its kind informs other arms", 1e9}};

inline constexpr auto kForesightParameters = []<std::size_t... k>(std::index_sequence<k...>) {
  return std::array{kForesightEstimateSd, kForesightBoundOnly, kForesightTuned[k].parameter()...};
}
(std::make_index_sequence<kForesightTuned.size()>{});

Foresight make_foresight(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
