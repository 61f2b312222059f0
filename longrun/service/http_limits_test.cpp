// What the server refuses.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "longrun/service/http_server.h"
#include "tests/http_client.h"

namespace longrun {
namespace {

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

TEST(HttpLimits, AsksForABodyThatTheClientHoldsBack) {
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

TEST(HttpLimits, RefusesBodiesWithoutTheirLengthOrOverTheLimit) {
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

TEST(HttpLimits, RefusesHeadersOverTheLimitHoweverTheyArrive) {
  FunctionHandler handler;
  RunningServer running(handler, {.limits = {.header_bytes = 2000}});
  const auto refused = [&](const std::vector<std::string>& parts) {
    HttpClient client(running.port());
    for (const std::string& part : parts) {
      client.send(part);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that most parts arrive alone
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

TEST(HttpLimits, RefusesMalformedRequests) {
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

TEST(HttpLimits, SurvivesEveryTruncatedAndChangedRequest) {
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

TEST(HttpLimits, TellsConnectionsOverTheLimitToTryAgain) {
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

TEST(HttpLimits, EndsRequestsAndConnectionsThatTakeTooLong) {
  FunctionHandler handler;
  RunningServer running(
      handler, {.limits = {.request_time = std::chrono::milliseconds(50), .idle_time = std::chrono::milliseconds(50)}});
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

TEST(HttpLimits, ClosesAConnectionThatDoesNotTakeItsAnswer) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest&, const auto& respond) { respond({.body = large_text()}); };
  RunningServer running(handler, {.limits = {.response_time = std::chrono::milliseconds(100)}});
  HttpClient client(running.port());
  client.send(get("/"));
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 1; }));
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 0; }));
  EXPECT_LT(client.read_to_end().size(), 50'000'000U);
}

/// Takes a large answer, with pauses. Returns whether all of it arrived.
bool takes_slowly(std::uint16_t port) {
  HttpClient client(port);
  client.send(get("/"));
  for (int part = 0; part < 20; ++part) {
    if (!client.skip(2'400'000)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return client.read_to_end().size() < 50'000'000 - 20 * 2'400'000;
}

TEST(HttpLimits, AClientMayTakeALargeAnswerSlowlyIfItTakesSomeOfIt) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest&, const auto& respond) { respond({.body = large_text()}); };
  {
    RunningServer running(handler, {.limits = {.idle_time = std::chrono::milliseconds(1000),
                                               .response_time = std::chrono::milliseconds(1000)}});
    EXPECT_TRUE(takes_slowly(running.port()));  // in 2 s
  }
  RunningServer running(handler,
                        {.limits = {.response_time = std::chrono::milliseconds(1000), .minimum_rate = 1'000'000'000}});
  EXPECT_FALSE(takes_slowly(running.port()));
}

TEST(HttpLimits, ABodyMayArriveSlowlyIfSomeOfItArrives) {
  FunctionHandler handler;
  const auto status = [&](std::size_t minimum_rate) {
    RunningServer running(handler,
                          {.limits = {.request_time = std::chrono::milliseconds(1000), .minimum_rate = minimum_rate}});
    HttpClient client(running.port());
    client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 15\r\n\r\n");
    for (int i = 0; i < 15; ++i) {
      client.send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return client.answer().status;
  };
  EXPECT_EQ(status(1), 200);
  EXPECT_EQ(status(1000), 408);
}

TEST(HttpLimits, GoesOnAfterTooManyOpenFiles) {
  FunctionHandler handler;
  RunningServer running(handler);
  EXPECT_EQ(HttpClient(running.port()).request(get("/")).status, 200);
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 0; }));
  // One more file can be open, which is the client's end of the connection.
  const int next = dup(STDIN_FILENO);
  close(next);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  HttpClient client(running.port());
  client.send(get("/"));
  const bool logged = eventually([&] { return !running.log().empty(); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(logged);
  EXPECT_EQ(running.log(), std::vector<std::string>{"cannot accept a connection: Too many open files"});
  EXPECT_EQ(client.answer().status, 200);
}

}  // namespace
}  // namespace longrun
