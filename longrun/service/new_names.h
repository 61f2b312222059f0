#pragma once

#include <string>
#include <vector>

namespace longrun {

// Names that a study gets from now on. Logs of earlier versions may have others, which are read as they are.

/// Throws RequestError for a name that a new arm cannot have: one that is not a line of UTF-8, has characters that
/// cannot be seen, or looks the same as another one of `names` or of `others`, the arms that the study has.
void check_new_arms(const std::vector<std::string>& names, const std::vector<std::string>& others, const char* field);
/// Throws RequestError for a title with characters that cannot be seen.
void check_new_title(const std::string& title);

}  // namespace longrun
