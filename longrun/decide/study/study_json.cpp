#include "longrun/decide/study/study_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/event_reader.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(std::string_view line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw InputError("the line is not a JSON object");
  return json;
}

/// Returns a field of an object. Throws InputError if it is missing or has another type.
template <class Value>
Value get(const Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) throw InputError(fmt::format("{}: missing", field));
  const auto wrong = [&](const char* right) {
    return InputError(fmt::format("{}: {} is not {}", field, found->dump(), right));
  };
  if constexpr (std::is_same_v<Value, std::string>) {
    if (!found->is_string()) throw wrong("a text");
  } else if constexpr (std::is_same_v<Value, double>) {
    if (!found->is_number()) throw wrong("a number");
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    if (!found->is_number_unsigned()) throw wrong("a whole number, 0 or more");
  } else if constexpr (std::is_integral_v<Value>) {
    if (!found->is_number_integer() || (found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX)) {
      throw wrong("a whole number");
    }
  } else {
    if (!found->is_array()) throw wrong("a list");
  }
  return found->get<Value>();
}

const std::string& name_of(Arm arm, const std::vector<std::string>& arms) {
  if (arm < 0 || static_cast<std::size_t>(arm) >= arms.size()) {
    throw InputError(fmt::format("arm {} has no name; {} names are given", arm, arms.size()));
  }
  return arms[static_cast<std::size_t>(arm)];
}

Json names_of(const std::vector<Arm>& numbers, const std::vector<std::string>& arms) {
  Json names = Json::array();
  for (const Arm arm : numbers) names.push_back(name_of(arm, arms));
  return names;
}

