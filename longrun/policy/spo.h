#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {

/// Single-peaked optimism (Lindner, Heidari & Krause 2021): pulls the arm whose remaining rewards would add up to most
/// if everything still unknown turned out well.
///
/// Observations that are exact (half-width 0): after a step up or level the curve may go on straight, up to 1; after a
/// step down it may at best stay. With intervals [y - w, y + w] the future is the optimum of the linear program (*),
/// see RisingEnvelope; once (*) has no solution the arm falls, for good, and may at best stay at its latest upper end.
///
/// With Refresh::pulled_arm, the released code: a level step counts as falling, and (*) adds up the rewards of pulls
/// n+2 .. T, whatever has been spent on other arms.
class SpoRule {
 public:
  static constexpr bool kIndexMayGrow = false;

  SpoRule(const Setting& setting, const Parameters& parameters, Refresh refresh);

  Pulls initial_pulls() const { return initial_pulls_; }
  void observe(Arm arm, double reward, const Ledger& ledger);
  void prepare(const Ledger&) {}
  /// Optimistic future reward per remaining pull, less 1; in total (as of the arm's last pull) with
  /// Refresh::pulled_arm. The best arm is the same for both if all indices are up to date, but only the first never
  /// grows between pulls.
  double index(Arm arm, const Ledger& ledger) const {
    const ArmState& state = states_[static_cast<std::size_t>(arm)];
    return refresh_ == Refresh::every_arm ? state.outlook.average_less_one(ledger.remaining())
                                          : released_total(arm, state, ledger);
  }
  /// The average itself.
  double from_zero(double index) const { return refresh_ == Refresh::every_arm ? index + 1 : index; }
  /// Of all rising arms that would reach 1 before the end, the one that lacks least until then is best, whenever that
  /// is.
  std::optional<FixedRank> fixed_rank(Arm arm) const {
    const Outlook& outlook = states_[static_cast<std::size_t>(arm)].outlook;
    if (outlook.slope() <= 0 || outlook.pulls_below_one() > 1e15) return std::nullopt;
    return FixedRank{.rank = -outlook.shortfall(), .until = static_cast<Pulls>(outlook.pulls_below_one())};
  }

  /// The arm's optimistic future.
  const Outlook& outlook(Arm arm) const { return states_[static_cast<std::size_t>(arm)].outlook; }
  /// Whether the arm is known to fall: its last step was down (exact observations) or (*) has had no solution.
  bool falling(Arm arm) const { return states_[static_cast<std::size_t>(arm)].falling; }

 private:
  struct ArmState {
    Outlook outlook;
    double last_reward = 0;
    bool falling = false;
  };
  void observe_exactly(ArmState& state, double reward, Pulls pulls) const;
  void observe_interval(std::size_t arm, double reward);
  double released_total(Arm arm, const ArmState& state, const Ledger& ledger) const;

  Refresh refresh_;
  Pulls horizon_;
  Pulls initial_pulls_;
  double half_width_;
  std::vector<ArmState> states_;
  std::vector<RisingEnvelope> envelopes_;  // intervals only
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
