#include "longrun/service/study_store.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "longrun/base/text.h"
#include "longrun/service/internal/entry_details.h"

namespace longrun {

bool is_key(std::string_view text) {
  constexpr std::size_t kLongest = 250;
  return !text.empty() && text.size() <= kLongest &&
         std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

bool is_storable(const LogEntry& entry) {
  const auto can_be_kept = [](std::string_view text) {
    return text.find('\0') == std::string_view::npos && is_utf8(text);
  };
  return can_be_kept(entry.at) && can_be_kept(entry.key) && can_be_kept(entry.request) && can_be_kept(entry.event) &&
         can_be_kept(entry.details);
}

std::size_t hash_of(const LogEntry& entry) {
  std::size_t hash = std::hash<std::int64_t>()(entry.seq);
  for (const std::string* text : {&entry.at, &entry.key, &entry.request, &entry.event, &entry.details}) {
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: spreads the bits
    hash = (hash ^ std::hash<std::string_view>()(*text)) * kOdd;
  }
  return hash;
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

std::int64_t number_detail_of(const std::string& details, const char* field) {
  if (details.empty()) return 0;
  const auto json = nlohmann::ordered_json::parse(details, nullptr, false);
  const auto found = json.find(field);
  return found == json.end() || !found->is_number_integer() ? 0 : found->get<std::int64_t>();
}

}  // namespace longrun
