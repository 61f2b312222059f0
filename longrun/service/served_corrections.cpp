// The corrections of recorded outcomes by a ServedStudy.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "longrun/service/served_study.h"

namespace longrun {

void ServedStudy::check_not_observed(const CorrectOutcome& correct, const Recorded& recorded) const {
  if (checked(correct.outcome).kind == OutcomeKind::voided) return;
  for (const LogEntry& entry : recorded.outcomes_of(correct.decision)) {
    const std::int64_t seq = number_detail_of(entry.details, kInstead);
    if (seq == 0 || !pull_in(entry, recorded)->counts()) continue;
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {0} was not made: observation {1} was made in its place; if that is "
                                   "wrong, correct observation {1} to void first",
                                   correct.decision, seq));
  }
}

void ServedStudy::check_not_decided(const CorrectOutcome& correct, const Recorded& recorded) const {
  const std::optional<Observed> observed = observation(correct.observation);
  if (!observed || correct.observation == 1 || correct.outcome.kind == OutcomeKind::voided) return;
  if (outcome_now(correct.observation, *observed).kind != OutcomeKind::voided) return;
  // An observation in place of a decision follows its outcome.
  const Event before = *log_.events().from(static_cast<std::size_t>(correct.observation) - 2);
  const auto* settled = std::get_if<Settled>(&before);
  if (settled == nullptr) return;
  const std::vector<LogEntry> entries = recorded.outcomes_of(settled->decision);
  if (std::none_of(entries.begin(), entries.end(), [&](const LogEntry& entry) {
        return number_detail_of(entry.details, kInstead) == correct.observation;
      })) {
    return;
  }
  std::optional<DecisionId> counts = pull_instead_of(settled->decision, recorded);
  if (last_outcome_in(entries, settled->decision).kind != OutcomeKind::voided) counts = settled->decision;
  if (!counts) return;
  const bool is_pending = study().is_pending(*counts);
  throw RequestError(
      RequestError::Kind::conflict,
      fmt::format("observation {0} was not made: decision {1} was made in its place; if that is wrong, "
                  "{2} decision {1} {3} void first",
                  correct.observation, *counts, is_pending ? "report" : "correct", is_pending ? "as" : "to"));
}

ServedStudy::Result ServedStudy::correct_observation(const CorrectOutcome& correct, const Recorded& recorded) {
  if (correct.observation > last_seq()) {
    throw RequestError(RequestError::Kind::not_found,
                       fmt::format("there is no entry {}; the last one is {}", correct.observation, last_seq()),
                       "/observation");
  }
  if (correct.outcome.kind == OutcomeKind::lost) {
    throw invalid_request("kind: an observation has a reward; correct it to another reward, or to void", "/kind");
  }
  check_not_decided(correct, recorded);
  return {.entries = {handle(Correct{.outcome = correct.outcome, .observation = correct.observation},
                             ErrorFields("/reward", "/observation"), details_text("reason", correct.reason))}};
}

ReportOutcome ServedStudy::meant_by(const CorrectOutcome& correct) {
  return {.decision = correct.decision, .outcome = correct.outcome, .arm = correct.arm, .instead = correct.instead};
}

ServedStudy::Result ServedStudy::correct(const CorrectOutcome& correct, const Recorded& recorded) {
  if (correct.observation != 0) return correct_observation(correct, recorded);
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
  const ReportOutcome meant = meant_by(correct);
  check_arm(meant);
  check_not_observed(correct, recorded);
  const std::optional<DecisionId> pull = pull_instead_of(correct.decision, recorded);
  if (correct.instead && !pull) check_not_void(meant, recorded);
  if (outcome_now(correct.decision, recorded) == checked(correct.outcome)) {
    const std::string also = pull ? fmt::format("; decision {} was pulled in its place: correct that one", *pull)
                             : correct.instead ? "; report the pull in its place as its outcome"
                                               : "";
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} has this outcome already: {}{}", correct.decision,
                                   text_of(checked(correct.outcome)), also));
  }
  // The decision was followed, so nothing was pulled in its place.
  std::vector<StudyCommand> commands;
  if (pull && study().is_pending(*pull)) {
    commands.emplace_back(Report{*pull, Outcome::voided()});
  } else if (pull) {
    commands.emplace_back(Correct{*pull, Outcome::voided()});
  }
  commands.emplace_back(Correct{correct.decision, correct.outcome});
  if (correct.instead) {
    for (StudyCommand& each : commands_of(correct.decision, *correct.instead)) commands.push_back(std::move(each));
  }
  const ErrorFields fields = correct.instead ? ErrorFields("/instead/reward", "/instead") : ErrorFields("/reward");
  if (commands.size() > 1) try_all(commands, std::vector<ErrorFields>(commands.size(), fields));
  Result result;
  for (const StudyCommand& command : commands) {
    const auto* report = std::get_if<Report>(&command);
    const bool is_new_pull = std::holds_alternative<PullInstead>(command) || (correct.instead && report != nullptr);
    LogEntry entry = handle(command, fields, is_new_pull ? "" : details_text("reason", correct.reason));
    const auto* corrected = std::get_if<Correct>(&command);
    entry.decision = report != nullptr      ? report->decision
                     : corrected != nullptr ? corrected->decision
                                            : correct.decision;
    result.entries.push_back(std::move(entry));
  }
  return result;
}

}  // namespace longrun
