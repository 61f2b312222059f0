#include "longrun/service/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "longrun/base/system_error.h"
#include "tests/error_of.h"
#include "tests/http_client.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

using std::chrono::milliseconds;

std::string get(std::string_view target, std::string_view headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n";
}
std::string post(std::string_view target, std::string_view body, std::string_view headers = "") {
  return "POST " + std::string(target) + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

/// Checks that an answer refuses a request with this status, says why as problem+json, and closes the connection.
void expect_refusal(HttpClient& client, int status, std::string_view detail) {
  const HttpAnswer answer = client.answer();
  ASSERT_EQ(answer.status, status);
  EXPECT_EQ(answer.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  const auto problem = nlohmann::json::parse(answer.body);
  EXPECT_EQ(problem.at("type"), "about:blank");
  EXPECT_EQ(problem.at("status"), status);
  EXPECT_FALSE(problem.at("title").get<std::string>().empty());
  EXPECT_NE(problem.at("detail").get<std::string>().find(detail), std::string::npos) << problem;
  client.finish_sending();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpServer, AnswersTheRequestsOfAConnectionOneAfterTheOther) {
  FunctionHandler handler;
  RunningServer running(handler);
  HttpClient client(running.port());
  for (int i = 0; i < 50; ++i) {
    const std::string body = "body " + std::to_string(i);
    const HttpAnswer answer = client.request(post("/a%20b?x=1+2&y=%C3%A9", body));
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a b [x=1 2] [y=\xc3\xa9] " + body);
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain");
    EXPECT_EQ(answer.headers.at("connection"), "keep-alive");
    EXPECT_EQ(answer.headers.at("date").size(), std::string_view("Sun, 06 Nov 1994 08:49:37 GMT").size());
  }
  EXPECT_EQ(running.server().connections(), 1U);
}

TEST(HttpServer, PassesHeadersWithNamesInLowerCase) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest& request, const auto& respond) {
    EXPECT_EQ(request.header("Idempotency-Key"), nullptr);
    EXPECT_EQ(request.parameter("absent"), nullptr);
    EXPECT_EQ(*request.parameter("p"), "1");
    respond({.status = 201, .body = *request.header("idempotency-key"), .headers = {{"x-made", "yes"}}});
  };
  RunningServer running(handler);
  const HttpAnswer answer =
      HttpClient(running.port()).request(get("/?p=1&p=2", "Idempotency-KEY:  first \r\nidempotency-key: second\r\n"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "first");
  EXPECT_EQ(answer.headers.at("x-made"), "yes");
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
}

TEST(HttpServer, AnswersPipelinedRequestsInOrderWhateverTheOrderOfTheHandler) {
  FunctionHandler handler;
  std::vector<std::thread> threads;
  std::mutex mutex;
  handler.on_request = [&](HttpRequest request, auto respond) {
    const int number = std::stoi(request.body);
    if (number % 3 == 0) return FunctionHandler::echo(request, respond);
    const std::lock_guard lock(mutex);
    threads.emplace_back([request = std::move(request), respond = std::move(respond), number] {
      if (number % 3 == 1) std::this_thread::sleep_for(milliseconds(1));
      FunctionHandler::echo(request, respond);
    });
  };
  {
    RunningServer running(handler, {.threads = 3});
    HttpClient client(running.port());
    std::string all;
    for (int i = 0; i < 100; ++i) all += post("/", std::to_string(i));
    client.send(all);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(client.answer().body, "POST / " + std::to_string(i));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServer, AcceptsARequestThatArrivesByteByByte) {
  FunctionHandler handler;
  RunningServer running(handler);
  HttpClient client(running.port());
  for (const char byte : "\r\n" + post("/slow", "abc") + get("/next")) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.answer().body, "POST /slow abc");
  EXPECT_EQ(client.answer().body, "GET /next ");
}

TEST(HttpServer, SendsNoBodyForHeadAnd204) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest& request, const auto& respond) {
    if (request.path == "/204") return respond({.status = 204, .body = "ignored"});
    respond({.body = "12345"});
  };
  RunningServer running(handler);
  for (const std::string_view path : {"/", "/stream"}) {
    HttpClient client(running.port());
    client.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n\r\n");
    HttpAnswer head = client.answer(true);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.headers.at("content-type"), path == "/" ? "application/json" : "text/event-stream");
    EXPECT_EQ(head.headers["content-length"], path == "/" ? "5" : "");
  }
  HttpClient client(running.port());
  const HttpAnswer empty = client.request(get("/204"));
  EXPECT_EQ(empty.status, 204);
  EXPECT_FALSE(empty.headers.contains("content-length"));
  EXPECT_EQ(client.request(get("/")).body, "12345");
}

