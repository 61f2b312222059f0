#include "longrun/service/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "longrun/base/input_error.h"
#include "longrun/base/split.h"
#include "longrun/base/text.h"

namespace longrun {
namespace {

/// Returns the value of a hexadecimal digit, or -1.
int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool is_control(char byte) { return (byte >= 0 && byte < ' ') || byte == '\x7f'; }

/// Returns the byte of the escape that begins at `begin`.
char escaped_byte(std::string_view text, std::size_t begin) {
  const std::string_view escape = text.substr(begin, 3);
  const int high = escape.size() == 3 ? hex_value(escape[1]) : -1;
  const int low = escape.size() == 3 ? hex_value(escape[2]) : -1;
  // The escape may end inside a UTF-8 character, so the message names its position only.
  if (high < 0 || low < 0) {
    throw InputError(
        fmt::format("invalid percent-escape at byte {}; an escape is % and two hexadecimal digits", begin + 1));
  }
  return static_cast<char>(high * 16 + low);
}

std::string path_of(std::string_view text) {
  for (std::size_t begin = text.find('%'); begin != std::string_view::npos; begin = text.find('%', begin + 1)) {
    if (escaped_byte(text, begin) == '/') throw InputError("the path has an escaped \"/\" (%2F); it is not accepted");
  }
  return percent_decoded(text);
}

std::string query_text(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decoded(spaced);
}

/// Returns the target without scheme and host, if it begins with them.
std::string_view without_host(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t path = target.find_first_of("/?", scheme.size());
    return path == std::string_view::npos ? "/" : target.substr(path);
  }
  return target;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      decoded += escaped_byte(text, i);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  if (!is_utf8(decoded)) throw InputError("the target is not UTF-8 after its escapes are decoded");
  if (std::any_of(decoded.begin(), decoded.end(), is_control)) {
    throw InputError("the target has a control character; they are not accepted");
  }
  return decoded;
}

UrlTarget parse_url_target(std::string_view target) {
  if (target == "*") return {"*"};
  target = without_host(target);
  if (target.find('#') != std::string_view::npos) throw InputError("the target has a fragment (#); requests have none");
  const std::size_t question = target.find('?');
  const std::string_view path = question == 0 ? "/" : target.substr(0, question);
  if (!path.starts_with('/')) throw InputError("the target does not begin with \"/\"");
  UrlTarget result{path_of(path)};
  if (question == std::string_view::npos) return result;
  for (const std::string_view part : split(target.substr(question + 1), '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    result.query.emplace_back(query_text(part.substr(0, equals)), query_text(value));
  }
  return result;
}

}  // namespace longrun
