#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "longrun/service/http_server.h"

struct ssl_ctx_st;  // SSL_CTX of OpenSSL

namespace longrun {

/// A blocking client of an HTTP server, for command lines. Each request has a connection of its own.
class BlockingHttpClient {
 public:
  /// `url` is "http://HOST" or "https://HOST:PORT", perhaps with a path that precedes those of requests. With HTTPS the
  /// server must have a certificate for HOST that an authority in the file has signed; without a file, one that the
  /// system trusts. Throws InputError.
  explicit BlockingHttpClient(const std::string& url, const std::string& authority_file = "");

  /// Sends a request and returns the response, whose headers have names in lower case. Throws SystemError if for
  /// `timeout` no byte of them moves: then it is not known whether the request has arrived. Throws InputError if the
  /// certificate of the server is not accepted; then nothing was sent.
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
  std::shared_ptr<ssl_ctx_st> tls_;  // nullptr: HTTP
  std::string path_;                 // empty, or begins with a slash and does not end with one
};

}  // namespace longrun
