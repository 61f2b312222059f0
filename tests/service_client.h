#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "longrun/service/api.h"
#include "longrun/service/study_service.h"

namespace longrun {

/// A client of the interface without sockets: each request is a transaction of its own.
class ServiceClient {
 public:
  using Json = nlohmann::ordered_json;
  struct Answer {
    int status = 0;
    Json json{};
    std::string body{};
    bool is_repeated = false;
    std::string allow{};       ///< the header
    std::string last_entry{};  ///< the header longrun-seq
    std::string sha256{};      ///< the header longrun-sha256
    std::string detail() const { return json.value("detail", ""); }
    std::string field() const { return json.value("field", ""); }
  };

  explicit ServiceClient(StudyService& service) : service_(service) {}

  Answer post(const std::string& path, const Json& body, const std::string& key = "") {
    return send("POST", path, body.is_null() ? "" : body.dump(), key);
  }
  Answer put(const std::string& path, const Json& body) { return send("PUT", path, body.dump(), ""); }
  Answer get(const std::string& path) { return send("GET", path, "", ""); }
  Answer send(const std::string& method, const std::string& path, const std::string& body, const std::string& key,
              const std::string& type = "application/json") {
    HttpRequest request{.method = method, .path = path.substr(0, path.find('?'))};
    if (const std::size_t query = path.find('?'); query != std::string::npos)
      add_query(request, path.substr(query + 1));
    if (!body.empty()) request.headers.emplace_back("content-type", type);
    if (!key.empty()) request.headers.emplace_back("idempotency-key", key);
    request.body = body;
    return send(request);
  }
  Answer send(const HttpRequest& request) {
    HttpResponse response;
    try {
      const auto parsed = parse_request(request);
      if (const auto* change = std::get_if<ChangeRequest>(&parsed)) {
        response = response_to(*change, service_.change({change, 1})[0]);
      } else {
        response = answer_to(std::get<Query>(parsed), service_).get();
      }
    } catch (const RequestError& error) {
      response = response_to(error);
    }
    Answer answer{.status = response.status, .body = response.body};
    answer.json = Json::parse(response.body, nullptr, false);
    for (const auto& [name, value] : response.headers) {
      answer.is_repeated |= name == "idempotent-replayed";
      if (name == "allow") answer.allow = value;
      if (name == "longrun-seq") answer.last_entry = value;
      if (name == "longrun-sha256") answer.sha256 = value;
    }
    return answer;
  }

 private:
  static void add_query(HttpRequest& request, const std::string& query) {
    for (std::size_t begin = 0; begin < query.size();) {
      const std::size_t end = std::min(query.find('&', begin), query.size());
      const std::size_t equals = std::min(query.find('=', begin), end);
      request.query.emplace_back(query.substr(begin, equals - begin),
                                 equals == end ? "" : query.substr(equals + 1, end - equals - 1));
      begin = end + 1;
    }
  }

  StudyService& service_;
};

}  // namespace longrun
