#include "longrun/service/internal/change_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/text.h"
#include "longrun/service/internal/request_body.h"
#include "longrun/service/outcome_table.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;
using Kind = RequestError::Kind;

constexpr double kLargestReward = 1e15;   // sums of rewards must stay exact enough
constexpr double kNarrowestScale = 1e-9;  // times the larger end, or 1: numbers have seven more digits

/// Returns the type of the body, without parameters, in lower case.
std::string body_type(const HttpRequest& request) {
  const std::string* header = request.header("content-type");
  if (header == nullptr) return "";
  std::string type = header->substr(0, header->find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return lower_case(type);
}

RequestBody json_body(const HttpRequest& request, const char* types = "application/json") {
  const std::string type = body_type(request);
  if (!request.body.empty() && type != "application/json") {
    throw RequestError(Kind::wrong_type, fmt::format("the body has the type '{}'; send {}", type, types));
  }
  return RequestBody(request.body);
}
std::string limited_text(RequestBody& body, const char* field) {
  std::string text = body.text(field);
  if (text.size() <= kLongestText) return text;
  throw RequestError(Kind::invalid, fmt::format("{}: longer than {} bytes", field, kLongestText), body.pointer(field));
}
constexpr const char* kJsonOrTable = "application/json, or a table as text/csv";

using ConstraintText = ChangeConditions::ConstraintText;

/// Returns the texts of an object of constraints; nullopt for null.
std::vector<ConstraintText> constraints_in(RequestBody& body) {
  const Json& constraints = body.json("constraints");
  if (!constraints.is_object()) throw RequestError(Kind::malformed, "constraints: not an object", "/constraints");
  std::vector<std::string> names;
  names.reserve(kConstraintFields.size());
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

/// Returns how many decimals the constraints and the budget of a new study need.
int needed_decimals(RequestBody& body) {
  if (!body.has("constraints")) return 0;
  int decimals = 0;
  for (const auto& [field, text] : constraints_in(body)) {
    try {
      if (text) decimals = std::max(decimals, unit_decimals_of(field, *text));
    } catch (const InputError& error) {
      throw invalid_constraint(field, error.what());
    }
  }
  if (decimals == 0) return 0;
  return std::max(decimals, std::min(decimals_of(fmt::format("{}", body.number("budget"))), kMostDecimals));
}

/// Returns how many decimals the units of a new study have: as many as are given, or needed.
int unit_decimals_in(RequestBody& body) {
  if (!body.has("unit_decimals")) return needed_decimals(body);
  const std::int64_t decimals = body.whole_number("unit_decimals");
  if (decimals >= 0 && decimals <= kMostDecimals) return static_cast<int>(decimals);
  throw RequestError(Kind::invalid, fmt::format("unit_decimals: {} is not in 0..{}", decimals, kMostDecimals),
                     body.pointer("unit_decimals"));
}

/// Sets the constraints of a specification from an object of texts, in which arms are called by their names.
void read_constraints(RequestBody& body, StudySpec& spec) {
  if (!body.has("constraints")) return;
  const ArmLabels labels(spec.arms);
  for (const auto& [field, text] : constraints_in(body)) {
    if (!text) {
      throw RequestError(Kind::malformed, fmt::format("constraints.{}: not a text", field),
                         body.pointer_in("constraints", field));
    }
    try {
      set_constraint(spec.constraints, field, *text, {.arms = &labels, .arms_are_ordered = false});
    } catch (const InputError& error) {
      throw invalid_constraint(field, error.what());
    }
  }
}

/// Throws RequestError for an only arm whose name looks like the names of several. Others can be added later, so one
/// arm is possible.
void check_is_no_list(const std::vector<std::string>& arms) {
  if (arms.size() != 1 || arms[0].find_first_of(",;") == std::string::npos) return;
  throw RequestError(Kind::invalid, fmt::format("arms: '{}' is one name; list each name by itself", arms[0]), "/arms");
}

StudyMode mode_in(RequestBody& body) {
  try {
    return study_mode(body.text("mode"));
  } catch (const InputError& error) {
    throw RequestError(Kind::invalid, error.what(), "/mode");
  }
}

}  // namespace

ChangeRequest creation_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  CreateStudy create;
  ChangeRequest change{.study = body.text("name")};
  StudySpec& spec = create.spec;
  spec.arms = body.texts("arms");
  check_is_no_list(spec.arms);
  const int decimals = unit_decimals_in(body);
  spec.constraints = Constraints::with_decimals(decimals);
  spec.budget = units_of(body.number("budget"), decimals, "budget");
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
    const double largest = std::max(std::abs(spec.scale.minimum), std::abs(spec.scale.maximum));
    const double narrowest = kNarrowestScale * std::max(1.0, largest);
    if (spec.scale.range() > 0 && spec.scale.range() < narrowest) {
      throw RequestError(Kind::invalid,
                         fmt::format("scale: from {} to {} is narrower than {:g}, so rewards on it are not exact",
                                     spec.scale.minimum, spec.scale.maximum, narrowest),
                         "/scale");
    }
    if (largest > kLargestReward) {
      throw RequestError(Kind::invalid, fmt::format("scale: rewards beyond {:g} are not accepted", kLargestReward),
                         "/scale");
    }
  }
  if (body.has("noise")) spec.noise = noise_in(body);
  if (body.has("mode")) create.mode = mode_in(body);
  read_constraints(body, spec);
  body.check_all_known();
  change.change = std::move(create);
  return change;
}

