#include "longrun/service/internal/request_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "longrun/base/nearest_name.h"
#include "longrun/service/request_error.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepestNesting = 16;
constexpr std::size_t kMostFields = 64;  // of one object; none needs more, and finding one takes their number

RequestError malformed(const std::string& message, const std::string& field = "") {
  return {RequestError::Kind::malformed, message, field};
}

/// Returns a name as it is shown in errors.
std::string shown_name(const std::string& name) {
  constexpr std::size_t kMost = 60;
  return name.size() > kMost ? name.substr(0, kMost) + "..." : name;
}

/// Returns the last step of a JSON pointer to a field.
std::string escaped_step(std::string_view field) {
  std::string step = "/";
  for (const char c : field) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return step;
}

/// Returns a value as it is shown in errors.
std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

}  // namespace

Json parsed_object(const std::string& text, std::string_view what) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kDeepestNesting) throw malformed(fmt::format("{} is nested too deeply", what));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event != Json::parse_event_t::key) return true;
    if (!keys.back().insert(value.get<std::string>()).second) {
      throw malformed(fmt::format("the field {} is given twice", shown(value)));
    }
    if (keys.back().size() > kMostFields)
      throw malformed(fmt::format("an object has more than {} fields", kMostFields));
    return true;
  };
  try {
    Json json = Json::parse(text, check);
    if (!json.is_object()) throw malformed(fmt::format("{} is {}; it must be a JSON object", what, shown(json)));
    return json;
  } catch (const Json::parse_error& error) {
    throw malformed(fmt::format("{} is not valid JSON near byte {}", what, error.byte));
  } catch (const Json::exception&) {  // numbers out of range
    throw malformed(fmt::format("{} has a number that is out of range", what));
  }
}

RequestBody::RequestBody(const std::string& text)
    : json_(text.empty() ? Json::object() : parsed_object(text, "the body")) {}

RequestBody::RequestBody(Json json, std::string pointer) : json_(std::move(json)), pointer_(std::move(pointer)) {
  if (!json_.is_object()) throw malformed(fmt::format("{} is not an object", shown(json_)), pointer_);
}

std::string RequestBody::pointer(std::string_view field) const { return pointer_ + escaped_step(field); }

std::string RequestBody::pointer_in(std::string_view object, std::string_view field) const {
  return pointer(object) + escaped_step(field);
}

bool RequestBody::has(const char* field) {
  known_.emplace_back(field);
  return json_.contains(field);
}

const Json& RequestBody::json(const char* field) {
  known_.emplace_back(field);
  const auto found = json_.find(field);
  if (found == json_.end()) {
    // Most likely another field is meant to be this one.
    const std::vector<std::string> wanted{field};
    for (const auto& [name, value] : json_.items()) {
      const bool is_asked_for = std::find(known_.begin(), known_.end(), name) != known_.end();
      if (!is_asked_for && !nearest_name(name, wanted).empty()) {
        throw malformed(fmt::format("{}: missing; the field '{}' is unknown", field, shown_name(name)), pointer(field));
      }
    }
    throw malformed(fmt::format("{}: missing", field), pointer(field));
  }
  return *found;
}

std::string RequestBody::text(const char* field) {
  const Json& value = json(field);
  if (!value.is_string()) throw malformed(fmt::format("{}: {} is not a text", field, shown(value)), pointer(field));
  return value.get<std::string>();
}

std::int64_t RequestBody::whole_number(const char* field) {
  const Json& value = json(field);
  constexpr double kExact = 9007199254740992;  // 2^53: 100.0 is a whole number, too
  const bool is_whole =
      value.is_number_integer() || (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
  if (!is_whole) throw malformed(fmt::format("{}: {} is not a whole number", field, shown(value)), pointer(field));
  const bool fits = value.is_number_float()      ? std::abs(value.get<double>()) <= kExact
                    : value.is_number_unsigned() ? value.get<std::uint64_t>() <= INT64_MAX
                                                 : true;
  if (!fits) throw invalid_request(fmt::format("{}: {} is out of range", field, shown(value)), pointer(field));
  return value.is_number_float() ? static_cast<std::int64_t>(value.get<double>()) : value.get<std::int64_t>();
}

double RequestBody::number(const char* field) {
  const Json& value = json(field);
  if (!value.is_number()) throw malformed(fmt::format("{}: {} is not a number", field, shown(value)), pointer(field));
  return value.get<double>();
}

bool RequestBody::boolean(const char* field) {
  const Json& value = json(field);
  if (!value.is_boolean())
    throw malformed(fmt::format("{}: {} is not true or false", field, shown(value)), pointer(field));
  return value.get<bool>();
}

std::vector<std::string> RequestBody::texts(const char* field) {
  const Json& value = json(field);
  if (!value.is_array()) throw malformed(fmt::format("{}: {} is not a list", field, shown(value)), pointer(field));
  std::vector<std::string> texts;
  for (const Json& each : value) {
    if (!each.is_string()) {
      throw malformed(fmt::format("{}: {} is not a text", field, shown(each)),
                      fmt::format("{}/{}", pointer(field), texts.size()));
    }
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

RequestBody RequestBody::object(const char* field) {
  const Json& value = json(field);
  if (!value.is_object()) throw malformed(fmt::format("{}: {} is not an object", field, shown(value)), pointer(field));
  return {value, pointer(field)};
}

std::vector<RequestBody> RequestBody::objects(const char* field) {
  const Json& value = json(field);
  if (!value.is_array()) throw malformed(fmt::format("{}: {} is not a list", field, shown(value)), pointer(field));
  std::vector<RequestBody> objects;
  for (const Json& each : value) {
    objects.push_back(RequestBody(each, fmt::format("{}/{}", pointer(field), objects.size())));
  }
  return objects;
}

void RequestBody::check_all_known() const {
  for (const auto& [field, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), field) != known_.end()) continue;
    throw RequestError(RequestError::Kind::invalid,
                       fmt::format("{}: unknown field{}", shown_name(field), did_you_mean(field, known_)),
                       pointer(field));
  }
}

}  // namespace longrun
