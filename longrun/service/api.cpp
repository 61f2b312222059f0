#include "longrun/service/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/service/internal/request_body.h"
#include "longrun/service/outcome_table.h"
#include "longrun/service/sha256.h"
#include "longrun/service/utc_time.h"
#include "longrun/simulate/plan.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;
using Kind = RequestError::Kind;

constexpr std::size_t kMostEvents = 10'000;  // of one response
constexpr std::size_t kMostPending = 1'000;
constexpr std::size_t kMostPoints = 1'000;
constexpr std::size_t kDefaultPoints = 600;
constexpr std::int64_t kMostFuturesOfPlan = 10'000;
constexpr std::size_t kMostCompared = 8;  // constraints of a plan
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kLongestText = 2'000;   // of a title or reason
constexpr double kLargestReward = 1e15;       // sums of rewards must stay exact enough
const std::string kKeyOfId = "observation ";  // what the key of an observation begins with that has an id

// ---- the parts of a request

/// Returns the parts of a path between slashes.
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Checks that the query has only these parameters.
void check_parameters(const HttpRequest& request, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.query) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw RequestError(Kind::invalid, fmt::format("parameter '{}' is unknown here", name));
    }
    const auto is_same = [&text = name](const auto& other) { return other.first == text; };
    if (name != "compare" && std::count_if(request.query.begin(), request.query.end(), is_same) > 1) {
      throw RequestError(Kind::invalid, fmt::format("parameter '{}' is given twice", name));
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
                       fmt::format("parameter {}: '{}' is not a whole number from {} to {}", name, *text, least, most));
  }
  return *number;
}

bool flag_parameter(const HttpRequest& request, const char* name) {
  const std::string* text = request.parameter(name);
  if (text == nullptr || *text == "false") return false;
  if (text->empty() || *text == "true") return true;
  throw RequestError(Kind::invalid, fmt::format("parameter {}: '{}' is not true or false", name, *text));
}

