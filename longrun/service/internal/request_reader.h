#pragma once

// Only http_server.cpp includes this header, directly or through others, because Beast is slow to compile.
#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>  // must precede Asio of Boost 1.74, which uses std::exchange without it

#include "longrun/base/input_error.h"
#include "longrun/base/text.h"
#include "longrun/service/http_server.h"
#include "longrun/service/url.h"

namespace longrun {

/// One request while it arrives: Beast's parser with the limits and rules of the server.
class RequestReader {
  using Error = boost::beast::http::error;
  using Field = boost::beast::http::field;

 public:
  enum class Progress {
    incomplete,
    header_complete,  ///< of the request only the body is missing, if it has one; see request()
    continue_wanted,  ///< the client waits for "100 Continue" before it sends the body
    refused,          ///< see refusal(); where the next request begins is unknown
    complete,
  };
  struct Refusal {
    int status = 0;
    std::string detail;
  };

  explicit RequestReader(const HttpLimits& limits) : limits_(limits) {
    parser_.header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(limits.header_bytes, UINT32_MAX)));
    parser_.body_limit(std::max(limits.body_bytes, limits.large_body_bytes));  // accepts_header() knows the path
  }

  /// Removes empty lines before a request, which some clients send after a body (RFC 9112, 2.2).
  static void skip_line_breaks(boost::beast::flat_buffer& buffer) {
    const std::string_view bytes = text_of(buffer);
    buffer.consume(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  }

  /// Takes bytes of the request from the buffer.
  Progress read(boost::beast::flat_buffer& buffer) {
    if (has_header() && !std::exchange(reads_body_, true)) {
      parser_.eager(true);
      if (wants_continue() && !parser_.is_done() && buffer.size() == 0) return Progress::continue_wanted;
    }
    while (!parser_.is_done()) {
      if (buffer.size() == 0) return Progress::incomplete;
      const bool in_header = !parser_.is_header_done();
      boost::system::error_code error;
      const std::size_t used = parser_.put(buffer.data(), error);
      if (in_header) header_bytes_ += used;  // Beast limits only the part that it has not used yet
      if (in_header && header_bytes_ > limits_.header_bytes) error = Error::header_limit;
      if (error && error != Error::need_more) return refuse_malformed(error, text_of(buffer));
      buffer.consume(used);
      if (error) return Progress::incomplete;
      if (!in_header || !parser_.is_header_done()) continue;
      return accepts_header() ? Progress::header_complete : Progress::refused;
    }
    return Progress::complete;
  }

  const Refusal& refusal() const { return refusal_; }
  bool has_header() const { return parser_.is_header_done(); }
  bool is_head() const { return is_head_; }
  bool keep_alive() const { return parser_.keep_alive(); }

  /// Returns whether the request is complete: it has no body, or all of it has been read.
  bool is_complete() const { return parser_.is_done(); }
  std::uint64_t body_bytes() const { return parser_.content_length().value_or(0); }
  /// Returns the request without its body, once its header is complete.
  const HttpRequest& request() const { return request_; }
  /// Returns the method and the path of a request that is refused, as far as they have been received.
  const HttpRequest& received() {
    if (request_.method.empty()) {
      request_.method = view(parser_.get().method_string());
      request_.path = view(parser_.get().target());
    }
    return request_;
  }
  /// Returns the complete request.
  HttpRequest take() {
    request_.body = std::move(parser_.get().body());
    return std::move(request_);
  }

 private:
  static std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }
  static std::string_view text_of(const boost::beast::flat_buffer& buffer) {
    return {static_cast<const char*>(buffer.cdata().data()), buffer.cdata().size()};
  }

  Progress refuse(int status, std::string_view detail) {
    refusal_ = {status, std::string(detail)};
    return Progress::refused;
  }

  Progress refuse_body(std::size_t most) {
    return refuse(413, "the body is longer than " + std::to_string(most) + " bytes");
  }

  Progress refuse_malformed(boost::system::error_code error, std::string_view bytes) {
    if (error == Error::header_limit || error == Error::buffer_overflow) {
      return refuse(431, "the header is longer than " + std::to_string(limits_.header_bytes) + " bytes");
    }
    if (error == Error::body_limit) {
      return refuse_body(std::max(limits_.body_bytes, limits_.large_body_bytes));
    }
    if (error == Error::bad_version && names_other_version(bytes)) {
      return refuse(505, "the version of the request is not HTTP/1.0 or HTTP/1.1");
    }
    return refuse(400, "the request is not valid HTTP: " + error.message());
  }

  /// Returns whether the request line is valid but for its version. Beast reports any invalid end of that line as a
  /// version.
  static bool names_other_version(std::string_view bytes) {
    const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
    const std::size_t begin = line.rfind(" HTTP/");
    if (begin == std::string_view::npos || line.size() != begin + 9 || line[begin + 7] != '.') return false;
    const std::string_view version = line.substr(begin + 6);
    return version != "1.0" && version != "1.1";
  }

  /// Checks a complete header, before its body arrives. Returns false, and why, if the request is refused.
  bool accepts_header() {
    const auto& header = parser_.get();
    const std::string_view method = view(header.method_string());
    request_.method = method;
    request_.path = view(header.target());
    is_head_ = method == "HEAD";
    const bool has_length = header.count(Field::content_length) > 0;
    const std::size_t hosts = header.count(Field::host);
    if (header.count(Field::transfer_encoding) > 0) {
      refuse(411, "Transfer-Encoding is not supported; send the body with Content-Length");
    } else if (!has_length && (method == "POST" || method == "PUT" || method == "PATCH")) {
      refuse(411, "Content-Length is missing; it is 0 for an empty body");
    } else if (hosts > 1 || (hosts == 0 && header.version() == 11)) {
      refuse(400, "a request has exactly one header Host");
    } else if (header.count(Field::expect) > 0 && !wants_continue()) {
      refuse(417, "the only expectation that is supported is 100-continue");
    } else if (!std::all_of(header.begin(), header.end(),
                            [](const auto& item) { return is_utf8(view(item.value())); })) {
      refuse(400, "the value of a header is not UTF-8");
    } else {
      try {
        UrlTarget target = parse_url_target(view(header.target()));
        request_.path = std::move(target.path);
        request_.query = std::move(target.query);
        for (const auto& item : header) {
          request_.headers.emplace_back(lower_case(std::string(view(item.name_string()))), view(item.value()));
        }
        const bool may_be_large = !limits_.large_body_path.empty() && request_.path == limits_.large_body_path;
        const std::size_t most = may_be_large ? limits_.large_body_bytes : limits_.body_bytes;
        if (body_bytes() <= most) return true;
        refuse_body(most);
      } catch (const InputError& error) {
        refuse(400, error.what());
      }
    }
    return false;
  }

  bool wants_continue() const {
    const auto& header = parser_.get();
    return header.version() == 11 && boost::beast::iequals(header[Field::expect], "100-continue");
  }

  const HttpLimits& limits_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::size_t header_bytes_ = 0;  ///< used by the parser
  bool reads_body_ = false;       ///< the header is complete and was accepted
  HttpRequest request_;           ///< without its body, once the header is complete
  bool is_head_ = false;
  Refusal refusal_;
};

}  // namespace longrun