TEST(HttpServer, ClosesTheConnectionIfTheClientWantsItTo) {
  FunctionHandler handler;
  RunningServer running(handler);
  for (const std::string& request : {get("/", "Connection: close\r\n"), std::string("GET / HTTP/1.0\r\n\r\n")}) {
    HttpClient client(running.port());
    EXPECT_EQ(client.request(request).headers.at("connection"), "close");
    EXPECT_EQ(client.read_to_end(), "");
  }
  HttpClient old(running.port());
  EXPECT_EQ(old.request("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").headers.at("connection"), "keep-alive");
  EXPECT_EQ(old.request("GET /2 HTTP/1.0\r\n\r\n").body, "GET /2 ");
  HttpClient half_closed(running.port());
  half_closed.send(get("/"));
  half_closed.finish_sending();
  EXPECT_EQ(half_closed.answer().status, 200);
  EXPECT_EQ(half_closed.read_to_end(), "");
}

TEST(HttpServer, AsksForABodyThatTheClientHoldsBack) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.body_bytes = 10}});
  HttpClient client(running.port());
  client.send("PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_through("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client.request("abc").body, "PUT /a abc");
  // Not if the body comes anyway, or if there is none.
  EXPECT_EQ(client.request(post("/b", "def", "Expect: 100-continue\r\n")).body, "POST /b def");
  EXPECT_EQ(client.request(post("/c", "", "Expect: 100-continue\r\n")).body, "POST /c ");
  client.send("PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  expect_refusal(client, 413, "longer than 10 bytes");
  HttpClient other(running.port());
  other.send(post("/", "a", "Expect: tea\r\n"));
  expect_refusal(other, 417, "100-continue");
}

TEST(HttpServer, RefusesBodiesWithoutTheirLengthOrOverTheLimit) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.body_bytes = 1000}});
  const auto refused = [&](const std::string& bytes, int status, std::string_view detail) {
    HttpClient client(running.port());
    client.send(bytes);
    expect_refusal(client, status, detail);
  };
  for (const std::string method : {"POST", "PUT", "PATCH"}) {
    refused(method + " / HTTP/1.1\r\nHost: h\r\n\r\n", 411, "Content-Length is missing");
  }
  for (const std::string coding : {"chunked", "gzip", "gzip, chunked", "identity"}) {
    refused("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: " + coding + "\r\n\r\n5\r\nabcde\r\n0\r\n\r\n", 411,
            "Transfer-Encoding is not supported");
  }
  refused(post("/", std::string(1001, 'x')), 413, "the body is longer than 1000 bytes");
  refused(post("/", std::string(3'000'000, 'x')), 413, "the body is longer than 1000 bytes");
  EXPECT_EQ(HttpClient(running.port()).request(post("/", std::string(1000, 'x'))).status, 200);
}

