#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/recommendation.h"
#include "longrun/decide/study_snapshot.h"
#include "longrun/report/plan_json.h"
#include "longrun/report/recommendation_json.h"
#include "longrun/service/api.h"
#include "longrun/service/internal/study_view.h"
#include "longrun/simulate/compared_constraints.h"
#include "longrun/simulate/plan_of_study.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;
using Kind = RequestError::Kind;

constexpr std::size_t kMostPointsOfAllArms = 100'000;

}  // namespace

HttpResponse response_to(const RequestError& error) {
  const int status = static_cast<int>(error.kind());
  Json json{{"type", "about:blank"}, {"title", title_of(error.kind())}, {"status", status}, {"detail", error.what()}};
  if (!error.field().empty()) json["field"] = error.field();
  HttpResponse response{.status = status,
                        .content_type = "application/problem+json",
                        .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (error.kind() == Kind::unavailable) response.headers.emplace_back("retry-after", "1");
  return response;
}

namespace {

/// Returns the event of an entry, as JSON, with its number and time.
Json entry_json(const LogEntry& entry) { return Json::parse(exported_line(entry)); }

Json reply_json(const ChangeRequest& request, const ChangeReply& reply) {
  if (std::holds_alternative<CreateStudy>(request.change) || std::holds_alternative<ImportStudy>(request.change)) {
    return {{"name", request.study}, {"at", reply.entries.empty() ? "" : reply.entries[0].at}};
  }
  const auto& change = std::get<Change>(request.change);
  if (std::holds_alternative<ReportOutcomes>(change) || std::holds_alternative<AddObservations>(change) ||
      std::holds_alternative<ChangeConditions>(change)) {
    Json json{{"recorded", reply.is_repeated && reply.entries.empty() ? 0 : reply.entries.size()},
              {"already_known", reply.already_known}};
    if (!reply.entries.empty()) json["seq"] = reply.entries.back().seq;
    Json events = Json::array();
    for (const LogEntry& entry : reply.entries) events.push_back(entry.seq);
    json["events"] = std::move(events);
    return json;
  }
  Json json = entry_json(reply.entries.at(0));
  for (const char* field : {"key", "request", "details"}) json.erase(field);
  return json;
}

}  // namespace

HttpResponse response_to(const ChangeRequest& request, const ChangeReply& reply) {
  if (reply.error) return response_to(*reply.error);
  HttpResponse response;
  if (request.dry_run) {
    Json problems = Json::array();
    for (const auto& [row, error] : reply.problems) {
      problems.push_back({{"row", row + 1}, {"detail", error.what()}, {"field", error.field()}});
    }
    response.body = Json{{"dry_run", true}, {"accepted", problems.empty()}, {"problems", std::move(problems)}}.dump();
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

/// Calls the function; an InputError, which the state of the study causes, becomes a RequestError.
template <class Compute>
HttpResponse with_request_errors(Compute compute) {
  try {
    return compute();
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
      throw RequestError(Kind::invalid, fmt::format("parameter compare: {}", error.what()));
    }
  }
  return asked;
}

}  // namespace

std::function<HttpResponse()> prepared(const Query& query, StudyService& service) {
  const auto at_once = [](HttpResponse response) { return [response = std::move(response)] { return response; }; };
  if (query.kind == Query::Kind::studies) return at_once(studies_response(service));
  const ServedStudy& study = service.study(query.study);
  switch (query.kind) {
    case Query::Kind::study:
      return at_once(json_response(study_json(study)));
    case Query::Kind::pending:
      return at_once(json_response(pending_json(study, query.after, query.most)));
    case Query::Kind::events:
      if (query.decision > 0) return at_once(lines_response(entries_of(query, study, service)));
      return [entries = service.entries(query.study, query.after, query.most)] { return lines_response(entries); };
    case Query::Kind::exported:
      return [entries = service.entries(query.study, -1, static_cast<std::size_t>(study.last_seq()) + 1)] {
        return lines_response(entries);
      };
    case Query::Kind::series: {
      const std::size_t points =
          std::clamp<std::size_t>(kMostPointsOfAllArms / study.arms().names().size(), 1, query.most);
      return [history = history_of(study), points] { return json_response(series_json(history, points)); };
    }
    case Query::Kind::recommendation:
      return [history = history_of(study), now = study.study()] {
        return with_request_errors([&] {
          Question question = question_of(history, PendingPulls::included);
          question.unavailable_now = now.unavailable();
          return HttpResponse{.body = recommendation_json(question, recommend(question, now))};
        });
      };
    case Query::Kind::plan:
      return [history = history_of(study), query] {
        return with_request_errors([&] {
          const PlanQuestion asked = plan_question(history, query);
          return HttpResponse{.body = plan_json(asked, plan(asked, {.threads = 1}))};
        });
      };
    case Query::Kind::audit:
      return [history = history_of(study), state = snapshot(study.log())] {
        return with_request_errors([&] { return json_response(audit_json(history, state)); });
      };
    case Query::Kind::studies:
      break;
  }
  return at_once(studies_response(service));
}

}  // namespace longrun
