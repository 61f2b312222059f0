#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {

/// The index rule of single-peaked optimism (Lindner, Heidari & Krause 2021): the largest total of the arm's remaining
/// rewards over all curves that are consistent with its observations.
///
/// Exact observations (half-width 0): after a step up or of 0 the curve may continue in a straight line, up to 1; after
/// a step down it can at most stay constant. With intervals [y - w, y + w] the total is the optimum of the linear
/// program (*), see RisingEnvelope. Once (*) has no solution, the arm is classified as falling for good, and its reward
/// can at most stay at the latest upper end.
///
/// With Refresh::pulled_arm it follows the released code: a step of 0 counts as falling, and (*) adds up the rewards of
/// pulls n+2 .. T, independent of the pulls spent on other arms.
class SpoRule {
 public:
  static constexpr bool kIndexMayGrow = false;

  SpoRule(const Setting& setting, const Parameters& parameters, Refresh refresh);

  Pulls initial_pulls() const { return initial_pulls_; }
  void observe(Arm arm, double reward, const Ledger& ledger) {
    ArmState& state = states_[static_cast<std::size_t>(arm)];
    if (half_width_ == 0) {
      observe_exactly(state, reward, ledger.pulls(arm));
    } else if (state.falling) {
      state.outlook = Outlook::constant(reward + half_width_);
    } else if (shared_) {
      observe_shared(state, (*shared_)[static_cast<std::size_t>(arm)], reward, ledger.pulls(arm));
    } else {
      observe_interval(static_cast<std::size_t>(arm), reward);
    }
  }
  void lose(Arm arm, const Ledger& ledger);
  void prepare(const Ledger&) {}
  /// Returns the optimistic average of the remaining rewards, less 1; with Refresh::pulled_arm, their optimistic total.
  /// Both have the same order if all indices are current, but only the first never grows while the arm is not pulled.
  double index(Arm arm, const Ledger& ledger) const {
    const ArmState& state = states_[static_cast<std::size_t>(arm)];
    return refresh_ == Refresh::every_arm ? state.outlook.average_less_one(ledger.remaining())
                                          : released_total(arm, state, ledger);
  }
  /// Converts an index to a scale on which 0 is an arm that pays nothing: the average or the total itself.
  double index_from_zero(double index) const { return refresh_ == Refresh::every_arm ? index + 1 : index; }
  /// Returns the arm's rank. Of all rising arms that would reach 1 before the end, the best is the one with the
  /// smallest Outlook::shortfall(), independent of the number of remaining pulls.
  std::optional<FixedRank> fixed_rank(Arm arm) const {
    const Outlook& outlook = states_[static_cast<std::size_t>(arm)].outlook;
    if (outlook.slope() <= 0 || outlook.pulls_below_one() > 1e15) return std::nullopt;
    return FixedRank{.rank = -outlook.shortfall(), .until = static_cast<Pulls>(outlook.pulls_below_one())};
  }

  /// Returns the arm's optimistic future.
  const Outlook& outlook(Arm arm) const { return states_[static_cast<std::size_t>(arm)].outlook; }
  /// Returns whether the arm is classified as falling: its last step was down (exact observations), or (*) has had no
  /// solution (intervals).
  bool falling(Arm arm) const { return states_[static_cast<std::size_t>(arm)].falling; }

  /// Solves (*) only once for this rule and `other`, and for those that `other` shares with, if their intervals are
  /// equal. Requires that neither has observed a reward, that both will observe the same rewards of every arm, and that
  /// no pull is lost: the solution is then a function of the arm and the number of its rewards.
  void share_with(SpoRule& other);

  void add_arm() {
    states_.emplace_back();
    if (half_width_ != 0) envelopes_.emplace_back();
  }
  void extend(Pulls pulls) { horizon_ += pulls; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(horizon_, states_, envelopes_);
  }

 private:
  struct ArmState {
    Outlook outlook;
    double last_reward = 0;
    std::int32_t gap = 1;  // pulls from the last reward to the next
    bool falling = false;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(outlook, last_reward, gap, falling);
    }
  };
  void observe_exactly(ArmState& state, double reward, Pulls pulls) const;
  /// The solutions of (*) after each reward of an arm, computed when the first of several rules needs them.
  struct SharedOutlooks {
    RisingEnvelope envelope;        // of as many rewards as there are outlooks, while the arm is not falling
    std::vector<Outlook> outlooks;  // by reward, up to the last before the arm is classified as falling
    bool falling = false;           // whether that is known
  };
  /// Adds the reward with number `pulls` of an arm, as observe_interval() does.
  void observe_shared(ArmState& state, SharedOutlooks& shared, double reward, Pulls pulls) const {
    const auto number = static_cast<std::size_t>(pulls);
    if (number > shared.outlooks.size()) [[unlikely]]
      solve(shared, reward);
    if (number <= shared.outlooks.size()) {
      state.outlook = shared.outlooks[number - 1];
    } else {
      state.falling = true;
      state.outlook = Outlook::constant(reward + half_width_);
    }
  }
  /// Adds the next outlook, unless the arm is falling.
  void solve(SharedOutlooks& shared, double reward) const;
  /// Adds a reward with its interval. Requires that the arm is not falling; it may be afterwards.
  void observe_interval(std::size_t arm, double reward);
  /// Returns the index of the released code.
  double released_total(Arm arm, const ArmState& state, const Ledger& ledger) const;

  Refresh refresh_;
  Pulls horizon_;  // if all costs are equal, that of the ledger
  Pulls initial_pulls_;
  double half_width_;
  std::vector<ArmState> states_;           // by arm
  std::vector<RisingEnvelope> envelopes_;  // by arm; empty if observations are exact; unused if shared
  std::shared_ptr<std::vector<SharedOutlooks>>
      shared_;  // by arm; null if not shared. Not saved: no live decision shares
};

using SinglePeakedOptimism = IndexPolicy<SpoRule>;

inline constexpr Parameter kSpoInitialPulls{
    .name = "initial_pulls",
    .meaning = "pulls of every arm before any choice",
    .default_value = DefaultFormula{"max(2, floor(ln horizon))",
                                    [](const Setting& setting, const Parameters&) {
                                      return std::max(2.0, std::floor(std::log(static_cast<double>(setting.horizon))));
                                    }},
    .minimum = 1,
    .maximum = 1e9,
    .whole = true};
inline constexpr Parameter kSpoFailure{
    .name = "failure",
    .meaning = "largest probability that any interval misses its mean reward, as in the paper's corollary",
    .default_value = NoDefault{"the half-width of the setting"},
    .minimum = 1e-12,
    .maximum = 0.999};
inline constexpr Parameter kSpoParameters[] = {kSpoInitialPulls, kSpoFailure};

template <Refresh refresh>
SinglePeakedOptimism make_spo(const Setting& setting, const Parameters& parameters) {
  return {setting, SpoRule(setting, parameters, refresh), refresh};
}

}  // namespace longrun
