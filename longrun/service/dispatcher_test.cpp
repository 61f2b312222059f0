#include "longrun/service/dispatcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/system_error.h"
#include "longrun/service/sqlite_store.h"

namespace longrun {
namespace {

/// A stream whose client takes what the test lets it take.
class TakenStream : public EventStream {
 public:
  bool send(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    if (!open_) return false;
    waiting_ += bytes;
    sent_.notify_all();
    return true;
  }
  std::size_t waiting() const override {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  bool is_open() const override {
    const std::lock_guard lock(mutex_);
    return open_;
  }
  void close() override {
    const std::lock_guard lock(mutex_);
    open_ = false;
    sent_.notify_all();
  }

  void hold() override {}
  void refuse(HttpResponse response) override {
    const std::lock_guard lock(mutex_);
    refused_ = std::move(response);
    sent_.notify_all();
  }
  /// Waits until the stream is refused, and returns the answer.
  HttpResponse refused() {
    std::unique_lock lock(mutex_);
    sent_.wait(lock, [&] { return refused_.has_value(); });
    return *refused_;
  }

  /// Takes what waits until the text has arrived, or the stream is closed. Returns all that was taken.
  std::string take_until(const std::string& text) {
    std::unique_lock lock(mutex_);
    while (taken_.find(text) == std::string::npos && (open_ || !waiting_.empty())) {
      sent_.wait(lock, [&] { return !waiting_.empty() || !open_; });
      most_waiting_ = std::max(most_waiting_, waiting_.size());
      taken_ += std::exchange(waiting_, {});
    }
    return taken_;
  }
  std::size_t most_waiting() const { return most_waiting_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable sent_;
  std::optional<HttpResponse> refused_;
  std::string waiting_;
  std::string taken_;
  std::size_t most_waiting_ = 0;
  bool open_ = true;
};

class DispatcherTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string folder =
        testing::TempDir() + "longrun_dispatcher_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    store_ = std::make_unique<SqliteStore>(folder);
    service_ = std::make_unique<StudyService>(*store_, [] { return std::int64_t{0}; });
    dispatcher_ = std::make_unique<Dispatcher>(*service_, Dispatcher::Options{});
    EXPECT_EQ(answer("POST", "/v1/studies", R"({"name":"s","arms":["a","b"],"budget":100000})").status, 201);
  }

  std::future<HttpResponse> ask(const std::string& method, const std::string& path, const std::string& body = "",
                                const std::string& key = "") {
    HttpRequest request{.method = method, .path = path.substr(0, path.find('?')), .body = body};
    if (const std::size_t query = path.find('?'); query != std::string::npos) {
      const std::size_t equals = path.find('=');
      request.query = {{path.substr(query + 1, equals - query - 1), path.substr(equals + 1)}};
    }
    if (!body.empty()) request.headers.emplace_back("content-type", "application/json");
    if (!key.empty()) request.headers.emplace_back("idempotency-key", key);
    auto promise = std::make_shared<std::promise<HttpResponse>>();
    dispatcher_->handle(std::move(request),
                        [promise](HttpResponse response) { promise->set_value(std::move(response)); });
    return promise->get_future();
  }
  HttpResponse answer(const std::string& method, const std::string& path, const std::string& body = "",
                      const std::string& key = "") {
    return ask(method, path, body, key).get();
  }
  std::optional<HttpResponse> open(const std::string& study, std::shared_ptr<EventStream> stream,
                                   const std::string& last = "-1") {
    const HttpRequest request{.method = "GET",
                              .path = "/v1/studies/" + study + "/events",
                              .headers = {{"accept", "text/event-stream"}, {"last-event-id", last}}};
    return dispatcher_->open_stream(request, std::move(stream));
  }

  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<StudyService> service_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, AStreamSendsEveryEntryHoweverLarge) {
  EXPECT_EQ(answer("POST", "/v1/studies/s/decisions", R"({"count":20000})", "large").status, 201);  // more than 1 MB
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(answer("POST", "/v1/studies/s/decisions", R"({"count":2000})", std::to_string(i)).status, 201);
  }
  const auto stream = std::make_shared<TakenStream>();
  EXPECT_FALSE(open("s", stream).has_value());
  const std::string taken = stream->take_until("id: 4\n");
  for (int seq = 0; seq <= 4; ++seq)
    EXPECT_NE(taken.find("id: " + std::to_string(seq) + "\n"), std::string::npos) << seq;
  EXPECT_LT(stream->most_waiting(), 2'000'000U);
}

TEST_F(DispatcherTest, RequestsBeyondThoseThatMayWaitAreRefusedWith503AndTheOthersAreCarriedOut) {
  std::promise<void> is_busy;
  std::promise<void> may_go_on;
  std::atomic<bool> is_first = true;
  StudyService slow(*store_, [&] {
    if (is_first.exchange(false)) {
      is_busy.set_value();
      may_go_on.get_future().wait();
    }
    return std::int64_t{0};
  });
  dispatcher_ = std::make_unique<Dispatcher>(slow, Dispatcher::Options{.most_waiting = 2});
  std::vector<std::future<HttpResponse>> waiting;
  const auto decide = [&](const char* key) { return ask("POST", "/v1/studies/s/decisions", "{}", key); };
  waiting.push_back(decide("1"));
  is_busy.get_future().wait();
  waiting.push_back(decide("2"));
  waiting.push_back(decide("3"));
  const HttpResponse refused = decide("4").get();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers, (std::vector<std::pair<std::string, std::string>>{{"retry-after", "1"}}));
  may_go_on.set_value();
  for (auto& answer : waiting) EXPECT_EQ(answer.get().status, 201);
  EXPECT_EQ(decide("4").get().status, 201);
  dispatcher_.reset();  // before the service
}

