// What a log knows of decisions and observations: their outcomes, arms, and the pulls in place of decisions.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/study_log.h"

namespace longrun {

std::optional<DecisionId> StudyLog::instead_of(DecisionId decision) const {
  const auto found = instead_of_.find(decision);
  return found == instead_of_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<DecisionId> StudyLog::pulls_instead_of(DecisionId decision) const {
  std::vector<DecisionId> pulls;
  const auto [begin, end] = pulls_instead_.equal_range(decision);
  for (auto each = begin; each != end; ++each) pulls.push_back(each->second);
  return pulls;
}

void StudyLog::KnownOutcomes::add(const Event& event, std::int64_t number) {
  if (const auto* settled = std::get_if<Settled>(&event)) {
    outcomes[settled->decision] = {settled->outcome, true};
  } else if (const auto* observed = std::get_if<Observed>(&event)) {
    observations[number] = {Outcome::observed(observed->reward), true};
  } else if (const auto* corrected = std::get_if<Corrected>(&event)) {
    KnownOutcome& known =
        corrected->observation == 0 ? outcomes[corrected->decision] : observations[corrected->observation];
    known.outcome = corrected->outcome;
  } else if (const auto* pulled = std::get_if<PulledInstead>(&event)) {
    outcomes.try_emplace(pulled->instead_of, KnownOutcome{Outcome::voided()});  // else nothing was pulled in its place
  }
}

StudyLog::KnownOutcomes StudyLog::read_known() const {
  KnownOutcomes known;
  for (const auto& [decision, record] : replaced_) {
    if (record.outcome) known.outcomes[decision] = {*record.outcome};
  }
  std::int64_t number = first_event_;
  for (const Event& event : events_) known.add(event, number++);
  return known;
}

const StudyLog::KnownOutcomes& StudyLog::known() {
  if (!known_) known_ = read_known();
  return *known_;
}

const StudyLog::KnownOutcome& StudyLog::known_observation(std::int64_t observation) {
  const auto& observations = known().observations;
  if (const auto found = observations.find(observation); found != observations.end()) return found->second;
  throw InputError(observation >= 1 && observation < first_event_
                       ? fmt::format("event {} is no longer kept", observation)
                       : fmt::format("event {} is not an observation", observation));
}

const StudyLog::KnownOutcome& StudyLog::known_outcome(DecisionId decision) {
  const auto& outcomes = known().outcomes;
  if (const auto found = outcomes.find(decision); found != outcomes.end()) return found->second;
  throw InputError(decision >= 1 && decision <= study_.last_decision()
                       ? fmt::format("the outcome of decision {} is no longer kept", decision)
                       : fmt::format("there is no decision {}; the last one is {}", decision, study_.last_decision()));
}

std::size_t StudyLog::memory() const {
  constexpr std::size_t kBytesPerKnown = 64;  // of an entry of a hash table
  const std::size_t known = known_ ? known_->outcomes.size() + known_->observations.size() : 0;
  return events_.memory() + kBytesPerKnown * (known + instead_of_.size() + pulls_instead_.size() + replaced_.size());
}

// ---- pulls in place of decisions

void StudyLog::note_pull(DecisionId pull, DecisionId instead_of) {
  if (instead_of_.emplace(pull, instead_of).second) pulls_instead_.emplace(instead_of, pull);
}

bool StudyLog::is_replacement(DecisionId decision) const {
  return instead_of_.contains(decision) || pulls_instead_.contains(decision);
}

std::optional<Arm> StudyLog::arm_of(DecisionId decision) const {
  if (const Study::Pending* pending = study_.find_pending(decision)) return pending->arm;
  if (const auto arm = events_.arm_of(decision)) return arm;
  if (const Study::Pending* pending = base_.find_pending(decision)) return pending->arm;  // its outcome is kept
  const auto found = replaced_.find(decision);
  return found == replaced_.end() ? std::nullopt : found->second.arm;
}

ReplacementRecord StudyLog::replacement(DecisionId decision, const KnownOutcomes& known) const {
  ReplacementRecord record{
      .decision = decision, .instead_of = instead_of(decision).value_or(0), .arm = arm_of(decision)};
  const auto found = known.outcomes.find(decision);
  if (!study_.is_pending(decision) && found != known.outcomes.end()) record.outcome = found->second.outcome;
  return record;
}

std::vector<ReplacementRecord> StudyLog::replacements() const {
  if (instead_of_.empty()) return {};
  std::set<DecisionId> decisions;
  for (const auto& [pull, instead_of] : instead_of_) decisions.insert({pull, instead_of});
  std::optional<KnownOutcomes> read;
  const KnownOutcomes& known = known_ ? *known_ : read.emplace(read_known());
  std::vector<ReplacementRecord> records;
  for (const DecisionId decision : decisions) records.push_back(replacement(decision, known));
  return records;
}

void StudyLog::keep_replacements(std::size_t count) {
  if (instead_of_.empty()) return;
  const auto keep = [&](DecisionId decision) {
    if (is_replacement(decision)) replaced_[decision] = replacement(decision, known());
  };
  for (auto event = events_.begin(); count > 0; --count, ++event) {
    if (const auto* settled = std::get_if<Settled>(&*event)) {
      keep(settled->decision);
    } else if (const auto* pulled = std::get_if<PulledInstead>(&*event)) {
      keep(pulled->decision);
      keep(pulled->instead_of);
    }
  }
}

}  // namespace longrun
