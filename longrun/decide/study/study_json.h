#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/decide/study/study_events.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

// The JSON form of a study: JSON Lines, the specification first, then one event per line. Arms are written by name.
// Numbers read back exactly. Units of `budget` and of events count 10^-unit_decimals, where that field is given. Every
// character that Unicode counts as a line break is escaped.

/// The version of the form. A line of another version is refused.
inline constexpr int kStudySchema = 1;

/// Returns a specification as one line of JSON.
std::string to_json(const StudySpec& spec);
/// Reads a specification. Throws InputError, which names the field, if the text is not one.
StudySpec spec_from_json(std::string_view line);

/// Returns an event as one line of JSON. `number` is its number in its study, from 1; `arms` are the names at the time
/// of the event. Throws InputError for an arm without a name.
std::string to_json(const Event& event, std::int64_t number, const std::vector<std::string>& arms);

/// An event and its number.
struct NumberedEvent {
  std::int64_t number = 0;
  Event event;
};
/// Reads an event. Throws InputError, which names the field, if the text is not one.
NumberedEvent event_from_json(std::string_view line, const ArmLabels& arms);

/// A study as its events tell it.
struct StudyHistory {
  StudySpec spec;  ///< at the start
  std::vector<Event> events;
};
/// Returns the lines of a study, each with a line break.
std::string to_json_lines(const StudyHistory& history);
/// Reads lines of events. The first one has the number `first_event`; `arms` are the names before it. Blank lines at
/// the end are left out. Throws InputError, which names line and field, if the lines are not those of consecutive
/// events.
std::vector<Event> events_from_json_lines(std::string_view text, const std::vector<std::string>& arms,
                                          std::int64_t first_event);
/// Reads the lines of a study. Throws InputError, which names line and field, if they are not those of one study from
/// its first event on.
StudyHistory history_from_json_lines(std::string_view text);

}  // namespace longrun
