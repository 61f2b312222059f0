// Streams of server-sent events.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "longrun/service/http_server.h"
#include "longrun/service/internal/stream_buffer.h"
#include "tests/http_client.h"

namespace longrun {
namespace {

const std::string kOpen = "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n";

/// A handler that keeps the streams that it opens.
struct StreamHandler : FunctionHandler {
  StreamHandler() {
    on_stream = [this](std::shared_ptr<EventStream> stream) -> std::optional<HttpResponse> {
      const std::lock_guard lock(mutex);
      streams.push_back(std::move(stream));
      return std::nullopt;
    };
  }
  /// Returns a stream, once it is open.
  std::shared_ptr<EventStream> stream(std::size_t number = 0) {
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex);
      return streams.size() > number;
    }));
    const std::lock_guard lock(mutex);
    return streams.at(number);
  }

  std::mutex mutex;
  std::vector<std::shared_ptr<EventStream>> streams;
};

std::string event(int number) { return "id: " + std::to_string(number) + "\ndata: {}\n\n"; }

TEST(StreamBuffer, TellsItsCallerWhenToWakeTheConnection) {
  using Added = StreamBuffer::Added;
  StreamBuffer buffer(10);
  EXPECT_EQ(buffer.add("abc"), Added::first);
  EXPECT_EQ(buffer.add("def"), Added::queued);
  EXPECT_EQ(buffer.take(), "abcdef");
  EXPECT_EQ(buffer.add("gh"), Added::queued);  // the connection writes, and takes again when it has written
  buffer.sent(6);
  EXPECT_EQ(buffer.take(), "gh");
  buffer.sent(2);
  EXPECT_EQ(buffer.take(), "");
  EXPECT_EQ(buffer.add("0123456789"), Added::first);
  EXPECT_FALSE(buffer.overflowed());
  EXPECT_EQ(buffer.add("x"), Added::overflow);
  EXPECT_TRUE(buffer.overflowed());
  EXPECT_FALSE(buffer.is_open());
  EXPECT_EQ(buffer.add("y"), Added::not_added);
  EXPECT_FALSE(buffer.close());
}

TEST(HttpStream, SendsEventsInOrderAndEndsAfterTheLast) {
  StreamHandler handler;
  RunningServer running(handler, {.threads = 2});
  HttpClient client(running.port());
  client.send(kOpen);
  const HttpAnswer head = client.answer();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(head.headers.at("cache-control"), "no-store");
  const auto stream = handler.stream();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(stream->send(event(i)));
    EXPECT_EQ(client.read_through("\n\n"), event(i));
  }
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(stream->send(event(i)));
    expected += event(i);
  }
  EXPECT_TRUE(stream->is_open());
  stream->close();
  EXPECT_FALSE(stream->is_open());
  EXPECT_FALSE(stream->send("late"));
  EXPECT_EQ(client.read_to_end(), expected);
}

TEST(HttpStream, SendsWhatTheHandlerSendsWhileItOpens) {
  FunctionHandler handler;
  handler.on_stream = [](const std::shared_ptr<EventStream>& stream) -> std::optional<HttpResponse> {
    EXPECT_TRUE(stream->send(event(1)));
    EXPECT_TRUE(stream->send(event(2)));
    return std::nullopt;  // the last pointer to the stream goes, so it ends
  };
  RunningServer running(handler);
  HttpClient client(running.port());
  client.send(kOpen);
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(client.read_to_end(), event(1) + event(2));
}

TEST(HttpStream, CanBeRefused) {
  FunctionHandler handler;
  std::shared_ptr<EventStream> kept;
  int opened = 0;
  handler.on_stream = [&](std::shared_ptr<EventStream> stream) -> std::optional<HttpResponse> {
    stream->send("never sent");
    if (++opened == 3) {
      stream->send(event(3));
      return std::nullopt;
    }
    kept = std::move(stream);
    if (opened == 2) throw std::runtime_error("broken");
    return HttpResponse{.status = 404, .body = "no such study"};
  };
  RunningServer running(handler);
  HttpClient client(running.port());
  EXPECT_EQ(client.request(kOpen).body, "no such study");
  EXPECT_FALSE(kept->is_open());
  EXPECT_FALSE(kept->send("x"));
  EXPECT_EQ(client.request(kOpen).status, 500);
  EXPECT_FALSE(kept->is_open());
  EXPECT_EQ(running.log(), std::vector<std::string>{"a request failed: broken"});
  // The connection is still of use, and an old stream has no effect on a new one.
  client.send(kOpen);
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(client.read_to_end(), "never sent" + event(3));
}

