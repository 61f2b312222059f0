#include "longrun/service/internal/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "longrun/base/text.h"

namespace longrun {
namespace {

constexpr auto kPhrases = std::to_array<std::pair<int, std::string_view>>({
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
});

bool is_token_character(char byte) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
         kOthers.find(byte) != std::string_view::npos;
}

bool is_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char byte) { return byte == '\r' || byte == '\n' || byte == '\0'; });
}

bool is_set_by_server(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"content-length", "content-type",      "date",
                                                   "connection",     "transfer-encoding", "www-authenticate"};
  return std::find(kNames.begin(), kNames.end(), lower_case(std::string(name))) != kNames.end();
}

/// Returns the time now as the header Date has it. It is made once per second and thread.
const std::string& date_now() {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  thread_local std::time_t second = -1;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now == second) return text;
  std::tm parts{};
  gmtime_r(&now, &parts);
  text = fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(parts.tm_wday)],
                     parts.tm_mday, kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
  second = now;
  return text;
}

}  // namespace

std::string_view status_phrase(int status) {
  const auto* const found =
      std::find_if(kPhrases.begin(), kPhrases.end(), [&](const auto& entry) { return entry.first == status; });
  return found == kPhrases.end() ? "Status" : found->second;
}

HttpResponse problem(int status, std::string_view detail) {
  const nlohmann::ordered_json body{
      {"type", "about:blank"}, {"title", status_phrase(status)}, {"status", status}, {"detail", detail}};
  return {.status = status,
          .content_type = "application/problem+json",
          .body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

std::string fault_of(const HttpResponse& response) {
  if (response.status < 200 || response.status > 599) return fmt::format("status {} is not final", response.status);
  if (!is_value(response.content_type)) return "the content type has a line break";
  for (const auto& [name, value] : response.headers) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_character))
      return "a header has an invalid name";
    if (!is_value(value)) return fmt::format("the header {} has a line break", name);
    if (is_set_by_server(name)) return fmt::format("the header {} is set by the server", name);
  }
  return "";
}

std::string response_head(const HttpResponse& response, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\ndate: {}\r\nconnection: {}\r\n", response.status,
                                 status_phrase(response.status), date_now(), keep_alive ? "keep-alive" : "close");
  if (has_body(response.status)) {
    fmt::format_to(std::back_inserter(head), "content-length: {}\r\n", response.body.size());
    if (!response.content_type.empty()) {
      fmt::format_to(std::back_inserter(head), "content-type: {}\r\n", response.content_type);
    }
  }
  if (response.status == 401) head += "www-authenticate: Bearer\r\n";  // which RFC 9110 requires
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  }
  return head + "\r\n";
}

std::string stream_head() {
  // Proxies must neither keep nor collect events; nginx reads the last header.
  return fmt::format(
      "HTTP/1.1 200 OK\r\ndate: {}\r\nconnection: close\r\ncontent-type: text/event-stream\r\n"
      "cache-control: no-store\r\nx-accel-buffering: no\r\n\r\n",
      date_now());
}

}  // namespace longrun