/// Returns the type of the body, without parameters, in lower case.
std::string body_type(const HttpRequest& request) {
  const std::string* header = request.header("content-type");
  if (header == nullptr) return "";
  std::string type = header->substr(0, header->find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return lower_case(type);
}

RequestBody json_body(const HttpRequest& request) {
  const std::string type = body_type(request);
  if (!request.body.empty() && type != "application/json") {
    throw RequestError(Kind::wrong_type, fmt::format("the body has the type '{}'; send application/json", type));
  }
  return RequestBody(request.body);
}

std::string key_of(const HttpRequest& request) {
  const std::string* key = request.header("idempotency-key");
  if (key == nullptr) return "";
  const bool is_printable = std::all_of(key->begin(), key->end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (key->empty() || key->size() > kLongestKey || !is_printable) {
    throw RequestError(Kind::malformed,
                       fmt::format("Idempotency-Key must have 1 to {} printable characters of ASCII", kLongestKey));
  }
  if (key->starts_with(kKeyOfId)) {
    throw RequestError(Kind::malformed, fmt::format("Idempotency-Key: keys that begin with '{}' stand for the ids of "
                                                    "observations; choose another one",
                                                    kKeyOfId));
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

std::string limited_text(RequestBody& body, const char* field) {
  std::string text = body.text(field);
  if (text.size() <= kLongestText) return text;
  throw RequestError(Kind::invalid, fmt::format("{}: longer than {} bytes", field, kLongestText), body.pointer(field));
}

DecisionId decision_number(const std::string& text) {
  const auto number = parse_number<DecisionId>(text);
  if (!number || *number < 1) {
    throw RequestError(Kind::not_found, fmt::format("there is no decision '{}'; decisions are numbered from 1", text));
  }
  return *number;
}

// ---- bodies

using ConstraintText = ChangeConditions::ConstraintText;

/// Returns the texts of an object of constraints; nullopt for null.
std::vector<ConstraintText> constraints_in(RequestBody& body) {
  const Json& constraints = body.json("constraints");
  if (!constraints.is_object()) throw RequestError(Kind::malformed, "constraints: not an object", "/constraints");
  std::vector<std::string> names;
  for (const ConstraintField& field : kConstraintFields) names.emplace_back(field.name);
  std::vector<ConstraintText> texts;
  for (const auto& [name, value] : constraints.items()) {
    const std::string pointer = body.pointer_in("constraints", name);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw RequestError(Kind::invalid, fmt::format("constraints.{}: unknown{}", name, did_you_mean(name, names)),
                         pointer);
    }
    if (!value.is_string() && !value.is_number() && !value.is_null()) {
      throw RequestError(Kind::malformed, fmt::format("constraints.{}: not a text", name), pointer);
    }
    texts.push_back({.field = name, .text = std::nullopt});
    if (!value.is_null()) texts.back().text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return texts;
}

std::optional<Noise> noise_in(RequestBody& body) {
  const std::string noise = body.text("noise");
  if (noise == "estimate") return std::nullopt;
  try {
    const Noise parsed = parse_noise(noise);
    // Most likely it is meant for the scale of the study.
    if (standard_deviation(parsed) > 1) {
      throw InputError(
          fmt::format("'{}' is larger than the whole scale: it is for rewards from 0 to 1, so divide the "
                      "standard deviation by the range of the scale",
                      noise));
    }
    return parsed;
  } catch (const InputError& error) {
    throw RequestError(Kind::invalid, fmt::format("noise: {}", error.what()), "/noise");
  }
}

/// Sets the constraints of a specification from an object of texts, in which arms are called by their names.
void read_constraints(RequestBody& body, StudySpec& spec) {
  if (body.has("unit_decimals")) {
    const std::int64_t decimals = body.whole_number("unit_decimals");
    if (decimals < 0 || decimals > kMostDecimals) {
      throw RequestError(Kind::invalid, fmt::format("unit_decimals: {} is not in 0..{}", decimals, kMostDecimals),
                         body.pointer("unit_decimals"));
    }
    spec.constraints = Constraints::with_decimals(static_cast<int>(decimals));
  }
  if (!body.has("constraints")) return;
  const ArmLabels labels(spec.arms);
  for (const auto& [field, text] : constraints_in(body)) {
    const std::string pointer = body.pointer_in("constraints", field);
    if (!text) throw RequestError(Kind::malformed, fmt::format("constraints.{}: not a text", field), pointer);
    try {
      set_constraint(spec.constraints, field, *text, {.arms = &labels, .arms_are_ordered = false});
    } catch (const InputError& error) {
      throw RequestError(Kind::invalid, fmt::format("constraints.{}: {}", field, error.what()), pointer);
    }
  }
}

ChangeRequest creation_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  CreateStudy create;
  ChangeRequest change{.study = body.text("name")};
  StudySpec& spec = create.spec;
  spec.arms = body.texts("arms");
  spec.budget = body.whole_number("budget");
  if (body.has("title")) create.title = limited_text(body, "title");
  if (body.has("policy")) spec.policy = body.text("policy");
  if (body.has("seed")) {
    const std::int64_t seed = body.whole_number("seed");
    if (seed < 0) throw RequestError(Kind::invalid, fmt::format("seed: {} is less than 0", seed), "/seed");
    spec.seed = static_cast<std::uint64_t>(seed);
  }
  if (body.has("scale")) {
    const Json& scale = body.json("scale");
    if (!scale.is_array() || scale.size() != 2 || !scale[0].is_number() || !scale[1].is_number()) {
      throw RequestError(Kind::malformed, "scale: must be a list of two numbers, the smallest and the largest reward",
                         "/scale");
    }
    spec.scale = {scale[0].get<double>(), scale[1].get<double>()};
    if (std::max(std::abs(spec.scale.minimum), std::abs(spec.scale.maximum)) > kLargestReward) {
      throw RequestError(Kind::invalid, fmt::format("scale: rewards beyond {:g} are not accepted", kLargestReward),
                         "/scale");
    }
  }
  if (body.has("noise")) spec.noise = noise_in(body);
  if (body.has("mode")) {
    const std::string mode = body.text("mode");
    if (mode != "live" && mode != "shadow") {
      throw RequestError(Kind::invalid, fmt::format("mode: '{}' is not 'live' or 'shadow'", mode), "/mode");
    }
    create.mode = mode == "live" ? StudyMode::live : StudyMode::shadow;
  }
  read_constraints(body, spec);
  body.check_all_known();
  change.change = std::move(create);
  return change;
}

Outcome outcome_in(RequestBody& body) {
  OutcomeKind kind = OutcomeKind::observed;
  if (body.has("kind")) {
    const std::string text = body.text("kind");
    try {
      kind = outcome_kind(text);
    } catch (const InputError& error) {
      throw RequestError(Kind::invalid, fmt::format("kind: {}", error.what()), body.pointer("kind"));
    }
  }
  if (kind == OutcomeKind::observed) return Outcome::observed(body.number("reward"));
  if (body.has("reward")) {
    throw RequestError(Kind::invalid, fmt::format("reward: an outcome of the kind '{}' has none", name(kind)),
                       body.pointer("reward"));
  }
  return {kind};
}

std::string time_in(RequestBody& body, const char* field) {
  if (!body.has(field)) return "";
  try {
    return utc_text(parse_utc(body.text(field)));
  } catch (const InputError& error) {
    throw RequestError(Kind::invalid, fmt::format("{}: {}", field, error.what()), body.pointer(field));
  }
}

Change decisions_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  AskDecisions ask;
  if (body.has("count")) ask.count = body.whole_number("count");
  if (body.has("among")) {
    ask.among = body.texts("among");
    if (ask.among.empty()) throw RequestError(Kind::invalid, "among: empty; leave it out for all arms", "/among");
  }
  body.check_all_known();
  if (ask.count < 1 || ask.count > 100'000) {
    throw RequestError(Kind::invalid, fmt::format("count: {} is not in 1..100000", ask.count), "/count");
  }
  return ask;
}

Change outcome_change(const HttpRequest& request, DecisionId decision) {
  RequestBody body = json_body(request);
  ReportOutcome report{.decision = decision, .outcome = outcome_in(body), .observed_at = time_in(body, "observed_at")};
  body.check_all_known();
  return report;
}

Change outcomes_in(const HttpRequest& request) {
  if (body_type(request) == "text/csv") return ReportOutcomes{outcomes_from_csv(request.body)};
  RequestBody body = json_body(request);
  ReportOutcomes report;
  for (RequestBody& row : body.objects("outcomes")) {
    ReportOutcome each;
    each.decision = row.whole_number("decision");
    each.outcome = outcome_in(row);
    each.observed_at = time_in(row, "observed_at");
    row.check_all_known();
    report.rows.push_back(std::move(each));
  }
  body.check_all_known();
  if (report.rows.empty()) throw RequestError(Kind::invalid, "outcomes: empty", "/outcomes");
  return report;
}

Change correction_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  CorrectOutcome correct;
  correct.decision = body.whole_number("decision");
  correct.outcome = outcome_in(body);
  correct.reason = limited_text(body, "reason");
  body.check_all_known();
  return correct;
}

/// Returns the change, and the identifier of a single observation, if it has one.
std::pair<Change, std::string> observations_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  AddObservations add;
  std::string id;
  const auto read = [&](RequestBody& row) {
    add.rows.push_back({.arm = row.text("arm"), .reward = row.number("reward")});
  };
  if (body.has("observations")) {
    for (RequestBody& row : body.objects("observations")) {
      read(row);
      row.check_all_known();
    }
  } else {
    add.is_list = false;
    read(body);
    if (body.has("id")) {
      id = body.text("id");
      if (id.size() > kLongestKey || !is_key(id)) {
        throw RequestError(Kind::invalid,
                           fmt::format("id: must have 1 to {} bytes, without control characters", kLongestKey), "/id");
      }
      if (request.header("idempotency-key") != nullptr) {
        throw RequestError(Kind::invalid, "id: given beside an Idempotency-Key; one of them is enough", "/id");
      }
    }
  }
  body.check_all_known();
  if (add.rows.empty()) throw RequestError(Kind::invalid, "observations: empty", "/observations");
  return {std::move(add), std::move(id)};
}