TEST(HttpStream, IsClosedWhenItsClientGoes) {
  StreamHandler handler;
  RunningServer running(handler);
  auto client = std::make_unique<HttpClient>(running.port());
  client->send(kOpen + "what follows is ignored");
  EXPECT_EQ(client->answer().status, 200);
  const auto stream = handler.stream();
  EXPECT_TRUE(stream->is_open());
  client.reset();
  EXPECT_TRUE(eventually([&] { return !stream->is_open(); }));
  EXPECT_FALSE(stream->send(event(1)));
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 0; }));
}

TEST(HttpStream, OfASlowReaderIsClosedAtTheLimitWhileOthersGoOn) {
  StreamHandler handler;
  RunningServer running(handler, {.limits = {.stream_bytes = 100'000}});
  HttpClient slow(running.port());
  slow.send(kOpen);
  const auto stream = handler.stream();
  HttpClient fast(running.port());
  fast.send(kOpen);
  EXPECT_EQ(fast.answer().status, 200);
  const auto other = handler.stream(1);
  // The system's buffers take some megabytes; 100 MB are more than any of them.
  const std::string large(50'000, 'x');
  int sent = 0;
  while (sent < 2000 && stream->send(large)) {
    ++sent;
    EXPECT_TRUE(other->send(event(sent)));
    EXPECT_EQ(fast.read_through("\n\n"), event(sent));
  }
  EXPECT_LT(sent, 2000);
  EXPECT_GE(sent, 2);
  EXPECT_FALSE(stream->is_open());
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 1; }));
  EXPECT_TRUE(other->send(event(0)));
  EXPECT_EQ(fast.read_through("\n\n"), event(0));
}

TEST(HttpStream, OfAClientThatStopsReadingIsClosedAfterTheTimeForAnAnswer) {
  StreamHandler handler;
  RunningServer running(handler,
                        {.limits = {.stream_bytes = 100'000'000, .response_time = std::chrono::milliseconds(100)}});
  HttpClient slow(running.port());
  slow.send(kOpen);
  const auto stream = handler.stream();
  EXPECT_TRUE(stream->send(large_text()));
  EXPECT_TRUE(eventually([&] { return !stream->is_open(); }));
}

TEST(HttpStream, EndsWhenTheServerStops) {
  StreamHandler handler;
  RunningServer running(handler, {.threads = 2});
  HttpClient client(running.port());
  client.send(kOpen);
  EXPECT_EQ(client.answer().status, 200);
  HttpClient slow(running.port());
  slow.send(kOpen);
  const auto stream = handler.stream(0);
  const auto other = handler.stream(1);
  EXPECT_TRUE(stream->send(event(1)));
  EXPECT_TRUE(other->send(event(1)));
  running.stop();
  EXPECT_FALSE(stream->send(event(2)));
  EXPECT_FALSE(other->is_open());
  EXPECT_EQ(client.read_to_end(), event(1));
}

TEST(HttpStream, MayBeUsedByManyThreadsAndOutliveItsServer) {
  StreamHandler handler;
  auto running = std::make_unique<RunningServer>(handler, HttpOptions{.threads = 3});
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<HttpClient>(running->port()));
    clients.back()->send(kOpen);
    EXPECT_EQ(clients.back()->answer().status, 200);
  }
  std::atomic<bool> done{false};
  std::vector<std::thread> senders;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    senders.emplace_back([&, thread] {
      for (std::size_t i = thread; !done; ++i) {
        const auto stream = handler.stream(i % 10);
        if (i % 100 == 99) stream->close();
        stream->send(event(7));
      }
    });
  }
  for (std::size_t i = 0; i < clients.size(); i += 2) EXPECT_EQ(clients[i]->read_through("\n\n"), event(7));
  clients.resize(5);
  running.reset();
  done = true;
  for (std::thread& sender : senders) sender.join();
  EXPECT_FALSE(handler.stream()->send(event(8)));
}

}  // namespace
}  // namespace longrun
