#include "longrun/service/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/service/internal/change_bodies.h"
#include "longrun/service/page_files.h"
#include "longrun/service/route.h"
#include "longrun/service/sha256.h"
#include "longrun/simulate/plan/plan.h"

namespace longrun {
namespace {

using Kind = RequestError::Kind;
using What = Route::What;

constexpr std::size_t kMostEvents = 10'000;  // of one response
constexpr std::size_t kMostPending = 1'000;
constexpr std::size_t kMostPoints = 1'000;
constexpr std::size_t kDefaultPoints = 600;
constexpr std::int64_t kMostFuturesOfPlan = 10'000;
constexpr std::size_t kMostCompared = 8;  // constraints of a plan

// ---- the parts of a request

/// Checks that the query has only these parameters.
void check_parameters(const HttpRequest& request, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.query) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw RequestError(Kind::invalid, fmt::format("parameter '{}' is unknown here", name), "?" + name);
    }
    const auto is_same = [&text = name](const auto& other) { return other.first == text; };
    if (name != "compare" && std::count_if(request.query.begin(), request.query.end(), is_same) > 1) {
      throw RequestError(Kind::invalid, fmt::format("parameter '{}' is given twice", name), "?" + name);
    }
  }
}

std::int64_t whole_parameter(const HttpRequest& request, const char* name, std::int64_t fallback, std::int64_t least,
                             std::int64_t most) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return fallback;
  const auto number = parse_number<std::int64_t>(*text);
  if (!number || *number < least || *number > most) {
    throw RequestError(Kind::invalid,
                       fmt::format("parameter {}: '{}' is not a whole number from {} to {}", name, *text, least, most),
                       std::string("?") + name);
  }
  return *number;
}

bool flag_parameter(const HttpRequest& request, const char* name) {
  const std::string* text = request.parameter(name);
  if (text == nullptr || *text == "false") return false;
  if (text->empty() || *text == "true") return true;
  throw RequestError(Kind::invalid, fmt::format("parameter {}: '{}' is not true or false", name, *text),
                     std::string("?") + name);
}

