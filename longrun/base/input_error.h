#pragma once

#include <stdexcept>

namespace longrun {

/// What the library throws for anything a user got wrong: one line that names the file, field and value and says what
/// would be right. The library itself never prints or exits.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace longrun
