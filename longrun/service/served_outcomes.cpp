// Outcomes of decisions, and their corrections.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/pending_by_arm.h"
#include "longrun/service/served_study.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

/// Returns the outcome that an entry reports.
Outcome outcome_in(const LogEntry& entry) {
  const Event event = event_from_json(entry.event, ArmLabels({})).event;  // events with outcomes name no arm
  if (const auto* settled = std::get_if<Settled>(&event)) return settled->outcome;
  return std::get<Corrected>(event).outcome;
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
  if (entries.empty()) {
    throw RequestError(RequestError::Kind::damaged,
                       fmt::format("study '{}': the outcome of decision {} is not stored", name_, report.decision));
  }
  const Outcome now = outcome_in(entries.back());
  const Outcome reported = checked(report.outcome);
  const auto says_it = [&](const LogEntry& entry) { return outcome_in(entry) == reported; };
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
  for (auto entry = first; entry != entries.end(); ++entry) {
    const bool is_same = report.observed_at.empty() || report.observed_at == detail_of(entry->details, "observed_at");
    if (!is_same || !says_it(*entry)) continue;
    if (report.instead) check_known_instead(report, *entry);
    return *entry;
  }
  const std::string observed_at = detail_of(first->details, "observed_at");
  throw RequestError(RequestError::Kind::conflict,
                     fmt::format("decision {} was reported with {} already", report.decision,
                                 observed_at.empty() ? "no observed_at" : "observed_at " + observed_at),
                     "/observed_at");
}

void ServedStudy::check_known_instead(const ReportOutcome& report, const LogEntry& outcome) const {
  const auto refuse = [&](const std::string& what) {
    throw RequestError(RequestError::Kind::conflict, fmt::format("decision {} {}", report.decision, what), "/instead");
  };
  const std::int64_t seq = number_detail_of(outcome.details, kInstead);
  if (seq == 0) refuse("is void already, without a pull in its place; add the pull as an observation");
  const auto found = seq > last_seq() ? log_.events().end() : log_.events().from(static_cast<std::size_t>(seq) - 1);
  const auto* observed = found == log_.events().end() ? nullptr : std::get_if<Observed>(&*found);
  if (observed == nullptr) {
    throw RequestError(RequestError::Kind::damaged, fmt::format("study '{}': entry {} is no observation", name_, seq));
  }
  const bool is_same = arms().names()[static_cast<std::size_t>(observed->arm)] == report.instead->arm &&
                       outcome_now(seq, *observed) == checked(Outcome::observed(report.instead->reward));
  if (!is_same) refuse(fmt::format("has another pull in its place already (entry {}); correct that one", seq));
}

std::unordered_map<DecisionId, Arm> ServedStudy::arms_of(std::span<const ReportOutcome> rows) const {
  std::unordered_map<DecisionId, Arm> arms;
  std::set<DecisionId> settled;
  for (const ReportOutcome& row : rows) {
    if (row.arm.empty() || row.is_of_arm()) continue;
    if (const Study::Pending* pending = study().find_pending(row.decision)) {
      arms[row.decision] = pending->arm;
    } else if (row.decision >= 1 && row.decision <= study().last_decision()) {
      settled.insert(row.decision);
    }
  }
  constexpr DecisionId kFar = 1000;  // decisions that take longer to read than to skip
  DecisionId last = -kFar;
  auto event = log_.events().end();
  for (const DecisionId decision : settled) {
    if (decision - last >= kFar) event = log_.events().near_decision(decision);
    for (; event != log_.events().end(); ++event) {
      const auto* decided = std::get_if<Decided>(&*event);
      if (decided == nullptr || decided->decisions.empty() || decided->decisions.back().id < decision) continue;
      for (const Decision& each : decided->decisions) {
        if (each.id == decision) arms[decision] = each.arm;
      }
      break;
    }
    last = decision;
  }
  return arms;
}

void ServedStudy::check_arm(const ReportOutcome& row, const std::unordered_map<DecisionId, Arm>& arms) const {
  if (row.arm.empty()) return;
  const Arm named = arm_named(row.arm, "/arm");
  const auto decided = arms.find(row.decision);
  if (decided == arms.end() || decided->second == named) return;  // that there is no such decision, others say
  throw RequestError(RequestError::Kind::conflict,
                     fmt::format("decision {} is for arm '{}', not '{}'", row.decision,
                                 this->arms().names()[static_cast<std::size_t>(decided->second)], row.arm),
                     "/arm");
}

ServedStudy::Result ServedStudy::settle(const ReportOutcome& report, const Recorded& recorded) {
  check_arm(report, arms_of({&report, 1}));
  if (auto known = known_outcome(report, recorded)) return {.repeated = std::move(known), .already_known = 1};
  check_observed_at(report, now_);
  if (report.instead) return settle_instead(report);
  const std::string details = report.observed_at.empty() ? "" : details_text("observed_at", report.observed_at);
  LogEntry entry = handle(Report{report.decision, report.outcome}, ErrorFields("/reward", ""), details);
  entry.decision = report.decision;
  return {.entries = {std::move(entry)}};
}

