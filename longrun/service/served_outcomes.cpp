// Outcomes of decisions, and their corrections.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/pending_by_arm.h"
#include "longrun/service/served_study.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

/// Returns the outcome that an entry of a decision reports; nullopt if it names a pull in place of the decision.
std::optional<Outcome> outcome_in(const LogEntry& entry, const ArmLabels& arms) {
  const Event event = event_from_json(entry.event, arms).event;
  if (const auto* settled = std::get_if<Settled>(&event)) return settled->outcome;
  if (std::holds_alternative<PulledInstead>(event)) return std::nullopt;
  return std::get<Corrected>(event).outcome;
}

/// Returns whether an entry without a time gives a void outcome to a decision that has a pull in its place: the time is
/// that of the pull.
bool is_replaced(const LogEntry& entry, const std::vector<LogEntry>& of_decision, const ArmLabels& arms) {
  if (!detail_of(entry.details, "observed_at").empty()) return false;
  return std::any_of(of_decision.begin(), of_decision.end(),
                     [&](const LogEntry& each) { return !outcome_in(each, arms).has_value(); });
}

bool has_time_of(const ReportOutcome& report, const LogEntry& entry) {
  return report.observed_at.empty() || report.observed_at == detail_of(entry.details, "observed_at");
}

RequestError other_time(DecisionId decision, const LogEntry& recorded) {
  const std::string observed_at = detail_of(recorded.details, "observed_at");
  return {RequestError::Kind::conflict,
          fmt::format("decision {} was reported with {} already", decision,
                      observed_at.empty() ? "no observed_at" : "observed_at " + observed_at),
          "/observed_at"};
}

/// Throws RequestError if the outcome was observed after the time `at`.
void check_observed_at(const ReportOutcome& report, const std::string& at) {
  if (report.observed_at <= at) return;  // texts of times are in the order of the times; most are empty
  if (report.observed_at <= latest_time(at)) return;
  throw invalid_request(fmt::format("observed_at: {} is in the future; it is {} now", report.observed_at, at),
                        "/observed_at");
}

}  // namespace

std::optional<LogEntry> ServedStudy::known_outcome(const ReportOutcome& report, const Recorded& recorded) const {
  if (report.decision < 1 || report.decision > study().last_decision()) {
    throw RequestError(
        RequestError::Kind::not_found,
        fmt::format("there is no decision {}; the last one is {}", report.decision, study().last_decision()),
        "/decision");
  }
  if (study().is_pending(report.decision)) return std::nullopt;
  const std::vector<LogEntry> entries = recorded.outcomes_of(report.decision);
  const Outcome now = last_outcome_in(entries, report.decision);
  const Outcome reported = checked(report.outcome);
  const auto says_it = [&](const LogEntry& entry) { return outcome_in(entry, arms()) == reported; };
  const auto first = std::find_if(entries.begin(), entries.end(), says_it);
  if (first == entries.end()) {
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} has another outcome already: {}; correct it if that is wrong",
                                   report.decision, text_of(now)));
  }
  if (now != reported) {
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} was corrected to {} since; correct it again if that is wrong",
                                   report.decision, text_of(now)));
  }
  if (report.instead) return known_instead(report, entries, recorded);
  for (auto entry = first; entry != entries.end(); ++entry) {
    if ((has_time_of(report, *entry) || is_replaced(*entry, entries, arms())) && says_it(*entry)) return *entry;
  }
  throw other_time(report.decision, *first);
}

std::optional<ServedStudy::ReplacingPull> ServedStudy::pull_in(const LogEntry& entry, const Recorded& recorded) const {
  const Event event = event_from_json(entry.event, arms()).event;
  if (const auto* pulled = std::get_if<PulledInstead>(&event)) {
    return ReplacingPull{pulled->arm, outcome_now(pulled->decision, recorded),
                         fmt::format("decision {}", pulled->decision)};
  }
  const std::int64_t seq = number_detail_of(entry.details, kInstead);
  if (seq == 0) return std::nullopt;
  const std::optional<Observed> observed = observation(seq);
  if (!observed) {
    throw RequestError(RequestError::Kind::damaged, fmt::format("study '{}': entry {} is no observation", name_, seq));
  }
  return ReplacingPull{observed->arm, outcome_now(seq, *observed), fmt::format("observation {}", seq)};
}

