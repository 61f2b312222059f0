#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "longrun/base/input_error.h"

namespace longrun {

/// The error that a recorded event does not follow from those before it. Interfaces say where it is, such as in which
/// line of a file.
class EventError : public InputError {
 public:
  /// The message is "event NUMBER: problem".
  EventError(std::int64_t number, std::string_view problem)
      : EventError(number, "event " + std::to_string(number) + ": ", problem) {}

  std::int64_t number() const { return number_; }
  /// Returns what is wrong, without the number. Valid as long as the error.
  std::string_view problem() const { return std::string_view(what()).substr(prefix_); }

 private:
  EventError(std::int64_t number, std::string prefix, std::string_view problem)
      : InputError(prefix.append(problem)),
        number_(number),
        prefix_(std::string_view(what()).size() - problem.size()) {}

  std::int64_t number_;
  std::size_t prefix_;  // length of the text before the problem in what()
};

}  // namespace longrun