namespace {

Outcome outcome_of(RequestBody& body) {
  OutcomeKind kind = OutcomeKind::observed;
  if (body.has("kind")) {
    const std::string text = body.text("kind");
    try {
      kind = outcome_kind(text);
    } catch (const InputError& error) {
      throw RequestError(Kind::invalid, fmt::format("kind: {}", error.what()), body.pointer("kind"));
    }
  }
  if (body.has("instead") && !body.has("kind") && !body.has("reward")) {
    throw RequestError(Kind::malformed, "kind: missing; a decision in place of which an arm was pulled is 'void'",
                       body.pointer("kind"));
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

}  // namespace

Change decisions_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  AskDecisions ask;
  if (body.has("count")) ask.count = body.whole_number("count");
  if (body.has("among")) {
    ask.among = body.texts("among");
    if (ask.among.empty()) throw RequestError(Kind::invalid, "among: empty; leave it out for all arms", "/among");
  }
  if (body.has("unavailable")) ask.unavailable = body.texts("unavailable");
  body.check_all_known();
  if (ask.count < 1 || ask.count > 100'000) {
    throw RequestError(Kind::invalid, fmt::format("count: {} is not in 1..100000", ask.count), "/count");
  }
  return ask;
}

namespace {

/// Returns the arm that an outcome names.
std::string arm_in(RequestBody& body) {
  std::string arm = body.text("arm");
  if (arm.empty()) throw RequestError(Kind::invalid, "arm: empty", body.pointer("arm"));
  return arm;
}

}  // namespace

namespace {

ReportOutcome::Instead instead_in(RequestBody& body, const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::voided) {
    throw RequestError(Kind::invalid,
                       fmt::format("instead: only a decision that is void was replaced by another pull; the kind is "
                                   "'{}'",
                                   name(outcome.kind)),
                       body.pointer("instead"));
  }
  RequestBody instead = body.object("instead");
  ReportOutcome::Instead pull{.arm = arm_in(instead)};
  if (instead.has("reward")) pull.reward = instead.number("reward");
  instead.check_all_known();
  return pull;
}

}  // namespace

Change outcome_in(const HttpRequest& request, DecisionId decision) {
  RequestBody body = json_body(request);
  ReportOutcome report{.decision = decision, .outcome = outcome_of(body), .observed_at = time_in(body, "observed_at")};
  if (body.has("arm")) report.arm = arm_in(body);
  if (body.has("instead")) report.instead = instead_in(body, report.outcome);
  body.check_all_known();
  return report;
}

namespace {

/// Reads what an outcome in a list belongs to: a decision, or the oldest pending one of an arm.
void read_subject(RequestBody& row, ReportOutcome& report) {
  if (row.has("arm")) report.arm = arm_in(row);
  if (row.has("decision") || report.arm.empty()) {
    report.decision = row.whole_number("decision");
    if (report.decision != 0 || report.arm.empty()) return;
    throw RequestError(Kind::not_found, "there is no decision 0", row.pointer("decision"));
  }
  const char* problem = nullptr;
  if (row.has("observed_at")) problem = "observed_at belongs to a decision; give its number, too";
  if (row.has("kind") && row.text("kind") != name(OutcomeKind::observed)) {
    problem = "an outcome without a reward belongs to a decision; give its number, too";
  }
  if (problem != nullptr) throw RequestError(Kind::invalid, fmt::format("arm: {}", problem), row.pointer("arm"));
}

}  // namespace

