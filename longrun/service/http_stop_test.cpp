// How a server stops.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "longrun/service/http_server.h"
#include "tests/error_of.h"
#include "tests/http_client.h"

namespace longrun {
namespace {

const std::string kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

/// Requests that wait for their answer.
class Waiting {
 public:
  void add(FunctionHandler::Respond respond) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(respond));
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  void answer_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& respond : waiting_) respond({.body = "late"});
    waiting_.clear();
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<FunctionHandler::Respond> waiting_;
};

TEST(HttpServerStop, AnswersRequestsInFlightAndClosesIdleConnections) {
  for (const int threads : {1, 4}) {
    FunctionHandler handler;
    Waiting waiting;
    handler.on_request = [&](const HttpRequest&, auto respond) { waiting.add(std::move(respond)); };
    RunningServer running(handler, {.threads = threads});
    HttpClient idle(running.port());
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(std::make_unique<HttpClient>(running.port()));
      clients.back()->send(kGet);
    }
    ASSERT_TRUE(eventually([&] { return waiting.size() == 20 && running.server().connections() == 21; }));
    running.server().stop();
    running.server().stop();  // a second call does nothing
    EXPECT_EQ(idle.read_to_end(), "");
    EXPECT_TRUE(eventually([&] { return running.server().connections() == 20; }));
    waiting.answer_all();
    for (const auto& client : clients) {
      const HttpAnswer answer = client->answer();
      EXPECT_EQ(answer.body, "late");
      EXPECT_EQ(answer.headers.at("connection"), "close");
      EXPECT_EQ(client->read_to_end(), "");
    }
    clients.clear();
    running.stop();
    EXPECT_EQ(running.server().connections(), 0U);
  }
}

TEST(HttpServerStop, AnswersWhatHasArrivedEvenIfRunBeginsLater) {
  FunctionHandler handler;
  HttpServer server({}, handler);
  HttpClient client(server.port());
  HttpClient silent(server.port());
  client.send(kGet + kGet + kGet);
  server.stop();
  std::thread thread([&] { server.run(); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.answer().body, "GET / ");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(silent.read_to_end(), "");
  client.finish_sending();
  thread.join();
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(error_of([&] { server.run(); }), "an HTTP server can run only once");
}

TEST(HttpServerStop, RefusesNewConnections) {
  FunctionHandler handler;
  Waiting waiting;
  handler.on_request = [&](const HttpRequest&, auto respond) { waiting.add(std::move(respond)); };
  RunningServer running(handler);
  HttpClient client(running.port());
  client.send(kGet);
  ASSERT_TRUE(eventually([&] { return waiting.size() == 1; }));
  running.server().stop();
  // The port is free again while the last request is answered.
  std::unique_ptr<HttpServer> next;
  EXPECT_TRUE(eventually([&] {
    try {
      next = std::make_unique<HttpServer>(HttpOptions{.port = running.port()}, handler);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }));
  waiting.answer_all();
  EXPECT_EQ(client.answer().body, "late");
}

TEST(HttpServerStop, DoesNotWaitForTheRestOfARequest) {
  FunctionHandler handler;
  RunningServer running(handler);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (const std::string part : {"GET / HT", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc"}) {
    clients.push_back(std::make_unique<HttpClient>(running.port()));
    clients.back()->send(part);
  }
  ASSERT_TRUE(eventually([&] { return running.server().connections() == 2; }));
  running.stop();
  for (const auto& client : clients) {
    const int status = client->answer().status;
    EXPECT_TRUE(status == 408 || status == 0) << status;
  }
}

TEST(HttpServerStop, DoesNotWaitForAnAnswerForEver) {
  FunctionHandler handler;
  Waiting waiting;
  handler.on_request = [&](const HttpRequest&, auto respond) { waiting.add(std::move(respond)); };
  auto running = std::make_unique<RunningServer>(
      handler, HttpOptions{.limits = {.response_time = std::chrono::milliseconds(100)}});
  HttpClient client(running->port());
  HttpClient other(running->port());
  client.send(kGet);
  other.send(kGet);
  ASSERT_TRUE(eventually([&] { return waiting.size() == 2; }));
  running->stop();
  EXPECT_EQ(client.read_to_end(), "");
  running.reset();
  waiting.answer_all();  // without a server, this does nothing
}

TEST(HttpServerStop, DoesNotWaitForAClientThatDoesNotRead) {
  FunctionHandler handler;
  handler.on_request = [](const HttpRequest&, const auto& respond) { respond({.body = large_text()}); };
  RunningServer running(handler, {.limits = {.response_time = std::chrono::milliseconds(100)}});
  HttpClient client(running.port());
  client.send(kGet);
  ASSERT_TRUE(eventually([&] { return running.server().connections() == 1; }));
  running.stop();
}

TEST(HttpServerStop, EndsAServerThatNeverRan) {
  FunctionHandler handler;
  int handled = 0;
  handler.on_request = [&](const HttpRequest& request, const auto& respond) {
    ++handled;
    FunctionHandler::echo(request, respond);
  };
  std::unique_ptr<HttpClient> client;
  {
    HttpServer server({}, handler);
    client = std::make_unique<HttpClient>(server.port());
    client->send(kGet);
    server.stop();
  }
  EXPECT_EQ(client->answer().status, 0);
  EXPECT_EQ(handled, 0);
}

TEST(HttpServerStop, LosesNoRequestOfABusyServer) {
  // Every request that the handler got is answered, and every answer that a client got is complete.
  FunctionHandler handler;
  std::atomic<int> handled{0};
  handler.on_request = [&](const HttpRequest& request, const auto& respond) {
    ++handled;
    FunctionHandler::echo(request, respond);
  };
  for (int repeat = 0; repeat < 5; ++repeat) {
    handled = 0;
    std::atomic<int> answered{0};
    RunningServer running(handler, {.threads = 2});
    // All connect before any sends: a thread that starts late would find a server that has stopped.
    std::vector<std::unique_ptr<HttpClient>> connections;
    connections.reserve(4);
    for (int i = 0; i < 4; ++i) connections.push_back(std::make_unique<HttpClient>(running.port()));
    std::vector<std::thread> clients;
    clients.reserve(connections.size());
    for (const auto& client : connections) {
      clients.emplace_back([&] {
        for (;;) {
          const HttpAnswer answer = client->request(kGet);
          if (answer.status != 200) break;
          EXPECT_EQ(answer.body, "GET / ");
          ++answered;
        }
      });
    }
    EXPECT_TRUE(eventually([&] { return answered > 100; }));
    running.stop();
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(answered, handled);
  }
}

}  // namespace
}  // namespace longrun
