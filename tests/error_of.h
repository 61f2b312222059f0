#pragma once

#include <gtest/gtest.h>

#include <string>

#include "longrun/base/input_error.h"

namespace longrun {

/// Returns the message of the Error that `act` throws, which must be one line, or "no error".
template <class Error = InputError, class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find_first_of("\r\n"), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

/// Returns the same without its beginning, which must be `path`.
template <class Act>
std::string error_after_path(const std::string& path, Act act) {
  std::string message = error_of(act);
  if (message == "no error") return message;
  EXPECT_TRUE(message.starts_with(path)) << message;
  return message.substr(path.size());
}

}  // namespace longrun