std::string key_of(const HttpRequest& request) {
  const std::string* key = request.header("idempotency-key");
  if (key == nullptr) return "";
  const auto is_key_header = [](const auto& header) { return header.first == "idempotency-key"; };
  if (std::count_if(request.headers.begin(), request.headers.end(), is_key_header) > 1) {
    throw RequestError(Kind::malformed, "the header Idempotency-Key is given twice");
  }
  const bool is_printable = std::all_of(key->begin(), key->end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (key->empty() || key->size() > kLongestKey || !is_printable || !problem_of_name(*key).empty()) {
    throw RequestError(Kind::malformed,
                       fmt::format("Idempotency-Key must have 1 to {} printable characters of ASCII, without spaces "
                                   "around them",
                                   kLongestKey));
  }
  if (key->starts_with(kKeyOfObservation)) {
    throw RequestError(Kind::malformed, fmt::format("Idempotency-Key: keys that begin with '{}' stand for the ids of "
                                                    "observations; choose another one",
                                                    kKeyOfObservation));
  }
  return *key;
}

std::string required_key(const HttpRequest& request) {
  std::string key = key_of(request);
  if (key.empty()) {
    throw RequestError(
        Kind::malformed,
        "the header Idempotency-Key is missing; send a new random text with each new request, and the same "
        "one when you repeat a request");
  }
  return key;
}

DecisionId decision_number(const std::string& text) {
  const auto number = parse_number<DecisionId>(text);
  if (!number || *number < 1) {
    throw RequestError(Kind::not_found, fmt::format("there is no decision '{}'; decisions are numbered from 1", text));
  }
  return *number;
}

// ---- routes

/// Returns a request to change a study, with its key.
ChangeRequest change_of(const HttpRequest& request, const std::string& study, Change change, std::string key) {
  const auto hash = [](const std::string& bytes) { return sha256(bytes).substr(0, 32); };
  ChangeRequest made{.study = study, .key = std::move(key), .change = std::move(change)};
  const auto& asked = std::get<Change>(made.change);
  if (made.key.empty() && !std::holds_alternative<AddObservations>(asked)) return made;  // no key is recorded
  made.fingerprint = hash(canonical_text(asked));
  made.hash_of_bytes = hash(request.method + " " + request.path + "\n" + request.body);
  return made;
}

ChangeRequest observations_of(const HttpRequest& request, const std::string& study) {
  AddObservations add = observations_in(request);
  const bool dry_run = flag_parameter(request, "dry_run");
  if (add.has_ids && request.header("idempotency-key") != nullptr) {
    throw RequestError(Kind::invalid, "id: given together with an Idempotency-Key; give one of them",
                       add.is_list ? "" : "/id");
  }
  if (!add.has_ids && request.header("idempotency-key") == nullptr) {
    throw RequestError(Kind::malformed,
                       "the header Idempotency-Key is missing; send a new random text with each new request, and the "
                       "same one when you repeat a request, or give every observation an id");
  }
  std::string key = add.has_ids ? "" : required_key(request);
  ChangeRequest change = change_of(request, study, std::move(add), std::move(key));
  change.dry_run = dry_run;
  return change;
}

using Parsed = std::variant<ChangeRequest, Query>;

/// Returns the change of a study that a route asks for.
ChangeRequest change_in(const HttpRequest& request, const Route& route) {
  const auto change = [&](Change asked, std::string key) {
    return change_of(request, route.study, std::move(asked), std::move(key));
  };
  if (route.what == What::report || route.what == What::observe) {
    check_parameters(request, {"dry_run"});
  } else {
    check_parameters(request, {});  // a dry run that decides would be worse than an error
  }
  switch (route.what) {
    case What::decide:
      return change(decisions_in(request), required_key(request));
    case What::correct:
      return change(correction_in(request), required_key(request));
    case What::change:
      return change(conditions_in(request), required_key(request));
    case What::close:
      return change(close_in(request), required_key(request));
    case What::settle:
      return change(outcome_in(request, decision_number(route.decision)), key_of(request));
    case What::report: {
      ReportOutcomes outcomes = outcomes_in(request);
      std::string key = outcomes.has_rewards_of_arms ? required_key(request) : key_of(request);
      ChangeRequest report = change(std::move(outcomes), std::move(key));
      report.dry_run = flag_parameter(request, "dry_run");
      return report;
    }
    default:
      return observations_of(request, route.study);
  }
}

/// Returns the query about a study that a route asks for.
Query query_in(const HttpRequest& request, const Route& route) {
  Query query{.study = route.study};
  switch (route.what) {
    case What::pending:
      check_parameters(request, {"after", "most"});
      query.kind = Query::Kind::pending;
      query.after = whole_parameter(request, "after", 0, 0, INT64_MAX);
      query.most = static_cast<std::size_t>(whole_parameter(request, "most", 100, 1, kMostPending));
      return query;
    case What::recommendation:
      check_parameters(request, {"before"});
      query.kind = Query::Kind::recommendation;
      query.before = whole_parameter(request, "before", 0, 1, INT64_MAX);
      return query;
    case What::plan:
      check_parameters(request, {"compare", "futures"});
      query.kind = Query::Kind::plan;
      query.futures = whole_parameter(request, "futures", 0, kFewestFutures, kMostFuturesOfPlan);
      for (const auto& [name, value] : request.query) {
        if (name == "compare") query.compare.push_back(value);
      }
      if (query.compare.size() > kMostCompared) {
        throw RequestError(Kind::invalid,
                           fmt::format("parameter compare: given {} times; at most {} are compared at once",
                                       query.compare.size(), kMostCompared),
                           "?compare");
      }
      return query;
    case What::series:
      check_parameters(request, {"points"});
      query.kind = Query::Kind::series;
      query.most = static_cast<std::size_t>(whole_parameter(request, "points", kDefaultPoints, 1, kMostPoints));
      return query;
    case What::events:
      check_parameters(request, {"after", "most", "decision"});
      query.kind = Query::Kind::events;
      query.decision = whole_parameter(request, "decision", 0, 1, INT64_MAX);
      query.after = whole_parameter(request, "after", -1, -1, INT64_MAX);
      if (query.decision != 0 && query.after != -1) {
        throw RequestError(Kind::invalid, "parameter after: not possible with decision; leave one of them out",
                           "?after");
      }
      query.most = static_cast<std::size_t>(whole_parameter(request, "most", 1000, 1, kMostEvents));
      return query;
    default:
      check_parameters(request, {});
      query.kind = route.what == What::exported ? Query::Kind::exported
                   : route.what == What::audit  ? Query::Kind::audit
                                                : Query::Kind::study;
      return query;
  }
}

Parsed import_of(const HttpRequest& request) {
  check_parameters(request, {"dry_run", "name", "seq"});
  const bool dry_run = flag_parameter(request, "dry_run");
  const std::int64_t seq = whole_parameter(request, "seq", -1, 0, INT64_MAX);
  auto [name, entries] = study_from_export(request.body, request.parameter("name"));
  check_study_name(name);
  if (seq >= 0 && entries.back().seq != seq) {
    throw RequestError(
        Kind::invalid,
        fmt::format("parameter seq: the last line is entry {}, not {}; send the whole export", entries.back().seq, seq),
        "?seq");
  }
  ImportStudy import(std::move(entries));
  Sha256 hash;
  for (const LogEntry& entry : import.entries) hash.add(exported_line(entry) + "\n");
  import.sha256 = hash.text();
  return ChangeRequest{.study = std::move(name), .dry_run = dry_run, .change = std::move(import)};
}

}  // namespace

