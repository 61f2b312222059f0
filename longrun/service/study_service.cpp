#include "longrun/service/study_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/decide/study/event_error.h"
#include "longrun/service/internal/entry_details.h"
#include "longrun/service/new_names.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestStudyName = 64;

// What a store writes for a change, about: pages of its tables and indices, and each entry also to a log of its own.
constexpr std::size_t kPagesOfChange = 32'768;  // bytes
constexpr std::size_t kCopies = 2;
// A check of the store writes at most so many bytes: it is often repeated, and other requests wait for it.
constexpr std::size_t kMostChecked = std::size_t{64} << 20;

constexpr std::size_t kMostComparedChoices = 1'000'000;  // observations of a shadow at once, times arms

RequestError no_study(const std::string& name) {
  return {RequestError::Kind::not_found, fmt::format("there is no study '{}'", name)};
}

RequestError unstorable() { return invalid_request("a text is not UTF-8, or has the character 0"); }

Json request_details(const LogEntry& entry) {
  Json details = Json::parse(entry.details.empty() ? "{}" : entry.details, nullptr, false);
  return details.is_object() ? details : Json::object();
}

/// Returns the keys under which the observations of a request are recorded.
std::vector<std::string> keys_of_observations(const ChangeRequest& request) {
  std::vector<std::string> keys;
  const auto* change = std::get_if<Change>(&request.change);
  const auto* add = change == nullptr ? nullptr : std::get_if<AddObservations>(change);
  if (add == nullptr || !add->has_ids) return keys;
  for (const AddObservations::Row& row : add->rows) keys.push_back(kKeyOfObservation + row.id);
  return keys;
}

/// Returns whether a request names the arm of a decision.
bool names_arms(const Change& change) {
  if (const auto* report = std::get_if<ReportOutcome>(&change)) return !report->arm.empty();
  if (const auto* correct = std::get_if<CorrectOutcome>(&change)) return !correct->arm.empty();
  const auto* outcomes = std::get_if<ReportOutcomes>(&change);
  return outcomes != nullptr && std::any_of(outcomes->rows.begin(), outcomes->rows.end(), [](const ReportOutcome& row) {
           return !row.arm.empty() && !row.is_of_arm();
         });
}

/// Returns the number of rows of a request that can be tried.
std::size_t rows_of(const Change& change) {
  const auto* report = std::get_if<ReportOutcomes>(&change);
  return report != nullptr ? report->rows.size() : std::get<AddObservations>(change).rows.size();
}

/// Returns the places of the requests, by study; those of a study stay in order.
std::vector<std::size_t> by_study(std::span<const ChangeRequest> requests) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return requests[a].study < requests[b].study; });
  return order;
}

/// Gives the entries of one request its key. What the reply needs in addition to the entries is kept with the first of
/// them, so that a repeated request gets the same reply.
void mark(std::vector<LogEntry>& entries, const ChangeRequest& request, std::size_t already_known) {
  for (LogEntry& entry : entries) {
    if (!entry.key.empty()) entry.request = request.fingerprint;  // an observation with an id
  }
  if (request.key.empty() || entries.empty()) return;
  LogEntry& first = entries.front();
  first.key = request.key;
  first.request = request.fingerprint;
  Json details = request_details(first);
  if (entries.size() > 1) details["entries"] = entries.size();
  if (already_known > 0) details["already_known"] = already_known;
  if (!details.empty()) first.details = details_text(details);
}

}  // namespace

