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
    ready,  ///< whether the store can be read
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
  std::int64_t before = 0;             ///< recommendation: as it was before this entry; 0: as it is now
  std::int64_t futures = 0;            ///< of a plan; 0: as many as are worth their time
};

/// Returns what a request of the interface (a path that begins with /v1) asks for. Throws RequestError.
std::variant<ChangeRequest, Query> parse_request(const HttpRequest& request);

/// Returns the error for a path that no request has; it names one that is spelled alike.
RequestError nothing_at(const std::string& path);

/// Returns the error for a method that is not possible; `allowed` has those that are: "GET, HEAD".
RequestError wrong_method(const HttpRequest& request, const std::string& allowed);

/// Returns the response to a change.
HttpResponse response_to(const ChangeRequest& request, const ChangeReply& reply);
/// Returns the response to a refused request: application/problem+json (RFC 9457).
HttpResponse response_to(const RequestError& error);

/// The answer to a query, or what computes it.
struct Answer {
  HttpResponse response{};
  std::function<HttpResponse()> compute{};  ///< if it takes time: to be called on any thread; may throw RequestError
  std::int64_t events = 0;                  ///< of the study, which `compute` has a copy of

  HttpResponse get() const { return compute ? compute() : response; }
};
/// Returns whether the answer to a query takes time.
bool takes_time(const Query& query);
/// Throws RequestError if a client asks for the entries after one that the log does not have.
void check_after(std::int64_t after, std::int64_t last);
/// Reads what a query needs, on the thread of the service. Throws RequestError and SystemError.
Answer answer_to(const Query& query, StudyService& service);

/// Returns an entry of a log as one line of JSON, as it is exported and streamed: the event with "at", and "key",
/// "request" and "details" if there are any.
std::string exported_line(const LogEntry& entry);
/// The entries of an exported study, and its name, which is part of the first one.
struct ExportedStudy {
  std::string name;
  std::vector<LogEntry> entries;
};
/// Reads the lines of an exported study, with another name if one is given. Throws RequestError, which names the
/// line.
ExportedStudy study_from_export(const std::string& lines, const std::string* other_name);

}  // namespace longrun