TEST_F(DispatcherTest, AStreamWithoutNewEntriesSaysThatTheServerIsAlive) {
  dispatcher_.reset();
  dispatcher_ = std::make_unique<Dispatcher>(*service_, Dispatcher::Options{.stream_pause = std::chrono::seconds(1)});
  const auto stream = std::make_shared<TakenStream>();
  EXPECT_FALSE(open("s", stream).has_value());
  const std::string once = stream->take_until("\n\n: alive\n\n");
  EXPECT_NE(once.find("id: 0\n"), std::string::npos);
  EXPECT_TRUE(stream->take_until(": alive\n\n: alive\n\n").starts_with(once)) << "again and again";
}

TEST_F(DispatcherTest, AStreamOfAnUnknownStudyIsRefused) {
  const auto stream = std::make_shared<TakenStream>();
  EXPECT_FALSE(open("none", stream).has_value());
  EXPECT_EQ(stream->refused().status, 404);
  const auto late = std::make_shared<TakenStream>();
  EXPECT_FALSE(open("s", late, "99").has_value());
  EXPECT_EQ(late->refused().status, 422);
  EXPECT_NE(late->refused().body.find("there is no entry 99; the last one is 0"), std::string::npos);
}

TEST_F(DispatcherTest, LongAnswersDelayNoOtherAndEndWithTheServer) {
  EXPECT_EQ(answer("POST", "/v1/studies/s/decisions", "{}", "a").status, 201);
  std::vector<std::future<HttpResponse>> plans;
  plans.reserve(20);
  for (int i = 0; i < 20; ++i) plans.push_back(ask("GET", "/v1/studies/s/plan"));  // half a minute each
  EXPECT_EQ(answer("GET", "/v1/studies/s").status, 200);
  EXPECT_EQ(answer("GET", "/readyz").status, 200);
  dispatcher_.reset();
  int ended = 0;
  for (auto& plan : plans) ended += plan.get().status == 503 ? 1 : 0;
  EXPECT_GE(ended, 18);
}

