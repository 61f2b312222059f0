#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/ask_tell.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/model/constraints.h"
#include "longrun/model/resolved_constraints.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/ledger.h"

namespace longrun {

/// Why a pull is made: a share is due, minimum pulls are lacking, or the policy chose it.
enum class PullCause { share, minimum, choice };
std::string_view name(PullCause cause);

/// A policy under constraints. It decides round by round which arms to pull, and never breaks a constraint.
///
/// An arm is allowed if it can be paid for, now or (where units keep) by saving, in a round in which it is available,
/// and if its pull leaves enough units for all minima (see Feasibility). Every pull is decided among the allowed arms:
///   1. the arm whose share is due first, if a pull of its share has been released: pull k of an arm with share s and
///      cost c is released when floor((k-1) c/s) units are spent and due at ceil(k c/s). This is earliest deadline
///      first, without interruption. Say pull k is done after it was due, at d, and the last pull before it that was
///      not due by d (or belonged to no share) began at b. Nothing due by d was released by then. What is released
///      from b+1 on and due by d takes at most (d-b-1) (sum of shares) units, and that pull at most C: all is done at
///      d + C - 1, as Constraints guarantees;
///   2. else, while minimum pulls are lacking, the arm with the fewest pulls of those that lack any. Arms are rested,
///      so the order of pulls does not change their rewards. Minimum pulls come first, because their rewards inform all
///      later choices;
///   3. else the arm that the policy chooses.
/// Pulls that the policy chose count towards minima and shares. Where costs differ, index policies compare indices per
/// unit of cost; other policies ignore costs.
///
/// A choice that costs more than the round has left is kept, and units are saved until it is paid for. Otherwise an
/// expensive arm could never be pulled while a cheaper one is allowed. If no allowed arm can be paid for in a round,
/// the round ends without a choice, so that the next choice can use its rewards.
///
/// The policy's horizon is the largest number of pulls that the budget can buy, so it never runs past its horizon. With
/// costs there may be fewer pulls. `optimal` decides nothing: its plan is a minimum for every arm.
///
/// Copies are independent: a copy can answer what-if questions.
class ConstrainedPolicy {
 public:
  /// `setting.horizon` is the budget, in units. Throws InputError for constraints that no schedule meets.
  ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints);

  /// Returns the pulls of the next round, in order. All are decided before any of them is observed. Empty if no arm
  /// can be pulled or units are being saved. Valid until the next call.
  std::span<const Arm> next_round();
  /// Returns why each pull of the last round is made.
  std::span<const PullCause> causes() const { return causes_; }
  bool done() const { return round_ >= constraints_.budget().rounds(); }
  /// Records a reward, which may come late. A reward of a pull that was not decided here (from a log) counts as a pull
  /// made before; if such pulls fill only a part of a round, the next round is the rest of it.
  void observe(Arm arm, double reward);

  /// Sets the arms that can't be pulled until the next call, beside those that the constraints make unavailable. Units
  /// for the minima of such an arm are reserved to the end.
  void set_unavailable(std::span<const Arm> arms);

  Pulls round() const { return round_; }  ///< the last round returned; the first is 1
  Pulls spent() const { return spent_; }  ///< units, including those committed to a choice that is not paid for yet
  const ResolvedConstraints& constraints() const { return constraints_; }

 private:
  ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, FeasibleConstraints constraints);

  bool available(Arm arm, Pulls round) const {
    return unavailable_now_[static_cast<std::size_t>(arm)] == 0 && constraints_.available(arm, round);
  }
  /// Returns the units that the round has left; negative if units are being saved.
  Pulls left() const { return constraints_.budget().granted(round_) - gone(); }
  Pulls gone() const { return spent_ + lapsed_; }
  void find_allowed();
  std::optional<Arm> decide();
  std::optional<Arm> forced();
  std::optional<Arm> most_urgent_share() const;
  std::optional<Arm> fewest_below_minimum() const;
  void pull(Arm arm);
  void count_as_missed(Arm pulled, Pulls round);

  ResolvedConstraints constraints_;
  std::shared_ptr<const Feasibility> feasibility_;  // not null
  PolicyState policy_;
  Ledger ledger_;
  std::vector<Pulls> least_;                   // [arm], pulls by the end, from minima and shares
  std::vector<Pulls> owed_;                    // [arm], pulls of least_ not issued yet; as of the last decision
  std::vector<std::uint8_t> unavailable_now_;  // [arm], as set_unavailable() said
  std::vector<Pulls> missed_;                  // [arm], units spent while the arm was unavailable
  Pulls spent_ = 0;                            // units, see spent()
  Pulls lapsed_ = 0;                           // units that rounds left unspent and that were lost
  Pulls round_ = 0;                            // the last round returned
  std::optional<Arm> saving_for_;              // the choice that is not paid for yet
  PullCause cause_ = PullCause::choice;        // of the last decision
  std::vector<Arm> allowed_;                   // as of the last decision, ascending
  std::vector<Arm> pulls_;                     // of the last round
  std::vector<PullCause> causes_;              // of pulls_
};

}  // namespace longrun
