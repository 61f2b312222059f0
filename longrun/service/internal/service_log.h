#pragma once

#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "longrun/service/dispatcher.h"

namespace longrun {

/// The log of a server: one line of JSON per answered request and per failure. Its functions may be called from any
/// thread.
class ServiceLog {
 public:
  /// `path` is "-" for standard error, and empty for no log. Failures are also passed to `on_message`, unless they are
  /// on standard error already. Throws SystemError if the file cannot be written.
  ServiceLog(const std::string& path, std::function<void(const std::string&)> on_message);
  void add(const AnsweredRequest& request);
  void add_failure(const std::string& message);
  /// Passes a message to the user without logging it.
  void say(const std::string& message) const;

 private:
  void write(const nlohmann::ordered_json& line);

  std::function<void(const std::string&)> on_message_;
  std::mutex mutex_;  // protects what is written to stream_
  std::ofstream file_;
  std::ostream* stream_ = nullptr;  // nullptr: no log
};

}  // namespace longrun
