#pragma once

// The options of a benchmark that is a program of its own: pairs of a name and a value.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"

namespace longrun {

/// A number that an option sets, and the smallest that is accepted.
struct NumberOption {
  std::int64_t* value;
  std::int64_t least;
};

/// Reads `--name value` pairs. Throws InputError for an unknown name, a missing value, and a number that is none.
inline void read_options(int count, const char* const* arguments, const std::map<std::string, NumberOption>& numbers,
                         const std::map<std::string, std::string*>& texts) {
  constexpr std::int64_t kLargest = 1'000'000'000'000;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    const auto number = numbers.find(name);
    const auto text = texts.find(name);
    if (number == numbers.end() && text == texts.end()) throw InputError(fmt::format("unknown option '{}'", name));
    if (i + 1 == count) throw InputError(fmt::format("{}: the value is missing", name));
    const std::string value = arguments[i + 1];
    if (text != texts.end()) {
      *text->second = value;
      continue;
    }
    const auto parsed = parse_number<std::int64_t>(value);
    const std::int64_t least = number->second.least;
    if (!parsed || *parsed < least || *parsed > kLargest) {
      throw InputError(fmt::format("{} {}: must be a whole number from {} to {}", name, value, least, kLargest));
    }
    *number->second.value = *parsed;
  }
}

}  // namespace longrun
