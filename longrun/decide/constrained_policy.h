#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "longrun/base/archive.h"
#include "longrun/base/types.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/decide/live_policy.h"
#include "longrun/model/constraints.h"
#include "longrun/model/resolved_constraints.h"
#include "longrun/policy/catalog.h"

namespace longrun {

/// Why a pull is made: a share is due, minimum pulls are lacking, or the policy chose it.
enum class PullCause { share, minimum, choice };
std::string_view name(PullCause cause);

/// A policy under constraints. It decides round by round which arms to pull, and never breaks a constraint.
///
/// An arm is allowed if it can be paid for, now or (where units are kept) by saving, in a round in which it is
/// available, and if its pull leaves enough units for all minima (see Feasibility). Every pull is restricted to the
/// allowed arms:
///   1. the arm whose share is due first, if a pull of its share has been released: pull k of an arm with share s and
///      cost c is released when floor((k-1) c/s) units are spent and due at ceil(k c/s). This is earliest deadline
///      first, without interruption. Suppose that pull k is due at d and done later. Let b be the units spent when
///      the last earlier pull began that was not due by d (or belonged to no share). Then no released pull due by d was
///      waiting. Those released from b+1 on and due by d take at most (d-b-1) (sum of shares) <= d-b-1 units, and the
///      pull that began at b takes at most C. So all are done at b + C + (d-b-1) = d + C - 1, as Constraints
///      guarantees;
///   2. else, while minimum pulls are lacking, the arm with the fewest pulls of those that lack any. Arms are rested,
///      so the order of pulls does not change their rewards. Minimum pulls come first, because their rewards inform all
///      later choices;
///   3. else the arm that the policy chooses.
/// Pulls that the policy chose count towards minima and shares. An arm has no share of the units that are spent while
/// it is unavailable, before it was added, or before its share was changed. Cancelling such a pull does not give the
/// share back. Where costs differ, index policies compare indices per unit of cost; other policies ignore costs.
///
/// A choice that costs more than the round has left is kept, and units are saved until it is paid for. Otherwise an
/// expensive arm could never be pulled while a cheaper one is allowed. If no allowed arm can be paid for in a round,
/// the round ends without a choice, so that the next choice can use its rewards.
///
/// The policy's horizon is the largest number of pulls that the budget can buy, so it never runs past its horizon.
/// Where costs differ, its choices use, as the number of remaining pulls, the largest number that the rest of the
/// budget can buy; an expensive pull reduces it by more than 1. `optimal` decides nothing: its plan is a minimum for
/// every arm.
///
/// Copies are independent: a copy can answer what-if questions.
class ConstrainedPolicy {
 public:
  /// `setting.horizon` is the budget, in units. Throws InputError for constraints that no schedule meets.
  ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints);

  /// Returns the pulls of the next round, in order. All are decided before any of them is observed. Empty if no arm
  /// can be pulled or units are being saved. Arms that are not in `among`, ascending, are unavailable in this round; an
  /// empty `among` stands for all arms. If a round is one pull and no arm can be pulled, the round is not over. Valid
  /// until the next call.
  std::span<const Arm> next_round(std::span<const Arm> among = {});
  /// Returns why each pull of the last round is made.
  std::span<const PullCause> causes() const { return causes_; }
  bool done() const {
    return round_ >= rounds_ && !(last_round_goes_on_ && constraints_.most_pulls(std::max<Pulls>(0, unspent())) > 0);
  }

  /// Repeats a recorded round: decides on it as next_round() does, and returns the pulls decided on. If they are not
  /// `recorded`, pulls those instead. Where a round is one pull, repeats as many rounds as were recorded.
  std::vector<Arm> adopt_round(std::span<const Arm> recorded, std::span<const Arm> among);

  // The outcome of a decided pull, which may come late. Each throws InputError for an arm without a pending pull.

  /// Records the reward of a decided pull.
  void observe(Arm arm, double reward) { policy_->observe(arm, reward); }
  /// Records that the reward of a decided pull never arrives.
  void lose(Arm arm) { policy_->lose(arm); }
  /// Records that a decided pull was not made. Its units can be spent again, unless they have lapsed.
  void cancel(Arm arm);

  /// Records a pull that was not decided here (from a log) and its reward. If such pulls fill only a part of a round,
  /// the next round is the rest of it.
  void add(Arm arm, double reward);
  /// Records such a pull whose reward is not known yet. It is pending until observe(), lose() or cancel().
  void add_pending(Arm arm);

  /// Returns a copy in the same state, of rounds and constraints, in which `policy` decides from now on.
  ConstrainedPolicy with_policy(std::unique_ptr<LivePolicy> policy) const;

