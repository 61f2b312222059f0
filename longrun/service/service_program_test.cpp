// Simulated clients against the real service and store, on a disk that loses its power and fails, all from a seed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <span>

#include "longrun/base/system_error.h"
#include "longrun/service/api.h"
#include "longrun/service/sqlite_store.h"
#include "longrun/service/study_service.h"
#include "tests/long_tests.h"
#include "tests/power_loss_vfs.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// A request of a client, with what the client knows about it.
struct SentRequest {
  HttpRequest http;
  std::string acknowledged{};      // the body of the answer that arrived; empty if none did
  std::int64_t began = 0;          // step of the first attempt
  std::int64_t ended = INT64_MAX;  // step of the answer
  bool was_refused = false;        // answered with an error
};

/// A way to be wrong that the oracle must notice.
enum class Mutation { none, weak_sync, answer_before_commit, no_key_lookup };

/// A store whose commits can be left out, or whose keys cannot be found.
class MutatedStore : public SqliteStore {
 public:
  MutatedStore(const std::string& file, const Options& options, Mutation mutation, bool is_shared)
      : SqliteStore(file, options), mutation_(mutation), is_shared_(is_shared) {}
  bool is_shared() const override { return is_shared_; }
  std::optional<LogEntry> with_key(const std::string& study, const std::string& key) override {
    return mutation_ == Mutation::no_key_lookup ? std::nullopt : SqliteStore::with_key(study, key);
  }
  void begin(const std::vector<Need>& needs) override {
    if (mutation_ != Mutation::answer_before_commit || !is_open_) SqliteStore::begin(needs);
    is_open_ = true;
  }
  void commit() override {
    // Every second commit is made, so that answers may leave before their commit.
    if (mutation_ == Mutation::answer_before_commit && ++commits_ % 2 == 1) return;
    SqliteStore::commit();
    is_open_ = false;
  }
  void rollback() noexcept override {
    SqliteStore::rollback();
    is_open_ = false;
  }

 private:
  Mutation mutation_;
  bool is_shared_;
  bool is_open_ = false;
  int commits_ = 0;
};

/// Clients, a service and its disk. One object is one program of random requests, failures and repetitions.
class ServiceProgram {
 public:
  ServiceProgram(std::uint64_t seed, Mutation mutation)
      : random_(seed), mutation_(mutation), is_shared_(seed % 2 == 1) {}

