#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/decide/study/study.h"
#include "longrun/decide/study/study_log.h"

namespace longrun {

// The state of a study as bytes: that of its policy, and its pending decisions. A restored study goes on to
// the last bit as the saved one would have. Bytes of another version of the library are read if its states have the
// same layout; else the events of the study rebuild it (StudyLog::replay).

/// Returns the study as bytes.
std::string snapshot(const Study& study);
/// Returns the study of a log as bytes, with the number of its last event and its replacements. Its events are not
/// contained.
std::string snapshot(const StudyLog& log);

/// Returns the study that the bytes were taken from. Throws InputError for bytes that are damaged, incomplete, no
/// snapshot, or of a version whose states have another layout.
Study restored(std::string_view bytes);
/// Returns the log that the bytes were taken from, without its events: it answers as a log that no longer keeps them.
/// Throws as restored() does.
StudyLog resumed(std::string_view bytes, std::size_t keep = StudyLog::kAll);
/// Returns the same with the latest events, the first of which has the number `first_event`; they lead from `base` to
/// the study of the bytes.
StudyLog resumed(std::string_view bytes, Study base, const std::vector<Event>& events, std::int64_t first_event,
                 std::size_t keep = StudyLog::kAll);
/// Returns the number of the last event before the snapshot; 0 if it is not that of a log. Throws as restored() does.
std::int64_t last_event_of(std::string_view bytes);

}  // namespace longrun
