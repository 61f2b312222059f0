#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/version.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/report/advice/plan_json.h"
#include "longrun/report/advice/recommendation_json.h"
#include "longrun/service/api.h"
#include "longrun/service/internal/study_view.h"
#include "longrun/service/sha256.h"
#include "longrun/simulate/plan/compared_constraints.h"
#include "longrun/simulate/plan/plan_of_study.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;
using Kind = RequestError::Kind;

constexpr std::size_t kMostPointsOfAllArms = 100'000;
constexpr Pulls kMostPlannedPulls = 200'000'000;  // of all futures and courses: about half a minute
constexpr std::int64_t kDefaultFutures = 1'000;
constexpr std::size_t kMostProblems = 50;  // of a dry run that are listed

}  // namespace

HttpResponse response_to(const RequestError& error) {
  const int status = static_cast<int>(error.kind());
  Json json{{"type", "about:blank"}, {"title", title_of(error.kind())}, {"status", status}, {"detail", error.what()}};
  if (!error.field().empty()) json["field"] = error.field();
  if (!error.fields().empty()) {
    json["fields"] = error.fields();
    json["problem"] = error.problem();
  }
  if (!error.rows().empty()) {
    json["problem_count"] = error.row_count();
    json["problems"] = Json::array();
    for (const auto& [place, detail] : error.rows())
      json["problems"].push_back({{error.rows_are_lines() ? "line" : "row", place}, {"detail", detail}});
  }
  HttpResponse response{.status = status,
                        .content_type = "application/problem+json",
                        .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (!error.allowed().empty()) response.headers.emplace_back("allow", error.allowed());
  if (error.kind() == Kind::unavailable) response.headers.emplace_back("retry-after", "1");
  return response;
}

namespace {

/// Returns what a dry run found: how many rows are new, known and wrong, and the first problems.
Json dry_run_json(const ChangeRequest& request, const ChangeReply& reply) {
  const auto* change = std::get_if<Change>(&request.change);
  const auto* report = change == nullptr ? nullptr : std::get_if<ReportOutcomes>(change);
  const auto* add = change == nullptr ? nullptr : std::get_if<AddObservations>(change);
  const bool is_table = (report != nullptr && report->is_table) || (add != nullptr && add->is_table);
  Json problems = Json::array();
  for (const RowProblem& each : reply.problems) {
    if (problems.size() == kMostProblems) break;
    Json problem{{is_table ? "line" : "row", each.place}, {"detail", each.error.what()}};
    if (!each.error.field().empty()) problem["field"] = each.error.field();
    problems.push_back(std::move(problem));
  }
  Json json{{"dry_run", true},
            {"accepted", reply.problems.empty()},
            {"new", reply.to_record},
            {"already_known", reply.already_known},
            {"problem_count", reply.problems.size()},
            {"problems", std::move(problems)}};
  if (!reply.cautions.empty()) json["cautions"] = reply.cautions;
  return json;
}

/// Returns the event of an entry, as JSON, with its number and time.
Json entry_json(const LogEntry& entry) { return Json::parse(exported_line(entry)); }

/// Returns the entry that answers a request which caused one, or several about a decision and the pull in its place.
const LogEntry& answering_entry(const Change& change, const ChangeReply& reply) {
  const auto* report = std::get_if<ReportOutcome>(&change);
  const auto* correct = std::get_if<CorrectOutcome>(&change);
  const DecisionId decision = report != nullptr ? report->decision : correct != nullptr ? correct->decision : 0;
  const bool names_pull = correct != nullptr && correct->instead;
  const auto answers = [&](const LogEntry& entry) {
    return names_pull ? Json::parse(entry.event)["event"] == "pulled_instead" : entry.decision == decision;
  };
  const auto last = std::find_if(reply.entries.rbegin(), reply.entries.rend(), answers);
  return last == reply.entries.rend() ? reply.entries.at(0) : *last;
}

/// Returns how many rows or changes a request has recorded, now or when it was first made.
std::size_t recorded_rows(const Change& change, const ChangeReply& reply) {
  if (reply.entries.empty()) return 0;
  if (const auto* report = std::get_if<ReportOutcomes>(&change)) return report->rows.size() - reply.already_known;
  return reply.entries.size();
}

Json reply_json(const ChangeRequest& request, const ChangeReply& reply) {
  if (!std::holds_alternative<Change>(request.change)) {
    Json json{{"name", request.study}, {"at", reply.entries.at(0).at}};
    if (const auto* import = std::get_if<ImportStudy>(&request.change)) {
      json["seq"] = import->entries.back().seq;
      json["sha256"] = import->sha256;
      json["cautions"] = reply.cautions;
    }
    return json;
  }
  const auto& change = std::get<Change>(request.change);
  if (std::holds_alternative<ReportOutcomes>(change) || std::holds_alternative<AddObservations>(change) ||
      std::holds_alternative<ChangeConditions>(change)) {
    Json json{{"recorded", recorded_rows(change, reply)}, {"already_known", reply.already_known}};
    if (!reply.entries.empty()) json["seq"] = reply.entries.back().seq;
    Json events = Json::array();
    for (const LogEntry& entry : reply.entries) events.push_back(entry.seq);
    json["events"] = std::move(events);
    return json;
  }
  const LogEntry& entry = answering_entry(change, reply);
  Json json = entry_json(entry);
  for (const char* field : {"key", "request", "details"}) json.erase(field);
  const bool is_correction = std::holds_alternative<CorrectOutcome>(change);
  if (is_correction && reply.entries[0].decision != entry.decision) json["voided"] = reply.entries[0].decision;
  if (reply.still_void) json["still_void"] = *reply.still_void;
  return json;
}

}  // namespace

HttpResponse response_to(const ChangeRequest& request, const ChangeReply& reply) {
  if (reply.error) return response_to(*reply.error);
  HttpResponse response;
  if (request.dry_run) {
    response.body = dry_run_json(request, reply).dump();
    return response;
  }
  response.body = reply_json(request, reply).dump();
  const bool is_put = std::holds_alternative<Change>(request.change) &&
                      std::holds_alternative<ReportOutcome>(std::get<Change>(request.change));
  // The same request has the same answer, however often it is sent; only this header tells them apart.
  response.status = is_put ? 200 : 201;
  if (reply.is_repeated) response.headers.emplace_back("idempotent-replayed", "true");
  return response;
}

namespace {

HttpResponse json_response(const Json& json) {
  return {.body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

HttpResponse studies_response(StudyService& service) {
  Json studies = Json::array();
  for (const auto& row : service.studies()) studies.push_back({{"name", row.name}, {"seq", row.last_seq}});
  return json_response({{"studies", std::move(studies)}});
}

HttpResponse lines_response(const std::vector<LogEntry>& entries) {
  HttpResponse response{.content_type = "application/jsonl"};
  for (const LogEntry& entry : entries) response.body += exported_line(entry) + "\n";
  return response;
}

RequestError wrong_comparison(std::string_view problem) {
  return {Kind::invalid, fmt::format("parameter compare: {}", problem), "?compare"};
}

/// Calls the function; an InputError, which the state of the study causes, becomes a RequestError.
template <class Compute>
HttpResponse with_request_errors(Compute compute) {
  try {
    return compute();
  } catch (const ComparisonError& error) {
    throw wrong_comparison(fmt::format("{}: {}", error.comparison(), error.named(std::identity{})));
  } catch (const InputError& error) {
    throw RequestError(Kind::invalid, error.what());
  }
}

/// Returns the entries of one decision that the query asks for.
std::vector<LogEntry> entries_of(const Query& query, const ServedStudy& study, StudyService& service) {
  std::vector<LogEntry> found;
  for (const std::int64_t seq : entries_of_decision(study, query.decision)) {
    if (seq <= query.after || found.size() >= query.most) continue;
    for (LogEntry& entry : service.entries(query.study, seq - 1, 1)) found.push_back(std::move(entry));
  }
  return found;
}

PlanQuestion plan_question(const StudyHistory& history, const Query& query) {
  PlanQuestion asked{.question = question_of(history), .study = history, .futures = query.futures};
  const ArmLabels labels(asked.question.history.arm_names);
  for (const std::string& text : query.compare) {
    try {
      asked.compare.push_back(
          compared_constraints(text, asked.question.constraints, {.arms = &labels, .arms_are_ordered = false}));
    } catch (const InputError& error) {
      throw wrong_comparison(error.what());
    }
  }
  return asked;
}

}  // namespace

void check_after(std::int64_t after, std::int64_t last) {
  if (after <= last) return;
  throw RequestError(Kind::invalid,
                     fmt::format("parameter after: there is no entry {}; the last one is {}. If there was "
                                 "one, an older backup was restored: read the log from its start",
                                 after, last),
                     "?after");
}

bool takes_time(const Query& query) {
  switch (query.kind) {
    case Query::Kind::ready:
    case Query::Kind::studies:
    case Query::Kind::study:
    case Query::Kind::pending:
      return false;
    case Query::Kind::events:
      return query.decision == 0;
    case Query::Kind::recommendation:
    case Query::Kind::plan:
    case Query::Kind::series:
    case Query::Kind::exported:
    case Query::Kind::audit:
      break;
  }
  return true;
}

namespace {

/// Answers from the stored log alone, so that a log which cannot be replayed can still be read.
Answer answer_from_log(const Query& query, StudyService& service) {
  const std::int64_t last = service.last_seq(query.study);
  const bool is_part = query.kind == Query::Kind::events;
  check_after(query.after, last);  // of an export -1
  std::vector<LogEntry> entries = service.entries(query.study, is_part ? query.after : -1,
                                                  is_part ? query.most : static_cast<std::size_t>(last) + 1);
  const auto count = std::ssize(entries);
  return {.compute =
              [entries = std::move(entries), is_part] {
                HttpResponse response = lines_response(entries);
                if (is_part) return response;
                response.headers.emplace_back("longrun-seq", std::to_string(entries.back().seq));
                response.headers.emplace_back("longrun-sha256", sha256(response.body));
                return response;
              },
          .events = count};
}

Answer answer_at_once(const Query& query, StudyService& service) {
  if (query.kind == Query::Kind::ready) {
    service.check_store();
    return {.response = {.body = fmt::format(R"({{"status":"ready","version":"{}"}})", build_version())}};
  }
  if (query.kind == Query::Kind::studies) return {.response = studies_response(service)};
  const ServedStudy& study = service.study(query.study);
  if (query.kind == Query::Kind::study) return {.response = json_response(study_json(study, service.time_text()))};
  if (query.kind == Query::Kind::events) return {.response = lines_response(entries_of(query, study, service))};
  return {.response = json_response(pending_json(study, query.after, query.most))};
}

/// Makes advice about a study that has spent more than its budget say so. It is computed for a study whose budget is
/// what was spent.
void tell_overspent(Json& json, const Study& now) {
  json["horizon"] = units_json(now, now.spec().budget);
  json["units_left"] = 0;
  json["overspent"] = units_json(now, now.overspent());
}

std::string overspent_sentence(const Study& now) {
  const Constraints& units = now.spec().constraints;
  return fmt::format(
      "The budget of {} units is overspent by {}, because pulls were recorded that cost more than was left.",
      units.units_text(now.spec().budget), units.units_text(now.overspent()));
}

HttpResponse recommendation_response(const StudyHistory& history, const Study& now) {
  Question question = question_of(history, PendingPulls::included);
  question.unavailable_now = now.unavailable();
  std::string body = recommendation_json(question, recommend(question, now));
  if (!now.is_closed() && now.overspent() == 0) return {.body = std::move(body)};
  Json json = Json::parse(body);
  if (now.overspent() > 0) {
    tell_overspent(json, now);
    json["remaining"] = 0;
    json["why"] = {overspent_sentence(now)};
    json["what_would_change"] = {fmt::format("No arm can be pulled until the budget is extended by more than {}.",
                                             now.spec().constraints.units_text(now.overspent()))};
  }
  if (!now.is_closed()) return json_response(json);
  // What is known of the arms stays of interest; there is nothing to do.
  json["what_to_do"] = "The study is closed: no decision follows.";
  for (const char* list : {"next", "why", "what_would_change", "cautions"}) json[list] = Json::array();
  for (const char* part : {"first", "to_learn", "what_if"}) json[part] = nullptr;
  json["rounds_before"] = 0;
  return json_response(json);
}

HttpResponse plan_response(const StudyHistory& history, const Query& query, const Study& now) {
  const PlanQuestion question = plan_question(history, query);
  std::string body = plan_json(question, plan(question, {.threads = 1}));
  if (now.overspent() == 0) return {.body = std::move(body)};
  Json json = Json::parse(body);
  tell_overspent(json, now);
  json["what_is_earned"] = {overspent_sentence(now) + " No pulls remain."};
  return json_response(json);
}

/// Returns the number of futures of a plan: those asked for, if they do not take too long.
std::int64_t futures_of(const Query& query, const Study& now) {
  const Pulls remaining = now.policy().constraints().most_pulls(std::max<Pulls>(0, now.policy().unspent()));
  const auto courses = static_cast<Pulls>(kSimpleCourses + query.compare.size());
  const std::int64_t most = kMostPlannedPulls / std::max<Pulls>(1, remaining) / courses;
  if (most < kFewestFutures) {
    throw RequestError(Kind::invalid, fmt::format("a plan of {} pulls takes too long here; export the study and make "
                                                  "the plan with 'longrun plan'",
                                                  remaining));
  }
  if (query.futures == 0) return std::min(kDefaultFutures, most);
  if (query.futures <= most) return query.futures;
  throw RequestError(Kind::invalid,
                     fmt::format("parameter futures: {} futures of {} pulls in {} courses take too long; "
                                 "at most {} are possible here",
                                 query.futures, remaining, courses, most),
                     "?futures");
}

Answer computed_answer(const Query& query, StudyService& service) {
  const ServedStudy& study = service.study(query.study);
  if (query.kind == Query::Kind::plan && study.is_closed()) {
    throw RequestError(Kind::conflict, "the study is closed: no decision follows");
  }
  Answer answer{.events = study.last_seq()};
  StudyHistory history = history_of(study);
  if (query.kind == Query::Kind::series) {
    const std::size_t points =
        std::clamp<std::size_t>(kMostPointsOfAllArms / study.arms().names().size(), 1, query.most);
    answer.compute = [history = std::move(history), points] { return json_response(series_json(history, points)); };
  } else if (query.kind == Query::Kind::recommendation && query.before > 0) {
    if (query.before > study.last_seq() + 1) {
      throw RequestError(
          Kind::invalid,
          fmt::format("parameter before: there is no entry {}; the last one is {}", query.before, study.last_seq()),
          "?before");
    }
    const auto first_left_out = history.events.begin() + static_cast<std::ptrdiff_t>(query.before - 1);
    history.events.erase(first_left_out, history.events.end());
    answer.compute = [history = std::move(history)] {
      return with_request_errors([&] {
        StudyLog then(history.spec);
        then.load(history.events);
        then.apply_corrections();
        return recommendation_response(history, then.study());
      });
    };
  } else if (query.kind == Query::Kind::recommendation) {
    answer.compute = [history = std::move(history), now = study.study()] {
      return with_request_errors([&] { return recommendation_response(history, now); });
    };
  } else {
    Query asked = query;
    asked.futures = futures_of(query, study.study());
    answer.compute = [history = std::move(history), asked, now = study.study()] {
      return with_request_errors([&] { return plan_response(history, asked, now); });
    };
  }
  return answer;
}

/// Compares the stored log with the state in memory.
Answer audit_answer(const Query& query, StudyService& service) {
  const ServedStudy& study = service.study(query.study);
  std::string state = snapshot(study.log());
  const std::int64_t last = study.last_seq();
  std::vector<LogEntry> entries = service.entries(query.study, -1, static_cast<std::size_t>(last) + 1);
  return {.compute =
              [entries = std::move(entries), state = std::move(state)] {
                try {
                  return json_response(audit_json(history_in(entries), state));
                } catch (const InputError& error) {
                  throw RequestError(Kind::damaged, fmt::format("the log is damaged: {}", error.what()));
                }
              },
          .events = last};
}

}  // namespace

Answer answer_to(const Query& query, StudyService& service) {
  if (!takes_time(query)) return answer_at_once(query, service);
  if (query.kind == Query::Kind::events || query.kind == Query::Kind::exported) return answer_from_log(query, service);
  if (query.kind == Query::Kind::audit) return audit_answer(query, service);
  return computed_answer(query, service);
}

}  // namespace longrun
