#include "apps/longrun/study_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/field_error.h"
#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"

namespace longrun {
namespace {

constexpr std::chrono::seconds kTimeout{30};            // without a byte of the answer
constexpr std::chrono::seconds kComputingTimeout{300};  // of exports, imports and audits
constexpr std::chrono::seconds kPatience{10};           // a server may restart meanwhile

constexpr const char* kImport = "/v1/studies/import";

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string random_key() {
  std::random_device chance;
  std::string key;
  for (int i = 0; i < 4; ++i) key += fmt::format("{:08x}", chance());
  return key;
}

}  // namespace

StudyRequests::StudyRequests(const Options& options)
    : client_(options.url.value_or(kDefaultUrl), options.certificate_authority.value_or("")),
      token_(options.token.value_or(environment(kTokenVariable))),
      key_(options.key.value_or(random_key())),
      is_given_(options.key.has_value()) {
  if (token_.find_first_of(" \t\r\n") != std::string::npos) {
    throw InputError("--token: has a space or a line break; give the token as 'longrun token create' printed it");
  }
}

bool StudyRequests::is_replayed(const HttpResponse& response) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [](const auto& header) { return header.first == "idempotent-replayed"; });
}

HttpResponse StudyRequests::get(const std::string& path) { return send({.method = "GET", .path = path}); }

HttpResponse StudyRequests::post(const std::string& path, const Json& body) {
  return post(path, "application/json", body.dump(), Key::sent, false);
}

HttpResponse StudyRequests::post(const std::string& path, const char* type, std::string body, Key key, bool dry_run) {
  HttpRequest request{.method = "POST", .path = path, .headers = {{"content-type", type}}, .body = std::move(body)};
  if (key == Key::sent) request.headers.emplace_back("idempotency-key", key_);
  if (dry_run) request.query.emplace_back("dry_run", "true");
  HttpResponse response = send(std::move(request));
  if (is_given_ && key == Key::sent && is_replayed(response)) {
    say(fmt::format("key '{}' was used before: this is the answer to that request, and nothing new is recorded", key_));
  }
  return response;
}

HttpResponse StudyRequests::put(const std::string& path, const Json& body) {
  return send({.method = "PUT", .path = path, .headers = {{"content-type", "application/json"}}, .body = body.dump()});
}

HttpResponse StudyRequests::import(const std::string& name, std::string log, bool dry_run) {
  HttpRequest request{.method = "POST",
                      .path = kImport,
                      .query = {{"name", name}},
                      .headers = {{"content-type", "application/jsonl"}},
                      .body = std::move(log)};
  if (dry_run) request.query.emplace_back("dry_run", "true");
  return send(std::move(request));
}

HttpResponse StudyRequests::send(HttpRequest request) {
  if (!token_.empty()) request.headers.emplace_back("authorization", "Bearer " + token_);
  HttpResponse response;
  try {
    const bool computes =
        request.path.ends_with("/export") || request.path.ends_with("/audit") || request.path == kImport;
    response = client_.send_until_answered(request, computes ? kComputingTimeout : kTimeout, kPatience);
  } catch (const SystemError& error) {
    const bool has_key = request.header("idempotency-key") != nullptr;
    throw SystemError(fmt::format(
        "{}{}", error.what(),
        has_key ? fmt::format("; repeat the command with --key {}", key_) : "; is 'longrun serve' running there?"));
  }
  if (response.status < 300) return response;
  const Json problem = Json::parse(response.body, nullptr, false);
  if (!problem.is_object() || !problem.contains("detail")) {
    throw InputError(fmt::format("--url {}: no longrun service (status {})", client_.url(), response.status));
  }
  const std::string detail = problem["detail"].get<std::string>();
  if (response.status >= 500) throw SystemError(fmt::format("{}: {}", client_.url(), detail));
  if (response.status == 401) throw InputError(fmt::format("{} (--token, or {})", detail, kTokenVariable));
  if (!problem.contains("fields") || !problem.contains("problem")) throw InputError(detail);
  std::vector<std::string> fields;
  for (const Json& pointer : problem["fields"]) {
    const auto path = pointer.get<std::string>();
    fields.push_back(path.substr(path.rfind('/') + 1));
  }
  throw FieldError(std::move(fields), problem["problem"].get<std::string>());
}

}  // namespace longrun