TEST_F(DispatcherTest, EveryEntryThatIsWrittenIsCountedOnce) {
  const auto counted = [&] {
    const std::string text = answer("GET", "/metrics").body;
    const std::size_t at = text.find("\nlongrun_entries_total ") + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(counted(), "longrun_entries_total 1");
  const std::string decided = answer("POST", "/v1/studies/s/decisions", "{}", "k").body;
  EXPECT_EQ(answer("POST", "/v1/studies/s/decisions", "{}", "k").body, decided);
  EXPECT_EQ(counted(), "longrun_entries_total 2");
  EXPECT_EQ(answer("POST", "/v1/studies/import?name=copy", answer("GET", "/v1/studies/s/export").body).status, 201);
  EXPECT_EQ(counted(), "longrun_entries_total 4");
}

/// A store that cannot be written while `is_full`.
class FullStore : public SqliteStore {
 public:
  using SqliteStore::SqliteStore;
  void commit() override {
    if (is_full) throw SystemError("the disk is full");
    SqliteStore::commit();
  }
  void check_writing(std::size_t bytes) override {
    if (is_full) throw SystemError("the disk is full");
    SqliteStore::check_writing(bytes);
    checked = bytes;
  }
  std::size_t checked = 0;  // bytes of the last check that succeeded
  std::atomic<bool> is_full = false;
};

TEST(Dispatcher, IsNotReadyWhileWhatItWroteLastFailed) {
  const std::string folder = testing::TempDir() + "longrun_dispatcher_full";
  std::filesystem::remove_all(folder);
  FullStore store(folder);
  StudyService service(store, [] { return std::int64_t{0}; });
  Dispatcher dispatcher(service, {});
  const auto status = [&](const std::string& method, const std::string& path, const std::string& body = "") {
    HttpRequest request{
        .method = method, .path = path, .headers = {{"content-type", "application/json"}}, .body = body};
    std::promise<int> promise;
    dispatcher.handle(std::move(request), [&](const HttpResponse& response) { promise.set_value(response.status); });
    return promise.get_future().get();
  };
  const std::string study = R"({"name":"s","arms":["a","b"],"budget":10})";
  EXPECT_EQ(status("GET", "/readyz"), 200);
  store.is_full = true;
  EXPECT_EQ(status("GET", "/readyz"), 200) << "nothing was written";
  EXPECT_EQ(status("POST", "/v1/studies", study), 503);
  EXPECT_EQ(status("GET", "/readyz"), 503);
  EXPECT_EQ(status("GET", "/v1/studies"), 200) << "it can be read";
  store.is_full = false;
  EXPECT_EQ(status("GET", "/readyz"), 200);
  EXPECT_EQ(status("POST", "/v1/studies", study), 201);
}

TEST(Dispatcher, ACheckOfTheStoreWritesAsMuchAsFailedButAtMost64MiB) {
  const std::string folder = testing::TempDir() + "longrun_dispatcher_checked";
  std::filesystem::remove_all(folder);
  FullStore store(folder);
  StudyService service(store, [] { return std::int64_t{0}; });
  const ChangeRequest create{.study = "s", .change = CreateStudy{.spec = {.arms = {"a"}, .budget = 10'000}}};
  service.change(std::span(&create, 1));
  const auto checked_after = [&](std::size_t requests) {
    std::vector<ChangeRequest> many;
    for (std::size_t i = 0; i < requests; ++i) {
      many.push_back(
          {.study = "s", .key = fmt::format("k{}", i), .fingerprint = "f", .change = Change{AskDecisions{}}});
    }
    store.is_full = true;
    EXPECT_THROW(service.change(many), SystemError);
    store.is_full = false;
    service.check_store();
    return store.checked;
  };
  EXPECT_GT(checked_after(100), std::size_t{3} << 20);
  EXPECT_LT(store.checked, std::size_t{4} << 20);
  EXPECT_EQ(checked_after(2'500), std::size_t{64} << 20);
}

constexpr std::chrono::minutes kVeryLong{1};  // to wait in a test that fails

/// A store that other processes seem to use: a transaction waits for its studies until the test lets it go on.
class SharedStore : public SqliteStore {
 public:
  using SqliteStore::SqliteStore;
  bool is_shared() const override { return true; }
  void begin(const std::vector<Need>& needs) override {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return begun_ <= allowed_; });
    SqliteStore::begin(needs);
  }
  void read_ahead(const std::vector<Need>& needs) override { read_ahead_ += needs.size(); }
  /// Waits until this many transactions have begun; the test fails if that takes very long.
  void wait_for(int begun) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kVeryLong, [&] { return begun_ >= begun; }));
  }
  void allow(int transactions) {
    const std::lock_guard lock(mutex_);
    allowed_ = transactions;
    changed_.notify_all();
  }
  int begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  std::atomic<std::size_t> read_ahead_ = 0;  // needs

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int allowed_ = 0;
};

TEST(Dispatcher, WhatArrivesWhileATransactionWaitsForItsStudyJoinsIt) {
  const std::string folder = testing::TempDir() + "longrun_dispatcher_shared";
  std::filesystem::remove_all(folder);
  SharedStore store(folder);
  StudyService service(store, [] { return std::int64_t{0}; });
  Dispatcher dispatcher(service, {});
  const auto ask = [&](const std::string& path, const std::string& body, const std::string& key = "") {
    HttpRequest request{
        .method = "POST", .path = path, .headers = {{"content-type", "application/json"}}, .body = body};
    if (!key.empty()) request.headers.emplace_back("idempotency-key", key);
    auto promise = std::make_shared<std::promise<HttpResponse>>();
    dispatcher.handle(std::move(request),
                      [promise](HttpResponse response) { promise->set_value(std::move(response)); });
    return promise->get_future();
  };
  store.allow(2);
  for (const char* name : {"s", "t"}) {
    const std::string body = R"({"arms":["a","b"],"budget":100,"name":")" + std::string(name) + "\"}";
    EXPECT_EQ(ask("/v1/studies", body).get().status, 201);
  }
  const auto decide = [&](const std::string& study, const std::string& key) {
    return ask("/v1/studies/" + study + "/decisions", "{}", key);
  };
  std::vector<std::future<HttpResponse>> answers;
  answers.push_back(decide("s", "1"));
  store.wait_for(3);
  for (const char* key : {"2", "3", "1"}) answers.push_back(decide("s", key));
  std::future<HttpResponse> other = decide("t", "1");
  store.allow(3);
  std::vector<std::string> bodies;
  bodies.reserve(answers.size());
  for (auto& answer : answers) {
    if (answer.wait_for(kVeryLong) != std::future_status::ready) {
      ADD_FAILURE() << "a request waits for a transaction of its own";
      store.allow(std::numeric_limits<int>::max());
    }
    bodies.push_back(answer.get().body);
  }
  EXPECT_EQ(bodies[3], bodies[0]) << "the same key";
  for (int i = 0; i < 3; ++i) {
    const std::string id = R"("decisions":[{"id":)" + std::to_string(i + 1) + ",";
    EXPECT_NE(bodies[static_cast<std::size_t>(i)].find(id), std::string::npos) << bodies[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(store.read_ahead_, 3U);
  store.wait_for(4);
  EXPECT_EQ(other.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout) << "its study is not locked";
  store.allow(4);
  EXPECT_EQ(other.get().status, 201);
  EXPECT_EQ(store.begun(), 4);
}

}  // namespace
}  // namespace longrun
