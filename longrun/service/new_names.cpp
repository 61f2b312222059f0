#include "longrun/service/new_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "longrun/base/text.h"
#include "longrun/data/same_look.h"
#include "longrun/service/request_error.h"

namespace longrun {

void check_new_arms(const std::vector<std::string>& names, const std::vector<std::string>& others, const char* field) {
  if (names.empty()) return;
  std::unordered_map<std::string, const std::string*> by_look;
  for (const std::string& name : others) by_look.emplace(same_look(name), &name);
  for (const std::string& name : names) {
    const std::string_view problem = problem_of_name(name);
    if (!problem.empty()) {
      throw invalid_request(
          fmt::format("arms: '{}' {}; names are UTF-8 on one line, without spaces around them", name, problem), field);
    }
    if (has_format_character(name)) {
      throw invalid_request(fmt::format("arms: '{}' has a character that cannot be seen, such as a direction mark; "
                                        "write the name without it",
                                        name),
                            field);
    }
    const auto [other, is_new] = by_look.emplace(same_look(name), &name);
    if (is_new || *other->second == name) continue;  // that a name is given twice, the study says
    throw invalid_request(fmt::format("arms: '{}' looks the same as '{}', apart from capitals, spaces or the way in "
                                      "which accents are stored; names must differ in more",
                                      name, *other->second),
                          field);
  }
}

void check_new_title(const std::string& title) {
  const bool has_control_character =
      std::any_of(title.begin(), title.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  if (!has_control_character && !has_format_character(title)) return;
  throw invalid_request("title: has a character that cannot be seen, such as a line break or a direction mark",
                        "/title");
}

}  // namespace longrun
