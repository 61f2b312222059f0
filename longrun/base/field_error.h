#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {

/// An error about values that have names: constraints, the budget of a study, the futures of a plan. Interfaces call
/// these by other names, such as an option or a field of a request, and show the same problem.
class FieldError : public InputError {
 public:
  /// The message is "FIELD, FIELD: problem". Names have underscores. Without fields it is the problem alone.
  FieldError(std::vector<std::string> fields, std::string problem)
      : FieldError("", std::move(fields), std::move(problem)) {}

  const std::vector<std::string>& fields() const { return fields_; }
  const std::string& problem() const { return problem_; }  ///< what is wrong, without the names of the fields

  /// Returns the names of the fields, as `name(field)` says, and the problem.
  template <class Name>
  std::string named(Name name) const {
    std::vector<std::string> names;
    names.reserve(fields_.size());
    for (const std::string& field : fields_) names.push_back(name(field));
    return text(names, problem_);
  }

 protected:
  /// The message begins with `where`.
  FieldError(std::string_view where, std::vector<std::string> fields, std::string problem)
      : InputError(std::string(where) + text(fields, problem)),
        fields_(std::move(fields)),
        problem_(std::move(problem)) {}

 private:
  static std::string text(const std::vector<std::string>& names, std::string_view problem);

  std::vector<std::string> fields_;
  std::string problem_;
};

}  // namespace longrun
