#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "longrun/decide/study_json.h"
#include "longrun/service/served_study.h"

namespace longrun {

// What clients see of a study, as JSON.

/// Returns the study as it is now: its specification, its budget, and the pulls of every arm.
nlohmann::ordered_json study_json(const ServedStudy& study);
/// Returns the pending decisions with numbers above `after`, the oldest first, at most `most`.
nlohmann::ordered_json pending_json(const ServedStudy& study, DecisionId after, std::size_t most);

/// Returns the specification and all events of a study.
StudyHistory history_of(const ServedStudy& study);
/// Returns the rewards of every arm in the order of its pulls, and the pulls of all arms over time, in at most `points`
/// buckets each: the mean, the smallest and the largest value.
nlohmann::ordered_json series_json(const StudyHistory& history, std::size_t points);
/// Replays a study, and returns where today's code would decide otherwise and whether the result is `state`, a snapshot
/// of the study.
nlohmann::ordered_json audit_json(const StudyHistory& history, const std::string& state);

}  // namespace longrun
