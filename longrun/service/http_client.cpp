#include "longrun/service/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <thread>
#include <utility>  // must precede Asio of Boost 1.74, which uses std::exchange without it

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/system_error.h"
#include "longrun/base/text.h"

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
  return InputError(fmt::format("URL '{}': must be one such as http://127.0.0.1:8042", url));
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

}  // namespace

BlockingHttpClient::BlockingHttpClient(const std::string& url) : url_(url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    throw InputError(fmt::format("URL '{}': HTTPS is not supported here; use the address of the server itself", url));
  }
  if (!url.starts_with(kScheme) || url.find_first_of("?#@ \t\r\n") != std::string::npos) throw wrong_url(url);
  while (url_.ends_with('/')) url_.pop_back();
  if (url_.size() <= kScheme.size()) throw wrong_url(url);
  const std::string rest = url_.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  path_ = rest.substr(slash);
  const std::string place = rest.substr(0, slash);
  const std::size_t bracket = place.starts_with('[') ? place.find(']') : 0;  // of an IPv6 address
  if (bracket == std::string::npos) throw wrong_url(url);
  const std::size_t colon = place.find(':', bracket);
  host_ = place.substr(0, colon);
  port_ = colon == std::string::npos ? "80" : place.substr(colon + 1);
  if (host_.starts_with('[')) host_ = host_.substr(1, host_.size() - 2);
  const auto number = parse_number<int>(port_);
  if (host_.empty() || !number || *number < 1 || *number > 65535) throw wrong_url(url);
}

HttpResponse BlockingHttpClient::send(const HttpRequest& request, std::chrono::milliseconds timeout) const {
  boost::asio::io_context context;
  beast::tcp_stream stream(context);
  stream.expires_after(timeout);  // for all of it
  const auto check = [&](const ErrorCode& error) {
    if (!error) return;
    const bool is_late = error == beast::error::timeout;
    throw SystemError(fmt::format("{}: {}", url_, is_late ? "no answer in time" : error.message()));
  };
  // Runs one asynchronous operation to its end; only these have a time limit.
  const auto finish = [&](auto&& start) {
    ErrorCode result;
    start([&](const ErrorCode& error, const auto&...) { result = error; });
    context.restart();
    context.run();
    check(result);
  };
  ErrorCode unresolved;
  tcp::resolver resolver(context);
  const auto endpoints = resolver.resolve(host_, port_, unresolved);
  check(unresolved);
  finish([&](auto done) { stream.async_connect(endpoints, std::move(done)); });

  http::request<http::string_body> message(http::string_to_verb(request.method), target_of(path_, request), 11);
  message.set(http::field::host, host_.find(':') == std::string::npos ? fmt::format("{}:{}", host_, port_)
                                                                      : fmt::format("[{}]:{}", host_, port_));
  message.set(http::field::connection, "close");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = request.body;
  message.prepare_payload();
  finish([&](auto done) { http::async_write(stream, message, std::move(done)); });

  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kLargestAnswer);
  finish([&](auto done) { http::async_read(stream, buffer, parser, std::move(done)); });
  return response_of(parser.release());
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
