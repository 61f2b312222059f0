// What the server decides when it has the header of a request and not yet its body.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "longrun/service/dispatcher.h"
#include "longrun/service/http_server.h"
#include "longrun/service/sqlite_store.h"
#include "longrun/service/study_service.h"
#include "longrun/service/tokens.h"
#include "tests/http_client.h"

namespace longrun {
namespace {

std::string large_post(std::size_t bytes, const std::string& headers = "") {
  return "POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(bytes) + "\r\n" + headers + "\r\n";
}

HttpOptions large_options() {
  return {.limits = {.body_bytes = 1000, .large_body_path = "/large", .large_body_bytes = 1'000'000}};
}

TEST(HttpPermission, IsAskedBeforeTheBodyIsRead) {
  FunctionHandler handler;
  handler.on_header = [](const HttpRequest& header) -> std::optional<HttpResponse> {
    EXPECT_TRUE(header.body.empty());
    if (header.header("authorization") != nullptr) return std::nullopt;
    return HttpResponse{.status = 401, .body = header.method + " " + header.path};
  };
  RunningServer running(handler, large_options());
  // The body never comes, so an answer means that the server does not wait for it.
  for (const char* expect : {"", "Expect: 100-continue\r\n"}) {
    HttpClient client(running.port());
    client.send(large_post(1'000'000, expect));
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.body, "POST /large");
    EXPECT_EQ(answer.headers.at("connection"), "close");
    client.finish_sending();
    EXPECT_EQ(client.read_to_end(), "");
  }
  // A request without a body leaves the connection open, and the next one is asked again.
  HttpClient client(running.port());
  EXPECT_EQ(client.request(get("/a")).status, 401);
  EXPECT_EQ(client.request(get("/b", "Authorization: x\r\n")).body, "GET /b ");
  EXPECT_EQ(client.request(post("/large", std::string(1001, 'x'), "Authorization: x\r\n")).status, 200);
  EXPECT_EQ(client.request(get("/c")).body, "GET /c");
}

TEST(HttpPermission, AHandlerThatFailsAllowsNothing) {
  FunctionHandler handler;
  handler.on_header = [](const HttpRequest&) -> std::optional<HttpResponse> { throw std::runtime_error("broken"); };
  RunningServer running(handler);
  EXPECT_EQ(HttpClient(running.port()).request(get("/")).status, 500);
  EXPECT_EQ(running.log(), std::vector<std::string>{"a request failed: broken"});
}

TEST(HttpPermission, TwoLargeBodiesAreReadOrHandledAtATime) {
  FunctionHandler handler;
  std::mutex mutex;
  std::vector<FunctionHandler::Respond> waiting;
  handler.on_request = [&](const HttpRequest& request, auto respond) {
    if (request.path != "/large") return FunctionHandler::echo(request, respond);
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(respond));
  };
  RunningServer running(handler, large_options());
  const auto expect_busy = [&](const std::string& headers) {
    HttpClient client(running.port());
    client.send(large_post(2000, headers));
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.headers.at("retry-after"), "1");
    EXPECT_NE(answer.body.find("as many large bodies as it can"), std::string::npos);
  };
  HttpClient handled(running.port());
  handled.send(large_post(2000) + std::string(2000, 'x'));
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return waiting.size();
  };
  ASSERT_TRUE(eventually([&] { return count() == 1; }));
  auto read = std::make_unique<HttpClient>(running.port());
  read->send(large_post(2000, "Expect: 100-continue\r\n"));
  ASSERT_TRUE(read->read_through("100 Continue\r\n\r\n"));
  expect_busy("");
  expect_busy("Expect: 100-continue\r\n");
  EXPECT_EQ(HttpClient(running.port()).request(post("/small", "x")).status, 200);
  const auto answer_first = [&] {
    const std::lock_guard lock(mutex);
    waiting.front()({.body = "late"});
    waiting.erase(waiting.begin());
  };
  answer_first();
  EXPECT_EQ(handled.answer().body, "late");
  // An answer and a connection that is lost make place for another body.
  handled.send(large_post(2000) + std::string(2000, 'x'));
  ASSERT_TRUE(eventually([&] { return count() == 1; }));
  expect_busy("");
  read.reset();
  ASSERT_TRUE(eventually([&] { return running.server().connections() == 1; }));
  HttpClient next(running.port());
  next.send(large_post(2000) + std::string(2000, 'x'));
  ASSERT_TRUE(eventually([&] { return count() == 2; }));
  expect_busy("");
  answer_first();
  answer_first();
  EXPECT_EQ(handled.answer().body, "late");
  EXPECT_EQ(next.answer().body, "late");
}

