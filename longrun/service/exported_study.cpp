#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/event_reader.h"
#include "longrun/service/api.h"
#include "longrun/service/internal/entry_details.h"
#include "longrun/service/internal/request_body.h"
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

/// Throws InputError unless the key and the hash of its request are such as the service writes them.
void check_key(const LogEntry& entry) {
  constexpr std::size_t kHashDigits = 32;
  if (entry.key.empty()) {
    if (!entry.request.empty()) throw InputError("request: given without a key");
    return;
  }
  if (!is_key(entry.key)) throw InputError("key: has control characters, or is too long");
  const bool is_hash =
      entry.request.size() == kHashDigits && entry.request.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) throw InputError(fmt::format("request: not {} hexadecimal digits", kHashDigits));
}

/// Throws InputError unless every detail has the type that the service writes.
void check_details(const Json& details) {
  if (!details.is_object()) throw InputError("details: not an object");
  for (const auto& [name, value] : details.items()) {
    const bool is_count = name == "entries" || name == "already_known" || name == kInstead;
    constexpr std::array<std::string_view, 6> kTexts{"name", "mode", "title", "observed_at", "reason", "advised"};
    if (!is_count && std::find(kTexts.begin(), kTexts.end(), name) == kTexts.end()) {
      throw InputError(fmt::format("details.{}: unknown field", name));
    }
    if (is_count ? !value.is_number_unsigned() || value == 0 : !value.is_string()) {
      throw InputError(fmt::format("details.{}: not a {}", name, is_count ? "number" : "text"));
    }
    if (!is_count && value.get_ref<const std::string&>().size() > kLongestText) {
      throw InputError(fmt::format("details.{}: longer than {} bytes", name, kLongestText));
    }
  }
}

/// Throws InputError for a field that `known`, the same event as it is written again, does not have: it would be
/// dropped.
void check_fields(const Json& json, const Json& known) {
  for (const auto& [name, value] : json.items()) {
    if (!known.contains(name)) throw InputError(fmt::format("{}: unknown field", name));
    if (name != "decisions") continue;
    for (std::size_t i = 0; i < value.size(); ++i) {
      for (const auto& [part, ignored] : value[i].items()) {
        if (!known[name][i].contains(part)) throw InputError(fmt::format("decisions.{}: unknown field", part));
      }
    }
  }
}

/// Reads the lines of an export one after the other.
class ExportReader {
 public:
  LogEntry read(const std::string& line) {
    Json json = parsed_object(line, "the line");
    LogEntry entry;
    entry.seq = next_++;
    entry.at = taken_text(json, "at");
    if (entry.at.empty()) throw InputError("at: missing");
    entry.at = utc_text(parse_utc(entry.at));
    if (entry.at < last_at_) throw InputError("at: earlier than that of the line before");
    last_at_ = entry.at;
    entry.key = taken_text(json, "key");
    entry.request = taken_text(json, "request");
    check_key(entry);
    if (!entry.key.empty() && !keys_.insert(entry.key).second) {
      throw InputError("key: the same as that of an earlier line");
    }
    if (const auto details = json.find("details"); details != json.end()) {
      check_details(*details);
      entry.details = details_text(*details);
      json.erase(details);
    }
    // Written again, so that a log has one form.
    if (!reader_) {
      const StudySpec spec = spec_from_json(json.dump());
      reader_.emplace(spec.arms);
      entry.event = to_json(spec);
      check_fields(json, Json::parse(entry.event));
      return entry;
    }
    const NumberedEvent read = reader_->read(json.dump());
    if (read.number != entry.seq) throw InputError(fmt::format("seq: {} instead of {}", read.number, entry.seq));
    entry.event = to_json(read.event, entry.seq, reader_->arms().names());
    check_fields(json, Json::parse(entry.event));
    if (const auto* settled = std::get_if<Settled>(&read.event)) entry.decision = settled->decision;
    if (const auto* corrected = std::get_if<Corrected>(&read.event)) entry.decision = corrected->decision;
    if (const auto* pulled = std::get_if<PulledInstead>(&read.event)) entry.decision = pulled->instead_of;
    check_instead(read.event, entry);
    return entry;
  }
  /// Throws InputError if the last line must be followed by another one.
  void check_end() const {
    if (needs_observation_) throw InputError("the observation is missing that was made in place of a void decision");
  }

 private:
  /// Throws InputError unless a void outcome that names an observation in its place is followed by it.
  void check_instead(const Event& event, const LogEntry& entry) {
    if (!std::holds_alternative<Observed>(event)) check_end();
    const std::int64_t instead = number_detail_of(entry.details, kInstead);
    needs_observation_ = instead != 0;
    if (instead == 0) return;
    const auto* settled = std::get_if<Settled>(&event);
    if (settled == nullptr || settled->outcome.kind != OutcomeKind::voided || instead != entry.seq + 1) {
      throw InputError("details.instead: not the number of the line after a void outcome");
    }
  }

  std::int64_t next_ = 0;  // number of the next entry
  std::string last_at_;
  std::unordered_set<std::string> keys_;
  std::optional<EventReader> reader_;  // knows the arms, once the first line is read
  bool needs_observation_ = false;     // whether the next line must be one
};

}  // namespace

std::string exported_line(const LogEntry& entry) {
  std::string line = entry.event;
  line.pop_back();  // the brace
  line += fmt::format(R"(,"at":"{}")", entry.at);
  if (!entry.key.empty()) {
    line += fmt::format(R"(,"key":{},"request":"{}")", Json(entry.key).dump(-1, ' ', true), entry.request);
  }
  if (!entry.details.empty()) line += fmt::format(",\"details\":{}", entry.details);
  return line + "}";
}

namespace {

std::vector<LogEntry> entries_from_export(const std::string& lines) {
  std::vector<LogEntry> entries;
  ExportReader reader;
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t begin_of_line = begin;
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::size_t line = entries.size() + 1;
    const auto refuse = [&](const std::exception& error) {
      const std::string problem = fmt::format("line {}: {}", line, error.what());
      throw RequestError(RequestError::Kind::invalid, problem).about({kWholeBody}, problem);
    };
    begin = end + 1;
    try {
      entries.push_back(reader.read(lines.substr(begin_of_line, end - begin_of_line)));
      if (begin >= lines.size()) reader.check_end();
    } catch (const InputError& error) {
      refuse(error);
    } catch (const RequestError& error) {
      refuse(error);
    }
  }
  if (entries.empty())
    throw RequestError(RequestError::Kind::invalid, "the body is empty; send the lines of an export");
  return entries;
}

}  // namespace

ExportedStudy study_from_export(const std::string& lines, const std::string* other_name) {
  ExportedStudy study{.name = {}, .entries = entries_from_export(lines)};
  std::string& text = study.entries[0].details;
  Json details = Json::parse(text.empty() ? "{}" : text);
  if (other_name != nullptr) {
    details["name"] = *other_name;
    text = details_text(details);
  } else if (!details.contains("name")) {
    throw RequestError(RequestError::Kind::invalid, "line 1: details.name is missing; give the parameter name");
  }
  study.name = details["name"].get<std::string>();
  return study;
}

}  // namespace longrun
