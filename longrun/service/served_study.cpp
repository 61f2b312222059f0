#include "longrun/service/served_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

// Memory of a study, as bench/service_scale measures it for foresight, the default policy.
constexpr std::size_t kBytesPerStudy = 20'000;
constexpr std::size_t kBytesPerArm = 1'300;
constexpr std::size_t kBytesPerEvent = 10;
constexpr std::size_t kBytesPerPending = 120;

constexpr std::size_t kReplayAtOnce = 4096;  // events; more take memory, fewer take time

RequestError invalid(const std::string& message, const std::string& field = "") {
  return {RequestError::Kind::invalid, message, field};
}

std::string text_in(const Json& details, const char* field) {
  const auto found = details.find(field);
  return found == details.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

Json details_of(const LogEntry& entry) {
  return entry.details.empty() ? Json::object() : Json::parse(entry.details, nullptr, false);
}

StudySpec spec_in(const LogEntry& created) { return spec_from_json(created.event); }

/// Returns the outcome that an entry reports.
Outcome outcome_in(const LogEntry& entry) {
  const Event event = event_from_json(entry.event, ArmNames({})).event;  // events with outcomes name no arm
  if (const auto* settled = std::get_if<Settled>(&event)) return settled->outcome;
  return std::get<Corrected>(event).outcome;
}

}  // namespace

LogEntry created_entry(const CreateStudy& create, const std::string& name) {
  const auto check_field = [](const char* field, const auto& check_it) {
    try {
      check_it();
    } catch (const InputError& error) {
      throw invalid(error.what(), field);
    }
  };
  check_field("/scale", [&] { check(create.spec.scale, std::nullopt); });
  check_field("/noise", [&] { check(create.spec.scale, create.spec.noise); });
  check_field("/policy", [&] { PolicyChoice{create.spec.policy}; });
  LogEntry entry;
  try {
    const Study study(create.spec);  // checks everything that a study needs
    entry.event = to_json(create.spec);
  } catch (const InputError& error) {
    const std::string message = error.what();
    // The messages of a specification begin with the field.
    for (const char* field : {"arms", "budget", "scale", "noise", "policy", "constraints"}) {
      if (message.starts_with(std::string(field) + ":")) throw invalid(message, std::string("/") + field);
    }
    throw invalid(message);
  }
  Json details{{"name", name}, {"mode", create.mode == StudyMode::live ? "live" : "shadow"}};
  if (!create.title.empty()) details["title"] = create.title;
  entry.details = details_text(details);
  return entry;
}

ServedStudy::ServedStudy(const LogEntry& created)
    : created_at_(created.at), log_(spec_in(created)), reader_(log_.study().spec().arms), last_at_(created.at) {
  const Json details = details_of(created);
  name_ = text_in(details, "name");
  title_ = text_in(details, "title");
  mode_ = text_in(details, "mode") == "shadow" ? StudyMode::shadow : StudyMode::live;
}

std::size_t ServedStudy::memory() const {
  return kBytesPerStudy + kBytesPerArm * study().spec().arms.size() + kBytesPerEvent * log_.events().size() +
         kBytesPerPending * pending_at_.size();
}

struct ServedStudy::Handle {
  ServedStudy& study;
  const OutcomesOf& outcomes_of;
  Result operator()(const AskDecisions& ask) const { return study.decide(ask); }
  Result operator()(const ReportOutcome& report) const { return study.settle(report, outcomes_of); }
  Result operator()(const ReportOutcomes& report) const { return study.settle_all(report, outcomes_of); }
  Result operator()(const CorrectOutcome& correct) const { return study.correct(correct, outcomes_of); }
  Result operator()(const AddObservations& add) const { return study.observe(add); }
  Result operator()(const ChangeConditions& change) const { return study.change_conditions(change); }
  Result operator()(const CloseStudy&) const { return study.close(); }
};

ServedStudy::Result ServedStudy::change(const Change& change, const OutcomesOf& outcomes_of, const std::string& at) {
  now_ = at;
  return std::visit(Handle{*this, outcomes_of}, change);
}

// ---- one kind of change each

ServedStudy::Result ServedStudy::decide(const AskDecisions& ask) {
  if (mode_ == StudyMode::shadow) {
    throw RequestError(RequestError::Kind::conflict,
                       "this study is a shadow: it makes no decisions; add observations of what was done");
  }
  return {.entries = {handle(Decide{ask.count, arms_named(ask.among, "/among")})}};
}

