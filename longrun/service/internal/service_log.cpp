#include "longrun/service/internal/service_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "longrun/base/system_error.h"
#include "longrun/service/utc_time.h"

namespace longrun {

ServiceLog::ServiceLog(const std::string& path, std::function<void(const std::string&)> on_message)
    : on_message_(std::move(on_message)) {
  if (path.empty()) return;
  if (path == "-") {
    stream_ = &std::cerr;
    return;
  }
  file_.open(path, std::ios::app);
  if (!file_) throw SystemError(fmt::format("{}: the log cannot be written: {}", path, std::strerror(errno)));
  stream_ = &file_;
}

void ServiceLog::add(const AnsweredRequest& request) {
  nlohmann::ordered_json line{
      {"at", utc_text(milliseconds_now())},
      {"method", request.method},
      {"path", request.path},
      {"status", request.status},
      {"ms", static_cast<double>(static_cast<std::int64_t>(1000 * request.milliseconds)) / 1000}};
  if (!request.study.empty()) line["study"] = request.study;
  if (request.seq >= 0) line["seq"] = request.seq;
  write(line);
}

void ServiceLog::add_failure(const std::string& message) {
  write({{"at", utc_text(milliseconds_now())}, {"failure", message}});
  if (stream_ != &std::cerr) say(message);
}

void ServiceLog::say(const std::string& message) const {
  if (on_message_) on_message_(message);
}

void ServiceLog::write(const nlohmann::ordered_json& line) {
  if (stream_ == nullptr) return;
  const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  *stream_ << text << std::flush;
}

}  // namespace longrun
