#pragma once

#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// Returns warnings about labels of a history that may stand for the same arm, each with both labels and their rows:
///   - labels that look the same (same_look()) or differ only in case;
///   - labels that differ only in how people write or type the same word (plain_spelling()), in characters that look
///   alike (like_glyphs()), or in accents that one of them leaves out, unless they are shorter than three characters,
///   or four for accents;
///   - a label with at most ten rows that is probably a typo (is_probable_typo()) of one with ten times as many. A
///   label whose words all occur in labels with more rows is none.
///
/// Two labels that both stand for a missing one (is_missing_label()) are left out. O(n) in the rows and in the
/// characters of all labels, apart from sorting them.
std::vector<std::string> similar_label_warnings(const std::string& path, const History& history);

}  // namespace longrun