std::optional<LogEntry> ServedStudy::known_outcome(const ReportOutcome& report, const OutcomesOf& outcomes_of) const {
  if (report.decision < 1 || report.decision > study().last_decision()) {
    throw RequestError(
        RequestError::Kind::not_found,
        fmt::format("there is no decision {}; the last one is {}", report.decision, study().last_decision()),
        "/decision");
  }
  if (study().is_pending(report.decision)) return std::nullopt;
  const std::vector<LogEntry> entries = outcomes_of(report.decision);
  if (entries.empty()) {
    throw RequestError(RequestError::Kind::damaged,
                       fmt::format("study '{}': the outcome of decision {} is not stored", name_, report.decision));
  }
  for (const LogEntry& entry : entries) {
    if (outcome_in(entry) != checked(report.outcome)) continue;
    const std::string observed_at = text_in(details_of(entry), "observed_at");
    if (report.observed_at.empty() || report.observed_at == observed_at) return entry;
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} was reported with {} already", report.decision,
                                   observed_at.empty() ? "no observed_at" : "observed_at " + observed_at),
                       "/observed_at");
  }
  throw RequestError(RequestError::Kind::conflict,
                     fmt::format("decision {} has another outcome already: {}; correct it if that is wrong",
                                 report.decision, text_of(outcome_in(entries.back()))));
}

ServedStudy::Result ServedStudy::settle(const ReportOutcome& report, const OutcomesOf& outcomes_of) {
  if (auto known = known_outcome(report, outcomes_of)) return {.repeated = std::move(known), .already_known = 1};
  const std::string details = report.observed_at.empty() ? "" : details_text({{"observed_at", report.observed_at}});
  LogEntry entry = handle(Report{report.decision, report.outcome}, "/reward", details);
  entry.decision = report.decision;
  return {.entries = {std::move(entry)}};
}

std::vector<ServedStudy::RowProblem> ServedStudy::problems_of(const ReportOutcomes& report,
                                                              const OutcomesOf& outcomes_of) const {
  Study copy = study();
  std::unordered_map<DecisionId, Outcome> in_report;
  std::vector<RowProblem> problems;
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    const ReportOutcome& each = report.rows[row];
    const std::string field = fmt::format("/outcomes/{}", row);
    try {
      if (const auto [earlier, is_new] = in_report.emplace(each.decision, checked(each.outcome)); !is_new) {
        if (earlier->second == checked(each.outcome)) continue;
        throw invalid(fmt::format("decision {} has two outcomes in this report", each.decision), field);
      }
      if (known_outcome(each, outcomes_of)) continue;
      copy.settle(each.decision, each.outcome);
    } catch (const RequestError& error) {
      problems.push_back({row, RequestError(error.kind(), error.what(), field)});
    } catch (const InputError& error) {
      problems.push_back({row, invalid(error.what(), field + "/reward")});
    }
  }
  return problems;
}

ServedStudy::Result ServedStudy::settle_all(const ReportOutcomes& report, const OutcomesOf& outcomes_of) {
  if (const auto problems = problems_of(report, outcomes_of); !problems.empty()) {
    const RequestError& first = problems.front().error;
    throw RequestError(first.kind(),
                       fmt::format("row {}: {}{}; nothing is recorded", problems.front().row + 1, first.what(),
                                   problems.size() > 1 ? fmt::format(" (and {} more)", problems.size() - 1) : ""),
                       first.field());
  }
  Result result;
  for (const ReportOutcome& row : report.rows) {
    if (!study().is_pending(row.decision)) {
      ++result.already_known;
      continue;
    }
    Result settled = settle(row, outcomes_of);
    result.entries.push_back(std::move(settled.entries[0]));
  }
  return result;
}

ServedStudy::Result ServedStudy::correct(const CorrectOutcome& correct, const OutcomesOf& outcomes_of) {
  if (correct.decision < 1 || correct.decision > study().last_decision()) {
    throw RequestError(
        RequestError::Kind::not_found,
        fmt::format("there is no decision {}; the last one is {}", correct.decision, study().last_decision()),
        "/decision");
  }
  if (study().is_pending(correct.decision)) {
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} is pending; report its outcome", correct.decision), "/decision");
  }
  const std::vector<LogEntry> known = outcomes_of(correct.decision);
  if (!known.empty() && outcome_in(known.back()) == checked(correct.outcome)) {
    throw RequestError(RequestError::Kind::conflict, fmt::format("decision {} has this outcome already: {}",
                                                                 correct.decision, text_of(checked(correct.outcome))));
  }
  LogEntry entry =
      handle(Correct{correct.decision, correct.outcome}, "/reward", details_text({{"reason", correct.reason}}));
  entry.decision = correct.decision;
  return {.entries = {std::move(entry)}};
}

