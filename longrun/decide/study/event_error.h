#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "longrun/base/input_error.h"

namespace longrun {

/// The error that a recorded event does not follow from those before it. Interfaces say where it is, such as in which
/// line of a file.
class EventError : public InputError {
 public:
  /// The message is "event NUMBER: problem".
  EventError(std::int64_t number, std::string problem)
      : InputError("event " + std::to_string(number) + ": " + problem), number_(number), problem_(std::move(problem)) {}

  std::int64_t number() const { return number_; }
  const std::string& problem() const { return problem_; }  ///< what is wrong, without the number

 private:
  std::int64_t number_;
  std::string problem_;
};

}  // namespace longrun
