#pragma once

#include <string>
#include <string_view>

#include "longrun/service/http_server.h"

namespace longrun {

/// Returns the phrase of a status, such as "Not Found" for 404; "Status" for those that longrun does not use.
std::string_view status_phrase(int status);

/// Returns an answer with the problem as JSON (application/problem+json, RFC 9457).
HttpResponse problem(int status, std::string_view detail);

/// Returns what makes a response impossible to send (a status that is not final, a header with a line break, a header
/// that the server sets itself), or an empty text.
std::string fault_of(const HttpResponse& response);

/// Returns whether a response with this status may have a body.
constexpr bool has_body(int status) { return status != 204 && status != 304; }

/// Returns the status line and the headers of a response, up to and including the empty line.
std::string response_head(const HttpResponse& response, bool keep_alive);

/// Returns the same for a stream of server-sent events, which ends with its connection.
std::string stream_head();

}  // namespace longrun
