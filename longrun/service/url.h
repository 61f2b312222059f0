#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longrun {

/// The target of a request, decoded.
struct UrlTarget {
  std::string path;  ///< begins with "/", or is "*"
  std::vector<std::pair<std::string, std::string>>
      query{};  ///< in the order of the target; "a" and "a=" are both empty
};

/// Returns the text with its percent-escapes replaced by their bytes. Throws InputError if an escape is incomplete or
/// not hexadecimal, and if the result is not UTF-8 or has control characters.
std::string percent_decoded(std::string_view text);

/// Parses the target of a request: "/path?query", "http://host/path?query" or "*". In the query, "+" is a space. Throws
/// InputError as percent_decoded() does, and if the target has another form, a fragment, or an escaped "/" in its path,
/// which would be another path once it is decoded.
UrlTarget parse_url_target(std::string_view target);

}  // namespace longrun