ReportOutcomes outcomes_in(const HttpRequest& request) {
  if (body_type(request) == "text/csv") return outcomes_from_csv(request.body);
  RequestBody body = json_body(request, kJsonOrTable);
  ReportOutcomes report;
  std::size_t place = 0;
  for (RequestBody& row : body.objects("outcomes")) {
    ReportOutcome each{.place = ++place};
    try {
      read_subject(row, each);
      report.has_rewards_of_arms = report.has_rewards_of_arms || each.is_of_arm();
      each.outcome = outcome_of(row);
      each.observed_at = time_in(row, "observed_at");
      if (row.has("instead")) each.instead = instead_in(row, each.outcome);
      row.check_all_known();
      report.rows.push_back(std::move(each));
    } catch (const RequestError& error) {
      report.unreadable.push_back({place, error});
    }
  }
  body.check_all_known();
  if (place == 0) throw RequestError(Kind::invalid, "outcomes: empty", "/outcomes");
  return report;
}

namespace {

/// Reads which observation is corrected: its id, or the number of its entry.
void read_observation(RequestBody& body, CorrectOutcome& correct) {
  if (body.has("decision")) {
    throw RequestError(Kind::invalid, "observation: given together with a decision; correct one at a time",
                       body.pointer("observation"));
  }
  if (body.json("observation").is_string()) {
    correct.observation_key = kKeyOfObservation + body.text("observation");
    if (!is_key(correct.observation_key)) {  // an observation of an older log may have spaces around its id
      throw RequestError(Kind::invalid, "observation: not an id: it is empty, too long, or has control characters",
                         body.pointer("observation"));
    }
    return;
  }
  correct.observation = body.whole_number("observation");
  if (correct.observation < 1) {
    throw RequestError(Kind::invalid, fmt::format("observation: {} is not the number of an entry", correct.observation),
                       body.pointer("observation"));
  }
}

}  // namespace

Change correction_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  CorrectOutcome correct;
  if (body.has("observation")) {
    read_observation(body, correct);
  } else {
    correct.decision = body.whole_number("decision");
    if (body.has("arm")) correct.arm = arm_in(body);
  }
  correct.outcome = outcome_of(body);
  correct.reason = limited_text(body, "reason");
  if (correct.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw RequestError(Kind::invalid, "reason: empty; say why the outcome is another one", body.pointer("reason"));
  }
  if (body.has("instead")) {
    if (correct.decision == 0) {
      throw RequestError(Kind::invalid,
                         "instead: an observation has none; correct it to void and add one of the right arm",
                         body.pointer("instead"));
    }
    correct.instead = instead_in(body, correct.outcome);
  }
  body.check_all_known();
  return correct;
}

namespace {

AddObservations::Row observation_in(RequestBody& body, std::size_t place) {
  AddObservations::Row row{.arm = body.text("arm"), .reward = body.number("reward"), .place = place};
  if (!body.has("id")) return row;
  row.id = body.text("id");
  check_observation_id(row.id, body.pointer("id"));
  return row;
}

}  // namespace

AddObservations observations_in(const HttpRequest& request) {
  if (body_type(request) == "text/csv") return observations_from_csv(request.body);
  RequestBody body = json_body(request, kJsonOrTable);
  AddObservations add;
  if (!body.has("observations")) {
    add.is_list = false;
    add.rows.push_back(observation_in(body, 1));
    add.has_ids = body.has("id");
    body.check_all_known();
    return add;
  }
  std::vector<RequestBody> rows = body.objects("observations");
  body.check_all_known();
  if (rows.empty()) throw RequestError(Kind::invalid, "observations: empty", "/observations");
  for (RequestBody& row : rows) add.has_ids = add.has_ids || row.has("id");
  std::size_t place = 0;
  for (RequestBody& row : rows) {
    ++place;
    try {
      AddObservations::Row each = observation_in(row, place);
      row.check_all_known();
      if (add.has_ids && each.id.empty()) {
        throw RequestError(Kind::malformed, "id: missing; give every row an id, or none", row.pointer("id"));
      }
      add.rows.push_back(std::move(each));
    } catch (const RequestError& error) {
      add.unreadable.push_back({place, error});
    }
  }
  return add;
}

Change conditions_in(const HttpRequest& request) {
  RequestBody body = json_body(request);
  ChangeConditions change;
  if (body.has("add_arms")) change.added_arms = body.texts("add_arms");
  if (body.has("extend_budget")) change.more_budget = body.number("extend_budget");
  if (body.has("noise")) change.noise = NoiseChanged{noise_in(body)};
  if (body.has("constraints")) {
    change.constraints = constraints_in(body);
    if (change.constraints.empty()) {
      throw RequestError(Kind::invalid, "constraints: empty; name those that change", "/constraints");
    }
  }
  if (body.has("unavailable")) change.unavailable = body.texts("unavailable");
  if (body.has("mode")) change.mode = mode_in(body);
  body.check_all_known();
  return change;
}

Change close_in(const HttpRequest& request) {
  json_body(request).check_all_known();
  return CloseStudy{};
}

}  // namespace longrun