  /// Sets the arms that can't be pulled, in addition to those that the constraints make unavailable, until this
  /// function is called again. Units for the minima of such an arm stay reserved to the end. Throws InputError for an
  /// arm that does not exist.
  void set_unavailable(std::span<const Arm> arms);
  /// Returns the arms of the last call of set_unavailable(), ascending.
  std::vector<Arm> unavailable_now() const;
  /// Returns whether the arm can be pulled in the round that next_round() would decide on.
  bool is_available_next(Arm arm) const { return available(arm, coming_round()); }

  /// Returns the arms, ascending, that the first pull of that round is restricted to, unless a minimum or a share
  /// requires one of them. O(size of the state).
  std::vector<Arm> allowed_next() const;

  /// Adds an arm without pulls, the last one. `constraints` are those of the constructor. Throws InputError if they
  /// list a value for every arm, or if no schedule meets them for the new arm.
  void add_arm(const Constraints& constraints);
  /// Adds units to the budget.
  void extend(const Constraints& constraints, Pulls units);

  /// The choice of whether change() checks that a schedule meets the constraints.
  enum class Feasible { checked, accepted };
  /// Replaces the constraints. Rounds, costs and what happens to unspent units must be those of the constructor. The
  /// state of the policy does not change.
  ///   Minimum pulls count all pulls so far.
  ///   A share that is new or another than before is one of the units that are spent from now on, in rounds in which
  ///   the arm is available: with U units left of those, floor(s (U - C + 1) / cost) more pulls by the end. A share
  ///   that is the same as before keeps its claim, also on the units that were spent.
  ///   Rounds that are over are not made unavailable, or available, afterwards.
  /// A choice that is not paid for yet is given up if the new constraints do not allow it. Throws InputError, which
  /// names arms and units by `words`, and changes nothing if no schedule meets the constraints from now on.
  void change(const Constraints& constraints, const ScheduleWords& words, Feasible feasible = Feasible::checked);
  /// Sets what a saved policy had when it was saved, so that load() can follow: its constraints, and its arms and
  /// budget, which are at least those of the constructor.
  void prepare_to_load(const Constraints& constraints, Arm arms, Pulls budget);

  void save(Writer& writer) const;
  /// Loads the state of a policy with the same arguments, arms and budget. Throws InputError for other bytes; the
  /// object may then only be destroyed or assigned to.
  void load(Reader& reader);
  /// Returns a hash of the layout of the saved state.
  std::uint64_t layout() const;

  Pulls round() const { return round_; }  ///< the last round returned, from 1; 0 before the first
  /// Returns the pulls of the arm that were decided here and not cancelled, or added.
  Pulls issued(Arm arm) const { return issued_[static_cast<std::size_t>(arm)]; }
  /// Returns 1 if the last of them is a choice that is not paid for yet, else 0.
  Pulls saved_for(Arm arm) const { return saving_for_ == arm ? 1 : 0; }
  /// Returns the smallest number of pulls of the arm by the end that its minimum and its share allow.
  Pulls least(Arm arm) const { return least_[static_cast<std::size_t>(arm)]; }
  Pulls spent() const { return spent_; }  ///< units, including committed()
  /// Returns the units that a choice costs that is not paid for yet.
  Pulls committed() const { return saving_for_ ? constraints_.cost(*saving_for_) : 0; }
  /// Returns the units that can still be spent: neither spent, committed nor lapsed.
  Pulls unspent() const { return constraints_.horizon() - gone(); }
  /// Returns the units that coming rounds can spend, without committed() ones: those that the rounds so far have left
  /// unspent may lapse. Negative if the budget is overspent.
  Pulls spendable() const { return constraints_.horizon() - gone_by_then(); }
  /// Returns whether a coming round can have a pull: it pays for an arm that the constraints make available in it.
  /// Arms that set_unavailable() excludes may be available again by then. O(arms) under constraints.
  bool can_go_on() const;
  const ResolvedConstraints& constraints() const { return constraints_; }

