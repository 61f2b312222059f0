#include "longrun/service/served_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/decide/study/event_error.h"
#include "longrun/service/internal/entry_details.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

// Memory of a study, as bench/service_scale measures it for foresight, the default policy.
constexpr std::size_t kBytesPerStudy = 16'000;  // without events
constexpr std::size_t kBytesPerArm = 1'300;
constexpr std::size_t kBytesPerPending = 120;
constexpr std::size_t kBytesPerNode = 48;

constexpr Pulls kMostInRound = 100'000;

// Of the arms that a decision is restricted to, which its entry lists: as many as fit into a request.
constexpr std::size_t kMostBytesOfNames = std::size_t{1} << 20;
constexpr std::size_t kBytesAroundName = 3;  // quotes and comma

constexpr std::size_t kReplayAtOnce = 4096;  // events; more take memory, fewer take time

StudySpec spec_in(const LogEntry& created) { return spec_from_json(created.event); }

}  // namespace

LogEntry created_entry(const CreateStudy& create, const std::string& name) {
  const auto check_field = [](const char* field, const auto& check_it) {
    try {
      check_it();
    } catch (const InputError& error) {
      throw invalid_request(error, field);
    }
  };
  check_field("/scale", [&] { check(create.spec.scale, std::nullopt); });
  check_field("/noise", [&] { check(create.spec.scale, create.spec.noise); });
  check_field("/policy", [&] { PolicyChoice{create.spec.policy}; });
  LogEntry entry;
  try {
    const Study study(create.spec);  // checks everything that a study needs
    const ResolvedConstraints& constraints = study.policy().constraints();
    const Pulls in_round = constraints.most_pulls(constraints.budget().granted(1));
    if (in_round > kMostInRound) {
      throw invalid_constraint("units_per_round",
                               fmt::format("a round has {} pulls; at most {} are possible", in_round, kMostInRound));
    }
    entry.event = to_json(create.spec);
  } catch (const InputError& error) {
    throw invalid_request(error);
  }
  Json details{{"name", name}, {"mode", longrun::name(create.mode)}};
  if (!create.title.empty()) details["title"] = create.title;
  entry.details = details_text(details);
  return entry;
}

ServedStudy::ServedStudy(const LogEntry& created)
    : created_at_(created.at), log_(spec_in(created)), reader_(log_.study().spec().arms), last_at_(created.at) {
  name_ = detail_of(created.details, "name");
  title_ = detail_of(created.details, "title");
  mode_ = detail_of(created.details, "mode") == "shadow" ? StudyMode::shadow : StudyMode::live;
}

std::size_t ServedStudy::memory() const {
  return kBytesPerStudy + kBytesPerArm * study().spec().arms.size() + log_.memory() +
         kBytesPerPending * (pending_at_.size() + corrected_observations_.size()) +
         sizeof(Compared) * compared_.size() + kBytesPerNode * (off_scale_.size() + delays_.size());
}

ServedStudy::Health ServedStudy::health(const std::string& now) const {
  Health health{.overdue_after = delays_.overdue_after(), .off_scale = off_scale_.size()};
  const std::string latest = utc_text(parse_utc(now) - health.overdue_after);
  // Times of a log never run backwards, so the oldest decisions come first.
  for (auto each = pending_at_.begin(); each != pending_at_.end() && each->second < latest; ++each) ++health.overdue;
  health.newest_in_future = last_at_ > latest_time(now);
  return health;
}

struct ServedStudy::Handle {
  ServedStudy& study;
  const Recorded& recorded;
  Result operator()(const AskDecisions& ask) const { return study.decide(ask); }
  Result operator()(const ReportOutcome& report) const { return study.settle(report, recorded); }
  Result operator()(const ReportOutcomes& report) const { return study.settle_all(report, recorded); }
  Result operator()(const CorrectOutcome& correct) const { return study.correct(correct, recorded); }
  Result operator()(const AddObservations& add) const { return study.observe(add, recorded); }
  Result operator()(const ChangeConditions& change) const { return study.change_conditions(change); }
  Result operator()(const CloseStudy&) const { return study.close(); }
};