/// Returns the arm that the text of a field names. Throws InputError, which names the field, if there is none.
Arm arm_at(const ArmLabels& arms, const char* field, const std::string& text) {
  try {
    return arms.at(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", field, error.what()));
  }
}

std::vector<Arm> numbers_of(const Json& json, const char* field, const ArmLabels& arms) {
  std::vector<Arm> numbers;
  for (const Json& name : get<Json::array_t>(json, field)) {
    if (!name.is_string()) throw InputError(fmt::format("{}: {} is not a text", field, name.dump()));
    numbers.push_back(arm_at(arms, field, name.get<std::string>()));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

PullCause pull_cause(const std::string& text) {
  for (const PullCause cause : {PullCause::share, PullCause::minimum, PullCause::choice}) {
    if (name(cause) == text) return cause;
  }
  throw InputError(fmt::format("cause: '{}' is unknown; allowed: choice, minimum, share", text));
}

void add(Json& json, const Outcome& outcome) {
  json["outcome"] = name(outcome.kind);
  if (outcome.kind == OutcomeKind::observed) json["reward"] = outcome.reward;
}

Outcome outcome_from(const Json& json) {
  const OutcomeKind kind = outcome_kind(get<std::string>(json, "outcome"));
  return {kind, kind == OutcomeKind::observed ? get<double>(json, "reward") : 0};
}

std::string noise_text(const std::optional<Noise>& noise) { return noise ? to_text(*noise) : "estimate"; }

std::optional<Noise> noise_from(const Json& json) {
  const auto text = get<std::string>(json, "noise");
  if (text == "estimate") return std::nullopt;
  return parse_noise(text);
}

void add(Json& json, const Constraints& constraints, const ConstraintForm& form) {
  if (constraints.unit_decimals > 0) json["unit_decimals"] = constraints.unit_decimals;
  Json texts = Json::object();
  for (const auto& [field, text] : constraint_texts(constraints, form)) texts[field] = text;
  json["constraints"] = std::move(texts);
}

Constraints constraints_from(const Json& json, const ConstraintForm& form) {
  Constraints constraints;
  if (json.contains("unit_decimals")) {
    const auto decimals = get<std::int64_t>(json, "unit_decimals");
    if (decimals < 1 || decimals > kMostDecimals) {
      throw InputError(fmt::format("unit_decimals: {} is not in 1..{}", decimals, kMostDecimals));
    }
    constraints = Constraints::with_decimals(static_cast<int>(decimals));
  }
  if (!json.contains("constraints")) return constraints;
  if (!json["constraints"].is_object()) throw InputError("constraints: not an object");
  for (const auto& [field, text] : json["constraints"].items()) {
    if (!text.is_string()) throw InputError(fmt::format("constraints.{}: {} is not a text", field, text.dump()));
    const auto known = std::any_of(kConstraintFields.begin(), kConstraintFields.end(),
                                   [&name = field](const ConstraintField& each) { return each.name == name; });
    if (!known) throw InputError(fmt::format("constraints.{}: unknown", field));
    set_constraint(constraints, field, text.get<std::string>(), form);
  }
  return constraints;
}

/// Writes the fields of each kind of event.
struct Fields {
  const std::vector<std::string>& arms;
  Json& json;

  const std::string& arm_name(Arm arm) const { return name_of(arm, arms); }

  void operator()(const Decided& event) const {
    json["event"] = "decided";
    json["round"] = event.round;
    Json decisions = Json::array();
    for (const Decision& decision : event.decisions) {
      decisions.push_back({{"id", decision.id},
                           {"arm", arm_name(decision.arm)},
                           {"pull", decision.pull},
                           {"cause", name(decision.cause)}});
    }
    json["decisions"] = std::move(decisions);
    if (!event.among.empty()) json["among"] = names_of(event.among, arms);
  }
  void operator()(const Settled& event) const {
    json["event"] = "settled";
    json["decision"] = event.decision;
    add(json, event.outcome);
  }
  void operator()(const Corrected& event) const {
    json["event"] = "corrected";
    if (event.observation == 0) {
      json["decision"] = event.decision;
    } else {
      json["observation"] = event.observation;
    }
    add(json, event.outcome);
  }
  void operator()(const Observed& event) const {
    json["event"] = "observed";
    json["arm"] = arm_name(event.arm);
    json["reward"] = event.reward;
  }
  void operator()(const PulledInstead& event) const {
    json["event"] = "pulled_instead";
    json["decision"] = event.decision;
    json["arm"] = arm_name(event.arm);
    json["instead_of"] = event.instead_of;
  }
  void operator()(const AvailabilityChanged& event) const {
    json["event"] = "availability_changed";
    json["unavailable"] = names_of(event.unavailable, arms);
  }
  void operator()(const ArmAdded& event) const {
    json["event"] = "arm_added";
    json["arm"] = event.name;
  }
  void operator()(const BudgetExtended& event) const {
    json["event"] = "budget_extended";
    json["units"] = event.units;
  }
  void operator()(const NoiseChanged& event) const {
    json["event"] = "noise_changed";
    json["noise"] = noise_text(event.noise);
  }
  void operator()(const ConstraintsChanged& event) const {
    json["event"] = "constraints_changed";
    const ArmLabels labels(arms);
    add(json, event.constraints, {.arms = &labels});
  }
  void operator()(const ModeChanged& event) const {
    json["event"] = "mode_changed";
    json["mode"] = name(event.mode);
  }
  void operator()(const Closed&) const { json["event"] = "closed"; }
};

Decided decided_from(const Json& json, const ArmLabels& arms) {
  Decided decided{.round = get<Pulls>(json, "round")};
  for (const Json& each : get<Json::array_t>(json, "decisions")) {
    if (!each.is_object()) throw InputError(fmt::format("decisions: {} is not an object", each.dump()));
    decided.decisions.push_back({.id = get<DecisionId>(each, "id"),
                                 .arm = arm_at(arms, "arm", get<std::string>(each, "arm")),
                                 .pull = get<Pulls>(each, "pull"),
                                 .cause = pull_cause(get<std::string>(each, "cause"))});
  }
  if (json.contains("among")) decided.among = numbers_of(json, "among", arms);
  return decided;
}

/// Returns the object as one line. Characters that some programs take for line breaks are escaped, as JSON allows.
std::string line_of(const Json& json) {
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"\xc2\x85", "\\u0085"}, {"\xe2\x80\xa8", "\\u2028"}, {"\xe2\x80\xa9", "\\u2029"}};
  std::string line = json.dump();
  for (const auto& [character, escape] : kEscapes) {
    for (std::size_t found = line.find(character); found != std::string::npos; found = line.find(character, found)) {
      line.replace(found, character.size(), escape);
    }
  }
  return line;
}

/// Reads a text line by line, without the blank lines at its end.
class LineReader {
 public:
  explicit LineReader(std::string_view text)
      : text_(text.substr(0, text.find_last_not_of(" \t\r\n") + 1)),
        ends_with_break_(text.find('\n', text_.size()) != std::string_view::npos) {}

  bool at_end() const { return text_.empty(); }

  /// Calls `read` with the next line. Its errors, and that of a line that was cut off, name the line.
  template <class Read>
  void next(Read read) {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(text_.size(), end + 1));
    ++line_number_;
    try {
      if (at_end() && !ends_with_break_ && !Json::accept(line)) {
        throw InputError("the last line is incomplete; cut the text after its last line break");
      }
      read(line);
    } catch (const InputError& error) {
      throw InputError(fmt::format("line {}: {}", line_number_, error.what()));
    }
  }

 private:
  std::string_view text_;  // the lines that are not read yet
  bool ends_with_break_;   // whether a line break follows the last line
  std::int64_t line_number_ = 0;
};

void check_schema(const Json& json) {
  const auto schema = get<std::int64_t>(json, "schema");
  if (schema == kStudySchema) return;
  throw InputError(fmt::format("schema: {} is unknown; this version reads {}", schema, kStudySchema));
}

}  // namespace

std::string to_json(const StudySpec& spec) {
  Json json{{"schema", kStudySchema},
            {"event", "created"},
            {"arms", spec.arms},
            {"budget", spec.budget},
            {"scale", {spec.scale.minimum, spec.scale.maximum}},
            {"noise", noise_text(spec.noise)},
            {"policy", spec.policy},
            {"seed", spec.seed}};
  add(json, spec.constraints, {});
  return line_of(json);
}

