#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/study/study_events.h"
#include "longrun/service/request_error.h"

namespace longrun {

// What can be asked of a study that is served. Arms are named as the client names them.

inline constexpr std::size_t kLongestKey = 200;  ///< bytes of a key, or of the id of an observation

/// The prefix of the key of an observation that has an id; the id follows.
inline const std::string kKeyOfObservation = "observation ";

/// Returns a number of units, in which clients count, as a whole number of their smallest parts. Throws RequestError
/// for one that has more decimals, or is not in 1..most.
Pulls units_of(double number, int decimals, const char* field, Pulls most = kLongestHorizon);

struct CreateStudy {
  StudySpec spec;
  std::string title{};               ///< for people; any text
  StudyMode mode = StudyMode::live;  ///< a shadow makes no decisions, but compares each observation with its own choice
};
struct AskDecisions {
  Pulls count = 1;
  std::vector<std::string> among{};        ///< empty for all arms
  std::vector<std::string> unavailable{};  ///< arms that cannot be pulled this time
};
struct ReportOutcome {
  DecisionId decision = 0;  ///< 0 if only the arm is named
  Outcome outcome{};
  std::string observed_at{};  ///< empty, or as utc_text() writes it
  std::size_t place = 0;      ///< as in RowProblem
  /// If not empty: without a decision, the outcome is a reward of the oldest pending decision of this arm or, if there
  /// is none, of a pull that was made without a decision. With a decision, it is the arm that the client believes to be
  /// that of the decision; the outcome of another one is refused.
  std::string arm{};
  /// A pull that was made in place of the decision, whose outcome is void: both are recorded or none.
  struct Instead {
    std::string arm;
    std::optional<double> reward{};  ///< nullopt: it is not known yet
    bool operator==(const Instead&) const = default;
  };
  std::optional<Instead> instead{};
  bool is_of_arm() const { return decision == 0 && !arm.empty(); }
};
/// Several outcomes: all are recorded or none.
struct ReportOutcomes {
  std::vector<ReportOutcome> rows{};
  std::vector<RowProblem> unreadable{};  ///< rows that are not outcomes, in order; nothing is recorded if there are any
  bool is_table = false;                 ///< whether the rows are lines of a table, and not of a list
  bool has_rewards_of_arms = false;      ///< whether a row has no decision: then it is not the same when it is repeated
};
/// Another outcome of a decision, or of an observation.
struct CorrectOutcome {
  DecisionId decision = 0;  ///< 0 if an observation is corrected
  Outcome outcome{};
  std::string reason;
  std::int64_t observation = 0;   ///< number of its entry; 0 if a decision is corrected, or if it is found by its id
  std::string observation_key{};  ///< key of its entry; empty if it is found by its number
  std::string arm{};              ///< the arm that the decision must be for; empty: any. Not part of what is recorded
  /// A pull that was made in place of the decision, whose right outcome is void.
  std::optional<ReportOutcome::Instead> instead{};
};
/// Pulls that were made without a decision of the study: all are recorded or none.
struct AddObservations {
  struct Row {
    std::string arm;
    double reward = 0;
    std::string id{};       ///< names the pull, which is recorded once; empty if it has none
    std::size_t place = 1;  ///< as in RowProblem
  };
  std::vector<Row> rows{};
  std::vector<RowProblem> unreadable{};  ///< as in ReportOutcomes
  bool has_ids = false;                  ///< whether every row has an id; else none has one
  bool is_table = false;                 ///< as in ReportOutcomes
  bool is_list = true;                   ///< whether the request had several rows, or could have had them
};
/// Changes of the conditions; at least one is set. They are made in this order, all or none.
struct ChangeConditions {
  std::vector<std::string> added_arms{};
  std::optional<double> more_budget{};  ///< units, as clients count them
  std::optional<NoiseChanged> noise{};
  /// The text of one constraint from now on, in place of its text so far; nullopt: it has its default value.
  struct ConstraintText {
    std::string field;
    std::optional<std::string> text;
  };
  std::vector<ConstraintText> constraints{};              ///< those that are not named stay as they are
  std::optional<std::vector<std::string>> unavailable{};  ///< exactly these arms cannot be pulled from now on
  std::optional<StudyMode> mode{};                        ///< live: a shadow makes decisions from now on
};
struct CloseStudy {};

using Change = std::variant<AskDecisions, ReportOutcome, ReportOutcomes, CorrectOutcome, AddObservations,
                            ChangeConditions, CloseStudy>;

/// Returns a text that is the same for two changes exactly if they ask for the same.
std::string canonical_text(const Change& change);

}  // namespace longrun
