#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "longrun/service/http_client.h"

namespace longrun {

/// Sends the requests of one `longrun study` command, and turns refusals into errors.
class StudyRequests {
 public:
  using Json = nlohmann::ordered_json;

  static constexpr const char* kDefaultUrl = "http://127.0.0.1:8042";
  static constexpr const char* kTokenVariable = "LONGRUN_TOKEN";

  /// The options of the command that say where requests go to and as whose.
  struct Options {
    std::optional<std::string> url{};                    ///< nullopt: kDefaultUrl
    std::optional<std::string> certificate_authority{};  ///< nullopt: those of the system
    std::optional<std::string> token{};                  ///< nullopt: that of kTokenVariable, if there is one
    std::optional<std::string> key{};                    ///< of the request that changes something; nullopt: random
  };
  explicit StudyRequests(const Options& options);

  /// Returns whether this is the answer to an earlier request with the same key, or for the same thing.
  static bool is_replayed(const HttpResponse& response);

  HttpResponse get(const std::string& path);
  HttpResponse post(const std::string& path, const Json& body);
  /// The choice of whether a request has a key. One that names what it records, such as outcomes, needs none.
  enum class Key { none, sent };
  /// Points it out if the user's key was used before: then nothing new is recorded.
  HttpResponse post(const std::string& path, const char* type, std::string body, Key key, bool dry_run);
  /// Sends an outcome, which names what it records.
  HttpResponse put(const std::string& path, const Json& body);
  /// Adds a study with the log that the service has exported.
  HttpResponse import(const std::string& name, std::string log, bool dry_run);

 private:
  HttpResponse send(HttpRequest request);

  BlockingHttpClient client_;
  std::string token_;  // empty: none
  std::string key_;    // of the request that changes something
  bool is_given_;      // whether the user gave the key
};

}  // namespace longrun
