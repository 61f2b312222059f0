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

/// What a study decides about, and how.
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

/// What became of a decision.
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

/// Decisions that were made together: a round under constraints, else as many as were asked for.
struct Decided {
  Pulls round = 0;  ///< number of the round; without constraints, of the first of the pulls
  std::vector<Decision> decisions{};
  std::vector<Arm> among{};  ///< the arms that the choice was restricted to, ascending; empty if it was not
  bool operator==(const Decided&) const = default;
};
/// A decision got its outcome.
struct Settled {
  DecisionId decision = 0;
  Outcome outcome{};
  bool operator==(const Settled&) const = default;
};
/// A settled decision has another outcome than was reported, or an observation another reward, or its pull was not made
/// (void). The state becomes that of a study that had always known.
struct Corrected {
  DecisionId decision = 0;  ///< 0 if an observation is corrected
  Outcome outcome{};
  std::int64_t observation = 0;  ///< number of its event Observed; 0 if a decision is corrected
  bool operator==(const Corrected&) const = default;
};
/// A pull that the study did not decide on was made.
struct Observed {
  Arm arm = 0;
  double reward = 0;
  bool operator==(const Observed&) const = default;
};
/// Another arm was pulled in place of a decision that is void. The pull has the next number of a decision, by which its
/// outcome is reported. It was made, so it is recorded beyond the budget and in a closed study, too.
struct PulledInstead {
  DecisionId decision = 0;  ///< the number of the pull
  Arm arm = 0;
  DecisionId instead_of = 0;  ///< the void decision
  bool operator==(const PulledInstead&) const = default;
};
/// From now on exactly these arms cannot be pulled, beside those that the constraints make unavailable.
struct AvailabilityChanged {
  std::vector<Arm> unavailable{};  ///< ascending
  bool operator==(const AvailabilityChanged&) const = default;
};
/// There is one more arm, the last.
struct ArmAdded {
  std::string name;
  bool operator==(const ArmAdded&) const = default;
};
/// The budget is larger by `units`.
struct BudgetExtended {
  Pulls units = 0;
  bool operator==(const BudgetExtended&) const = default;
};
/// What was said about the noise was wrong or not known. The state becomes that of a study that was created with this
/// noise, and has the same decisions and outcomes.
struct NoiseChanged {
  std::optional<Noise> noise{};  ///< as in StudySpec
  bool operator==(const NoiseChanged&) const = default;
};
/// These are the constraints from now on (ConstrainedPolicy::change()). Rounds, costs and units are as before.
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
/// The study has this mode from now on.
struct ModeChanged {
  StudyMode mode = StudyMode::live;
  bool operator==(const ModeChanged&) const = default;
};
/// No more decisions are made, and no more pulls are added. Outcomes may still be reported and corrected.
struct Closed {
  bool operator==(const Closed&) const = default;
};
using Event = std::variant<Decided, Settled, Corrected, Observed, PulledInstead, AvailabilityChanged, ArmAdded,
                           BudgetExtended, NoiseChanged, ConstraintsChanged, ModeChanged, Closed>;

}  // namespace longrun
