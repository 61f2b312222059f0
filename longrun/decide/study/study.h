#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longrun/base/archive.h"
#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/decide/study/outcome_order.h"
#include "longrun/decide/study/study_events.h"

namespace longrun {

/// A recorded decision that replay would make otherwise.
struct Difference {
  std::vector<Arm> recorded;
  std::vector<Arm> recomputed;
};

/// A study that is being carried out: the state between decisions and their outcomes. It has no clock, no files and no
/// threads. It does not keep settled decisions. StudyLog adds what needs the past: repeated reports, corrections,
/// replay.
///
/// Every member function that changes the study returns the event that describes the change; apply() repeats it in
/// another study of the same specification. A function that throws changes nothing. All rewards are on the scale of the
/// specification, and those that are clearly off it are refused.
///
/// Outcomes may be reported in any order; the policy observes those of each arm in the order of its pulls
/// (OutcomeOrder). LivePolicy defines what pending and lost pulls mean, ConstrainedPolicy what rounds and constraints
/// mean.
class Study {
 public:
  /// Throws InputError for an invalid specification.
  explicit Study(StudySpec spec);
  /// Makes a study that was created as `initial` and whose specification is `now`; load() gives it its state.
  Study(StudySpec initial, StudySpec now);

  /// Decides on the next pulls. Without constraints these are `count` pulls, or as many as the budget has left; under
  /// constraints the next round, which may be empty (units are saved, or no arm is available), and `count` must be 1.
  /// If `among` is not empty, only those arms, ascending, are pulled. Throws InputError if the budget is spent, or if
  /// no arm can be pulled and that does not take a round. After Cancelled, the study must not be used: some of the
  /// pulls are decided.
  Decided decide(Pulls count = 1, std::span<const Arm> among = {});
  /// Does the same in the memory of `decided`, which must not contain `among`. If this throws, `decided` may have
  /// changed.
  void decide(Pulls count, std::span<const Arm> among, Decided& decided);
  /// Settles a pending decision. Throws InputError for a decision that is not pending.
  Settled settle(DecisionId decision, const Outcome& outcome);
  /// Records a pull that was not decided here.
  Observed observe(Arm arm, double reward);
  /// Records a pull that was made in place of a decision, which is void. Throws InputError for a decision without an
  /// outcome. The budget need not have its units: it was made.
  PulledInstead pull_instead(DecisionId instead_of, Arm arm);
  /// Records a pull that was not decided here and whose reward is not known yet, and returns the number by which
  /// settle() reports it. No event describes it: only for a study that is not recorded, such as that of recommend().
  DecisionId add_pending(Arm arm);
  /// Sets the arms, ascending, that cannot be pulled from now on.
  AvailabilityChanged set_unavailable(std::vector<Arm> arms);

  /// Adds an arm without pulls, the last one. Throws InputError for a name that is empty or taken, and for constraints
  /// that list a value for every arm.
  ArmAdded add_arm(std::string name);
  /// Adds units to the budget.
  BudgetExtended extend_budget(Pulls units);
  /// Replaces the constraints, see ConstrainedPolicy::change(). Throws InputError for a change of units_per_round,
  /// costs, unspent or unit_decimals: they define the units and the rounds that the study counts.
  ConstraintsChanged change_constraints(const Constraints& constraints);
  /// Ends the study: from now on only outcomes and corrections are accepted. Throws InputError if it is closed already.
  Closed close();

  /// The checks of an event that apply() omits.
  enum class Trust {
    none,            ///< it is checked
    except_rewards,  ///< it was accepted under another noise: only its rewards are checked
    accepted,        ///< it was accepted before, in a study whose past has been corrected since: rewards, observations
                     ///< and constraints that would now be refused are applied
  };
  /// Repeats an event. A decision that this study would make otherwise is returned; the recorded one is applied. Throws
  /// InputError for an event that does not follow from the state, and for Corrected and NoiseChanged (StudyLog).
  std::optional<Difference> apply(const Event& event, Trust trust = Trust::none);

