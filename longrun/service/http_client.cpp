#include "longrun/service/http_client.h"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cctype>
#include <thread>
#include <utility>  // must precede Asio of Boost 1.74, which uses std::exchange without it

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/system_error.h"
#include "longrun/base/text.h"
#include "longrun/service/internal/tls_context.h"

namespace longrun {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLargestAnswer = 1ULL << 32;  // bytes; an export may be large
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{5'000};

InputError wrong_url(const std::string& url) {
  return InputError(  // NOLINT(modernize-return-braced-init-list): the constructor is explicit
      fmt::format("URL '{}': must be one such as http://127.0.0.1:8042", url));
}

std::string escaped(std::string_view text, std::string_view also_kept = "") {
  std::string result;
  for (const char c : text) {
    const bool is_kept = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                         std::string_view("-._~").find(c) != std::string_view::npos ||
                         also_kept.find(c) != std::string_view::npos;
    result += is_kept ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string target_of(const std::string& prefix, const HttpRequest& request) {
  std::string target = prefix + escaped(request.path, "/");
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    target += separator + escaped(name) + "=" + escaped(value);
    separator = '&';
  }
  return target;
}

HttpResponse response_of(http::response<http::string_body> message) {
  HttpResponse response{.status = static_cast<int>(message.result_int()), .content_type = ""};
  for (const auto& field : message) {
    std::string name = lower_case(std::string(field.name_string()));
    if (name == "content-type") response.content_type = std::string(field.value());
    response.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  response.body = std::move(message.body());
  return response;
}

/// One exchange of a request and its response. Each step must make progress within the time limit.
class Exchange {
 public:
  Exchange(const std::string& url, std::chrono::milliseconds timeout) : url_(url), timeout_(timeout) {}

  boost::asio::io_context& context() { return context_; }

  void connect(beast::tcp_stream& stream, const std::string& host, const std::string& port) {
    ErrorCode unresolved;
    tcp::resolver resolver(context_);
    const auto endpoints = resolver.resolve(host, port, unresolved);
    check(unresolved);
    finish(stream, [&](auto done) { stream.async_connect(endpoints, std::move(done)); });
  }

  /// Begins TLS, if the server has a certificate for the host that is trusted.
  void begin_tls(beast::ssl_stream<beast::tcp_stream>& stream, const std::string& host) {
    SSL* const ssl = stream.native_handle();
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1) {  // not an address
      X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), 0);
      SSL_set_tlsext_host_name(ssl, host.c_str());
    }
    ErrorCode failure = result_of(stream.next_layer(), [&](auto done) {
      stream.async_handshake(boost::asio::ssl::stream_base::client, std::move(done));
    });
    if (const long reason = SSL_get_verify_result(ssl); failure && reason != X509_V_OK) {
      throw InputError(fmt::format("{}: the certificate of the server is not accepted: {}", url_,
                                   X509_verify_cert_error_string(reason)));
    }
    check(failure);
  }

  template <class Stream>
  HttpResponse send(Stream& stream, const http::request<http::string_body>& message) {
    beast::tcp_stream& lowest = beast::get_lowest_layer(stream);
    http::request_serializer<http::string_body> serializer(message);
    while (!serializer.is_done()) {
      finish(lowest, [&](auto done) { http::async_write_some(stream, serializer, std::move(done)); });
    }
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(kLargestAnswer);
    while (!parser.is_done()) {
      finish(lowest, [&](auto done) { http::async_read_some(stream, buffer, parser, std::move(done)); });
    }
    return response_of(parser.release());
  }

 private:
  void check(const ErrorCode& error) const {
    if (!error) return;
    const bool is_late = error == beast::error::timeout;
    throw SystemError(fmt::format("{}: {}", url_, is_late ? "no answer in time" : error.message()));
  }
  /// Runs one asynchronous operation to its end; only these have a time limit.
  template <class Start>
  ErrorCode result_of(beast::tcp_stream& stream, Start start) {
    ErrorCode result;
    stream.expires_after(timeout_);
    start([&](const ErrorCode& error, const auto&...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }
  template <class Start>
  void finish(beast::tcp_stream& stream, Start start) {
    check(result_of(stream, std::move(start)));
  }

  const std::string& url_;
  std::chrono::milliseconds timeout_;
  boost::asio::io_context context_;
};

}  // namespace

BlockingHttpClient::BlockingHttpClient(const std::string& url, const std::string& authority_file) : url_(url) {
  const bool is_https = url.starts_with("https://");
  const std::string_view scheme = is_https ? "https://" : "http://";
  if (!url.starts_with(scheme) || url.find_first_of("?#@ \t\r\n") != std::string::npos) throw wrong_url(url);
  while (url_.ends_with('/')) url_.pop_back();
  if (url_.size() <= scheme.size()) throw wrong_url(url);
  const std::string rest = url_.substr(scheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  path_ = rest.substr(slash);
  const std::string place = rest.substr(0, slash);
  const std::size_t bracket = place.starts_with('[') ? place.find(']') : 0;  // of an IPv6 address
  if (bracket == std::string::npos) throw wrong_url(url);
  const std::size_t colon = place.find(':', bracket);
  host_ = place.substr(0, colon);
  port_ = colon == std::string::npos ? (is_https ? "443" : "80") : place.substr(colon + 1);
  if (host_.starts_with('[')) host_ = host_.substr(1, host_.size() - 2);
  const auto number = parse_number<int>(port_);
  if (host_.empty() || !number || *number < 1 || *number > 65535) throw wrong_url(url);
  if (is_https) {
    tls_ = make_client_tls_context(authority_file);
  } else if (!authority_file.empty()) {
    throw InputError(fmt::format("URL '{}': a certificate is checked only with https", url));
  }
}

HttpResponse BlockingHttpClient::send(const HttpRequest& request, std::chrono::milliseconds timeout) const {
  http::request<http::string_body> message(http::string_to_verb(request.method), target_of(path_, request), 11);
  message.set(http::field::host, host_.find(':') == std::string::npos ? fmt::format("{}:{}", host_, port_)
                                                                      : fmt::format("[{}]:{}", host_, port_));
  message.set(http::field::connection, "close");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = request.body;
  message.prepare_payload();

  Exchange exchange(url_, timeout);
  if (!tls_) {
    beast::tcp_stream stream(exchange.context());
    exchange.connect(stream, host_, port_);
    return exchange.send(stream, message);
  }
  SSL_CTX_up_ref(tls_.get());  // Asio's context takes a share of it
  boost::asio::ssl::context tls(tls_.get());
  beast::ssl_stream<beast::tcp_stream> stream(exchange.context(), tls);
  exchange.connect(stream.next_layer(), host_, port_);
  exchange.begin_tls(stream, host_);
  return exchange.send(stream, message);
}

HttpResponse BlockingHttpClient::send_until_answered(const HttpRequest& request, std::chrono::milliseconds timeout,
                                                     std::chrono::milliseconds patience) const {
  const Clock::time_point end = Clock::now() + patience;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const bool is_last = Clock::now() + pause > end;
    try {
      HttpResponse response = send(request, timeout);
      const bool is_temporary = response.status == 502 || response.status == 503 || response.status == 504;
      if (!is_temporary || is_last) return response;
    } catch (const SystemError&) {
      if (is_last) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace longrun