Change conditions_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  ChangeConditions change;
  if (body.has("add_arms")) change.added_arms = body.texts("add_arms");
  if (body.has("extend_budget")) change.more_budget = body.whole_number("extend_budget");
  if (body.has("noise")) change.noise = NoiseChanged{noise_in(body)};
  if (body.has("constraints")) {
    change.constraints = constraints_in(body);
    if (change.constraints.empty()) {
      throw RequestError(Kind::invalid, "constraints: empty; name those that change", "/constraints");
    }
  }
  if (body.has("unavailable")) change.unavailable = body.texts("unavailable");
  body.check_all_known();
  return change;
}

// ---- routes

/// Returns a request to change a study, with its key.
ChangeRequest change_of(const HttpRequest& request, const std::string& study, Change change, std::string key) {
  return {.study = study,
          .key = std::move(key),
          .fingerprint = sha256(request.method + " " + request.path + "\n" + request.body).substr(0, 32),
          .change = std::move(change)};
}

using Parsed = std::variant<ChangeRequest, Query>;

/// Returns what a path below a study asks for, or nullopt if the method does not fit.
std::optional<Parsed> post_in_study(const HttpRequest& request, const std::string& study, const std::string& what) {
  const auto change = [&](Change asked, std::string key) {
    return change_of(request, study, std::move(asked), std::move(key));
  };
  if (what != "outcomes") check_parameters(request, {});  // a dry run that decides would be worse than an error
  if (what == "decisions") return change(decisions_in(request), required_key(request));
  if (what == "corrections") return change(correction_in(request), required_key(request));
  if (what == "changes") return change(conditions_in(request), required_key(request));
  if (what == "close") {
    json_body(request).check_all_known();
    return change(CloseStudy{}, required_key(request));
  }
  if (what == "outcomes") {
    check_parameters(request, {"dry_run"});
    ChangeRequest report = change(outcomes_in(request), key_of(request));
    report.dry_run = flag_parameter(request, "dry_run");
    return report;
  }
  if (what == "observations") {
    auto [add, id] = observations_in(request);
    return change(std::move(add), id.empty() ? required_key(request) : kKeyOfId + id);
  }
  return std::nullopt;
}

