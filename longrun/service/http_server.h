#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longrun {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;  ///< names in lower case

/// A request, complete and within the limits of the server.
struct HttpRequest {
  std::string method;                                        ///< "GET", "POST", ...
  std::string path;                                          ///< percent-decoded, without the query
  std::vector<std::pair<std::string, std::string>> query{};  ///< percent-decoded
  HttpHeaders headers{};
  std::string body{};

  /// Returns the value of a header (a name in lower case), or nullptr. If it is given twice, the first.
  const std::string* header(std::string_view name) const;
  /// Returns the value of a parameter of the query, or nullptr.
  const std::string* parameter(std::string_view name) const;
};

/// An answer. The server adds content-length, date, connection and, with the status 401, www-authenticate.
struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  HttpHeaders headers{};
};

/// The server's side of a stream of server-sent events. Its functions may be called from any thread.
class EventStream {
 public:
  virtual ~EventStream() = default;  ///< closes the stream, after what has been sent
  /// Sends bytes, which are complete server-sent events. Returns false if the stream is closed: by close(), by stop(),
  /// by the client, or because more than HttpLimits::stream_bytes would be waiting, which also closes it. If nothing is
  /// waiting, any number of bytes is accepted.
  virtual bool send(std::string bytes) = 0;
  virtual std::size_t waiting() const = 0;  ///< bytes that the client has not taken yet
  virtual bool is_open() const = 0;
  virtual void close() = 0;  ///< after what has been sent
  /// Keeps the stream from beginning until something is sent, so that it can be refused until then. Called in
  /// HttpHandler::open_stream() only.
  virtual void hold() = 0;
  /// Answers the request with this instead of a stream. Does nothing unless the stream is held and nothing was sent.
  virtual void refuse(HttpResponse response) = 0;
};

/// A request that the server answered without the handler, because it was malformed or exceeded a limit of size, time
/// or number.
struct RefusedRequest {
  std::string method{};  ///< empty if it was not received
  std::string path{};    ///< empty if it was not received; as it was sent if it is malformed
  int status = 0;
  std::chrono::duration<double> time{};  ///< since its first byte
};

/// A handler that answers requests.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Returns the answer that refuses a request, or nullopt. Called for every request before handle() and open_stream(),
  /// when its header is complete and its body has not been read, so that a client without permission cannot make the
  /// server keep a body. Called on a thread of the server.
  virtual std::optional<HttpResponse> refuse(const HttpRequest& header) {
    static_cast<void>(header);
    return std::nullopt;
  }
  /// Notes that the server refused a request itself. Called on a thread of the server.
  virtual void note_refused(const RefusedRequest& request) { static_cast<void>(request); }
  /// Answers a request. Called on a thread of the server, so it must not block: `respond` may be called later, from any
  /// thread, exactly once. A second call does nothing. If the last copy of `respond` is destroyed without a call, or if
  /// handle() throws, the answer is 500. A request with HEAD is answered as one with GET; the server omits the body.
  virtual void handle(HttpRequest request, std::function<void(HttpResponse)> respond) = 0;
  /// Returns whether the request is for a stream of server-sent events; open_stream() answers it then.
  virtual bool is_stream(const HttpRequest& request) const = 0;
  /// Starts a stream, or returns the answer that refuses it. The stream is open until it is closed or destroyed. Called
  /// on a thread of the server; not called for HEAD.
  virtual std::optional<HttpResponse> open_stream(const HttpRequest& request, std::shared_ptr<EventStream> stream) = 0;
};

/// Limits of a server. Each has a clear answer: 413, 431, 408, 503 or a closed connection.
struct HttpLimits {
  std::size_t header_bytes = std::size_t{16} * 1024;
  std::size_t body_bytes = std::size_t{1024} * 1024;
  std::string large_body_path{};  ///< the path whose bodies may have large_body_bytes instead; empty: none
  std::size_t large_body_bytes = 0;
  std::size_t large_bodies = 2;  ///< above body_bytes that are read or handled at the same time; others get 503
  std::size_t connections = 10'000;
  std::size_t stream_bytes = std::size_t{1024} * 1024;  ///< waiting to be read by the client of one stream
  std::chrono::milliseconds request_time{30'000};       ///< for a header to arrive; longest pause within a body
  std::chrono::milliseconds idle_time{60'000};          ///< between two requests of a connection
  std::chrono::milliseconds response_time{60'000};      ///< longest pause of a client that takes an answer
  /// Bytes per second, on average, of bodies and answers; counted after request_time or response_time. Otherwise a
  /// client that moves a byte periodically could keep its connection and its body for ever.
  std::size_t minimum_rate = std::size_t{16} * 1024;
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;          ///< 0: any free port
  std::string certificate_file{};  ///< PEM; with a key, the server speaks only TLS
  std::string key_file{};
  int threads = 1;  ///< 0: one per core
  HttpLimits limits{};
  /// Called with one line for each failure that a client can't correct, such as a handler that throws. From any thread.
  std::function<void(const std::string& line)> log{};
};

/// An HTTP/1.1 server (Boost.Beast). It listens from its construction on, and answers once run() is called. It must not
/// be destroyed before run() returns.
class HttpServer {
 public:
  /// Throws SystemError if it cannot listen, and InputError for an invalid address, limit, certificate or key.
  HttpServer(const HttpOptions& options, HttpHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// Answers requests until stop(). Returns when all requests that had arrived are answered and all streams are closed,
  /// after at most limits.response_time: connections that are still open are closed then. Can be called once.
  void run();
  /// Makes run() return. May be called from any thread, and from a signal handler's thread.
  void stop();
  std::size_t connections() const;  ///< open now

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace longrun
