#pragma once

#include <stdexcept>

namespace longrun {

/// A failure of the system: a file that cannot be written, a database that cannot be read. The message is one line: it
/// names the file and the reason. An error in the caller's input is an InputError instead.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace longrun