std::optional<Query> get_in_study(const HttpRequest& request, const std::string& study, const std::string& what) {
  Query query{.study = study};
  const bool has_parameters = what == "decisions" || what == "plan" || what == "series" || what == "events";
  if (!has_parameters) check_parameters(request, {});
  if (what.empty()) {
    query.kind = Query::Kind::study;
  } else if (what == "decisions") {
    check_parameters(request, {"after", "most"});
    query.kind = Query::Kind::pending;
    query.after = whole_parameter(request, "after", 0, 0, INT64_MAX);
    query.most = static_cast<std::size_t>(whole_parameter(request, "most", 100, 1, kMostPending));
  } else if (what == "recommendation") {
    query.kind = Query::Kind::recommendation;
  } else if (what == "plan") {
    check_parameters(request, {"compare", "futures"});
    query.kind = Query::Kind::plan;
    query.futures = whole_parameter(request, "futures", 0, kFewestFutures, kMostFuturesOfPlan);
    for (const auto& [name, value] : request.query) {
      if (name == "compare") query.compare.push_back(value);
    }
    if (query.compare.size() > kMostCompared) {
      throw RequestError(Kind::invalid,
                         fmt::format("parameter compare: given {} times; at most {} are compared at once",
                                     query.compare.size(), kMostCompared));
    }
  } else if (what == "series") {
    check_parameters(request, {"points"});
    query.kind = Query::Kind::series;
    query.most = static_cast<std::size_t>(whole_parameter(request, "points", kDefaultPoints, 1, kMostPoints));
  } else if (what == "events") {
    check_parameters(request, {"after", "most", "decision"});
    query.kind = Query::Kind::events;
    query.decision = whole_parameter(request, "decision", 0, 1, INT64_MAX);
    query.after = whole_parameter(request, "after", -1, -1, INT64_MAX);
    query.most = static_cast<std::size_t>(whole_parameter(request, "most", 1000, 1, kMostEvents));
  } else if (what == "export") {
    query.kind = Query::Kind::exported;
  } else if (what == "audit") {
    query.kind = Query::Kind::audit;
  } else {
    return std::nullopt;
  }
  return query;
}