TEST(HttpPermission, TheHandlerIsToldWhatTheServerRefuses) {
  FunctionHandler handler;
  std::mutex mutex;
  std::vector<std::string> refused;
  handler.on_refused = [&](const RefusedRequest& request) {
    const std::lock_guard lock(mutex);
    refused.push_back(request.method + " " + request.path + " " + std::to_string(request.status));
    EXPECT_GE(request.time.count(), 0);
  };
  RunningServer running(handler, {.limits = {.body_bytes = 10, .request_time = std::chrono::milliseconds(200)}});
  for (const std::string& bytes : std::vector<std::string>{
           "what is this\r\n\r\n", get("/%zz"), "POST /a%20b HTTP/1.1\r\nHost: h\r\n\r\n",
           "PUT /c HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n", post("/late", "abc").substr(0, 30)}) {
    HttpClient(running.port()).request(bytes);
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(refused,
            (std::vector<std::string>{"  400", "GET /%zz 400", "POST /a%20b 411", "PUT /c 413", "POST /late 408"}));
}

/// A service with tokens behind a server, and the lines of its log.
class TokenService {
 public:
  explicit TokenService(const std::string& folder)
      : folder_(testing::TempDir() + "longrun_permission_" + folder),
        is_empty_(std::filesystem::remove_all(folder_) > 0),
        store_(folder_),
        service_(store_, [] { return std::int64_t{0}; }),
        tokens_(folder_ + "/tokens.jsonl"),
        token_(tokens_.add(TokenScope::admin, "", "", "now")),
        dispatcher_(service_, {.authorize = [this](const HttpRequest& request) { tokens_.check(request); },
                               .on_answer = [this](const AnsweredRequest& request) { add(request); }}),
        running_(dispatcher_, large_options()) {}

  std::uint16_t port() { return running_.port(); }
  std::string authorization() const { return "Authorization: Bearer " + token_ + "\r\n"; }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  void add(const AnsweredRequest& request) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(request.method + " " + request.path + " " + std::to_string(request.status));
  }

  std::string folder_;
  bool is_empty_;
  SqliteStore store_;
  StudyService service_;
  TokenFile tokens_;
  std::string token_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
  Dispatcher dispatcher_;
  RunningServer running_;
};

TEST(ServicePermission, NoBodyOfARequestWithoutATokenIsRead) {
  TokenService service("tokens");
  for (const char* path : {"/v1/studies/import", "/v1/studies", "/v1/studies/s/outcomes", "/v1", "/metrics"}) {
    HttpClient client(service.port());
    client.send(std::string("POST ") + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n");
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, std::string(path) == "/metrics" ? 405 : 401) << path;
  }
  EXPECT_EQ(HttpClient(service.port()).request(get("/metrics")).status, 401);
  EXPECT_EQ(HttpClient(service.port()).request(get("/metrics", service.authorization())).status, 200);
  HttpClient client(service.port());
  client.send("POST /page.js HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n");
  const HttpAnswer wrong = client.answer();
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("allow"), "GET, HEAD");
  HttpClient other(service.port());
  other.send("GET /healthz HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n");
  EXPECT_EQ(other.answer().status, 400);
  EXPECT_EQ(HttpClient(service.port()).request(get("/healthz")).status, 200);
}

TEST(ServiceLog, HasALineForEveryRequestAlsoStreamsAndThoseThatAreRefused) {
  TokenService service("log");
  const std::string stream = "Accept: text/event-stream\r\n";
  const std::string body = R"({"name": "s", "arms": ["a", "b"], "budget": 9})";
  const std::string json = "Content-Type: application/json\r\n" + service.authorization();
  EXPECT_EQ(HttpClient(service.port()).request(post("/v1/studies", body, json)).status, 201);
  HttpClient reader(service.port());
  reader.send(get("/v1/studies/s/events", stream + service.authorization()));
  EXPECT_EQ(reader.answer().status, 200);
  EXPECT_EQ(HttpClient(service.port()).request(get("/v1/studies/s/events", stream)).status, 401);
  EXPECT_EQ(HttpClient(service.port())
                .request(get("/v1/studies/s/events", stream + service.authorization() + "Last-Event-ID: x\r\n"))
                .status,
            400);
  EXPECT_EQ(HttpClient(service.port()).request("POST /v1/studies HTTP/1.1\r\nHost: h\r\n\r\n").status, 411);
  EXPECT_EQ(service.lines(), (std::vector<std::string>{"POST /v1/studies 201", "GET /v1/studies/s/events 200",
                                                       "GET /v1/studies/s/events 401", "GET /v1/studies/s/events 400",
                                                       "POST /v1/studies 411"}));
}

}  // namespace
}  // namespace longrun