  const StudySpec& spec() const { return spec_; }  ///< with all changes so far
  const StudySpec& initial_spec() const { return initial_spec_; }
  /// Returns a study before its first event that was created with this noise; initial_spec() still has the other one.
  /// Throws InputError if the policy or the scale does not allow the noise.
  Study restarted(const std::optional<Noise>& noise) const;
  /// Returns whether the state is that before the first event.
  bool is_at_start() const;
  DecisionId last_decision() const { return last_decision_; }
  /// A decision without an outcome.
  struct Pending {
    DecisionId id = 0;
    Arm arm = 0;
    bool operator==(const Pending&) const = default;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(id, arm);
    }
  };
  std::vector<Pending> pending() const;  ///< ascending
  /// Returns the decision if it is pending, else nullptr. Valid until the study changes.
  const Pending* find_pending(DecisionId decision) const;
  bool is_pending(DecisionId decision) const { return find_pending(decision) != nullptr; }
  /// Returns the units that pulls cost: decided and not voided, or observed.
  Pulls spent() const { return policy_.spent() - policy_.committed(); }
  /// Returns the units of the budget that are neither spent nor lapsed.
  Pulls left() const { return std::max<Pulls>(0, policy_.spendable() + policy_.committed()); }
  /// Returns the units that were spent beyond the budget. A correction may say that a void pull was made after all,
  /// when its units have been spent again.
  Pulls overspent() const { return std::max<Pulls>(0, spent() - spec_.budget); }
  /// Returns the pulls of an arm: decided and not voided, or observed.
  Pulls pulls(Arm arm) const { return policy_.issued(arm) - policy_.saved_for(arm); }
  /// Returns the arms of set_unavailable(), ascending.
  std::vector<Arm> unavailable() const { return policy_.unavailable_now(); }
  /// Returns whether the arm can be pulled in the next round: neither set_unavailable() nor the constraints exclude it.
  bool is_available(Arm arm) const { return policy_.is_available_next(arm); }
  /// Returns whether the budget is spent, or what is left of it pays for no pull in a coming round. A closed study is
  /// not done for that reason.
  bool done() const { return !policy_.can_go_on(); }
  /// Throws InputError if the study is closed.
  void check_open() const;
  bool is_closed() const { return is_closed_; }
  const ConstrainedPolicy& policy() const { return policy_; }
  /// Returns the policy that decides, with its parameters. If the study estimates the noise, that is one of them.
  std::string policy_text() const;

  // For snapshots (study_snapshot.h): a study is loaded into one that was made from the same two specifications.

  void save(Writer& writer) const;
  /// Throws InputError, and changes nothing, if the bytes are not those of such a study.
  void load(Reader& reader);
  /// Returns a hash of the layout of the saved state.
  std::uint64_t layout() const;

 private:
  static constexpr Arm kSettled = -1;

  Arm arms() const { return static_cast<Arm>(spec_.arms.size()); }
  void check_arm(Arm arm) const;
  void check_ascending(std::span<const Arm> arms) const;
  /// Throws InputError if other units or rounds are meant.
  void check_same_rounds(const Constraints& constraints) const;
  ConstraintsChanged change_constraints(const Constraints& constraints, Trust trust);
  /// Removes a decision from the pending ones.
  void remove_pending(Pending& pending);
  /// Returns the pending decision with this number, or nullptr.
  template <class Decisions>
  static auto find_in(Decisions& decisions, DecisionId decision) -> decltype(&decisions.front());
  /// Returns a reward on the scale from 0 to 1. Throws InputError for one that is off the scale, unless it is trusted.
  double unit_reward(Arm arm, double reward, Trust trust);
  Settled settle(DecisionId decision, const Outcome& outcome, Trust trust);
  Observed observe(Arm arm, double reward, Trust trust);
  /// Returns whether the round has pulls.
  bool add_round(Decided& decided, std::span<const Arm> among);
  void apply_pulled(const PulledInstead& recorded);
  std::optional<Difference> apply_decided(const Decided& recorded, Trust trust);
  void check_follows(const Decided& recorded) const;
  /// Returns why no decision is left.
  std::string nothing_left() const;
  /// Returns why none of the arms can be pulled now; an empty `among` stands for all arms.
  std::string nothing_can_be_pulled(std::span<const Arm> among) const;

  StudySpec initial_spec_;
  StudySpec spec_;
  ScaleCheck scale_;
  ConstrainedPolicy policy_;
  // Ascending. A settled decision stays, with the arm kSettled, until it is the first one or half of all are settled,
  // so that outcomes in any order take an amortised O(log pending).
  std::deque<Pending> pending_;
  std::size_t settled_ = 0;  // decisions of pending_ that are settled
  OutcomeOrder order_;
  DecisionId last_decision_ = 0;
  bool is_closed_ = false;
};

}  // namespace longrun
