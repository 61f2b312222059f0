#pragma once

#include <chrono>
#include <string>

#include "longrun/service/http_server.h"

namespace longrun {

/// A blocking client of an HTTP server, for command lines. Each request has a connection of its own.
class BlockingHttpClient {
 public:
  /// `url` is "http://HOST" or "http://HOST:PORT", perhaps with a path that precedes those of requests. Throws
  /// InputError.
  explicit BlockingHttpClient(const std::string& url);

  /// Sends a request and returns the response, whose headers have names in lower case. Throws SystemError if the
  /// response does not arrive within `timeout`: then it is not known whether the request has arrived.
  HttpResponse send(const HttpRequest& request, std::chrono::milliseconds timeout) const;
  /// Sends a request again, after ever longer pauses, as long as there is no response or one with the status 502, 503
  /// or 504, and `patience` has not passed. The request must have one effect however often it is sent: it has a key, or
  /// names what it records. Throws SystemError as send() does.
  HttpResponse send_until_answered(const HttpRequest& request, std::chrono::milliseconds timeout,
                                   std::chrono::milliseconds patience) const;
  const std::string& url() const { return url_; }

 private:
  std::string url_;  // without a slash at its end
  std::string host_;
  std::string port_;
  std::string path_;  // empty, or begins with a slash and does not end with one
};

}  // namespace longrun