ServedStudy::Result ServedStudy::observe(const AddObservations& add) {
  std::vector<StudyCommand> commands;
  std::vector<std::string> fields;
  for (std::size_t row = 0; row < add.rows.size(); ++row) {
    const std::string field = add.is_list ? fmt::format("/observations/{}", row) : "";
    commands.emplace_back(Observe{arm_named(add.rows[row].arm, field + "/arm"), add.rows[row].reward});
    fields.push_back(field + "/reward");
  }
  if (commands.size() > 1) try_all(commands, fields);
  Result result;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string advised = mode_ == StudyMode::shadow ? advised_arm() : "";
    result.entries.push_back(
        handle(commands[i], fields[i], advised.empty() ? "" : details_text({{"advised", advised}})));
  }
  return result;
}

ServedStudy::Result ServedStudy::change_conditions(const ChangeConditions& change) {
  std::vector<StudyCommand> commands;
  std::vector<std::string> fields;
  for (const std::string& name : change.added_arms) {
    commands.emplace_back(AddArm{name});
    fields.emplace_back("/add_arms");
  }
  if (change.more_budget) {
    commands.emplace_back(ExtendBudget{*change.more_budget});
    fields.emplace_back("/extend_budget");
  }
  if (change.noise) {
    if (change.noise->noise == study().spec().noise) {
      const std::string text = change.noise->noise ? to_text(*change.noise->noise) : "estimate";
      throw invalid(fmt::format("noise: {} is the noise already", text), "/noise");
    }
    commands.emplace_back(ChangeNoise{change.noise->noise});
    fields.emplace_back("/noise");
  }
  if (!change.constraints.empty()) {
    commands.emplace_back(ChangeConstraints{changed_constraints(change)});
    fields.emplace_back("/constraints");
  }
  if (change.unavailable) {
    commands.emplace_back(SetUnavailable{unavailable_in(change)});
    fields.emplace_back("/unavailable");
  }
  if (commands.empty()) {
    throw invalid("nothing is changed; give add_arms, extend_budget, noise, constraints or unavailable");
  }
  if (commands.size() > 1) try_all(commands, fields);
  Result result;
  for (std::size_t i = 0; i < commands.size(); ++i) result.entries.push_back(handle(commands[i], fields[i]));
  return result;
}

Constraints ServedStudy::changed_constraints(const ChangeConditions& change) const {
  ArmNames known = arms();
  for (const std::string& name : change.added_arms) {
    if (!name.empty() && !known.find(name)) known.add(name);  // others are refused before the constraints change
  }
  const ArmLabels labels(known.names());
  const Constraints& now = study().spec().constraints;
  const Constraints defaults = Constraints::with_decimals(now.unit_decimals);
  Constraints changed = now;
  for (const auto& [field, text] : change.constraints) {
    if (!text && constraint_text(now, field) == constraint_text(defaults, field)) continue;
    if (!text && field == "minimum_pulls") {
      changed.minimum_pulls = defaults.minimum_pulls;
    } else if (!text && field == "minimum_share") {
      changed.minimum_share = defaults.minimum_share;
    } else if (!text && field == "unavailable") {
      changed.unavailable = defaults.unavailable;
    } else if (!text) {
      throw invalid(fmt::format("constraints.{}: cannot change while the study runs; minimum_pulls, minimum_share and "
                                "unavailable can",
                                field),
                    "/constraints/" + field);
    } else {
      try {
        set_constraint(changed, field, *text, {.arms = &labels, .arms_are_ordered = false});
      } catch (const InputError& error) {
        throw invalid(fmt::format("constraints.{}: {}", field, error.what()), "/constraints/" + field);
      }
    }
  }
  if (changed == now) throw invalid("constraints: they are the constraints already", "/constraints");
  return changed;
}

std::vector<Arm> ServedStudy::unavailable_in(const ChangeConditions& change) const {
  std::vector<Arm> unavailable;
  for (const std::string& name : *change.unavailable) {
    // An arm that this request adds is known too.
    const auto added = std::find(change.added_arms.begin(), change.added_arms.end(), name);
    const bool is_new = added != change.added_arms.end() && !arms().find(name);
    unavailable.push_back(is_new ? static_cast<Arm>(arms().names().size()) +
                                       static_cast<Arm>(added - change.added_arms.begin())
                                 : arm_named(name, "/unavailable"));
  }
  std::sort(unavailable.begin(), unavailable.end());
  std::vector<std::string> names = *change.unavailable;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    throw invalid(fmt::format("arm '{}' is given twice", *twice), "/unavailable");
  }
  return unavailable;
}

