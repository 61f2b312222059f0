#pragma once

// A blocking HTTP client that sends any bytes, and a server that runs while an object lives.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "longrun/service/http_server.h"

namespace longrun {

/// What a server answered.
struct HttpAnswer {
  int status = 0;                              ///< 0: the connection was closed before an answer was complete
  std::map<std::string, std::string> headers;  ///< names as the server wrote them
  std::string body;
};

/// A connection to a server on this machine. Every call waits for at most 30 s, so that a broken server fails tests.
class HttpClient {
 public:
  enum class Tls { no, yes };

  explicit HttpClient(std::uint16_t port, Tls tls = Tls::no, const std::string& address = "127.0.0.1") {
    const bool v6 = address.find(':') != std::string::npos;
    file_ = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    const timeval limit{30, 0};
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(file_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    EXPECT_TRUE(v6 ? connect_v6(address, port) : connect_v4(address, port)) << "cannot connect to port " << port;
    if (tls == Tls::yes) begin_tls();
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() {
    ssl_.reset();
    ::close(file_);
  }

  /// Sends bytes. Returns whether all of them could be sent.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish_sending() const { shutdown(file_, SHUT_WR); }

  /// Returns the next answer; `head`: it has no body.
  HttpAnswer answer(bool head = false) {
    const std::optional<std::string> text = read_through("\r\n\r\n");
    if (!text || !text->starts_with("HTTP/1.1 ")) return {};
    HttpAnswer result{.status = std::stoi(text->substr(9, 3)), .headers = {}, .body = {}};
    for (std::size_t begin = text->find("\r\n") + 2; begin + 2 < text->size();) {
      const std::size_t end = text->find("\r\n", begin);
      const std::size_t colon = text->find(": ", begin);
      result.headers[text->substr(begin, colon - begin)] = text->substr(colon + 2, end - colon - 2);
      begin = end + 2;
    }
    if (head || !result.headers.contains("content-length")) return result;
    const std::size_t size = std::stoul(result.headers["content-length"]);
    while (received_.size() < size) {
      if (!receive()) return {};
    }
    result.body = received_.substr(0, size);
    received_.erase(0, size);
    return result;
  }

  HttpAnswer request(std::string_view bytes) {
    send(bytes);
    return answer();
  }

  /// Returns what arrives up to and including `end`, or nullopt if the connection is closed before.
  std::optional<std::string> read_through(std::string_view end) {
    std::size_t found = received_.find(end);
    while (found == std::string::npos) {
      if (!receive()) return std::nullopt;
      found = received_.find(end);
    }
    std::string text = received_.substr(0, found + end.size());
    received_.erase(0, found + end.size());
    return text;
  }

  /// Reads and forgets at least so many bytes. Returns whether they arrived before the connection was closed.
  bool skip(std::size_t bytes) {
    while (received_.size() < bytes) {
      if (!receive()) return false;
    }
    received_.clear();
    return true;
  }

  /// Returns everything that arrives before the server closes.
  std::string read_to_end() {
    while (receive()) {
    }
    EXPECT_FALSE(timed_out_) << "the server did not close the connection";
    return std::exchange(received_, {});
  }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  bool connect_v4(const std::string& address, std::uint16_t port) const {
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &target.sin_addr);
    return connect(file_, reinterpret_cast<const sockaddr*>(&target), sizeof target) == 0;
  }
  bool connect_v6(const std::string& address, std::uint16_t port) const {
    sockaddr_in6 target{};
    target.sin6_family = AF_INET6;
    target.sin6_port = htons(port);
    inet_pton(AF_INET6, address.c_str(), &target.sin6_addr);
    return connect(file_, reinterpret_cast<const sockaddr*>(&target), sizeof target) == 0;
  }
  void begin_tls() {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), file_);
    EXPECT_EQ(SSL_connect(ssl_.get()), 1);
  }

  /// Receives some bytes. Returns false if there are none: the connection is closed, or the time is over.
  bool receive() {
    char bytes[16 * 1024];
    const auto count = ssl_ ? SSL_read(ssl_.get(), bytes, sizeof bytes) : recv(file_, bytes, sizeof bytes, 0);
    timed_out_ = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int file_ = -1;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
  std::string received_;  ///< not returned yet
  bool timed_out_ = false;
};

/// Returns the bytes of a request; `headers` are whole lines.
inline std::string get(std::string_view target, std::string_view headers = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n{}\r\n", target, headers);
}
inline std::string post(std::string_view target, std::string_view body, std::string_view headers = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n{}\r\n{}", target, body.size(), headers,
                     body);
}

/// Returns a text that is too large for the buffers of the system between a server and a client that does not read.
inline std::string large_text() {
  std::string text;
  text.resize(50'000'000, 'x');
  return text;
}

/// A handler made of functions. Paths that begin with "/stream" are streams.
struct FunctionHandler : HttpHandler {
  using Respond = std::function<void(HttpResponse)>;

  /// Answers with the request itself: method, path, query and body.
  static void echo(const HttpRequest& request, const Respond& respond) {
    std::string text = request.method + " " + request.path;
    for (const auto& [name, value] : request.query)
      text.append(" [").append(name).append("=").append(value).append("]");
    respond({.content_type = "text/plain", .body = text + " " + request.body});
  }

  std::function<std::optional<HttpResponse>(const HttpRequest&)> on_header = [](const auto&) { return std::nullopt; };
  std::function<void(const RefusedRequest&)> on_refused = [](const auto&) {};
  std::function<void(HttpRequest, Respond)> on_request = echo;
  std::function<std::optional<HttpResponse>(std::shared_ptr<EventStream>)> on_stream;

  std::optional<HttpResponse> refuse(const HttpRequest& header) override { return on_header(header); }
  void note_refused(const RefusedRequest& request) override { on_refused(request); }
  void handle(HttpRequest request, Respond respond) override { on_request(std::move(request), std::move(respond)); }
  bool is_stream(const HttpRequest& request) const override { return request.path.starts_with("/stream"); }
  std::optional<HttpResponse> open_stream(const HttpRequest&, std::shared_ptr<EventStream> stream) override {
    return on_stream(std::move(stream));
  }
};

/// A server that runs on threads of its own until this object is destroyed or stopped.
class RunningServer {
 public:
  explicit RunningServer(HttpHandler& handler, HttpOptions options = {})
      : server_(logged(std::move(options)), handler), thread_([this] { server_.run(); }) {}
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer() { stop(); }

  std::uint16_t port() const { return server_.port(); }
  HttpServer& server() { return server_; }
  /// Stops the server and waits until it has.
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  /// Returns the lines that the server has logged.
  std::vector<std::string> log() const {
    const std::lock_guard lock(log_->mutex);
    return log_->lines;
  }

 private:
  struct Log {
    std::mutex mutex;
    std::vector<std::string> lines;
  };

  HttpOptions logged(HttpOptions options) const {
    options.log = [log = log_](const std::string& line) {
      const std::lock_guard lock(log->mutex);
      log->lines.push_back(line);
    };
    return options;
  }

  std::shared_ptr<Log> log_ = std::make_shared<Log>();
  HttpServer server_;
  std::thread thread_;
};

/// Waits, for at most 30 s, until a condition holds. Returns whether it does.
template <class Condition>
bool eventually(Condition condition) {
  for (int attempt = 0; attempt < 6000; ++attempt) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace longrun
