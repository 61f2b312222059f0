#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "longrun/decide/advice/question.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/service/served_study.h"

namespace longrun {

// What clients see of a study, as JSON.

/// Returns a number of units as clients count them: whole, or with the decimals of the study.
nlohmann::ordered_json units_json(const Study& study, Pulls units);

/// Returns the study as it is at the time `now`: its specification, its budget, its health, and the pulls of every arm.
nlohmann::ordered_json study_json(const ServedStudy& study, const std::string& now);
/// Returns the pending decisions with numbers above `after`, the oldest first, at most `most`.
nlohmann::ordered_json pending_json(const ServedStudy& study, DecisionId after, std::size_t most);

/// Returns the specification and all events of a study.
StudyHistory history_of(const ServedStudy& study);
/// Returns the same from the entries of a log. Throws InputError, which names the entry, if they are not a log.
StudyHistory history_in(const std::vector<LogEntry>& entries);
/// Returns the numbers of the entries that made the decision and gave it outcomes, in order. Throws RequestError if
/// there is no such decision. O(number of events).
std::vector<std::int64_t> entries_of_decision(const ServedStudy& study, DecisionId decision);

/// Returns the rewards of every arm in the order of its pulls, the pulls of all arms over time, and the sums of the
/// known rewards, in at most `points` buckets each: the mean, the smallest and the largest value. Also returns how many
/// decisions are void, and how many pulls were made without a decision.
nlohmann::ordered_json series_json(const StudyHistory& history, std::size_t points);
/// Replays a study, and returns where today's code would decide otherwise and whether the result is `state`, a snapshot
/// of the study.
nlohmann::ordered_json audit_json(const StudyHistory& history, const std::string& state);

}  // namespace longrun