ServedStudy::Result ServedStudy::close() { return {.entries = {handle(Close{})}}; }

// ---- what they share

LogEntry ServedStudy::handle(const StudyCommand& command, const std::string& field, const std::string& details) {
  try {
    const Event* event = log_.handle(command);
    if (event == nullptr) throw InputError("it changes nothing");
    if (const auto* added = std::get_if<ArmAdded>(event)) reader_.add_arm(added->name);
    note(*event, now_, details);
    LogEntry entry;
    entry.seq = last_seq();
    entry.at = now_;
    entry.event = to_json(*event, entry.seq, arms().names());
    entry.details = details;
    return entry;
  } catch (const InputError& error) {
    throw invalid(error.what(), field);
  }
}

void ServedStudy::try_all(const std::vector<StudyCommand>& commands, const std::vector<std::string>& fields) const {
  // A log without a past is enough, and cheaper, except for another noise.
  const bool needs_past = std::any_of(commands.begin(), commands.end(), [](const StudyCommand& command) {
    return std::holds_alternative<ChangeNoise>(command);
  });
  StudyLog copy = needs_past ? log_ : StudyLog(study(), study(), {}, log_.next_event());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    try {
      copy.handle(commands[i]);
    } catch (const InputError& error) {
      throw invalid(error.what(), fields[i]);
    }
  }
}

Arm ServedStudy::arm_named(const std::string& name, const std::string& field) const {
  if (const auto arm = arms().find(name)) return *arm;
  throw invalid(fmt::format("arm '{}' is not an arm of the study{}", name, did_you_mean(name, arms().names())), field);
}

std::vector<Arm> ServedStudy::arms_named(const std::vector<std::string>& names, const std::string& field) const {
  std::vector<Arm> found;
  found.reserve(names.size());
  for (const std::string& name : names) found.push_back(arm_named(name, field));
  std::sort(found.begin(), found.end());
  if (const auto twice = std::adjacent_find(found.begin(), found.end()); twice != found.end()) {
    throw invalid(fmt::format("arm '{}' is given twice", arms().names()[static_cast<std::size_t>(*twice)]), field);
  }
  return found;
}

std::string ServedStudy::advised_arm() const {
  Study copy = study();
  try {
    const Decided decided = copy.decide();
    return decided.decisions.empty() ? "" : arms().names()[static_cast<std::size_t>(decided.decisions[0].arm)];
  } catch (const InputError&) {  // no decision is left
    return "";
  }
}

void ServedStudy::note(const Event& event, const std::string& at, const std::string& details) {
  last_at_ = at;
  if (const auto* decided = std::get_if<Decided>(&event)) {
    for (const Decision& decision : decided->decisions) pending_at_.emplace_hint(pending_at_.end(), decision.id, at);
  } else if (const auto* settled = std::get_if<Settled>(&event)) {
    pending_at_.erase(settled->decision);
  } else if (const auto* observed = std::get_if<Observed>(&event); observed != nullptr && mode_ == StudyMode::shadow) {
    const std::string advised = details.empty() ? "" : text_in(Json::parse(details, nullptr, false), "advised");
    if (advised.empty()) return;
    ++agreement_.observations;
    agreement_.agreed += advised == arms().names()[static_cast<std::size_t>(observed->arm)] ? 1 : 0;
  }
}

void ServedStudy::replay(const std::vector<LogEntry>& entries) {
  std::vector<Event> events;
  const auto repeat = [&] {
    log_.load(events);
    events.clear();
  };
  const auto read = [&](const LogEntry& entry) {
    try {
      return reader_.read(entry.event);
    } catch (const InputError& error) {
      throw InputError(fmt::format("entry {}: {}", entry.seq, error.what()));
    }
  };
  for (const LogEntry& entry : entries) {
    NumberedEvent event = read(entry);
    const std::int64_t expected = log_.next_event() + static_cast<std::int64_t>(events.size());
    if (event.number != expected || entry.seq != expected) {
      throw InputError(fmt::format("entry {} follows entry {}", entry.seq, expected - 1));
    }
    note(event.event, entry.at, entry.details);
    events.push_back(std::move(event.event));
    if (events.size() == kReplayAtOnce) repeat();
  }
  repeat();
  log_.apply_corrections();
}

}  // namespace longrun
