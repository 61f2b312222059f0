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

std::optional<DecisionId> ServedStudy::pull_to_void(const CorrectOutcome& correct, const ReportOutcome& meant,
                                                    const Recorded& recorded) const {
  const std::optional<DecisionId> pull = pull_instead_of(meant.decision, recorded);
  const auto has_outcome_already = [&](const std::string& also) {
    return RequestError(RequestError::Kind::conflict,
                        fmt::format("decision {} has this outcome already: {}{}", correct.decision,
                                    text_of(checked(correct.outcome)), also));
  };
  const bool is_of_pull = meant.decision != correct.decision;
  if (is_of_pull && pull != correct.decision) {
    throw has_outcome_already(
        pull ? fmt::format("; decision {} was pulled in place of decision {}: correct that one", *pull, meant.decision)
             : "");
  }
  if (correct.instead && pull && log_.arm_of(*pull) == arm_named(correct.instead->arm, "/instead/arm")) {
    throw is_replaced_by({.arm = *log_.arm_of(*pull),
                          .outcome = outcome_now(*pull, recorded),
                          .name = fmt::format("decision {}", *pull)},
                         meant);
  }
  if (correct.instead) check_not_void(meant, recorded);
  const bool changes_pull = pull && correct.instead;
  if (!changes_pull && outcome_now(correct.decision, recorded) == checked(correct.outcome)) {
    throw has_outcome_already(pull ? fmt::format("; decision {} was pulled in its place: correct that one", *pull)
                              : correct.instead ? "; report the pull in its place as its outcome"
                                                : "");
  }
  return pull;
}

ServedStudy::Result ServedStudy::correct(const CorrectOutcome& correct, const Recorded& recorded) {
  if (correct.observation != 0) return correct_observation(correct, recorded);
  if (correct.decision < 1 || correct.decision > study().last_decision()) {
    throw RequestError(
        RequestError::Kind::not_found,
        fmt::format("there is no decision {}; the last one is {}", correct.decision, study().last_decision()),
        "/decision");
  }
  ReportOutcome meant = meant_by(correct);
  check_arm(meant);
  // Another pull in place of this pull is one in place of the decision.
  if (correct.instead) meant.decision = instead_of(correct.decision).value_or(correct.decision);
  const bool is_of_pull = meant.decision != correct.decision;
  if (!is_of_pull && study().is_pending(correct.decision)) {
    throw RequestError(RequestError::Kind::conflict,
                       fmt::format("decision {} is pending; report its outcome", correct.decision), "/decision");
  }
  if (is_of_pull) {
    meant.arm.clear();
    check_arm(meant);
  }
  check_not_observed(correct, recorded);
  return carry_out(correct, meant, pull_to_void(correct, meant, recorded), recorded);
}

ServedStudy::Result ServedStudy::carry_out(const CorrectOutcome& correct, const ReportOutcome& meant,
                                           std::optional<DecisionId> pull_to_void, const Recorded& recorded) {
  const DecisionId last = study().last_decision();
  std::vector<StudyCommand> commands;
  // The decision was followed, or another arm was pulled, so this one was not pulled in its place.
  if (pull_to_void && study().is_pending(*pull_to_void)) {
    commands.emplace_back(Report{*pull_to_void, Outcome::voided()});
  } else if (pull_to_void) {
    commands.emplace_back(Correct{*pull_to_void, Outcome::voided()});
  }
  if (outcome_now(meant.decision, recorded) != checked(meant.outcome)) {
    commands.emplace_back(Correct{meant.decision, meant.outcome});
  }
  if (meant.instead) {
    for (StudyCommand& each : commands_of(meant.decision, *meant.instead)) commands.push_back(std::move(each));
  }
  const ErrorFields fields = meant.instead ? ErrorFields("/instead/reward", "/instead") : ErrorFields("/reward");
  if (commands.size() > 1) try_all(commands, std::vector<ErrorFields>(commands.size(), fields));
  Result result;
  for (const StudyCommand& command : commands) {
    const auto* report = std::get_if<Report>(&command);
    const bool is_new_pull =
        std::holds_alternative<PullInstead>(command) || (report != nullptr && report->decision > last);
    LogEntry entry = handle(command, fields, is_new_pull ? "" : details_text("reason", correct.reason));
    const auto* corrected = std::get_if<Correct>(&command);
    entry.decision = report != nullptr ? report->decision : corrected != nullptr ? corrected->decision : meant.decision;
    result.entries.push_back(std::move(entry));
  }
  return result;
}

}  // namespace longrun