  /// Runs the program and returns what is wrong; empty if nothing is.
  std::string run() {
    start();
    send(creation(), true);
    const int steps = 6 + below(20);
    for (int i = 0; i < steps && problem_.empty(); ++i) step();
    finish();
    if (problem_.empty()) check_log();
    return problem_;
  }
  /// Returns how often the power was lost or a transaction failed.
  int failures() const { return failures_; }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }

  void start() {
    for (int attempt = 0;; ++attempt) {
      try {
        store_ = std::make_unique<MutatedStore>(
            "studies.sqlite",
            SqliteStore::Options{.vfs = vfs_.name(),
                                 .synchronous = mutation_ == Mutation::weak_sync ? "NORMAL" : "FULL"},
            mutation_, is_shared_);
        service_ = std::make_unique<StudyService>(*store_, [this] { return ++clock_; });
        return;
      } catch (const SystemError& error) {
        if (attempt > 3) throw;
        restart_machine();
      }
    }
  }
  void restart_machine() {
    service_.reset();
    store_.reset();
    using Unsynced = PowerLossVfs::Unsynced;
    constexpr Unsynced kAll[] = {Unsynced::dropped, Unsynced::kept, Unsynced::some, Unsynced::half_of_the_last};
    vfs_.restore_power(kAll[below(4)], random_());
    ++failures_;
  }

  // ---- requests

  HttpRequest creation() {
    Json body{{"name", "s"}, {"arms", {"a", "b", "c"}}, {"budget", 40 + below(40)}, {"seed", 7}};
    if (below(3) == 0) body["constraints"] = {{"units_per_round", "3"}, {"minimum_share", "b:0.2"}};
    return request("POST", "/v1/studies", body);
  }
  static HttpRequest request(const char* method, const std::string& path, const Json& body,
                             const std::string& key = "") {
    HttpRequest request{.method = method, .path = path};
    request.headers = {{"content-type", "application/json"}};
    if (!key.empty()) request.headers.emplace_back("idempotency-key", key);
    request.body = body.dump();
    return request;
  }
  std::string new_key() { return fmt::format("key {}", ++keys_); }
  std::int64_t some_decision() { return 1 + below(static_cast<int>(known_decisions_) + 2); }

  HttpRequest new_request() {
    const std::string study = "/v1/studies/s";
    const double reward = below(100) / 100.0;
    constexpr const char* kNoises[] = {"estimate", "gaussian:0.1", "gaussian:0.3"};
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        return request("POST", study + "/decisions", Json{{"count", 1}}, new_key());
      case 3:
        return request("POST", study + "/decisions", Json{{"unavailable", {"b"}}}, new_key());
      case 4:
      case 5:
      case 6:
      case 7: {
        Json body{{"reward", reward}};
        if (below(6) == 0) body = {{"kind", below(2) == 0 ? "lost" : "void"}};
        if (below(6) == 0) body = {{"kind", "void"}, {"instead", {{"arm", "c"}, {"reward", reward}}}};
        if (below(12) == 0) body = {{"kind", "void"}, {"instead", {{"arm", "b"}}}};
        return request("PUT", fmt::format("{}/decisions/{}/outcome", study, some_decision()), body);
      }
      case 8:
        return request("POST", study + "/outcomes",
                       {{"outcomes",
                         {{{"decision", some_decision()}, {"reward", reward}},
                          {{"decision", some_decision()}, {"reward", reward}}}}},
                       new_key());
      case 9:
        return request("POST", study + "/corrections",
                       below(3) == 0 ? Json{{"decision", some_decision()}, {"kind", "void"}, {"reason", "not done"}}
                                     : Json{{"decision", some_decision()}, {"reward", reward}, {"reason", "typo"}},
                       new_key());
      case 10:
        return request("POST", study + "/observations", {{"arm", "b"}, {"reward", reward}}, new_key());
      case 11:
        return request("POST", study + "/changes", Json{{"noise", kNoises[below(3)]}}, new_key());
      case 12:
        return request("POST", study + "/changes",
                       Json{{"constraints", {{"minimum_share", fmt::format("c:0.{}", below(4))}}}}, new_key());
      case 13:
      case 14:
        return request("POST", study + "/outcomes",
                       {{"outcomes",
                         {{{"arm", "a"}, {"reward", reward}},
                          {{"decision", some_decision()}, {"reward", reward}},
                          {{"arm", below(2) == 0 ? "a" : "c"}, {"reward", reward}}}}},
                       new_key());
      default:
        return request("POST", study + "/changes", Json{{"extend_budget", 5}}, new_key());
    }
  }

  // ---- steps

  void step() {
    // A failure or a loss of power somewhere in the next operations.
    if (below(2) == 0) vfs_.lose_power_at(vfs_.operations() + below(12));
    if (below(3) == 0) {
      constexpr PowerLossVfs::Failure kAll[] = {PowerLossVfs::Failure::io_error, PowerLossVfs::Failure::full,
                                                PowerLossVfs::Failure::short_write};
      vfs_.fail_at(vfs_.operations() + below(8), kAll[below(3)]);
    }
    std::vector<std::size_t> batch;
    const int size = 1 + below(5);
    for (int i = 0; i < size; ++i) {
      const bool repeats = !requests_.empty() && below(3) == 0;
      if (!repeats) requests_.push_back({.http = new_request(), .began = clock_});
      batch.push_back(repeats ? static_cast<std::size_t>(below(static_cast<int>(requests_.size())))
                              : requests_.size() - 1);
    }
    send_batch(batch, false);
  }

  void send(HttpRequest http, bool until_answered) {
    requests_.push_back({.http = std::move(http), .began = clock_});
    send_batch({requests_.size() - 1}, until_answered);
  }

  void send_batch(const std::vector<std::size_t>& batch, bool until_answered) {
    std::vector<ChangeRequest> changes;
    std::vector<std::size_t> senders;
    for (const std::size_t i : batch) {
      changes.push_back(std::get<ChangeRequest>(parse_request(requests_[i].http)));
      senders.push_back(i);
    }
    for (int attempt = 0; attempt < 20; ++attempt) {
      try {
        const std::vector<ChangeReply> replies = changed(changes);
        for (std::size_t i = 0; i < replies.size(); ++i) {
          if (!until_answered && below(4) == 0) continue;  // the answer is lost on its way
          receive(requests_[senders[i]], response_to(changes[i], replies[i]));
        }
        return;
      } catch (const SystemError&) {
        ++failures_;
        if (!vfs_.has_power()) {
          restart_machine();
          start();
        }
        if (!until_answered) return;  // clients repeat it later, or not
      }
    }
    problem_ = "the service does not recover";
  }

  /// Carries out changes. If the store seems to be shared, only some of them begin the transaction, and others join it.
  std::vector<ChangeReply> changed(const std::vector<ChangeRequest>& changes) {
    if (!is_shared_) return service_->change(changes);
    const std::span<const ChangeRequest> all(changes);
    const auto first = static_cast<std::size_t>(below(static_cast<int>(all.size()))) + 1;
    return service_->change(all.first(first), [&](const std::set<std::string>& studies) {
      for (const ChangeRequest& change : all) EXPECT_TRUE(studies.contains(change.study));
      return all;
    });
  }

  void receive(SentRequest& request, const HttpResponse& response) {
    if (response.status >= 400) {
      // A report that recorded nothing, because all was known already, has not used its key.
      const bool has_no_key =
          request.http.method == "PUT" || request.acknowledged.find("\"recorded\":0,") != std::string::npos;
      const auto says = [&](const char* text) { return response.body.find(text) != std::string::npos; };
      const bool is_corrected =
          has_no_key && response.status == 409 &&
          (says("was corrected to") || says("was pulled in its place already") || says("which is void; correct"));
      if (is_corrected && !request.acknowledged.empty()) return;  // another outcome holds now
      if (!request.acknowledged.empty()) {
        problem_ = fmt::format("an acknowledged request is refused when it is repeated: {} -> {}", request.http.body,
                               response.body);
      }
      request.was_refused = true;
      return;
    }
    if (!request.acknowledged.empty() && request.acknowledged != response.body) {
      problem_ = fmt::format("two answers to one request: {} and {}", request.acknowledged, response.body);
    }
    if (request.acknowledged.empty()) request.ended = clock_;
    request.acknowledged = response.body;
    const Json json = Json::parse(response.body);
    if (!json.contains("decisions")) return;
    for (const Json& decision : json["decisions"]) {
      known_decisions_ = std::max(known_decisions_, decision["id"].get<std::int64_t>());
    }
  }

  // ---- the oracle

  /// Switches the machine off and on, and repeats some requests on a disk that works.
  void finish() {
    restart_machine();
    start();
    for (std::size_t i = 0; i < requests_.size() && problem_.empty(); ++i) {
      if (!requests_[i].acknowledged.empty()) send_batch({i}, true);
    }
  }

  /// Checks the stored log against what clients were told, by rules that know nothing of the service.
  void check_log() {
    const std::vector<LogEntry> entries = store_->entries("s", -1, 100'000);
    std::map<std::int64_t, Json> by_seq;
    std::set<std::string> keys;
    std::int64_t last_decision = 0;
    std::map<std::string, std::int64_t> pulls;
    std::map<std::int64_t, std::string> arms;                // of all decisions
    std::map<std::int64_t, std::string> last_outcome;        // of those that have one
    std::map<std::int64_t, std::set<std::int64_t>> instead;  // decisions and the pulls in their place
    const auto set_outcome = [&](const Json& event) {
      const std::int64_t decision = event["decision"];
      std::string& outcome = last_outcome[decision];
      const std::string now = event["outcome"];
      pulls[arms[decision]] += (outcome == "void" ? 1 : 0) - (now == "void" ? 1 : 0);
      outcome = now;
    };
    for (const LogEntry& entry : entries) {
      const Json event = Json::parse(exported_line(entry));
      const auto seq = static_cast<std::int64_t>(by_seq.size());
      if (entry.seq != seq || (seq > 0 && event["seq"] != seq)) return fail("a gap in the log", event);
      by_seq[seq] = event;
      if (!entry.key.empty() && !keys.insert(entry.key).second) return fail("a key twice", event);
      const std::string kind = event["event"];
      if (kind == "decided") {
        for (const Json& decision : event["decisions"]) {
          if (decision["id"] != ++last_decision) return fail("decisions are not numbered one by one", event);
          if (decision["pull"] != ++pulls[decision["arm"]]) return fail("a pull is missing or doubled", event);
          arms[last_decision] = decision["arm"];
        }
      } else if (kind == "settled") {
        const std::int64_t decision = event["decision"];
        if (!arms.contains(decision)) return fail("an outcome without a decision", event);
        if (last_outcome.contains(decision)) return fail("a second outcome of a decision", event);
        set_outcome(event);
      } else if (kind == "corrected") {
        if (!last_outcome.contains(event["decision"])) return fail("a correction without an outcome", event);
        set_outcome(event);
      } else if (kind == "observed") {
        ++pulls[event["arm"]];
      } else if (kind == "pulled_instead") {
        if (event["decision"] != ++last_decision) return fail("decisions are not numbered one by one", event);
        ++pulls[event["arm"]];
        arms[last_decision] = event["arm"];
        instead[event["instead_of"]].insert(last_decision);
      }
      for (const auto& [decision, others] : instead) {
        const auto counts = [&](std::int64_t each) {
          const auto outcome = last_outcome.find(each);
          return outcome == last_outcome.end() || outcome->second != "void";
        };
        const auto counted = (counts(decision) ? 1 : 0) + std::count_if(others.begin(), others.end(), counts);
        if (counted > 1) return fail("a decision counts, and the pull in its place too", event);
      }
    }
    check_acknowledged(by_seq);
    if (!problem_.empty()) return;
    // The service agrees with its own log.
    const HttpResponse audit = answer_to({.kind = Query::Kind::audit, .study = "s"}, *service_).get();
    if (!Json::parse(audit.body)["state_agrees"].get<bool>())
      problem_ = "the state is not that of the log: " + audit.body;
  }

  void check_acknowledged(const std::map<std::int64_t, Json>& by_seq) {
    std::vector<std::pair<std::int64_t, const SentRequest*>> made;  // by the seq that was acknowledged
    for (const SentRequest& request : requests_) {
      if (request.acknowledged.empty()) continue;
      Json answer = Json::parse(request.acknowledged);
      if (!answer.contains("seq")) continue;  // the creation, or outcomes that were all known
      const std::int64_t seq = answer["seq"];
      const auto found = by_seq.find(seq);
      if (found == by_seq.end()) return fail("an acknowledged entry is lost", answer);
      if (answer.contains("event")) {
        Json stored = found->second;
        for (const char* field : {"key", "request", "details"}) stored.erase(field);
        for (const char* field : {"voided", "still_void"}) answer.erase(field);  // of the answer alone
        if (stored != answer) return fail("an acknowledged entry has changed", answer);
      }
      const std::string* key = request.http.header("idempotency-key");
      if (key != nullptr) made.emplace_back(seq, &request);
    }
    for (const auto& [seq, request] : made) {
      for (const auto& [other_seq, other] : made) {
        if (request->ended < other->began && seq > other_seq) {
          return fail("a request that had ended has a later entry than one that began after it", other->acknowledged);
        }
      }
    }
  }
  void fail(const std::string& message, const Json& what) { problem_ = message + ": " + what.dump(); }

  std::mt19937_64 random_;
  Mutation mutation_;
  bool is_shared_;  // whether the store says that others use it
  PowerLossVfs vfs_;
  std::unique_ptr<MutatedStore> store_;
  std::unique_ptr<StudyService> service_;
  std::vector<SentRequest> requests_;
  std::int64_t clock_ = 0;
  std::int64_t keys_ = 0;
  std::int64_t known_decisions_ = 0;
  int failures_ = 0;
  std::string problem_;
};

