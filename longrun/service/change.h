#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/study_events.h"

namespace longrun {

// What can be asked of a study that is served. Arms are named as the client names them.

/// A live study decides. A shadow watches present practice: it makes no decisions, but compares each observation with
/// its own choice.
enum class StudyMode { live, shadow };

struct CreateStudy {
  StudySpec spec;
  std::string title{};  ///< for people; any text
  StudyMode mode = StudyMode::live;
};
struct AskDecisions {
  Pulls count = 1;
  std::vector<std::string> among{};  ///< empty for all arms
};
struct ReportOutcome {
  DecisionId decision = 0;
  Outcome outcome{};
  std::string observed_at{};  ///< empty, or as utc_text() writes it
};
/// Several outcomes: all are recorded or none.
struct ReportOutcomes {
  std::vector<ReportOutcome> rows;
};
struct CorrectOutcome {
  DecisionId decision = 0;
  Outcome outcome{};
  std::string reason;
};
/// Pulls that were made without a decision of the study: all are recorded or none.
struct AddObservations {
  struct Row {
    std::string arm;
    double reward = 0;
  };
  std::vector<Row> rows;
  bool is_list = true;  ///< whether the request had a list, for errors
};
/// Changes of the conditions; at least one is set. They are made in this order, all or none.
struct ChangeConditions {
  std::vector<std::string> added_arms{};
  std::optional<Pulls> more_budget{};  ///< units
  std::optional<NoiseChanged> noise{};
  /// The text of one constraint from now on, in place of its text so far; nullopt: it has its default value.
  struct ConstraintText {
    std::string field;
    std::optional<std::string> text;
  };
  std::vector<ConstraintText> constraints{};              ///< those that are not named stay as they are
  std::optional<std::vector<std::string>> unavailable{};  ///< exactly these arms cannot be pulled from now on
};
struct CloseStudy {};

using Change = std::variant<AskDecisions, ReportOutcome, ReportOutcomes, CorrectOutcome, AddObservations,
                            ChangeConditions, CloseStudy>;

}  // namespace longrun