RequestError nothing_at(const std::string& path) {
  const std::string prefix = std::string(kInterface) + "/";
  if (!path.starts_with(prefix) && route_of("GET", std::string(kInterface) + path).what != What::nothing) {
    return {Kind::not_found,
            fmt::format("there is nothing at {}; the interface begins with {}: {}{}", path, prefix, kInterface, path),
            kPathField};
  }
  if (path.starts_with(prefix)) {
    const std::string without = path.substr(kInterface.size());
    if (route_of("GET", without).what != What::nothing) {
      return {Kind::not_found, fmt::format("there is nothing at {}; did you mean {}?", path, without), kPathField};
    }
  }
  const std::string last = path.substr(path.rfind('/') + 1);
  std::vector<std::string> names = last_parts_beside(path);
  if (path.rfind('/') == 0) {
    const std::vector<std::string> files = page_file_names();
    names.insert(names.end(), files.begin(), files.end());
  }
  const auto completed =
      std::ranges::find_if(names, [&](const std::string& name) { return name.starts_with(last + "."); });
  const std::string hint =
      completed == names.end() ? did_you_mean(last, names) : fmt::format("; did you mean '{}'?", *completed);
  return {Kind::not_found, fmt::format("there is nothing at {}{}", path, hint), kPathField};
}

RequestError wrong_method(const HttpRequest& request, const std::string& allowed) {
  RequestError error(Kind::wrong_method, fmt::format("{} is not possible on {}", request.method, request.path));
  return error.allow(allowed);
}

std::variant<ChangeRequest, Query> parse_request(const HttpRequest& request) {
  const Route route = route_of(request.method, request.path);
  if (route.what == What::nothing) {
    throw nothing_at(request.path);
  }
  if (!route.study.empty() && !is_study_name(route.study)) {
    throw RequestError(Kind::not_found, fmt::format("there is no study '{}'", route.study));
  }
  switch (route.what) {
    case What::wrong_method:
      throw wrong_method(request, route.methods);
    case What::ready:
      return Query{.kind = Query::Kind::ready};
    case What::studies:
      check_parameters(request, {});
      return Query{.kind = Query::Kind::studies};
    case What::create:
      check_parameters(request, {});
      return creation_in(request);
    case What::import:
      return import_of(request);
    default:
      break;
  }
  const bool reads = route.scope == TokenScope::read;
  return reads ? Parsed(query_in(request, route)) : Parsed(change_in(request, route));
}

}  // namespace longrun