ServedStudy::Result ServedStudy::settle_instead(const ReportOutcome& report) {
  const Arm arm = arm_named(report.instead->arm, "/instead/arm");
  if (study().find_pending(report.decision)->arm == arm) {
    throw invalid_request(fmt::format("instead: '{}' is the arm of decision {}; report the reward as its outcome",
                                      report.instead->arm, report.decision),
                          "/instead/arm");
  }
  const Report is_void{report.decision, report.outcome};
  const Observe pull{arm, report.instead->reward};
  const ErrorFields fields("/instead/reward", "/instead");
  try_all({is_void, pull}, {ErrorFields(), fields});
  nlohmann::ordered_json details;
  if (!report.observed_at.empty()) details["observed_at"] = report.observed_at;
  details[kInstead] = last_seq() + 2;  // its entry follows this one
  LogEntry outcome = handle(is_void, ErrorFields(), details_text(details));
  outcome.decision = report.decision;
  return {.entries = {std::move(outcome), handle(pull, fields)}};
}

struct ServedStudy::CheckedReport {
  Study copy;                                          // after the rows so far
  std::unordered_map<DecisionId, Outcome> outcomes{};  // of the rows so far
  std::unordered_map<DecisionId, Arm> arms{};          // of the decisions of rows that name both
  PendingByArm pending{};
  CheckedRows result{};
};

void ServedStudy::check_row(const ReportOutcome& row, const Recorded& recorded, const std::string& at,
                            CheckedReport& so_far) const {
  auto& [copy, outcomes, arms, pending, result] = so_far;
  if (row.is_of_arm()) {
    const Arm arm = arm_named(row.arm, "/arm");
    if (const auto oldest = pending.oldest(arm, copy)) {
      copy.settle(*oldest, row.outcome);
      outcomes.emplace(*oldest, checked(row.outcome));
    } else {
      copy.observe(arm, row.outcome.reward);
    }
    ++result.to_record;
    return;
  }
  check_arm(row, arms);
  if (const auto [earlier, is_new] = outcomes.emplace(row.decision, checked(row.outcome)); !is_new) {
    if (earlier->second != checked(row.outcome)) {
      throw invalid_request(fmt::format("decision {} has two outcomes in this report", row.decision));
    }
    ++result.already_known;
  } else if (known_outcome(row, recorded)) {
    ++result.already_known;
  } else {
    check_observed_at(row, at);
    copy.settle(row.decision, row.outcome);
    ++result.to_record;
  }
}

ServedStudy::CheckedRows ServedStudy::check(const ReportOutcomes& report, const Recorded& recorded,
                                            const std::string& at) const {
  CheckedReport so_far{.copy = study(), .arms = arms_of(report.rows), .result = {.problems = report.unreadable}};
  std::vector<RowProblem>& problems = so_far.result.problems;
  for (const ReportOutcome& each : report.rows) {
    const std::string field = report.is_table ? "" : fmt::format("/outcomes/{}", each.place - 1);
    try {
      check_row(each, recorded, at, so_far);
    } catch (const RequestError& error) {
      problems.push_back({each.place, RequestError(error.kind(), error.what(), field + error.field())});
    } catch (const InputError& error) {
      problems.push_back({each.place, invalid_request(error, ErrorFields(field + "/reward", field).of(error))});
    }
  }
  sort_by_place(problems);
  return std::move(so_far.result);
}

ServedStudy::Result ServedStudy::settle_all(const ReportOutcomes& report, const Recorded& recorded) {
  refuse_problems(check(report, recorded, now_).problems, report.is_table);
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
    if (!study().is_pending(row.decision)) {
      ++result.already_known;
      continue;
    }
    Result settled = settle(row, recorded);
    result.entries.push_back(std::move(settled.entries[0]));
  }
  return result;
}

ServedStudy::Result ServedStudy::correct_observation(const CorrectOutcome& correct) {
  if (correct.observation > last_seq()) {
    throw RequestError(RequestError::Kind::not_found,
                       fmt::format("there is no entry {}; the last one is {}", correct.observation, last_seq()),
                       "/observation");
  }
  if (correct.outcome.kind == OutcomeKind::lost) {
    throw invalid_request("kind: an observation has a reward; correct it to another reward, or to void", "/kind");
  }
  return {.entries = {handle(Correct{.outcome = correct.outcome, .observation = correct.observation},
                             ErrorFields("/reward", "/observation"), details_text("reason", correct.reason))}};
}

ServedStudy::Result ServedStudy::correct(const CorrectOutcome& correct, const Recorded& recorded) {
  if (correct.observation != 0) return correct_observation(correct);
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
  const ReportOutcome meant{.decision = correct.decision, .outcome = correct.outcome, .arm = correct.arm};
  check_arm(meant, arms_of({&meant, 1}));
  const std::vector<LogEntry> known = recorded.outcomes_of(correct.decision);
  if (!known.empty() && outcome_in(known.back()) == checked(correct.outcome)) {
    throw RequestError(RequestError::Kind::conflict, fmt::format("decision {} has this outcome already: {}",
                                                                 correct.decision, text_of(checked(correct.outcome))));
  }
  LogEntry entry = handle(Correct{correct.decision, correct.outcome}, ErrorFields("/reward"),
                          details_text("reason", correct.reason));
  entry.decision = correct.decision;
  return {.entries = {std::move(entry)}};
}

}  // namespace longrun
