#pragma once

#include "longrun/decide/advice/question.h"
#include "longrun/decide/study/study.h"
#include "longrun/decide/study/study_json.h"

namespace longrun {

/// Returns the study after its events, with another policy and other constraints from the first event on. If the
/// events change its constraints, the other ones hold from now on; so do minima, shares and unavailable rounds if the
/// events add arms or extend the budget. Recorded decisions stand. Throws InputError for
/// events that do not follow from each other, or not under these constraints.
Study replayed(const StudyHistory& history, const std::string& policy, const Constraints& constraints);

/// The choice of whether pulls without an outcome are part of a question.
enum class PendingPulls { left_out, included };

/// Returns the question about the rest of a study: its specification as it is now, and its observed rewards in the
/// order of the decisions, with lost pulls. Void ones are left out.
Question question_of(const StudyHistory& history, PendingPulls pending = PendingPulls::left_out);

}  // namespace longrun