/// Returns how many of `programs` programs show that something is wrong.
int programs_with_problems(int programs, Mutation mutation) {
  int wrong = 0;
  for (int seed = 0; seed < programs; ++seed) {
    wrong += ServiceProgram(static_cast<std::uint64_t>(seed), mutation).run().empty() ? 0 : 1;
  }
  return wrong;
}

/// A quarter of the programs, so that a machine runs them side by side.
class ServiceProgramsQuarter : public testing::TestWithParam<int> {};

/// Other seeds than 0, 1, ... for `./dev soak`.
std::int64_t first_seed() {
  const char* text = std::getenv("LONGRUN_FIRST_SEED");
  return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
}

TEST_P(ServiceProgramsQuarter, LosesAndDoublesNothing) {
  // Under sanitizers 50 of them: the sanitizers look at the code, the numbers are those of the normal build.
  const int programs = (long_tests() ? 50'000 : 2'500) / (sanitizer_slowdown() > 1 ? 5 * sanitizer_slowdown() : 1);
  int failures = 0;
  for (int i = 0; i < programs; ++i) {
    const std::int64_t seed = first_seed() + std::int64_t{4} * i + GetParam();
    ServiceProgram program(static_cast<std::uint64_t>(seed), Mutation::none);
    ASSERT_EQ(program.run(), "") << "seed " << seed;
    failures += program.failures();
  }
  EXPECT_GT(failures, 5 * programs);
}
INSTANTIATE_TEST_SUITE_P(Of4, ServiceProgramsQuarter, testing::Range(0, 4));

TEST(ServicePrograms, NoticeEveryMutation) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  EXPECT_GT(programs_with_problems(100, Mutation::weak_sync), 10);
  EXPECT_GT(programs_with_problems(100, Mutation::answer_before_commit), 10);
  EXPECT_GT(programs_with_problems(100, Mutation::no_key_lookup), 10);
}

}  // namespace
}  // namespace longrun
