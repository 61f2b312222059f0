#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace longrun {

/// A scope in which an environment variable has another value.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* usual = std::getenv(name_.c_str())) usual_ = usual;  // NOLINT
    setenv(name_.c_str(), value.c_str(), 1);                             // NOLINT
  }
  ~EnvironmentVariable() {
    usual_ ? setenv(name_.c_str(), usual_->c_str(), 1) : unsetenv(name_.c_str());  // NOLINT
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> usual_;  // nullopt if the variable was not set
};

}  // namespace longrun