Parsed import_of(const HttpRequest& request) {
  check_parameters(request, {"dry_run", "name"});
  const bool dry_run = flag_parameter(request, "dry_run");
  std::vector<LogEntry> entries = entries_from_export(request.body);
  // The name is part of the first entry.
  Json details = Json::parse(entries[0].details.empty() ? "{}" : entries[0].details);
  if (const std::string* name = request.parameter("name")) {
    details["name"] = *name;
    entries[0].details = details_text(details);
  }
  if (!details.contains("name")) {
    throw RequestError(Kind::invalid, "line 1: details.name is missing; give the parameter name");
  }
  std::string name = details["name"].get<std::string>();
  check_study_name(name);
  return ChangeRequest{.study = std::move(name), .dry_run = dry_run, .change = ImportStudy(std::move(entries))};
}

RequestError wrong_method(const HttpRequest& request) {
  return {Kind::wrong_method, fmt::format("{} is not possible on {}", request.method, request.path)};
}

}  // namespace

std::variant<ChangeRequest, Query> parse_request(const HttpRequest& request) {
  const std::vector<std::string> parts = parts_of(request.path);
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  const bool is_post = request.method == "POST";
  const RequestError not_found(Kind::not_found, fmt::format("there is nothing at {}", request.path));
  if (parts.size() < 2 || parts[0] != "v1" || parts[1] != "studies") throw not_found;
  if (parts.size() == 2) {
    check_parameters(request, {});
    if (is_get) return Query{.kind = Query::Kind::studies};
    if (is_post) return creation_in(request);
    throw wrong_method(request);
  }
  const std::string& study = parts[2];
  if (study.empty()) throw not_found;
  if (parts.size() == 3 && study == "import" && is_post) return import_of(request);
  if (parts.size() <= 4) {
    const std::string what = parts.size() == 4 ? parts[3] : "";
    if (is_get) {
      if (auto query = get_in_study(request, study, what)) return *std::move(query);
    } else if (is_post && !what.empty()) {
      if (auto change = post_in_study(request, study, what)) return *std::move(change);
    }
    constexpr std::string_view kKnown[] = {"",         "decisions",    "corrections",    "changes", "close",
                                           "outcomes", "observations", "recommendation", "plan",    "series",
                                           "events",   "export",       "audit"};
    if (std::find(std::begin(kKnown), std::end(kKnown), what) != std::end(kKnown)) throw wrong_method(request);
    throw not_found;
  }
  if (parts.size() == 6 && parts[3] == "decisions" && parts[5] == "outcome") {
    if (request.method != "PUT") throw wrong_method(request);
    check_parameters(request, {});
    return change_of(request, study, outcome_change(request, decision_number(parts[4])), "");
  }
  throw not_found;
}

}  // namespace longrun
