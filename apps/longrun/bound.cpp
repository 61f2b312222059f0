#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
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

struct BoundQuestion {
  std::vector<Band> bands;
  Pulls remaining = 0;
};

/// The position of the JSON parser in a line, for errors.
class Place {
 public:
  /// Follows one event of the parser. Throws InputError if a field is given twice; the parser would keep the last one.
  bool advance(int depth, json::parse_event_t event, const json& value) {
    if (depth == 1 && event == json::parse_event_t::key) {
      fields_.push_back(value.get<std::string>());
      index_.reset();
      if (std::count(fields_.begin(), fields_.end(), fields_.back()) > 1) {
        throw InputError(fmt::format("field '{}' is given twice", fields_.back()));
      }
    } else if (depth == 1 && event == json::parse_event_t::array_start) {
      index_ = 0;
    } else if (depth == 1 && event == json::parse_event_t::array_end) {
      index_.reset();
    } else if (depth == 2 && index_ && event == json::parse_event_t::value) {
      ++*index_;
    } else if (depth == 0 && event == json::parse_event_t::object_end) {
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

json parse_line(const std::string& line) {
  Place place;
  try {
    return json::parse(line, [&](int depth, json::parse_event_t event, const json& value) {
      return place.advance(depth, event, value);
    });
  } catch (const json::out_of_range&) {  // a number that no double can hold, such as 1e999
    throw InputError(place.prefix() + "not a finite number");
  } catch (const json::parse_error& error) {
    if (place.complete()) throw InputError("text follows the JSON object; each line has one object");
    // The text is "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
    std::string_view why = error.what();
    why.remove_prefix(std::min(why.size(), why.find(": ") + 2));
    throw InputError(fmt::format("{}not valid JSON at column {}: {}", place.prefix(), error.byte, why));
  }
}

/// Returns a value for an error message, shortened.
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

BoundQuestion parse_question(const std::string& line) {
  const json object = parse_line(line);
  check_fields(object);
  const std::vector<double> lower = numbers(object, "lower");
  const std::vector<double> upper = numbers(object, "upper");
  if (lower.size() != upper.size()) {
    throw InputError(fmt::format("lower has {} numbers, upper {}; the two lists must have the same length",
                                 lower.size(), upper.size()));
  }
  BoundQuestion question{.bands = {}, .remaining = whole_number(object, "remaining")};
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

nlohmann::ordered_json answer(const BoundQuestion& question) {
  if (const auto bound = optimistic_future(question.bands, question.remaining)) return {{"bound", *bound}};
  nlohmann::ordered_json object{{"bound", nullptr}};
  if (const std::string reason = interval_outside(question.bands); !reason.empty()) object["reason"] = reason;
  return object;
}

/// Returns whether standard input is not a file, so that a program may wait for an answer before it sends the next
/// line.
bool input_is_interactive() {
  struct stat status {};
  return fstat(STDIN_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
}

/// Answers each line before it reads the next, so that another program can send lines and read answers in turn through
/// two pipes. An error ends the command after the answers to the lines before it.
void run_bound() {
  const bool flush = input_is_interactive();
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string answered;
    try {
      answered = answer(parse_question(line)).dump();
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}, line {}: {}", kStandardInput, number, error.what()));
    }
    fmt::print("{}\n", answered);
    if (flush && std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
  }
  if (std::cin.bad()) throw InputError(fmt::format("{}: cannot be read", kStandardInput));
}

}  // namespace

Command add_bound(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "bound", "Compute an upper bound of an arm's future reward from its past",
      "Reads one JSON object per line on standard input: the mean reward of past pull j of an arm, from\n"
      "pull 0, is between lower[j] and upper[j], and 'remaining' pulls follow. Writes one JSON object\n"
      "per line, before it reads the next: the largest total reward of the remaining pulls if the arm's\n"
      "mean rewards are in [0, 1] and rise ever more slowly; null if no such rewards exist, because the\n"
      "arm has begun to fall, or because an interval has no number in [0, 1], which 'reason' then names.\n"
      "This is the linear program that spo solves.\n\n"
      "Examples:\n"
      "  echo '{\"lower\": [0.1, 0.3], \"upper\": [0.2, 0.4], \"remaining\": 10}' | longrun bound\n"
      "  longrun bound < questions.jsonl > bounds.jsonl");
  return {parser, run_bound};
}

}  // namespace longrun