std::optional<LogEntry> ServedStudy::known_instead(const ReportOutcome& report, const std::vector<LogEntry>& entries,
                                                   const Recorded& recorded) const {
  const ReportOutcome::Instead& told = *report.instead;
  std::optional<ReplacingPull> other;  // the one that counts
  for (const LogEntry& entry : entries) {
    const std::optional<ReplacingPull> pull = pull_in(entry, recorded);
    if (!pull) continue;
    const bool is_of_arm = arms().names()[static_cast<std::size_t>(pull->arm)] == told.arm;
    if (pull->counts() && is_of_arm && (!told.reward || pull->outcome == checked(Outcome::observed(*told.reward)))) {
      if (has_time_of(report, entry)) return entry;
      throw other_time(report.decision, entry);
    }
    if (pull->counts()) other = pull;
  }
  if (other) throw is_replaced_by(*other, report);
  check_not_void(report, recorded);
  return std::nullopt;
}

void ServedStudy::check_not_void(const ReportOutcome& report, const Recorded& recorded) const {
  const std::vector<LogEntry> entries = recorded.outcomes_of(report.decision);
  for (const LogEntry& entry : entries) {
    const std::optional<ReplacingPull> pull = pull_in(entry, recorded);
    if (!pull || pull->counts()) continue;
    if (arms().names()[static_cast<std::size_t>(pull->arm)] != report.instead->arm) continue;
    std::optional<DecisionId> counts = pull_instead_of(report.decision, recorded);
    if (last_outcome_in(entries, report.decision).kind != OutcomeKind::voided) counts = report.decision;
    const std::string what_to_do = !counts ? "correct "
                                   : study().is_pending(*counts)
                                       ? fmt::format("report decision {} as void, then correct ", *counts)
                                       : fmt::format("correct decision {} to void, then ", *counts);
    throw RequestError(
        RequestError::Kind::conflict,
        fmt::format("decision {0}: arm '{1}' is recorded in its place as {2}, which is void; {3}{2} to its "
                    "reward",
                    report.decision, report.instead->arm, pull->name, what_to_do),
        "/instead");
  }
}

RequestError ServedStudy::is_replaced_by(const ReplacingPull& pull, const ReportOutcome& report) const {
  const std::string& arm = arms().names()[static_cast<std::size_t>(pull.arm)];
  const std::optional<Outcome>& now = pull.outcome;
  const std::string what_to_do =
      arm != report.instead->arm ? fmt::format("if that is wrong, {} {} {} void and send this again",
                                               now ? "correct" : "report", pull.name, now ? "to" : "as")
      : now ? fmt::format("it has the outcome {}; correct {} if that is wrong", text_of(*now), pull.name)
            : fmt::format("report its reward as the outcome of {}", pull.name);
  return {RequestError::Kind::conflict,
          fmt::format("decision {}: arm '{}' was pulled in its place already, as {}; {}", report.decision, arm,
                      pull.name, what_to_do),
          "/instead"};
}

std::optional<Observed> ServedStudy::observation(std::int64_t seq) const {
  if (seq < 1 || seq > last_seq()) return std::nullopt;
  const auto event = log_.events().from(static_cast<std::size_t>(seq) - 1);
  const auto* observed = std::get_if<Observed>(&*event);
  return observed == nullptr ? std::nullopt : std::optional(*observed);
}

std::optional<Outcome> ServedStudy::outcome_now(DecisionId decision, const Recorded& recorded) const {
  if (study().is_pending(decision)) return std::nullopt;
  return last_outcome_in(recorded.outcomes_of(decision), decision);
}

Outcome ServedStudy::last_outcome_in(const std::vector<LogEntry>& entries, DecisionId decision) const {
  std::optional<Outcome> last;
  for (const LogEntry& entry : entries) {
    if (const auto outcome = outcome_in(entry, arms())) last = outcome;
  }
  if (last) return *last;
  throw RequestError(RequestError::Kind::damaged,
                     fmt::format("study '{}': the outcome of decision {} is not stored", name_, decision));
}

std::optional<DecisionId> ServedStudy::pull_instead_of(DecisionId decision, const Recorded& recorded) const {
  for (const DecisionId pull : log_.pulls_instead_of(decision)) {
    const std::optional<Outcome> outcome = outcome_now(pull, recorded);
    if (!outcome || outcome->kind != OutcomeKind::voided) return pull;
  }
  return std::nullopt;
}

