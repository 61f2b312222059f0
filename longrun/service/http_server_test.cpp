#include "longrun/service/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
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
      if (number % 3 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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

TEST(HttpServer, NamesTheSchemeOfTokensInEvery401) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest&, const auto& respond) { respond({.status = 401}); };
  RunningServer running(handler);
  EXPECT_EQ(HttpClient(running.port()).request(get("/")).headers.at("www-authenticate"), "Bearer");
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
  slow.reserve(200);
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
  clients.reserve(8);
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
  EXPECT_EQ(error_of([&] { HttpServer({.limits = {.idle_time = std::chrono::milliseconds(-5)}}, handler); }),
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
