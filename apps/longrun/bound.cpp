#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {
namespace {

using nlohmann::json;

const std::vector<std::string> kFields{"lower", "upper", "remaining"};
constexpr auto kMostRemaining = static_cast<std::uint64_t>(std::numeric_limits<Pulls>::max());
constexpr std::size_t kLongestShown = 40;

struct Question {
  std::vector<Band> bands;
  Pulls remaining = 0;
};

/// Follows the parser through a line: where it is, and that no field stands there twice (it would keep the last).
class Place {
 public:
  bool advance(int depth, json::parse_event_t event, const json& value) {
    if (depth == 1 && event == json::parse_event_t::key) {
      fields_.push_back(value.get<std::string>());
      index_.reset();
      if (std::count(fields_.begin(), fields_.end(), fields_.back()) > 1) {
        throw InputError(fmt::format("field '{}' stands there twice", fields_.back()));
      }
    } else if (depth == 1 && event == json::parse_event_t::array_start) {
      index_ = 0;
    } else if (depth == 2 && index_ && event == json::parse_event_t::value) {
      ++*index_;
    }
    return true;
  }
  /// "lower[3]: ", or nothing before the first field.
  std::string prefix() const {
    if (fields_.empty()) return "";
    return index_ ? fmt::format("{}[{}]: ", fields_.back(), *index_) : fields_.back() + ": ";
  }

 private:
  std::vector<std::string> fields_;
  std::optional<std::size_t> index_;  // of the next number in a list
};

json parse_line(const std::string& line) {
  Place place;
  try {
    return json::parse(line, [&](int depth, json::parse_event_t event, const json& value) {
      return place.advance(depth, event, value);
    });
  } catch (const json::out_of_range&) {  // the one number JSON can write but no double can hold, such as 1e999
    throw InputError(place.prefix() + "not a finite number");
  } catch (const json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ...", of which the column is news.
    std::string_view why = error.what();
    why.remove_prefix(std::min(why.size(), why.find(": ") + 2));
    throw InputError(fmt::format("{}not valid JSON at column {}: {}", place.prefix(), error.byte, why));
  }
}

/// A value in an error message, cut where it gets long or deep.
std::string shown(const json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump();
  return text.size() <= kLongestShown ? text : text.substr(0, kLongestShown) + "...";
}

void check_fields(const json& object) {
  if (!object.is_object()) {
    throw InputError(R"(should read {"lower": [...], "upper": [...], "remaining": D})");
  }
  for (const auto& [field, value] : object.items()) {
    if (std::find(kFields.begin(), kFields.end(), field) != kFields.end()) continue;
    throw InputError(fmt::format("unknown field '{}'{}", field, did_you_mean(field, kFields)));
  }
  for (const std::string& field : kFields) {
    if (!object.contains(field)) throw InputError(fmt::format("field '{}' is missing", field));
  }
}

std::vector<double> numbers(const json& object, const char* field) {
  const json& values = object[field];
  if (!values.is_array()) throw InputError(fmt::format("{}: must be a list of numbers, not {}", field, shown(values)));
  std::vector<double> result;
  result.reserve(values.size());
  for (const json& value : values) {  // JSON has no NaN or infinity, so every number is finite
    if (!value.is_number())
      throw InputError(fmt::format("{}[{}]: {} is not a number", field, result.size(), shown(value)));
    result.push_back(value.get<double>());
  }
  return result;
}

Pulls whole_number(const json& object, const char* field) {
  const json& value = object[field];
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostRemaining) {
    throw InputError(fmt::format("{} {}: must be a whole number >= 0 and below 2^63", field, shown(value)));
  }
  return value.get<Pulls>();
}

Question parse_question(const std::string& line) {
  const json object = parse_line(line);
  check_fields(object);
  const std::vector<double> lower = numbers(object, "lower");
  const std::vector<double> upper = numbers(object, "upper");
  if (lower.size() != upper.size()) {
    throw InputError(fmt::format("lower has {} numbers, upper {}; they must be as many", lower.size(), upper.size()));
  }
  Question question{.bands = {}, .remaining = whole_number(object, "remaining")};
  question.bands.reserve(lower.size());
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (lower[i] > upper[i])
      throw InputError(fmt::format("lower[{}]: {} is above upper[{}], {}", i, lower[i], i, upper[i]));
    question.bands.push_back({.lower = lower[i], .upper = upper[i]});
  }
  return question;
}

/// All input is read before anything is written, so that an error on the last line leaves no half of a result behind.
void run_bound() {
  std::vector<std::optional<double>> bounds;
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const Question question = parse_question(line);
      bounds.push_back(optimistic_future(question.bands, question.remaining));
    } catch (const InputError& error) {
      throw InputError(fmt::format("standard input, line {}: {}", number, error.what()));
    }
  }
  if (std::cin.bad()) throw InputError("standard input: cannot be read");
  for (const auto& bound : bounds) fmt::print("{{\"bound\":{}}}\n", (bound ? json(*bound) : json()).dump());
}

}  // namespace

Command add_bound(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "bound", "Bound what an arm can still pay, from what was observed of it",
      "Reads one JSON object per line on standard input: pull j of an arm has a mean reward between lower[j] and\n"
      "upper[j], and 'remaining' pulls are left. Writes, for each, the largest total that those pulls could pay if "
      "the\n"
      "arm's mean rewards lie in [0, 1] and rise ever more slowly; null if no such rewards fit, so the arm must have\n"
      "begun to fall. This is the linear program at the heart of spo.\n\n"
      "Examples:\n"
      "  echo '{\"lower\": [0.1, 0.3], \"upper\": [0.2, 0.4], \"remaining\": 10}' | longrun bound\n"
      "  longrun bound < questions.jsonl > bounds.jsonl");
  return {parser, run_bound};
}

}  // namespace longrun
