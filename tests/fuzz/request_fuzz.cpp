// Requests to the service: the first line is "METHOD path?name=value", the rest is the body. Every request has an
// answer, a change that is answered is in the log, and the log can be replayed.
#include <map>
#include <memory>

#include "longrun/service/api.h"
#include "longrun/service/study_service.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace longrun;

/// A store in memory, for one study at most.
class MemoryStore : public StudyStore {
 public:
  std::vector<StudyRow> studies() override { return {}; }
  std::optional<std::int64_t> last_seq(const std::string& study) override {
    const auto found = logs_.find(study);
    if (found == logs_.end()) return std::nullopt;
    return static_cast<std::int64_t>(found->second.size()) - 1;
  }
  std::vector<LogEntry> entries(const std::string& study, std::int64_t after, std::size_t most) override {
    std::vector<LogEntry> found;
    for (const LogEntry& entry : log_of(study)) {
      if (entry.seq > after && found.size() < most) found.push_back(entry);
    }
    return found;
  }
  std::optional<LogEntry> with_key(const std::string& study, const std::string& key) override {
    for (const LogEntry& entry : log_of(study)) {
      if (!key.empty() && entry.key == key) return entry;
    }
    return std::nullopt;
  }
  std::vector<LogEntry> outcomes_of(const std::string& study, DecisionId decision) override {
    std::vector<LogEntry> found;
    for (const LogEntry& entry : log_of(study)) {
      if (decision != 0 && entry.decision == decision) found.push_back(entry);
    }
    return found;
  }
  void begin(const std::vector<Need>& /*needs*/) override {}
  std::optional<std::int64_t> lock(const std::string& study) override { return last_seq(study); }
  bool create(const std::string& study, const LogEntry& created) override {
    return logs_.try_emplace(study, std::vector{created}).second;
  }
  void append(const std::string& study, const std::vector<LogEntry>& entries) override {
    for (const LogEntry& entry : entries) {
      fuzz::require(entry.seq == static_cast<std::int64_t>(logs_[study].size()));
      logs_[study].push_back(entry);
    }
  }
  void commit() override {}
  void check_writing(std::size_t /*bytes*/) override {}
  void rollback() noexcept override {}

 private:
  /// Returns the log of a study, which is empty if there is none.
  std::vector<LogEntry> log_of(const std::string& study) const {
    const auto found = logs_.find(study);
    return found == logs_.end() ? std::vector<LogEntry>() : found->second;
  }

  std::map<std::string, std::vector<LogEntry>> logs_;
};

HttpRequest request_in(const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line = text.substr(0, end);
  HttpRequest request{.method = line.substr(0, line.find(' '))};
  std::string target = line.substr(std::min(line.find(' ') + 1, line.size()));
  if (const std::size_t query = target.find('?'); query != std::string::npos) {
    const std::string parameter = target.substr(query + 1);
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    request.query.emplace_back(parameter.substr(0, equals), parameter.substr(std::min(equals + 1, parameter.size())));
    target.resize(query);
  }
  request.path = target;
  request.body = text.substr(std::min(end + 1, text.size()));
  const bool is_csv = request.body.starts_with("decision");
  request.headers = {{"content-type", is_csv ? "text/csv" : "application/json"}, {"idempotency-key", "k"}};
  return request;
}

int answer(StudyService& service, const HttpRequest& request) {
  try {
    const auto parsed = parse_request(request);
    if (const auto* change = std::get_if<ChangeRequest>(&parsed)) {
      const auto* creation = std::get_if<CreateStudy>(&change->change);
      if (creation != nullptr && (creation->spec.arms.size() > 100 || creation->spec.budget > 10'000)) return 422;
      const auto* import = std::get_if<ImportStudy>(&change->change);
      if (import != nullptr && import->entries.size() > 20) return 422;  // study_fuzz replays long ones
      const std::vector<ChangeReply> replies = service.change({change, 1});
      return response_to(*change, replies[0]).status;
    }
    const auto& query = std::get<Query>(parsed);
    if (query.kind == Query::Kind::plan) return 200;  // too slow for a fuzzer
    return answer_to(query, service).get().status;
  } catch (const RequestError& error) {
    return response_to(error).status;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  MemoryStore store;
  StudyService service(store, [] { return 1'000'000; });
  ChangeRequest creation{.study = "s", .change = CreateStudy{.spec = {.arms = {"a", "b"}, .budget = 100}}};
  service.change({&creation, 1});
  ChangeRequest decide{.study = "s", .key = "first", .change = Change(AskDecisions{.count = 3})};
  service.change({&decide, 1});
  const int status = answer(service, request_in(std::string(fuzz::text_of(data, size))));
  fuzz::require(status >= 200 && status < 500);
  const std::int64_t last = service.study("s").last_seq();
  service.forget_all();
  fuzz::require(service.study("s").last_seq() == last);
  return 0;
}
