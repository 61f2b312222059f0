#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/ask_tell.h"
#include "longrun/model/constraints.h"
#include "longrun/model/resolved_constraints.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/ledger.h"

namespace longrun {

/// What a pull is made for: a share that is due, minimum pulls that lack, or because the policy chose it.
enum class PullCause { share, minimum, choice };
std::string_view name(PullCause cause);

/// Any policy, under constraints: says round by round what is to be pulled, and never breaks a constraint.
///
/// Every pull is decided like this. Allowed are the arms that can be paid for, now or (where units keep) by saving, in
/// a round in which they are there, and whose pull leaves enough for all minima (see ResolvedConstraints). Of those,
///   1. the arm whose share is due first, if a pull of its share has been released: pull k of an arm with share s and
///      cost c is released when floor((k-1) c/s) units are spent and due at ceil(k c/s). This is earliest deadline
///      first, without interruption. Say pull k is done after it was due, at d, and b is when the last pull before it
///      began that was not due by d (or was nobody's share). Nothing due by d was released by then. What is released
///      from b+1 on and due by d takes at most (d-b-1) (sum of shares) units, and that pull at most C: all is done at
///      d + C - 1, which is what Constraints promises;
///   2. else, while minimum pulls are lacking, the arm among those with the fewest pulls. Arms are rested: the order
///      of pulls changes nothing of what they earn, so what must be done is done first, where it teaches most;
///   3. else whatever the policy chooses among the allowed.
/// Pulls that the policy itself chose count for minima and shares. Where costs differ, index policies compare indices
/// per unit of cost; the others take no account of costs.
///
/// A choice stands until it is paid for: what a round leaves is saved for it. Otherwise no arm that costs more than
/// what is left could ever be pulled while there is a cheaper one. A round ends without a choice when no allowed arm
/// can be paid for in it, so that the next choice knows its rewards.
///
/// The policy is told, as its horizon, the largest number of pulls that the budget can buy: with costs there may be
/// fewer, but it never runs past its horizon. `optimal` has nothing to decide: its plan is a minimum for every arm.
///
/// A copy goes its own way: it tells what would be pulled if.
class ConstrainedPolicy {
 public:
  /// `setting.horizon` is the budget, in units. Throws InputError for constraints that nobody could meet.
  ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints);

  /// The pulls of the next round, in order, all decided before any of them is observed; none where nothing can be
  /// pulled or what there is is saved. Valid until the next call.
  std::span<const Arm> next_round();
  /// What each of them is pulled for.
  std::span<const PullCause> causes() const { return causes_; }
  bool done() const { return round_ >= terms_.rounds(); }
  /// A reward. May come late. One nobody asked for, from a log say, counts as a pull made before; of a round that such
  /// pulls did not fill, the next round is the rest.
  void observe(Arm arm, double reward);

  /// Says that these arms can't be pulled until further notice, beside what the constraints say. Minima of an arm that
  /// stays away are kept for it to the end, and lost.
  void set_unavailable(std::span<const Arm> arms);

  Pulls round() const { return round_; }  ///< the last one asked for; the first is 1
  Pulls spent() const { return spent_; }  ///< units, those saved for a choice included
  const ResolvedConstraints& terms() const { return terms_; }

 private:
  struct Due {
    Pulls round;  // the last in which some of what is owed can be pulled
    Pulls spare;  // units that may be spent by then on what is not owed by then
  };
  std::vector<Due> dues() const;
  Pulls owed(Arm arm) const { return std::max<Pulls>(0, terms_.least_pulls(arm) - ledger_.issued(arm)); }
  bool there(Arm arm, Pulls round) const {
    return away_[static_cast<std::size_t>(arm)] == 0 && terms_.available(arm, round);
  }
  bool allowed(Arm arm, std::span<const Due> dues) const;
  bool leaves_minima_in_reach(Arm arm) const;
  void find_allowed();
  /// Units that this round has left.
  Pulls left() const { return terms_.granted(round_) - spent_ - lapsed_; }
  std::optional<Arm> forced();
  std::optional<Arm> most_urgent_share() const;
  std::optional<Arm> fewest_below_minimum() const;
  std::optional<Arm> decide();
  void pull(Arm arm);
  void count_as_missed(Arm pulled, Pulls round);

  ResolvedConstraints terms_;
  PolicyState policy_;
  Ledger ledger_;
  std::vector<Arm> by_last_round_;
  std::vector<std::uint8_t> away_;  // as set_unavailable() said
  std::vector<Pulls> missed_;       // units spent while the arm was not there
  Pulls spent_ = 0;
  Pulls lapsed_ = 0;
  Pulls round_ = 0;
  std::optional<Arm> saving_for_;
  PullCause cause_ = PullCause::choice;  // of the last decision
  std::vector<Arm> allowed_;
  std::vector<Arm> pulls_;
  std::vector<PullCause> causes_;
};

}  // namespace longrun