TEST(HttpServer, RefusesHeadersOverTheLimitHoweverTheyArrive) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.header_bytes = 2000}});
  const auto refused = [&](const std::vector<std::string>& parts) {
    HttpClient client(running.port());
    for (const std::string& part : parts) {
      client.send(part);
      std::this_thread::sleep_for(milliseconds(1));  // so that most parts arrive alone
    }
    expect_refusal(client, 431, "the header is longer than 2000 bytes");
  };
  refused({get("/" + std::string(2000, 'a'))});
  refused({get("/", "x: " + std::string(2000, 'a') + "\r\n")});
  refused({"GET /" + std::string(3000, 'a')});
  std::vector<std::string> parts{"GET / HTTP/1.1\r\nHost: h\r\n"};
  for (int i = 0; i < 200; ++i) parts.push_back("name-" + std::to_string(1000 + i) + ": v\r\n");
  refused(parts);
  const std::string fixed = get("/", "x: \r\n");
  EXPECT_EQ(HttpClient(running.port()).request(get("/", "x: " + std::string(2000 - fixed.size(), 'a') + "\r\n")).status,
            200);
}

TEST(HttpServer, RefusesMalformedRequests) {
  FunctionHandler handler;
  RunningServer running(handler);
  const auto refused = [&](const std::string& bytes, int status, std::string_view detail) {
    SCOPED_TRACE(bytes);
    HttpClient client(running.port());
    client.send(bytes);
    expect_refusal(client, status, detail);
  };
  for (const std::string bytes :
       {"GET\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "G@T / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nname : v\r\n\r\n", "GET / HTTP/1.1\r\n: v\r\n\r\n",
        "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: a\x01z\r\n\r\n"}) {
    refused(bytes, 400, "not valid HTTP");
  }
  for (const std::string length :
       {"x", "-1", "1x", "1, 2", "99999999999999999999", "", "0x10", "1\r\nContent-Length: 2"}) {
    refused("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + length + "\r\n\r\n", 400, "not valid HTTP");
  }
  // Two lengths of one body: the next server or proxy could take the other one.
  refused("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
          "not valid HTTP");
  refused("GET / HTTP/2.0\r\n\r\n", 505, "HTTP/1.1");
  refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/1.1");
  for (const std::string version : {"HTTP/1", "HTTP/1.1x", "FTTP/1.1", "HTTP/x.1.0", "http/1.1"}) {
    refused("GET / " + version + "\r\nHost: h\r\n\r\n", 400, "not valid HTTP");
  }
  refused("GET / HTTP/1.1\r\n\r\n", 400, "exactly one header Host");
  refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "exactly one header Host");
  refused(get("/", "x: \xff\r\n"), 400, "not UTF-8");
  refused(get("/%zz"), 400, "invalid percent-escape at byte 2");
  refused(get("/?a=%f"), 400, "invalid percent-escape");
  refused(get("/%ff"), 400, "not UTF-8");
  refused(get("/a%2Fb"), 400, "escaped");
  refused(get("no-slash"), 400, "does not begin with");
  EXPECT_EQ(HttpClient(running.port()).request(get("/")).status, 200);
}

TEST(HttpServer, SurvivesEveryTruncatedAndChangedRequest) {
  FunctionHandler handler;
  RunningServer running(handler);
  const std::string request = post("/a%20b?c=d", "body", "Expect: 100-continue\r\nConnection: close\r\n");
  for (std::size_t size = 0; size < request.size(); ++size) {
    HttpClient client(running.port());
    client.send(request.substr(0, size));
    client.finish_sending();
    const std::string answer = client.read_to_end();
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 100 ")) << answer;
  }
  for (std::size_t position = 0; position < request.size(); ++position) {
    for (const char byte : {'\0', '\r', '\n', ' ', '%', ':', '9', '\xff'}) {
      std::string changed = request;
      changed[position] = byte;
      HttpClient client(running.port());
      client.send(changed);
      client.finish_sending();
      const std::string answer = client.read_to_end();
      EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer;
    }
  }
  EXPECT_EQ(HttpClient(running.port()).request(get("/")).status, 200);
  EXPECT_EQ(running.log(), std::vector<std::string>{});
}

