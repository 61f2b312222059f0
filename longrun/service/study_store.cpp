#include "longrun/service/study_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace longrun {

bool is_key(std::string_view text) {
  constexpr std::size_t kLongest = 250;
  return !text.empty() && text.size() <= kLongest &&
         std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

std::string details_text(const nlohmann::ordered_json& details) { return details.dump(-1, ' ', true); }

std::string details_text(const char* field, const std::string& text) {
  return details_text(nlohmann::ordered_json{{field, text}});
}

std::string detail_of(const std::string& details, const char* field) {
  if (details.empty()) return "";
  const auto json = nlohmann::ordered_json::parse(details, nullptr, false);
  const auto found = json.find(field);
  return found == json.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace longrun