void ServedStudy::check_arm(const ReportOutcome& row) const {
  if (row.arm.empty() && !row.instead) return;
  const std::optional<Arm> decided = log_.arm_of(row.decision);  // that there is no such decision, others say
  const std::optional<Arm> named = row.arm.empty() ? std::nullopt : std::optional(arm_named(row.arm, "/arm"));
  if (named && decided && *decided != *named) {
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} is for arm '{}', not '{}'", row.decision,
                                   arms().names()[static_cast<std::size_t>(*decided)], row.arm),
                       "/arm");
  }
  if (!row.instead) return;
  const Arm pulled = arm_named(row.instead->arm, "/instead/arm");
  if (decided == pulled) {
    throw invalid_request(fmt::format("instead: '{}' is the arm of decision {}; {} its outcome", row.instead->arm,
                                      row.decision, study().is_pending(row.decision) ? "report" : "correct"),
                          "/instead/arm");
  }
}

void ServedStudy::check_is_decided(const ReportOutcome& row) const {
  if (!row.instead) return;
  if (const auto first = instead_of(row.decision)) {
    throw invalid_request(
        fmt::format("instead: decision {0} was itself pulled in place of decision {1}; send this as a correction of "
                    "decision {0}",
                    row.decision, *first),
        "/instead");
  }
}

void ServedStudy::check_arms(const Change& change) const {
  const auto check = [&](const ReportOutcome& row) {
    if (!row.arm.empty() && !row.is_of_arm()) check_arm(row);
  };
  if (const auto* report = std::get_if<ReportOutcome>(&change)) check(*report);
  if (const auto* correct = std::get_if<CorrectOutcome>(&change)) check(meant_by(*correct));
  if (const auto* outcomes = std::get_if<ReportOutcomes>(&change)) std::ranges::for_each(outcomes->rows, check);
}

ServedStudy::Result ServedStudy::settle(const ReportOutcome& report, const Recorded& recorded) {
  check_arm(report);
  check_is_decided(report);
  if (auto known = known_outcome(report, recorded)) return {.repeated = std::move(known), .already_known = 1};
  check_observed_at(report, now_);
  if (report.instead) {
    Study copy = study();
    try {
      settle_in(copy, report);
    } catch (const InputError& error) {
      throw invalid_request(error, ErrorFields("/instead/reward", "/instead").of(error));
    }
  }
  return settle_new(report);
}

std::optional<PulledInstead> ServedStudy::settle_in(Study& copy, const ReportOutcome& report) const {
  if (copy.is_pending(report.decision)) copy.settle(report.decision, report.outcome);
  if (!report.instead) return std::nullopt;
  const PulledInstead pulled = copy.pull_instead(report.decision, arm_named(report.instead->arm, "/instead/arm"));
  if (report.instead->reward) copy.settle(pulled.decision, Outcome::observed(*report.instead->reward));
  return pulled;
}

std::vector<StudyCommand> ServedStudy::commands_of(const ReportOutcome& report) const {
  std::vector<StudyCommand> commands;
  if (study().is_pending(report.decision)) commands.emplace_back(Report{report.decision, report.outcome});
  if (!report.instead) return commands;
  for (StudyCommand& each : commands_of(report.decision, *report.instead)) commands.push_back(std::move(each));
  return commands;
}

std::vector<StudyCommand> ServedStudy::commands_of(DecisionId instead_of, const ReportOutcome::Instead& instead) const {
  std::vector<StudyCommand> commands{PullInstead{instead_of, arm_named(instead.arm, "/instead/arm")}};
  if (instead.reward) commands.emplace_back(Report{study().last_decision() + 1, Outcome::observed(*instead.reward)});
  return commands;
}

ServedStudy::Result ServedStudy::settle_new(const ReportOutcome& report) {
  const std::string details = report.observed_at.empty() ? "" : details_text("observed_at", report.observed_at);
  const ErrorFields fields = report.instead ? ErrorFields("/instead/reward", "/instead") : ErrorFields("/reward", "");
  Result result;
  for (const StudyCommand& command : commands_of(report)) {
    const auto* outcome = std::get_if<Report>(&command);
    const DecisionId decision = outcome == nullptr ? report.decision : outcome->decision;
    // The time is that of the pull that was made, so a decision that was not followed has none.
    const bool is_of_pull = !report.instead || outcome == nullptr || decision != report.decision;
    LogEntry entry = handle(command, fields, is_of_pull ? details : "");
    entry.decision = decision;
    result.entries.push_back(std::move(entry));
  }
  return result;
}

