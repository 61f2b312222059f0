#pragma once

#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// Returns warnings about labels of a history that may stand for the same arm, each with both labels and their rows:
///   - labels that look the same (same_look()) or differ only in case;
///   - labels that differ only in how people write or type the same word (plain_spelling()), or in characters that look
///   alike (like_glyphs()), unless they are shorter than three characters;
///   - a label with few rows that is nearly that of an arm with many: a typo of the nearest one. Labels that differ in
///     digits are not similar.
std::vector<std::string> similar_label_warnings(const std::string& path, const History& history);

}  // namespace longrun
