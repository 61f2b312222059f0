#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "longrun/base/input_error.h"
#include "longrun/base/split.h"
#include "longrun/service/api.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// Takes a text out of an object; empty if it is not there.
std::string taken_text(Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) return "";
  if (!found->is_string()) throw InputError(fmt::format("{}: not a text", field));
  std::string text = found->get<std::string>();
  json.erase(found);
  return text;
}

LogEntry entry_from(const std::string& line, std::int64_t seq) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw InputError("not a JSON object");
  LogEntry entry;
  entry.at = taken_text(json, "at");
  if (entry.at.empty()) throw InputError("at: missing");
  entry.at = utc_text(parse_utc(entry.at));
  entry.key = taken_text(json, "key");
  entry.request = taken_text(json, "request");
  if (const auto details = json.find("details"); details != json.end()) {
    if (!details->is_object()) throw InputError("details: not an object");
    entry.details = details->dump();
    json.erase(details);
  }
  entry.seq = seq;
  if (seq == 0) {
    entry.event = to_json(spec_from_json(json.dump()));
    return entry;
  }
  entry.event = json.dump();
  if (json.contains("decision") && json["decision"].is_number_integer()) {
    entry.decision = json["decision"].get<DecisionId>();
  }
  return entry;
}

}  // namespace

std::string exported_line(const LogEntry& entry) {
  std::string line = entry.event;
  line.pop_back();  // the brace
  line += fmt::format(",\"at\":\"{}\"", entry.at);
  if (!entry.key.empty()) {
    line += fmt::format(",\"key\":{},\"request\":\"{}\"", Json(entry.key).dump(), entry.request);
  }
  if (!entry.details.empty()) line += fmt::format(",\"details\":{}", entry.details);
  return line + "}";
}

std::vector<LogEntry> entries_from_export(const std::string& lines) {
  std::vector<LogEntry> entries;
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const auto seq = static_cast<std::int64_t>(entries.size());
    try {
      entries.push_back(entry_from(lines.substr(begin, end - begin), seq));
    } catch (const InputError& error) {
      throw RequestError(RequestError::Kind::invalid, fmt::format("line {}: {}", seq + 1, error.what()));
    }
    begin = end + 1;
  }
  if (entries.empty())
    throw RequestError(RequestError::Kind::invalid, "the body is empty; send the lines of an export");
  return entries;
}

}  // namespace longrun