TEST(HttpServer, TellsConnectionsOverTheLimitToTryAgain) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.connections = 2}});
  auto first = std::make_unique<HttpClient>(running.port());
  HttpClient second(running.port());
  EXPECT_EQ(first->request(get("/")).status, 200);
  EXPECT_EQ(second.request(get("/")).status, 200);
  HttpClient third(running.port());
  const HttpAnswer answer = third.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(third.read_to_end(), "");
  EXPECT_EQ(second.request(get("/")).status, 200);
  first.reset();
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 1; }));
  EXPECT_EQ(HttpClient(running.port()).request(get("/")).status, 200);
}

TEST(HttpServer, EndsRequestsAndConnectionsThatTakeTooLong) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.request_time = milliseconds(50), .idle_time = milliseconds(50)}});
  for (const std::string part :
       {"G", "GET / HTTP/1.1\r\nHost", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc"}) {
    HttpClient client(running.port());
    client.send(part);
    expect_refusal(client, 408, "did not arrive in time");
  }
  HttpClient waits_for_body(running.port());
  waits_for_body.send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_TRUE(waits_for_body.read_through("\r\n\r\n"));
  expect_refusal(waits_for_body, 408, "did not arrive in time");
  HttpClient idle(running.port());
  EXPECT_EQ(idle.request(get("/")).status, 200);
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(HttpClient(running.port()).read_to_end(), "");
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 0; }));
}

TEST(HttpServer, ClosesAConnectionThatDoesNotTakeItsAnswer) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest&, const auto& respond) { respond({.body = std::string(50'000'000, 'x')}); };
  RunningServer running(handler, {.limits = {.response_time = milliseconds(100)}});
  HttpClient client(running.port());
  client.send(get("/"));
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 1; }));
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 0; }));
  EXPECT_LT(client.read_to_end().size(), 50'000'000U);
}

TEST(HttpServer, SendsLargeAnswersCompletely) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.body_bytes = 20'000'000}});
  HttpClient client(running.port());
  for (const std::size_t size : {0U, 1U, 16'000U, 17'000U, 15'000'000U}) {
    const std::string body(size, 'x');
    EXPECT_TRUE(client.request(post("/", body)).body == "POST / " + body) << size;
  }
}

TEST(HttpServer, Answers500AndLogsIfTheHandlerFails) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest& request, const auto& respond) {
    if (request.path == "/throw") throw std::runtime_error("broken");
    if (request.path == "/throw_other") throw 1;  // NOLINT(hicpp-exception-baseclass)
    if (request.path == "/forget") return;
    if (request.path == "/answer_then_throw") {
      respond({.body = "first"});
      throw std::runtime_error("late");
    }
    if (request.path == "/twice") {
      respond({.body = "first"});
      return respond({.body = "second"});
    }
    if (request.path == "/split") return respond({.headers = {{"a", "b\r\nc: d"}}});
    if (request.path == "/name") return respond({.headers = {{"a b", "c"}}});
    if (request.path == "/length") return respond({.headers = {{"Content-Length", "1"}}});
    if (request.path == "/type") return respond({.content_type = "a\nb"});
    if (request.path == "/status") return respond({.status = 100});
    respond({.body = "right"});
  };
  RunningServer running(handler);
  HttpClient client(running.port());
  const std::vector<std::pair<std::string, std::string>> failures{
      {"/throw", "a request failed: broken"},
      {"/throw_other", "a request failed: an exception of unknown type"},
      {"/forget", "a request failed: the handler did not answer"},
      {"/split", "an answer could not be sent: the header a has a line break"},
      {"/name", "an answer could not be sent: a header has an invalid name"},
      {"/length", "an answer could not be sent: the header Content-Length is set by the server"},
      {"/type", "an answer could not be sent: the content type has a line break"},
      {"/status", "an answer could not be sent: status 100 is not final"},
  };
  for (const auto& [path, line] : failures) {
    const HttpAnswer answer = client.request(get(path));
    EXPECT_EQ(answer.status, 500) << path;
    EXPECT_EQ(answer.body,
              R"({"type":"about:blank","title":"Internal Server Error","status":500,"detail":"the server failed"})");
    EXPECT_EQ(running.log().back(), line);
  }
  EXPECT_EQ(running.log().size(), failures.size());
  EXPECT_EQ(client.request(get("/answer_then_throw")).body, "first");
  EXPECT_EQ(client.request(get("/twice")).body, "first");
  EXPECT_EQ(client.request(get("/")).body, "right");
  EXPECT_EQ(running.log().size(), failures.size() + 1);
}