struct ServedStudy::CheckedReport {
  Study copy;  // after the rows so far
  struct Told {
    Outcome outcome{};
    std::optional<ReportOutcome::Instead> instead{};
    bool operator==(const Told&) const = default;
  };
  std::unordered_map<DecisionId, Told> outcomes{};  // of the rows so far
  PendingByArm pending{};
  CheckedRows result{};
};

void ServedStudy::check_row(const ReportOutcome& row, const Recorded& recorded, const std::string& at,
                            CheckedReport& so_far) const {
  auto& [copy, outcomes, pending, result] = so_far;
  if (row.is_of_arm()) {
    const Arm arm = arm_named(row.arm, "/arm");
    if (const auto oldest = pending.oldest(arm, copy)) {
      copy.settle(*oldest, row.outcome);
      outcomes.emplace(*oldest, CheckedReport::Told{.outcome = checked(row.outcome)});
    } else {
      copy.observe(arm, row.outcome.reward);
    }
    ++result.to_record;
    return;
  }
  check_arm(row);
  check_is_decided(row);
  const CheckedReport::Told told{checked(row.outcome), row.instead};
  if (const auto earlier = outcomes.find(row.decision); earlier != outcomes.end()) {
    if (earlier->second != told) {
      throw invalid_request(fmt::format("decision {} has two outcomes in this report", row.decision));
    }
    ++result.already_known;
    return;
  }
  if (known_outcome(row, recorded)) {
    result.known.insert(row.decision);
    ++result.already_known;
  } else {
    check_observed_at(row, at);
    if (const auto pulled = settle_in(copy, row)) pending.add(pulled->arm, pulled->decision);
    ++result.to_record;
  }
  outcomes.emplace(row.decision, told);  // a row that is refused says nothing of those that repeat it
}

ServedStudy::CheckedRows ServedStudy::check(const ReportOutcomes& report, const Recorded& recorded,
                                            const std::string& at) const {
  CheckedReport so_far{.copy = study(), .result = {.problems = report.unreadable}};
  std::vector<RowProblem>& problems = so_far.result.problems;
  for (const ReportOutcome& each : report.rows) {
    const std::string field = report.is_table ? "" : fmt::format("/outcomes/{}", each.place - 1);
    try {
      check_row(each, recorded, at, so_far);
    } catch (const RequestError& error) {
      problems.push_back({each.place, RequestError(error.kind(), error.what(), field + error.field())});
    } catch (const InputError& error) {
      const char* const reward = each.instead ? "/instead/reward" : "/reward";
      problems.push_back({each.place, invalid_request(error, ErrorFields(field + reward, field).of(error))});
    }
  }
  sort_by_place(problems);
  return std::move(so_far.result);
}

ServedStudy::Result ServedStudy::settle_all(const ReportOutcomes& report, const Recorded& recorded) {
  CheckedRows rows = check(report, recorded, now_);
  refuse_problems(rows.problems, report.is_table);
  std::unordered_set<DecisionId> known = std::move(rows.known);  // and those of earlier rows
  Result result;
  PendingByArm pending;
  for (ReportOutcome row : report.rows) {
    if (row.is_of_arm()) {
      const auto oldest = pending.oldest(arm_named(row.arm, "/arm"), study());
      if (!oldest) {
        const AddObservations::Row pull{.arm = row.arm, .reward = row.outcome.reward, .place = row.place};
        result.entries.push_back(observe(pull, fmt::format("/outcomes/{}", row.place - 1)));
        continue;
      }
      row.decision = *oldest;
    }
    if (!known.insert(row.decision).second) {
      ++result.already_known;
      continue;
    }
    Result settled = settle_new(row);
    if (row.instead) pending.add(arm_named(row.instead->arm, "/instead/arm"), study().last_decision());
    std::move(settled.entries.begin(), settled.entries.end(), std::back_inserter(result.entries));
  }
  return result;
}

}  // namespace longrun