 private:
  class Among;

  ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, FeasibleConstraints constraints);

  bool available(Arm arm, Pulls round) const {
    return unavailable_now_[static_cast<std::size_t>(arm)] == 0 && constraints_.available(arm, round);
  }
  /// Returns the units that the round has left; negative if units are being saved.
  Pulls left() const { return constraints_.budget().granted(round_) - gone(); }
  Pulls gone() const { return spent_ + lapsed_; }  ///< units that are spent, committed or lapsed
  /// Sets allowed_.
  void find_allowed();
  /// Sets all_available_now_.
  void update_all_available();
  std::span<const Arm> next_round_of_all();
  /// Records that `arm` is pulled in this round, whatever the policy would choose.
  void adopt(Arm arm);
  /// Tells the policy how many pulls the rest of the budget buys at most, where that does not follow from the number of
  /// pulls. It is called before every pull, whether chosen, adopted or added, so that the state after a history does
  /// not depend on how its pulls arrived.
  void update_remaining() {
    if (constraints_.costs_differ()) policy_->set_remaining(constraints_.most_pulls(std::max<Pulls>(0, unspent())));
  }
  /// Counts a pull that was not decided here.
  void count_added(Arm arm);
  void replace(FeasibleConstraints constraints);
  /// Adds arms without pulls, without changes to the policy and the constraints.
  void resize(Arm arms);
  /// Returns the constraints, resolved for a number of arms and units. Throws InputError if no schedule meets them,
  /// neither from the start nor from now on.
  FeasibleConstraints resolved_for(const Constraints& constraints, Arm arms, Pulls horizon) const;
  /// Returns the round that next_round() would decide on; the one after the last if the study is done.
  Pulls coming_round() const;
  /// Returns the units that are gone when that round begins.
  Pulls gone_by_then() const { return gone() + feasibility_->lapsing(coming_round() - 1, gone()); }
  /// Sets owed_.
  void find_owed();
  /// Returns why no schedule makes all pulls that are owed from now on, or nullopt.
  std::optional<std::string> obstacle(const ScheduleWords& words);
  /// Begins the shares that are other ones under `next`, and keeps the claims of the others.
  void begin_shares(const ResolvedConstraints& next);
  /// Returns whether the choice that is not paid for yet is allowed now.
  bool choice_is_allowed();
  /// Throws InputError if the units that are left do not suffice for all minima and shares under `constraints`, which
  /// have one more arm.
  void check_added_arm(const ResolvedConstraints& constraints) const;
  /// Sets what follows from the constraints and the saved fields.
  void derive();
  /// Returns the arm of the next pull and commits its units, or nullopt if the round has no more pulls.
  std::optional<Arm> decide();
  /// Returns the arm that a share or a minimum requires next, if any, and sets cause_.
  std::optional<Arm> forced();
  std::optional<Arm> most_urgent_share() const;
  std::optional<Arm> fewest_below_minimum() const;
  void pull(Arm arm);
  void count_as_missed(Arm pulled, Pulls round);
  void count_as_missed(Arm pulled) { count_as_missed(pulled, round_); }
  /// Sets share_pulls_ and least_ of an arm.
  void find_least(Arm arm);
  /// Sets them for all arms.
  void find_least();
  /// Undoes the choice of a pending pull: the policy forgets it, and its units are free.
  void take_back(Arm arm);
  /// Gives up the choice that is not paid for yet.
  void release_choice();
  /// Gives it up if its arm is unavailable now or the budget cannot pay for it: other arms need not wait for it.
  void release_hopeless_choice();
  /// Begins the next round, or goes on with the last one. Returns false if there is none.
  bool begin_round();
  /// Sets last_round_goes_on_, at the end of a round.
  void note_cut_round();

  /// Returns references to the fields that a round changes, except those with one value per arm.
  template <class Self>
  static auto round_fields(Self& self) {
    return std::tie(self.spent_, self.lapsed_, self.round_, self.last_round_goes_on_, self.saving_for_, self.cause_);
  }
  /// Returns references to the fields that are saved in addition to the policy.
  template <class Self>
  static auto saved_fields(Self& self) {
    return std::tuple_cat(
        std::tie(self.issued_, self.unavailable_now_, self.missed_, self.missed_now_, self.share_from_),
        round_fields(self));
  }

  ResolvedConstraints constraints_;
  Pulls rounds_ = 0;                                // of the budget
  std::shared_ptr<const Feasibility> feasibility_;  // not null
  PolicyState policy_;
  bool unconstrained_ = false;                 // whether only the budget limits the pulls
  std::vector<Pulls> share_pulls_;             // [arm], pulls by the end, from shares, after share_from_
  std::vector<Pulls> least_;                   // [arm], pulls by the end, from minima and shares
  std::vector<Pulls> issued_;                  // [arm], pulls decided here or added, not cancelled
  std::vector<Pulls> owed_;                    // [arm], pulls of least_ not issued yet; as of the last decision
  std::vector<std::uint8_t> unavailable_now_;  // [arm], not 0 for the arms of set_unavailable()
  bool all_available_now_ = true;              // whether unavailable_now_ is 0 for every arm
  std::vector<Pulls> missed_;                  // [arm], units spent while the arm was unavailable or had no share
  std::vector<Pulls> missed_now_;              // [arm], units of rounds that allow the arm that its share leaves out
  std::vector<Pulls> share_from_;              // [arm], pulls that do not count for its share: made before it began
  Pulls spent_ = 0;                            // units, see spent()
  Pulls lapsed_ = 0;                           // units that rounds left unspent and that lapsed
  Pulls round_ = 0;                            // see round()
  bool last_round_goes_on_ = false;            // while units are left: set_unavailable() excluded arms in it
  std::optional<Arm> saving_for_;              // the choice that is not paid for yet
  PullCause cause_ = PullCause::choice;        // of the last decision
  std::vector<Arm> allowed_;                   // as of the last decision, ascending
  std::vector<Arm> pulls_;                     // of the last round
  std::vector<PullCause> causes_;              // of pulls_
};

}  // namespace longrun
