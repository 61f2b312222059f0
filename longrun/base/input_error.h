#pragma once

#include <stdexcept>

namespace longrun {

/// An error in the caller's input. The message is one line: it names the file, field and value, and states what is
/// accepted. The library itself never prints or exits.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace longrun
