#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {

/// An error about a name that is not in a list of known names. Every interface says where its readers find the list.
class UnknownNameError : public InputError {
 public:
  /// The message is "unknown policy 'gredy'; did you mean 'greedy'?" for the kind "policy".
  UnknownNameError(std::string_view kind, std::string_view name, std::vector<std::string> known);
  /// Makes the same error with another message, which says where the name is.
  UnknownNameError(const UnknownNameError& other, const std::string& message)
      : InputError(message), kind_(other.kind_), known_(other.known_) {}

  const std::string& kind() const { return kind_; }                 ///< "policy" or "bandit"
  const std::vector<std::string>& known() const { return known_; }  ///< all names of this kind

 private:
  std::string kind_;
  std::vector<std::string> known_;
};

}  // namespace longrun