ServedStudy::Result ServedStudy::change(const Change& change, const Recorded& recorded, const std::string& at) {
  now_ = at;
  return std::visit(Handle{*this, recorded}, change);
}

// ---- one kind of change each

ServedStudy::Result ServedStudy::decide(const AskDecisions& ask) {
  if (mode_ == StudyMode::shadow) {
    throw RequestError(RequestError::Kind::conflict,
                       "this study is a shadow: it makes no decisions; add observations of what was done, or change "
                       "its mode to live");
  }
  // A study that decides round by round refuses any other number.
  const bool is_wrong_count = ask.count > 1 && !is_closed() && !study().policy().constraints().rounds_are_pulls();
  return {.entries = {handle(Decide{ask.count, among(ask)}, ErrorFields(is_wrong_count ? "/count" : ""))}};
}

std::vector<Arm> ServedStudy::among(const AskDecisions& ask) const {
  std::vector<Arm> chosen = arms_named(ask.among, "/among");
  if (ask.unavailable.empty()) return chosen;
  const std::vector<Arm> excluded = arms_named(ask.unavailable, "/unavailable");
  if (chosen.empty()) {
    for (std::size_t arm = 0; arm < arms().names().size(); ++arm) chosen.push_back(static_cast<Arm>(arm));
  }
  std::erase_if(chosen, [&](Arm arm) { return std::binary_search(excluded.begin(), excluded.end(), arm); });
  if (chosen.empty()) throw invalid_request("unavailable: no arm is left to choose from", "/unavailable");
  std::size_t bytes = 0;
  for (const Arm arm : chosen) bytes += arms().names()[static_cast<std::size_t>(arm)].size() + kBytesAroundName;
  if (bytes <= kMostBytesOfNames) return chosen;
  throw RequestError(RequestError::Kind::too_large,
                     fmt::format("unavailable: the decision would record the names of the other {} arms, more than {} "
                                 "bytes; name the arms in 'among', or change the unavailable arms of the study",
                                 chosen.size(), kMostBytesOfNames),
                     "/unavailable");
}

ServedStudy::Result ServedStudy::close() { return {.entries = {handle(Close{})}}; }

// ---- what they share

const std::string& ServedStudy::ErrorFields::of(const InputError& error) const {
  return dynamic_cast<const RewardError*>(&error) != nullptr ? reward : other;
}

LogEntry ServedStudy::handle(const StudyCommand& command, const ErrorFields& fields, const std::string& details) {
  try {
    // Before it is handled: what is refused later would be in the log already.
    if (const auto* change = std::get_if<ChangeMode>(&command)) check_mode_change(change->mode);
    const Event* event = log_.handle(command);
    if (event == nullptr) {
      throw RequestError(RequestError::Kind::conflict, "it changes nothing: it is recorded like this already",
                         fields.other);
    }
    if (const auto* added = std::get_if<ArmAdded>(event)) reader_.add_arm(added->name);
    note(*event, last_seq(), now_, details);
    LogEntry entry;
    entry.seq = last_seq();
    entry.at = now_;
    entry.event = to_json(*event, entry.seq, arms().names());
    entry.details = details;
    return entry;
  } catch (const InputError& error) {
    throw invalid_request(error, fields.of(error));
  }
}

void ServedStudy::try_all(const std::vector<StudyCommand>& commands, const std::vector<ErrorFields>& fields) const {
  // A log without a past is enough, and cheaper, except for what changes it.
  const bool needs_past = std::any_of(commands.begin(), commands.end(), [](const StudyCommand& command) {
    return std::holds_alternative<ChangeNoise>(command) || std::holds_alternative<Correct>(command) ||
           std::holds_alternative<PullInstead>(command);
  });
  StudyLog copy = needs_past ? log_ : StudyLog(study(), study(), {}, log_.next_event());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    try {
      copy.handle(commands[i]);
    } catch (const InputError& error) {
      throw invalid_request(error, fields[i].of(error));
    }
  }
}

