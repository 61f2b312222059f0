#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "longrun/service/http_server.h"
#include "longrun/service/request_error.h"
#include "longrun/service/study_service.h"

namespace longrun {

// The HTTP interface of the service, without sockets and threads: a request becomes a change or a query, and what the
// StudyService replies becomes a response.

/// A request that changes nothing.
struct Query {
  enum class Kind {
    studies,
    study,
    pending,
    recommendation,
    plan,
    series,
    events,
    exported,
    audit,
  };
  Kind kind = Kind::studies;
  std::string study{};
  std::int64_t after = -1;             ///< events, pending decisions: those with a larger number
  DecisionId decision = 0;             ///< events: those of this decision; 0 for all
  std::size_t most = 0;                ///< events, pending decisions or points
  std::vector<std::string> compare{};  ///< constraints to compare with: "minimum_share 0.1"
  std::int64_t futures = 1000;         ///< of a plan
};

/// Returns what a request of the interface (a path that begins with /v1) asks for. Throws RequestError.
std::variant<ChangeRequest, Query> parse_request(const HttpRequest& request);

/// Returns the response to a change.
HttpResponse response_to(const ChangeRequest& request, const ChangeReply& reply);
/// Returns the response to a refused request: application/problem+json (RFC 9457).
HttpResponse response_to(const RequestError& error);

/// Reads what a query needs, on the thread of the service, and returns a function that computes the response on any
/// thread. Throws RequestError, also in that function.
std::function<HttpResponse()> prepared(const Query& query, StudyService& service);

/// Returns an entry of a log as one line of JSON, as it is exported and streamed: the event with "at", and "key",
/// "request" and "details" if there are any.
std::string exported_line(const LogEntry& entry);
/// Reads the lines of an exported study. Throws RequestError, which names the line.
std::vector<LogEntry> entries_from_export(const std::string& lines);

}  // namespace longrun
