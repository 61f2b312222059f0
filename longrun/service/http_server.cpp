#include "longrun/service/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <exception>
#include <thread>

#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/base/system_error.h"
#include "longrun/service/internal/server_core.h"
#include "longrun/service/internal/socket_connection.h"
#include "longrun/service/internal/tls_context.h"

namespace longrun {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Connections above the limit that are told so at the same time; further ones are closed at once.
constexpr std::size_t kRefusals = 64;
/// The time for which the server accepts nothing after a failure, such as too many open files.
constexpr std::chrono::milliseconds kAcceptPause{100};

const std::string* value_of(const std::vector<std::pair<std::string, std::string>>& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? nullptr : &found->second;
}

void check_limits(const HttpOptions& options) {
  const HttpLimits& limits = options.limits;
  const auto check = [](std::string_view name, long long value) {
    if (value < 1) throw InputError(fmt::format("{} of an HTTP server is {}; it must be at least 1", name, value));
  };
  const auto bytes = [](std::size_t value) { return value > 0 ? 1LL : 0LL; };
  check("header_bytes", bytes(limits.header_bytes));
  check("body_bytes", bytes(limits.body_bytes));
  check("connections", bytes(limits.connections));
  check("stream_bytes", bytes(limits.stream_bytes));
  check("minimum_rate", bytes(limits.minimum_rate));
  check("request_time", limits.request_time.count());
  check("idle_time", limits.idle_time.count());
  check("response_time", limits.response_time.count());
  if (options.threads < 0) {
    throw InputError(fmt::format("threads of an HTTP server is {}; it must be at least 0", options.threads));
  }
}

tcp::endpoint endpoint_of(const HttpOptions& options) {
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) {
    throw InputError(
        fmt::format("address \"{}\" is not an IP address; 127.0.0.1 and ::1 are, for example", options.address));
  }
  return {address, options.port};
}

std::optional<asio::ssl::context> tls_of(const HttpOptions& options) {
  if (options.certificate_file.empty() && options.key_file.empty()) return std::nullopt;
  if (options.certificate_file.empty()) {
    throw InputError(fmt::format("{}: a key without a certificate; TLS needs both", options.key_file));
  }
  if (options.key_file.empty()) {
    throw InputError(fmt::format("{}: a certificate without a key; TLS needs both", options.certificate_file));
  }
  return asio::ssl::context(make_tls_context(options.certificate_file, options.key_file).release());
}

}  // namespace

Answering::~Answering() {
  if (answered_) return;
  try {
    fail("the handler did not answer");
  } catch (...) {  // no memory: the connection is closed when the server stops
  }
}

void Answering::fail(const std::string& reason) {
  core_->log("a request failed: " + reason);
  answer(problem(500, "the server failed"));
}

ConnectionStream::~ConnectionStream() {
  try {
    close();
  } catch (...) {  // no memory: the connection is closed when the client closes or the server stops
  }
}

class HttpServer::Implementation {
 public:
  Implementation(const HttpOptions& options, HttpHandler& handler)
      : threads_(options.threads > 0 ? options.threads
                                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))),
        core_(std::make_shared<ServerCore>(options, handler)),
        tls_(tls_of(options)),
        acceptor_(asio::make_strand(core_->context)),
        pause_(acceptor_.get_executor()) {
    check_limits(options);
    const tcp::endpoint endpoint = endpoint_of(options);
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) acceptor_.non_blocking(true, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (!error) return;
    const bool v6 = endpoint.address().is_v6();
    throw SystemError(fmt::format("{}{}{}:{}: cannot listen: {}", v6 ? "[" : "", options.address, v6 ? "]" : "",
                                  options.port, error.message()));
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() { core_->end(); }  // NOLINT(bugprone-exception-escape): completion handlers do not throw

  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return core_->connections(); }

  void run() {
    if (ran_.exchange(true)) throw InputError("an HTTP server can run only once");
    accept();
    in_parallel(threads_, static_cast<std::size_t>(threads_), [this](std::size_t) { work(); });
    core_->end();
  }

  void stop() {
    core_->post(acceptor_.get_executor(), [this] { stop_listening(); });
  }

 private:
  /// Calls the functions of connections until all work is done.
  void work() {
    for (;;) {
      try {
        core_->context.run();
        return;
      } catch (const std::exception& error) {
        core_->log(fmt::format("a connection failed: {}", error.what()));
      }
    }
  }

  void accept() {
    acceptor_.async_accept(asio::make_strand(core_->context), [this](boost::system::error_code error, Socket socket) {
      if (!error) begin(std::move(socket));
      if (core_->stopping()) return core_->listening_ended();
      const bool failed = error && error != asio::error::connection_aborted;
      if (failed && !failing_) core_->log("cannot accept a connection: " + error.message());
      failing_ = failed;
      if (!failed) return accept();
      pause_.expires_after(kAcceptPause);
      pause_.async_wait([this](boost::system::error_code) {
        if (core_->stopping()) return core_->listening_ended();
        accept();
      });
    });
  }

  void begin(Socket socket) {
    const bool refused = core_->connections() >= core_->limits.connections;
    if (refused && core_->refusals() >= kRefusals) return;  // the socket closes
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    std::shared_ptr<Connection> connection;
    if (tls_) {
      connection = std::make_shared<SocketConnection<TlsSocket>>(core_, TlsSocket(std::move(socket), *tls_), refused);
    } else {
      connection = std::make_shared<SocketConnection<Socket>>(core_, std::move(socket), refused);
    }
    core_->add(connection, refused);
    connection->start();
  }

  /// Accepts the connections that have arrived, closes the port and tells all connections to end.
  void stop_listening() {
    if (core_->stopping() || !ran_) return;  // !ran_: the server is being destroyed
    boost::system::error_code error;
    while (!error) {
      Socket socket = acceptor_.accept(asio::make_strand(core_->context), error);
      if (!error) begin(std::move(socket));
    }
    acceptor_.close(error);
    pause_.cancel();
    core_->stop_connections();
  }

  const int threads_;
  const std::shared_ptr<ServerCore> core_;
  std::optional<asio::ssl::context> tls_;
  asio::basic_socket_acceptor<tcp, Strand> acceptor_;
  StrandTimer pause_;
  bool failing_ = false;  ///< the last connection could not be accepted, which has been logged
  std::uint16_t port_ = 0;
  std::atomic<bool> ran_{false};
};

const std::string* HttpRequest::header(std::string_view name) const { return value_of(headers, name); }
const std::string* HttpRequest::parameter(std::string_view name) const { return value_of(query, name); }

HttpServer::HttpServer(const HttpOptions& options, HttpHandler& handler)
    : implementation_(std::make_unique<Implementation>(options, handler)) {}
HttpServer::~HttpServer() = default;
std::uint16_t HttpServer::port() const { return implementation_->port(); }
void HttpServer::run() { implementation_->run(); }
void HttpServer::stop() { implementation_->stop(); }
std::size_t HttpServer::connections() const { return implementation_->connections(); }

}  // namespace longrun