Arm ServedStudy::arm_named(const std::string& name, const std::string& field) const {
  if (const auto arm = arms().find(name)) return *arm;
  throw invalid_request(fmt::format("arm '{}' is not an arm of the study{}", name, did_you_mean(name, arms().names())),
                        field);
}

std::vector<Arm> ServedStudy::arms_named(const std::vector<std::string>& names, const std::string& field) const {
  std::vector<Arm> found;
  found.reserve(names.size());
  for (const std::string& name : names) found.push_back(arm_named(name, field));
  std::sort(found.begin(), found.end());
  if (const auto twice = std::adjacent_find(found.begin(), found.end()); twice != found.end()) {
    throw invalid_request(fmt::format("arm '{}' is given twice", arms().names()[static_cast<std::size_t>(*twice)]),
                          field);
  }
  return found;
}

void ServedStudy::note(const Event& event, std::int64_t seq, const std::string& at, const std::string& details) {
  last_at_ = at;
  if (const auto* decided = std::get_if<Decided>(&event)) {
    for (const Decision& decision : decided->decisions) pending_at_.emplace_hint(pending_at_.end(), decision.id, at);
  } else if (const auto* settled = std::get_if<Settled>(&event)) {
    const auto pending = pending_at_.find(settled->decision);
    if (pending != pending_at_.end()) {
      const bool is_delay_known = !instead_of(settled->decision);  // of others, when they were made
      if (settled->outcome.kind == OutcomeKind::observed && is_delay_known) delays_.add(pending->second, at);
      pending_at_.erase(pending);
    }
    note_reward(settled->decision, settled->outcome);
  } else if (const auto* observed = std::get_if<Observed>(&event)) {
    note_observed(*observed, seq, details);
    note_reward(-seq, Outcome::observed(observed->reward));
  } else if (const auto* pulled = std::get_if<PulledInstead>(&event)) {
    pending_at_.emplace_hint(pending_at_.end(), pulled->decision, at);
  } else if (const auto* corrected = std::get_if<Corrected>(&event)) {
    if (corrected->observation > 0) {
      corrected_observations_[corrected->observation] = corrected->outcome;
      note_corrected(*corrected);
    }
    note_reward(corrected->observation > 0 ? -corrected->observation : corrected->decision, corrected->outcome);
  } else if (const auto* changed = std::get_if<ModeChanged>(&event)) {
    mode_ = changed->mode;
  }
}

void ServedStudy::note_reward(std::int64_t subject, const Outcome& outcome) {
  const RewardScale& scale = study().spec().scale;
  const bool is_off =
      outcome.kind == OutcomeKind::observed && (outcome.reward < scale.minimum || outcome.reward > scale.maximum);
  if (is_off) {
    off_scale_.insert(subject);
  } else if (!off_scale_.empty()) {
    off_scale_.erase(subject);
  }
}

void ServedStudy::check_mode_change(StudyMode mode) const {
  if (mode_ == StudyMode::live || mode != StudyMode::live) {
    throw InputError("only a shadow changes its mode, to live");
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
      throw EventError(entry.seq, error.what());
    }
  };
  for (const LogEntry& entry : entries) {
    NumberedEvent event = read(entry);
    const std::int64_t expected = log_.next_event() + static_cast<std::int64_t>(events.size());
    if (event.number != expected || entry.seq != expected) {
      throw InputError(fmt::format("entry {} follows entry {}", entry.seq, expected - 1));
    }
    if (const auto* changed = std::get_if<ModeChanged>(&event.event)) {
      try {
        check_mode_change(changed->mode);
      } catch (const InputError& error) {
        throw EventError(entry.seq, error.what());
      }
    }
    note(event.event, entry.seq, entry.at, entry.details);
    events.push_back(std::move(event.event));
    if (events.size() == kReplayAtOnce) repeat();
  }
  repeat();
  log_.apply_corrections();
}

}  // namespace longrun