TEST(HttpServer, AnswersBesideSlowConnections) {
  FunctionHandler handler;
  RunningServer running(handler);
  std::vector<std::unique_ptr<HttpClient>> slow;
  const std::string request = post("/slow", "abc");
  for (int i = 0; i < 200; ++i) slow.push_back(std::make_unique<HttpClient>(running.port()));
  HttpClient normal(running.port());
  for (std::size_t begin = 0; begin < request.size(); begin += 8) {
    for (const auto& client : slow) client->send(request.substr(begin, 8));
    ASSERT_EQ(normal.request(get("/")).status, 200);
  }
  EXPECT_EQ(running.server().connections(), 201U);
  for (const auto& client : slow) EXPECT_EQ(client->answer().body, "POST /slow abc");
}

TEST(HttpServer, AnswersManyClientsOnManyThreads) {
  FunctionHandler handler;
  std::atomic<int> handled{0};
  handler.on_request = [&](const HttpRequest& request, const auto& respond) {
    ++handled;
    FunctionHandler::echo(request, respond);
  };
  RunningServer running(handler, {.threads = 4});
  const int requests = 500 / sanitizer_slowdown();
  std::vector<std::thread> clients;
  for (int number = 0; number < 8; ++number) {
    clients.emplace_back([&, number] {
      for (int part = 0; part < 5; ++part) {
        HttpClient client(running.port());
        for (int i = 0; i < requests / 5; ++i) {
          const std::string body = std::to_string(number * 1000 + i);
          EXPECT_EQ(client.request(post("/", body)).body, "POST / " + body);
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(handled, 8 * (requests / 5) * 5);
}

TEST(HttpServer, NamesAddressAndPortIfItCannotListen) {
  FunctionHandler handler;
  const HttpServer server({}, handler);
  const std::string port = std::to_string(server.port());
  EXPECT_EQ(error_of<SystemError>([&] { HttpServer({.port = server.port()}, handler); }),
            "127.0.0.1:" + port + ": cannot listen: Address already in use");
  EXPECT_EQ(error_of<SystemError>([&] { HttpServer({.address = "192.0.2.1"}, handler); }),
            "192.0.2.1:0: cannot listen: Cannot assign requested address");
  EXPECT_EQ(error_of([&] { HttpServer({.address = "localhost"}, handler); }),
            "address \"localhost\" is not an IP address; 127.0.0.1 and ::1 are, for example");
  EXPECT_EQ(error_of([&] { HttpServer({.limits = {.body_bytes = 0}}, handler); }),
            "body_bytes of an HTTP server is 0; it must be at least 1");
  EXPECT_EQ(error_of([&] { HttpServer({.limits = {.idle_time = milliseconds(-5)}}, handler); }),
            "idle_time of an HTTP server is -5; it must be at least 1");
  EXPECT_EQ(error_of([&] { HttpServer({.threads = -1}, handler); }),
            "threads of an HTTP server is -1; it must be at least 0");
}

TEST(HttpServer, ListensOnIpv6) {
  FunctionHandler handler;
  std::optional<RunningServer> running;
  try {
    running.emplace(handler, HttpOptions{.address = "::1"});
  } catch (const SystemError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 8), "[::1]:0:");
    GTEST_SKIP() << "no IPv6 on this machine";
  }
  EXPECT_EQ(HttpClient(running->port(), HttpClient::Tls::no, "::1").request(get("/")).status, 200);
  const std::string port = std::to_string(running->port());
  EXPECT_EQ(error_of<SystemError>([&] { HttpServer({.address = "::1", .port = running->port()}, handler); }),
            "[::1]:" + port + ": cannot listen: Address already in use");
}

}  // namespace
}  // namespace longrun
