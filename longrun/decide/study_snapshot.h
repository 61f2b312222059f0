#pragma once

#include <string>
#include <string_view>

#include "longrun/decide/study.h"

namespace longrun {

// The state of a study as bytes: that of its policy, and its pending decisions. A restored study goes on to
// the last bit as the saved one would have. Bytes of another version of the library are read if its states have the
// same layout; else the events of the study rebuild it (StudyLog::replay).

/// Returns the study as bytes.
std::string snapshot(const Study& study);

/// Returns the study that the bytes were taken from. Throws InputError for bytes that are damaged, incomplete, no
/// snapshot, or of a version whose states have another layout.
Study restored(std::string_view bytes);

}  // namespace longrun
