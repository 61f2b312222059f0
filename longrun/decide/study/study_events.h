#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/constraints.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"

namespace longrun {

/// The specification of a study: its arms, budget, scale, noise, policy, constraints and seed.
struct StudySpec {
  std::vector<std::string> arms;       ///< names, all different
  Pulls budget = 1;                    ///< units; without constraints, pulls
  RewardScale scale{};                 ///< of all rewards that are reported
  std::optional<Noise> noise{};        ///< of rewards on the scale from 0 to 1; nullopt: estimated from the rewards
  std::string policy{kDefaultPolicy};  ///< the policy that decides, with its parameters
  Constraints constraints{};
  std::uint64_t seed = 0;  ///< of randomized policies
  bool operator==(const StudySpec&) const = default;
};

/// The number of a decision in its study: 1, 2, ...
using DecisionId = std::int64_t;

/// One pull that a study decided on.
struct Decision {
  DecisionId id = 0;
  Arm arm = 0;
  Pulls pull = 0;  ///< number of this pull of the arm, from 1, if all pulls before it are made
  PullCause cause = PullCause::choice;
  bool operator==(const Decision&) const = default;
};

/// The kind of the outcome of a decision.
enum class OutcomeKind {
  observed,  ///< the pull was made and its reward is known
  lost,      ///< the pull was made and its reward stays unknown
  voided     ///< the pull was not made
};
std::string_view name(OutcomeKind kind);
/// Returns the kind with this name. Throws InputError if there is none.
OutcomeKind outcome_kind(std::string_view name);

struct Outcome {
  OutcomeKind kind = OutcomeKind::observed;
  double reward = 0;  ///< on the scale of the study; 0 unless observed
  bool operator==(const Outcome&) const = default;

  static Outcome observed(double reward) { return {OutcomeKind::observed, reward}; }
  static Outcome lost() { return {OutcomeKind::lost}; }
  static Outcome voided() { return {OutcomeKind::voided}; }
};

/// Returns the outcome, without a reward unless it is observed. Throws InputError for a kind that does not exist.
Outcome checked(const Outcome& outcome);

/// Returns "observed 0.5", "lost" or "void".
std::string text_of(const Outcome& outcome);

// Events: what happened to a study. Its state is a function of its specification and its events.

/// The event that decisions were made together: a round under constraints, else as many as were asked for.
struct Decided {
  Pulls round = 0;  ///< number of the round; without constraints, of the first of the pulls
  std::vector<Decision> decisions{};
  std::vector<Arm> among{};  ///< the arms that the choice was restricted to, ascending; empty if it was not
  bool operator==(const Decided&) const = default;
};
/// The event that a decision received its outcome.
struct Settled {
  DecisionId decision = 0;
  Outcome outcome{};
  bool operator==(const Settled&) const = default;
};
/// The event that a settled decision has another outcome than was reported, or that an observation has another reward
/// or is void. The state becomes that of a study that had always known.
struct Corrected {
  DecisionId decision = 0;  ///< 0 if an observation is corrected
  Outcome outcome{};
  std::int64_t observation = 0;  ///< number of its event Observed; 0 if a decision is corrected
  bool operator==(const Corrected&) const = default;
};
/// The event of a pull that the study did not decide on.
struct Observed {
  Arm arm = 0;
  double reward = 0;
  bool operator==(const Observed&) const = default;
};
/// The event that another arm was pulled in place of a decision that is void. The pull has the next number of a
/// decision, by which its outcome is reported. It was made, so it is recorded beyond the budget and in a closed study,
/// too.
struct PulledInstead {
  DecisionId decision = 0;  ///< the number of the pull
  Arm arm = 0;
  DecisionId instead_of = 0;  ///< the void decision
  bool operator==(const PulledInstead&) const = default;
};
/// The event that sets the arms that cannot be pulled from now on, in addition to those that the constraints make
/// unavailable.
struct AvailabilityChanged {
  std::vector<Arm> unavailable{};  ///< ascending
  bool operator==(const AvailabilityChanged&) const = default;
};
/// The event that an arm was added, the last one.
struct ArmAdded {
  std::string name;
  bool operator==(const ArmAdded&) const = default;
};
/// The event that `units` were added to the budget.
struct BudgetExtended {
  Pulls units = 0;
  bool operator==(const BudgetExtended&) const = default;
};
/// The event that replaces the stated noise. The state becomes that of a study that was created with this noise, and
/// has the same decisions and outcomes.
struct NoiseChanged {
  std::optional<Noise> noise{};  ///< as in StudySpec
  bool operator==(const NoiseChanged&) const = default;
};
/// The event that replaces the constraints (ConstrainedPolicy::change()). Rounds, costs and units stay the same.
struct ConstraintsChanged {
  Constraints constraints{};
  bool operator==(const ConstraintsChanged&) const = default;
};
/// A live study decides. A shadow watches present practice: the caller asks it for no decisions. The state of a
/// study does not depend on its mode.
enum class StudyMode { live, shadow };
/// Returns "live" or "shadow".
std::string_view name(StudyMode mode);
/// Returns the mode with this name. Throws InputError if there is none.
StudyMode study_mode(std::string_view name);
/// The event that the mode changed.
struct ModeChanged {
  StudyMode mode = StudyMode::live;
  bool operator==(const ModeChanged&) const = default;
};
/// The event that the study was closed: no more decisions are made, and no more pulls are added. Outcomes may still be
/// reported and corrected.
struct Closed {
  bool operator==(const Closed&) const = default;
};
using Event = std::variant<Decided, Settled, Corrected, Observed, PulledInstead, AvailabilityChanged, ArmAdded,
                           BudgetExtended, NoiseChanged, ConstraintsChanged, ModeChanged, Closed>;

}  // namespace longrun
