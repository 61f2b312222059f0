#include "longrun/decide/study/study_events.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"

namespace longrun {

std::string_view name(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::observed:
      return "observed";
    case OutcomeKind::lost:
      return "lost";
    case OutcomeKind::voided:
      break;
  }
  return "void";
}

OutcomeKind outcome_kind(std::string_view text) {
  for (const OutcomeKind kind : {OutcomeKind::observed, OutcomeKind::lost, OutcomeKind::voided}) {
    if (name(kind) == text) return kind;
  }
  throw InputError(fmt::format("outcome '{}' is unknown; allowed: observed, lost, void", text));
}

std::string_view name(StudyMode mode) { return mode == StudyMode::live ? "live" : "shadow"; }

StudyMode study_mode(std::string_view text) {
  for (const StudyMode mode : {StudyMode::live, StudyMode::shadow}) {
    if (name(mode) == text) return mode;
  }
  throw InputError(fmt::format("mode: '{}' is not 'live' or 'shadow'", text));
}

Outcome checked(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::observed:
      return outcome;
    case OutcomeKind::lost:
    case OutcomeKind::voided:
      return {outcome.kind};
  }
  throw InputError(fmt::format("outcome: {} is no kind of outcome", static_cast<int>(outcome.kind)));
}

std::string text_of(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::observed ? fmt::format("observed {}", outcome.reward)
                                               : std::string(name(outcome.kind));
}

}  // namespace longrun
