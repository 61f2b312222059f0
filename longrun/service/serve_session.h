#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longrun/service/http_server.h"

namespace longrun {

/// The options of a ServeSession.
struct ServeSessionOptions {
  HttpOptions http{};                ///< the session sets the paths and sizes of large bodies, and `log`
  std::string folder{};              ///< of the studies, made if missing
  std::string database{};            ///< a PostgreSQL database in place of the folder; empty: none
  std::string tokens_file{};         ///< see TokenFile
  std::vector<std::string> origins;  ///< from which a page may use the service without tokens, see checked_origin()
  std::string log_file{};            ///< gets a line of JSON per request; "-": standard error; empty: none
  /// Called with one line for the user, from any thread: that the session ends, or what has failed.
  std::function<void(const std::string&)> on_message{};
};

/// A service that runs until the process gets a signal to end: its store, tokens, log and HTTP server. At most one
/// object may exist at a time, made before all other threads, because these must not take the signals.
class ServeSession {
 public:
  /// Opens everything, and listens. Throws InputError for what the caller can correct, such as an address that other
  /// machines reach although there is no token, and SystemError for what fails.
  explicit ServeSession(ServeSessionOptions options);
  ~ServeSession();
  ServeSession(const ServeSession&) = delete;
  ServeSession& operator=(const ServeSession&) = delete;

  /// Returns where this machine can open the page: "http://127.0.0.1:8042/".
  std::string url() const;
  /// Returns whether the session listens on every address of this machine.
  bool is_on_every_address() const;
  /// Answers requests until the first signal to end (Ctrl-C, or that of a service manager); the second one ends the
  /// process at once.
  void run();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace longrun