bool is_study_name(std::string_view name) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kLongestStudyName && is_letter_or_digit(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

void check_study_name(const std::string& name) {
  if (name == "import") {
    throw invalid_request("name: 'import' is reserved, because the path of imports has it; choose another name",
                          "/name");
  }
  if (is_study_name(name)) return;
  throw RequestError(
      RequestError::Kind::invalid,
      fmt::format("name: '{}' is not 1 to {} letters (a to z), digits, '.', '_' or '-', beginning with a "
                  "letter or digit; use title for any text",
                  name.substr(0, kLongestStudyName), kLongestStudyName),
      "/name");
}

StudyService::StudyService(StudyStore& store, std::function<std::int64_t()> now)
    : StudyService(store, std::move(now), Limits{}) {}

StudyService::StudyService(StudyStore& store, std::function<std::int64_t()> now, const Limits& limits)
    : store_(store), now_(std::move(now)), limits_(limits), loaded_(store, limits.memory) {}

std::string StudyService::time_text() const { return utc_text(now_()); }

// ---- changes

std::vector<ChangeReply> StudyService::change(std::span<const ChangeRequest> requests) {
  return change(requests, nullptr);
}

std::vector<ChangeReply> StudyService::change(std::span<const ChangeRequest> requests, const Join& join) {
  std::vector<ChangeReply> replies;
  try {
    return change_together(requests, join);
  } catch (const UnstorableError& error) {
    if (requests.size() == 1) {
      replies.emplace_back().error = invalid_request(fmt::format("it cannot be stored; {}", error.what()));
      return replies;
    }
  }
  // One of them cannot be stored. The others do not suffer from it.
  for (std::size_t i = 0; i < requests.size(); ++i) {
    replies.push_back(std::move(change(requests.subspan(i, 1))[0]));
  }
  return replies;
}

void StudyService::add_needs(std::span<const ChangeRequest> requests, std::vector<StudyStore::Need>& needs) const {
  for (const ChangeRequest& request : requests) {
    // With the last known entry, which is compared.
    const std::int64_t after = loaded_.last_seq(request.study).value_or(0) - 1;
    needs.push_back({.study = request.study, .key = request.key, .after = after});
    for (const std::string& key : keys_of_observations(request)) {
      needs.push_back({.study = request.study, .key = key, .after = after});
    }
  }
}

void StudyService::begin(std::span<const ChangeRequest>& requests, const Join& join) {
  std::vector<StudyStore::Need> needs;
  add_needs(requests, needs);
  store_.begin(needs);
  if (!join || !store_.is_shared()) return;
  std::set<std::string> studies;
  for (const ChangeRequest& request : requests) studies.insert(request.study);
  const std::size_t before = requests.size();
  requests = join(studies);
  if (requests.size() == before) return;
  needs.clear();
  add_needs(requests.subspan(before), needs);
  store_.read_ahead(needs);
}

std::vector<ChangeReply> StudyService::change_together(std::span<const ChangeRequest>& requests, const Join& join) {
  loaded_.begin();
  to_write_ = 0;
  std::vector<ChangeReply> replies;
  try {
    begin(requests, join);
    const std::string at = time_text();
    replies.resize(requests.size());
    for (const std::size_t i : by_study(requests)) {
      try {
        replies[i] = change_one(requests[i], at);
      } catch (const RequestError& error) {
        replies[i].error = error;
      } catch (const SystemError&) {
        throw;
      } catch (const std::exception& error) {
        // The state in memory may be changed in part, the store is not: entries are appended last.
        loaded_.forget(requests[i].study);
        replies[i].error = damaged_log(requests[i].study, error.what());
      }
    }
    store_.commit();
    const bool has_written =
        std::any_of(replies.begin(), replies.end(), [](const ChangeReply& reply) { return reply.recorded > 0; });
    if (has_written) failed_bytes_ = 0;
  } catch (const UnstorableError&) {
    store_.rollback();
    for (const ChangeRequest& request : requests) loaded_.forget(request.study);
    throw;
  } catch (...) {
    failed_bytes_ = std::min(kPagesOfChange + to_write_, kMostChecked);
    store_.rollback();
    for (const ChangeRequest& request : requests) loaded_.forget(request.study);
    throw;
  }
  loaded_.drop_unused();
  return replies;
}

ChangeReply StudyService::change_one(const ChangeRequest& request, const std::string& at) {
  if (const auto* create = std::get_if<CreateStudy>(&request.change)) return this->create(request, *create, at);
  if (const auto* import = std::get_if<ImportStudy>(&request.change)) return this->import(request, *import, at);
  const auto last_seq = store_.lock(request.study);
  if (!last_seq) throw no_study(request.study);
  if (!request.key.empty()) {
    if (const auto first = store_.with_key(request.study, request.key)) {
      ChangeReply reply = repeated(request, *first);
      // The arms of decisions are not part of what a request is, so they may differ from those of the first time.
      if (names_arms(std::get<Change>(request.change))) {
        loaded_.get(request.study, *last_seq).check_arms(std::get<Change>(request.change));
      }
      return reply;
    }
  }
  ServedStudy& study = loaded_.get(request.study, *last_seq);
  const ServedStudy::Recorded recorded{
      .outcomes_of = [&](DecisionId decision) { return store_.outcomes_of(request.study, decision); },
      .with_key = [&](const std::string& key) { return store_.with_key(request.study, key); }};
  std::optional<Change> found;
  if (const auto* correct = std::get_if<CorrectOutcome>(&std::get<Change>(request.change));
      correct != nullptr && !correct->observation_key.empty()) {
    found = with_observation(*correct, request.study);
  }
  const Change& change = found ? *found : std::get<Change>(request.change);
  check_size(change, study);
  // Times of a log never run backwards, whatever the clock does.
  const std::string now = std::max(at, study.last_at());
  ChangeReply reply;
  if (request.dry_run) {
    const auto* outcomes = std::get_if<ReportOutcomes>(&change);
    auto checked = outcomes != nullptr ? study.check(*outcomes, recorded, now)
                                       : study.check(std::get<AddObservations>(change), recorded);
    reply.problems = std::move(checked.problems);
    reply.to_record = checked.to_record;
    reply.already_known = checked.already_known;
    return reply;
  }
  ServedStudy::Result result = study.change(change, recorded, now);
  reply.already_known = result.already_known;
  if (result.repeated) {
    reply.entries.push_back(*std::move(result.repeated));
    reply.is_repeated = true;
    return reply;
  }
  mark(result.entries, request, result.already_known);
  if (!result.entries.empty() && result.entries[0].seq != *last_seq + 1) {
    loaded_.forget(request.study);
    throw SystemError(
        fmt::format("study '{}': entry {} would follow entry {}", request.study, result.entries[0].seq, *last_seq));
  }
  if (!std::all_of(result.entries.begin(), result.entries.end(), is_storable)) {
    loaded_.forget(request.study);  // it is ahead of the store
    throw unstorable();
  }
  append(request.study, result.entries);
  reply.still_void = pull_still_void(request, result.entries);
  reply.recorded = result.entries.size();
  if (!result.entries.empty()) loaded_.note_last(request.study, result.entries.back());
  reply.is_repeated = result.entries.empty();
  reply.entries = std::move(result.entries);
  return reply;
}

void StudyService::append(const std::string& study, const std::vector<LogEntry>& entries) {
  if (entries.empty()) return;
  to_write_ += kPagesOfChange;
  for (const LogEntry& entry : entries) to_write_ += kCopies * (entry.event.size() + entry.details.size());
  store_.append(study, entries);
}

Change StudyService::with_observation(CorrectOutcome correct, const std::string& study) {
  const auto entry = store_.with_key(study, correct.observation_key);
  if (!entry) {
    throw RequestError(
        RequestError::Kind::not_found,
        fmt::format("there is no observation with the id '{}'; one without an id is named by the number of its entry",
                    correct.observation_key.substr(kKeyOfObservation.size())),
        "/observation");
  }
  correct.observation = entry->seq;
  return correct;
}

void StudyService::check_size(const Change& change, const ServedStudy& study) const {
  const auto check_rows = [](const char* what, std::size_t rows, std::size_t most) {
    if (rows <= most) return;
    throw RequestError(RequestError::Kind::too_large,
                       fmt::format("{} {}; at most {} are accepted at once", rows, what, most));
  };
  const std::size_t arms = study.arms().names().size();
  // A shadow compares each observation with a choice of its own, which takes time for every arm.
  const bool is_shadow = study.mode() == StudyMode::shadow;
  const std::size_t most_observed =
      is_shadow ? std::clamp<std::size_t>(kMostComparedChoices / arms, 1, limits_.rows) : limits_.rows;
  if (const auto* report = std::get_if<ReportOutcomes>(&change)) {
    check_rows("outcomes", report->rows.size(), report->has_rewards_of_arms ? most_observed : limits_.rows);
  } else if (const auto* add = std::get_if<AddObservations>(&change)) {
    check_rows("observations", add->rows.size(), most_observed);
  } else if (const auto* conditions = std::get_if<ChangeConditions>(&change)) {
    check_rows("added arms", conditions->added_arms.size(), limits_.added_arms);
    check_arms(conditions->added_arms, arms, "/add_arms");
    check_new_arms(conditions->added_arms, study.arms().names(), "/add_arms");
  }
}

void StudyService::check_arms(const std::vector<std::string>& names, std::size_t others, const char* field) const {
  if (names.size() + others > limits_.arms) {
    throw RequestError(RequestError::Kind::too_large,
                       fmt::format("arms: {}; a study may have at most {}", names.size() + others, limits_.arms),
                       field);
  }
  for (const std::string& name : names) {
    if (name.size() <= limits_.arm_name) continue;
    throw RequestError(RequestError::Kind::invalid,
                       fmt::format("arms: a name has {} bytes; at most {} are accepted", name.size(), limits_.arm_name),
                       field);
  }
}

ChangeReply StudyService::repeated(const ChangeRequest& request, const LogEntry& first) {
  if (first.request != request.fingerprint && first.request != request.hash_of_bytes) {
    throw RequestError(RequestError::Kind::invalid,
                       fmt::format("key '{}' was used for another request (entry {}); use a new key for a new request",
                                   request.key, first.seq));
  }
  ChangeReply reply;
  reply.is_repeated = true;
  const Json details = request_details(first);
  reply.already_known = details.value("already_known", std::size_t{0});
  if (request.dry_run) {
    reply.already_known = rows_of(std::get<Change>(request.change));  // a row can have several entries
    return reply;
  }
  reply.entries = store_.entries(request.study, first.seq - 1, details.value("entries", std::size_t{1}));
  reply.still_void = pull_still_void(request, reply.entries);
  return reply;
}

std::optional<DecisionId> StudyService::pull_still_void(const ChangeRequest& request,
                                                        const std::vector<LogEntry>& entries) {
  const auto* correct = std::get_if<CorrectOutcome>(&std::get<Change>(request.change));
  if (correct == nullptr || correct->decision == 0 || correct->instead) return std::nullopt;
  if (correct->outcome.kind != OutcomeKind::voided) return std::nullopt;
  std::int64_t counted = 0;  // the correction by which the decision counted again, if it was one
  for (const LogEntry& entry : store_.outcomes_of(request.study, correct->decision)) {
    if (entry.seq >= entries.at(0).seq) break;
    const Json event = Json::parse(entry.event);
    if (event["event"] != "corrected") continue;
    if (event["outcome"] == "void") {
      counted = 0;
    } else if (counted == 0) {
      counted = entry.seq;
    }
  }
  if (counted == 0) return std::nullopt;
  // If it voided a pull, that is the entry before, the first of two of one request.
  const std::vector<LogEntry> before = store_.entries(request.study, counted - 2, 1);
  if (before.empty() || before[0].decision == 0 || before[0].decision == correct->decision) return std::nullopt;
  if (request_details(before[0]).value("entries", std::size_t{1}) != 2) return std::nullopt;
  return before[0].decision;
}

ChangeReply StudyService::create(const ChangeRequest& request, const CreateStudy& create, const std::string& at) {
  check_study_name(request.study);
  check_arms(create.spec.arms, 0, "/arms");
  std::vector<LogEntry> existing = store_.entries(request.study, -1, 1);
  if (existing.empty()) {
    check_new_arms(create.spec.arms, {}, "/arms");
    check_new_title(create.title);
  }
  LogEntry entry = created_entry(create, request.study);
  entry.at = at;
  if (!is_storable(entry)) throw unstorable();
  ChangeReply reply;
  if (existing.empty() && store_.create(request.study, entry)) {
    loaded_.keep(request.study, std::make_unique<ServedStudy>(entry), entry);
    reply.recorded = 1;
    reply.entries.push_back(std::move(entry));
    return reply;
  }
  if (existing.empty() || existing[0].event != entry.event || existing[0].details != entry.details) {
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("there is another study '{}' already; choose another name", request.study), "/name");
  }
  reply.entries = std::move(existing);
  reply.is_repeated = true;
  return reply;
}

