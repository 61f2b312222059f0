#include "longrun/decide/bound_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/types.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {
namespace {

using PlainJson = nlohmann::json;

const std::vector<std::string> kBoundFields{"lower", "upper", "remaining"};
constexpr auto kMostRemaining = static_cast<std::uint64_t>(std::numeric_limits<Pulls>::max());
constexpr std::size_t kLongestShown = 40;

struct BoundQuestion {
  std::vector<Band> bands;
  Pulls remaining = 0;
};

/// The position of the JSON parser in a text, for errors.
class JsonPlace {
 public:
  /// Follows one event of the parser. Throws InputError if a field is given twice; the parser would keep the last one.
  bool advance(int depth, PlainJson::parse_event_t event, const PlainJson& value) {
    if (depth == 1 && event == PlainJson::parse_event_t::key) {
      fields_.push_back(value.get<std::string>());
      index_.reset();
      if (std::count(fields_.begin(), fields_.end(), fields_.back()) > 1) {
        throw InputError(fmt::format("field '{}' is given twice", fields_.back()));
      }
    } else if (depth == 1 && event == PlainJson::parse_event_t::array_start) {
      index_ = 0;
    } else if (depth == 1 && event == PlainJson::parse_event_t::array_end) {
      index_.reset();
    } else if (depth == 2 && index_ && event == PlainJson::parse_event_t::value) {
      ++*index_;
    } else if (depth == 0 && event == PlainJson::parse_event_t::object_end) {
      complete_ = true;
    }
    return true;
  }
  /// Returns whether the parser has read the whole object.
  bool complete() const { return complete_; }
  /// Returns "lower[3]: ", or an empty text before the first field.
  std::string prefix() const {
    if (fields_.empty()) return "";
    return index_ ? fmt::format("{}[{}]: ", fields_.back(), *index_) : fields_.back() + ": ";
  }

 private:
  std::vector<std::string> fields_;   // read so far; the last may be incomplete
  std::optional<std::size_t> index_;  // of the next number, while in a list
  bool complete_ = false;             // the object has ended
};

PlainJson parsed_question(std::string_view text) {
  JsonPlace place;
  try {
    return PlainJson::parse(text, [&](int depth, PlainJson::parse_event_t event, const PlainJson& value) {
      return place.advance(depth, event, value);
    });
  } catch (const PlainJson::out_of_range&) {  // a number that no double can hold, such as 1e999
    throw InputError(place.prefix() + "not a finite number");
  } catch (const PlainJson::parse_error& error) {
    if (place.complete()) throw InputError("text follows the JSON object; each line has one object");
    // The text is "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
    std::string_view why = error.what();
    why.remove_prefix(std::min(why.size(), why.find(": ") + 2));
    throw InputError(fmt::format("{}not valid JSON at column {}: {}", place.prefix(), error.byte, why));
  }
}

/// Returns a value for an error message, shortened.
std::string shown_value(const PlainJson& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump();
  return text.size() <= kLongestShown ? text : text.substr(0, kLongestShown) + "...";
}

void check_bound_fields(const PlainJson& object) {
  if (!object.is_object()) {
    throw InputError(R"(should read {"lower": [...], "upper": [...], "remaining": D})");
  }
  for (const auto& [field, value] : object.items()) {
    if (std::find(kBoundFields.begin(), kBoundFields.end(), field) != kBoundFields.end()) continue;
    throw InputError(fmt::format("unknown field '{}'{}", field, did_you_mean(field, kBoundFields)));
  }
  for (const std::string& field : kBoundFields) {
    if (!object.contains(field)) throw InputError(fmt::format("field '{}' is missing", field));
  }
}

std::vector<double> numbers_in(const PlainJson& object, const char* field) {
  const PlainJson& values = object[field];
  if (!values.is_array())
    throw InputError(fmt::format("{}: must be a list of numbers, not {}", field, shown_value(values)));
  std::vector<double> result;
  result.reserve(values.size());
  for (const PlainJson& value : values) {  // JSON has no NaN or infinity, so every number is finite
    if (!value.is_number())
      throw InputError(fmt::format("{}[{}]: {} is not a number", field, result.size(), shown_value(value)));
    result.push_back(value.get<double>());
  }
  return result;
}

Pulls remaining_pulls(const PlainJson& object, const char* field) {
  const PlainJson& value = object[field];
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostRemaining) {
    throw InputError(fmt::format("{} {}: must be a whole number >= 0 and below 2^63", field, shown_value(value)));
  }
  return value.get<Pulls>();
}

BoundQuestion bound_question(std::string_view text) {
  const PlainJson object = parsed_question(text);
  check_bound_fields(object);
  const std::vector<double> lower = numbers_in(object, "lower");
  const std::vector<double> upper = numbers_in(object, "upper");
  if (lower.size() != upper.size()) {
    throw InputError(fmt::format("lower has {} numbers, upper {}; the two lists must have the same length",
                                 lower.size(), upper.size()));
  }
  BoundQuestion question{.bands = {}, .remaining = remaining_pulls(object, "remaining")};
  question.bands.reserve(lower.size());
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (lower[i] > upper[i])
      throw InputError(fmt::format("lower[{}]: {} is above upper[{}], {}", i, lower[i], i, upper[i]));
    question.bands.push_back({.lower = lower[i], .upper = upper[i]});
  }
  return question;
}

/// Returns the first interval that contains no mean reward, such as "lower[2]: 1.5 is above 1", or an empty text. Noise
/// can cause such an interval, so it is not an error, but it is not a sign of a falling arm either.
std::string interval_outside(const std::vector<Band>& bands) {
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (bands[i].lower > 1) return fmt::format("lower[{}]: {} is above 1", i, bands[i].lower);
    if (bands[i].upper < 0) return fmt::format("upper[{}]: {} is below 0", i, bands[i].upper);
  }
  return "";
}

}  // namespace

std::string bound_answer(std::string_view question) {
  const BoundQuestion asked = bound_question(question);
  if (const auto bound = optimistic_future(asked.bands, asked.remaining)) return PlainJson{{"bound", *bound}}.dump();
  nlohmann::ordered_json answer{{"bound", nullptr}};
  if (const std::string reason = interval_outside(asked.bands); !reason.empty()) answer["reason"] = reason;
  return answer.dump();
}

}  // namespace longrun