StudySpec spec_from_json(std::string_view line) {
  const Json json = parsed(line);
  check_schema(json);
  if (const auto event = get<std::string>(json, "event"); event != "created") {
    throw InputError(fmt::format("event: '{}'; a study begins with 'created'", event));
  }
  StudySpec spec;
  for (const Json& arm : get<Json::array_t>(json, "arms")) {
    if (!arm.is_string()) throw InputError(fmt::format("arms: {} is not a text", arm.dump()));
    spec.arms.push_back(arm.get<std::string>());
  }
  spec.budget = get<Pulls>(json, "budget");
  const auto scale = get<Json::array_t>(json, "scale");
  if (scale.size() != 2 || !scale[0].is_number() || !scale[1].is_number()) {
    throw InputError(fmt::format("scale: {} is not a list of two numbers", json["scale"].dump()));
  }
  spec.scale = {scale[0].get<double>(), scale[1].get<double>()};
  spec.noise = noise_from(json);
  spec.policy = get<std::string>(json, "policy");
  spec.seed = get<std::uint64_t>(json, "seed");
  spec.constraints = constraints_from(json, {});
  return spec;
}

std::string to_json(const Event& event, std::int64_t number, const std::vector<std::string>& arms) {
  Json json{{"seq", number}};
  std::visit(Fields{arms, json}, event);
  return line_of(json);
}

NumberedEvent event_from_json(std::string_view line, const ArmLabels& arms) {
  const Json json = parsed(line);
  const auto number = get<std::int64_t>(json, "seq");
  const auto kind = get<std::string>(json, "event");
  const auto of = [&](Event event) { return NumberedEvent{number, std::move(event)}; };
  if (kind == "decided") return of(decided_from(json, arms));
  if (kind == "settled") return of(Settled{get<DecisionId>(json, "decision"), outcome_from(json)});
  if (kind == "corrected") {
    if (!json.contains("observation")) return of(Corrected{get<DecisionId>(json, "decision"), outcome_from(json)});
    const auto observation = get<std::int64_t>(json, "observation");
    if (observation < 1) throw InputError(fmt::format("observation: {} is not the number of an event", observation));
    return of(Corrected{.outcome = outcome_from(json), .observation = observation});
  }
  if (kind == "observed") {
    return of(Observed{arm_at(arms, "arm", get<std::string>(json, "arm")), get<double>(json, "reward")});
  }
  if (kind == "pulled_instead") {
    return of(PulledInstead{get<DecisionId>(json, "decision"), arm_at(arms, "arm", get<std::string>(json, "arm")),
                            get<DecisionId>(json, "instead_of")});
  }
  if (kind == "availability_changed") return of(AvailabilityChanged{numbers_of(json, "unavailable", arms)});
  if (kind == "arm_added") return of(ArmAdded{get<std::string>(json, "arm")});
  if (kind == "budget_extended") return of(BudgetExtended{get<Pulls>(json, "units")});
  if (kind == "noise_changed") return of(NoiseChanged{noise_from(json)});
  if (kind == "constraints_changed") {
    return of(ConstraintsChanged{constraints_from(json, {.arms = &arms})});
  }
  if (kind == "mode_changed") return of(ModeChanged{study_mode(get<std::string>(json, "mode"))});
  if (kind == "closed") return of(Closed{});
  throw InputError(fmt::format(
      "event: '{}' is unknown; allowed: decided, settled, corrected, observed, pulled_instead, "
      "availability_changed, arm_added, budget_extended, noise_changed, constraints_changed, mode_changed, closed",
      kind));
}

namespace {

/// Reads the remaining lines as events, of which the first has the number `number`.
std::vector<Event> events_in(LineReader& lines, const std::vector<std::string>& arms, std::int64_t number) {
  std::vector<Event> events;
  EventReader reader(arms);
  for (; !lines.at_end(); ++number) {
    lines.next([&](std::string_view line) {
      NumberedEvent event = reader.read(line);
      if (event.number != number) {
        throw InputError(fmt::format("seq: {}; the next event is number {}", event.number, number));
      }
      events.push_back(std::move(event.event));
    });
  }
  return events;
}

}  // namespace

std::string to_json_lines(const StudyHistory& history) {
  std::string lines = to_json(history.spec) + "\n";
  std::vector<std::string> arms = history.spec.arms;
  std::int64_t number = 0;
  for (const Event& event : history.events) {
    if (const auto* added = std::get_if<ArmAdded>(&event)) arms.push_back(added->name);
    lines += to_json(event, ++number, arms) + "\n";
  }
  return lines;
}

std::vector<Event> events_from_json_lines(std::string_view text, const std::vector<std::string>& arms,
                                          std::int64_t first_event) {
  LineReader lines(text);
  return events_in(lines, arms, first_event);
}

StudyHistory history_from_json_lines(std::string_view text) {
  LineReader lines(text);
  if (lines.at_end()) throw InputError("the text is empty; a study begins with a line 'created'");
  StudyHistory history;
  lines.next([&](std::string_view line) { history.spec = spec_from_json(line); });
  history.events = events_in(lines, history.spec.arms, 1);
  return history;
}

}  // namespace longrun