ImportStudy::ImportStudy(std::vector<LogEntry> its_entries) : entries(std::move(its_entries)) {
  if (entries.empty()) throw RequestError(RequestError::Kind::invalid, "the study has no entries");
  try {
    auto replayed = std::make_shared<ServedStudy>(entries[0]);
    replayed->replay({entries.begin() + 1, entries.end()});
    study = std::move(replayed);
  } catch (const EventError& error) {
    const std::string problem = fmt::format("line {}: {}", error.number() + 1, error.problem());  // line 1 is entry 0
    throw RequestError(RequestError::Kind::invalid, problem).about({kWholeBody}, problem);
  } catch (const InputError& error) {
    throw RequestError(RequestError::Kind::invalid, error.what());
  }
}

ChangeReply StudyService::import(const ChangeRequest& request, const ImportStudy& import, const std::string& at) {
  check_study_name(request.study);
  check_arms(import.study->study().spec().arms, 0, "");
  if (!std::all_of(import.entries.begin(), import.entries.end(), is_storable)) throw unstorable();
  ChangeReply reply;
  // Times never run backwards, so the last entry is the latest.
  if (const std::string& last = import.entries.back().at; last > latest_time(at)) {
    reply.cautions.push_back(
        fmt::format("line {}: at: {} is in the future; it is {} now, and new entries have the later time until then",
                    import.entries.size(), last, at));
  }
  const auto check_same = [&] {
    if (store_.entries(request.study, -1, import.entries.size() + 1) == import.entries) return;
    throw RequestError(RequestError::Kind::conflict, fmt::format("there is another study '{}' already", request.study));
  };
  if (request.dry_run) {
    if (store_.last_seq(request.study)) {
      check_same();
      reply.already_known = import.entries.size();
    } else {
      reply.to_record = import.entries.size();
    }
    return reply;
  }
  if (store_.create(request.study, import.entries[0])) {
    append(request.study, {import.entries.begin() + 1, import.entries.end()});
    loaded_.keep(request.study, std::make_unique<ServedStudy>(*import.study), import.entries.back());
    reply.recorded = import.entries.size();
  } else {
    check_same();
    reply.is_repeated = true;
  }
  reply.entries = {import.entries[0]};
  return reply;
}

// ---- reading

template <class Read>
auto StudyService::reading(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const SystemError&) {
    store_.rollback();
    throw;
  }
}

const ServedStudy& StudyService::study(const std::string& name) {
  loaded_.drop_unused();
  loaded_.begin();
  return reading([&]() -> const ServedStudy& { return loaded_.get(name, last_seq(name)); });
}

std::int64_t StudyService::last_seq(const std::string& name) {
  const auto last = reading([&] { return store_.last_seq(name); });
  if (!last) throw no_study(name);
  return *last;
}

void StudyService::check_store() {
  reading([&] { return store_.last_seq("a study"); });  // whether there is one or not
  if (failed_bytes_ == 0) return;
  reading([&] { store_.check_writing(failed_bytes_); });
  failed_bytes_ = 0;
}

std::vector<StudyStore::StudyRow> StudyService::studies() {
  return reading([&] { return store_.studies(); });
}

std::vector<LogEntry> StudyService::entries(const std::string& name, std::int64_t after, std::size_t most) {
  return reading([&] { return store_.entries(name, after, most); });
}

}  // namespace longrun
