#include "longrun/decide/study/study_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/event_error.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

StudyLog::StudyLog(StudySpec spec, std::size_t keep)
    : keep_(std::max<std::size_t>(1, keep)), base_(std::move(spec)), study_(base_) {}

StudyLog::StudyLog(Study base, Study study, const std::vector<Event>& events, std::int64_t first_event,
                   std::size_t keep, std::span<const ReplacementRecord> replacements)
    : keep_(std::max<std::size_t>(1, keep)),
      base_(std::move(base)),
      study_(std::move(study)),
      first_event_(first_event) {
  if (base_.initial_spec() != study_.initial_spec()) throw InputError("the two studies have different specifications");
  if (first_event_ < 1) throw InputError(fmt::format("event {}: events are numbered from 1", first_event_));
  for (const ReplacementRecord& each : replacements) {
    replaced_[each.decision] = each;
    if (each.instead_of != 0) note_pull(each.decision, each.instead_of);
  }
  for (const Event& event : events) add(event);
}

template <class Kind>
const Event* StudyLog::remember(Kind event) {
  other_ = std::move(event);
  return &other_;
}

struct StudyLog::Handle {
  StudyLog& log;
  const Event* operator()(const Decide& decide) const { return log.decide(decide); }
  const Event* operator()(const Report& report) const { return log.settle(report); }
  const Event* operator()(const Correct& correct) const { return log.correct(correct); }
  const Event* operator()(const Observe& observe) const {
    return log.remember(log.study_.observe(observe.arm, observe.reward));
  }
  const Event* operator()(const PullInstead& pull) const {
    // Only a new pull needs the outcome: recorded ones were checked when it was kept.
    const bool is_settled = pull.instead_of >= 1 && pull.instead_of <= log.study_.last_decision() &&
                            !log.study_.is_pending(pull.instead_of);
    if (is_settled && (!log.known().outcomes.contains(pull.instead_of) || !log.arm_of(pull.instead_of))) {
      throw InputError(
          fmt::format("the outcome of decision {} is no longer kept, so it is not known what was pulled in its place",
                      pull.instead_of));
    }
    log.check_pull_instead(pull.instead_of, pull.arm);
    return log.remember(log.study_.pull_instead(pull.instead_of, pull.arm));
  }
  const Event* operator()(const SetUnavailable& set) const {
    return log.remember(log.study_.set_unavailable(set.arms));
  }
  const Event* operator()(const AddArm& add) const { return log.remember(log.study_.add_arm(add.name)); }
  const Event* operator()(const ExtendBudget& extend) const {
    return log.remember(log.study_.extend_budget(extend.units));
  }
  const Event* operator()(const ChangeNoise& change) const { return log.change_noise(change); }
  const Event* operator()(const ChangeConstraints& change) const { return log.change_constraints(change); }
  const Event* operator()(const ChangeMode& change) const {
    log.study_.check_open();
    return log.remember(ModeChanged{change.mode});
  }
  const Event* operator()(const Close&) const { return log.remember(log.study_.close()); }
};

const Event* StudyLog::handle(const StudyCommand& command) {
  const Event* event = std::visit(Handle{*this}, command);
  if (event == nullptr) return nullptr;
  add(*event);
  drop_old_events();
  return event;
}

const Event* StudyLog::decide(const Decide& decide) {
  study_.decide(decide.count, decide.among, std::get<Decided>(decided_));
  return &decided_;
}

const Event* StudyLog::settle(const Report& report) {
  const bool settled =
      report.decision >= 1 && report.decision <= study_.last_decision() && !study_.is_pending(report.decision);
  if (!settled) return remember(study_.settle(report.decision, report.outcome));
  const Outcome known = known_outcome(report.decision).outcome;
  if (known == checked(report.outcome)) return nullptr;
  throw InputError(fmt::format("decision {} has another outcome already: {}; correct it if that is wrong",
                               report.decision, text_of(known)));
}

const StudyLog::KnownOutcome& StudyLog::known_before(const Correct& correct) {
  if (correct.observation == 0) {
    if (study_.is_pending(correct.decision)) {
      throw InputError(fmt::format("decision {} is pending; report its outcome", correct.decision));
    }
    return known_outcome(correct.decision);
  }
  if (correct.outcome.kind == OutcomeKind::lost) {
    throw InputError("an observation has a reward; correct it to another reward, or to void");
  }
  return known_observation(correct.observation);
}

void StudyLog::check_only_pull(DecisionId decision) {
  const DecisionId first = instead_of(decision).value_or(decision);
  std::vector<DecisionId> others = pulls_instead_of(first);
  others.insert(others.begin(), first);
  for (const DecisionId other : others) {
    if (other == decision) continue;
    const bool is_pending = study_.is_pending(other);
    if (!is_pending && known_outcome(other).outcome.kind == OutcomeKind::voided) continue;
    throw InputError(
        fmt::format("decision {0} was not made: decision {1} was made in its place; if that is wrong, {2} "
                    "decision {1} {3}void first",
                    decision, other, is_pending ? "report" : "correct", is_pending ? "as " : "to "));
  }
}

void StudyLog::check_pull_instead(DecisionId decision, Arm arm) {
  if (const auto first = instead_of(decision)) {
    throw InputError(fmt::format(
        "decision {0} was itself pulled in place of decision {1}; report or correct it as void, then name the pull in "
        "place of decision {1}",
        decision, *first));
  }
  const auto counts = [&](DecisionId each) {
    if (study_.is_pending(each)) return true;
    const auto found = known().outcomes.find(each);
    return found != known().outcomes.end() && found->second.outcome.kind != OutcomeKind::voided;
  };
  if (counts(decision)) {
    throw InputError(fmt::format("decision {} is not void, so nothing was pulled in its place", decision));
  }
  if (arm_of(decision) == arm) {
    throw InputError(fmt::format("{} is the arm of decision {}, so it was not pulled in its place",
                                 arm_label(study_.spec().arms, arm), decision));
  }
  for (const DecisionId pull : pulls_instead_of(decision)) {
    if (!counts(pull)) continue;
    const bool is_pending = study_.is_pending(pull);
    throw InputError(
        fmt::format("decision {1} was pulled in place of decision {0} already; if that is wrong, {2} "
                    "decision {1} {3} void first",
                    decision, pull, is_pending ? "report" : "correct", is_pending ? "as" : "to"));
  }
}

bool StudyLog::counts_again(const KnownOutcome& known, const Corrected& corrected) {
  return corrected.observation == 0 && known.outcome.kind == OutcomeKind::voided &&
         corrected.outcome.kind != OutcomeKind::voided;
}

const Event* StudyLog::correct(const Correct& correct) {
  const KnownOutcome& known = known_before(correct);
  const Corrected event{correct.decision, checked(correct.outcome), correct.observation};
  if (known.outcome == event.outcome) return nullptr;
  if (counts_again(known, event)) check_only_pull(correct.decision);
  // A correction changes the outcome where it was first reported, so that event must be kept.
  if (!known.is_report_kept) {
    throw InputError(correct.observation == 0
                         ? fmt::format("the report of decision {} is no longer kept", correct.decision)
                         : fmt::format("observation {} is no longer kept", correct.observation));
  }
  // This throws if the outcome is impossible, such as a reward off the scale.
  study_ = after(base_with(study_.spec().noise), events_.size(), {.corrected = &event});
  return remember(event);
}

const Event* StudyLog::change_noise(const ChangeNoise& change) {
  if (study_.is_closed()) throw InputError("the study is closed; its noise cannot change");
  if (change.noise == study_.spec().noise) return nullptr;
  const NoiseChanged event{change.noise};
  Study base = base_with(change.noise);
  try {
    study_ = after(std::move(base), events_.size(), {.noise = &event});
  } catch (const InputError& error) {
    throw InputError(fmt::format("noise: {} contradicts what was reported: {}",
                                 change.noise ? to_text(*change.noise) : "estimate", error.what()));
  }
  return remember(event);
}

const Event* StudyLog::change_constraints(const ChangeConstraints& change) {
  if (!study_.is_closed() && change.constraints == study_.spec().constraints) return nullptr;
  return remember(study_.change_constraints(change.constraints));
}

Study StudyLog::base_with(const std::optional<Noise>& noise) const {
  if (noise == base_.spec().noise) return base_;
  if (first_event_ > 1 || !base_.is_at_start()) {
    throw InputError("noise: a change repeats all events of the study, but the first ones are no longer kept");
  }
  return base_.restarted(noise);
}

Study StudyLog::after(Study base, std::size_t count, const Revision& revision) const {
  const Corrected* corrected = revision.corrected;
  const Study::Trust others = revision.noise == nullptr ? Study::Trust::accepted : Study::Trust::except_rewards;
  std::unordered_map<DecisionId, Outcome> decisions;       // that are corrected
  std::unordered_map<std::int64_t, Outcome> observations;  // by the numbers of their events
  const auto note = [&](const Corrected& each) {
    (each.observation == 0 ? decisions[each.decision] : observations[each.observation]) = each.outcome;
  };
  for (const Event& event : events_) {
    if (const auto* earlier = std::get_if<Corrected>(&event)) note(*earlier);
  }
  if (corrected != nullptr) note(*corrected);
  auto event = events_.begin();
  for (std::int64_t number = first_event_; count > 0; --count, ++event, ++number) {
    if (std::holds_alternative<Corrected>(*event) || std::holds_alternative<NoiseChanged>(*event)) continue;
    const auto* settled = std::get_if<Settled>(&*event);
    if (const auto found = settled == nullptr ? decisions.end() : decisions.find(settled->decision);
        found != decisions.end()) {
      const bool is_new = corrected != nullptr && corrected->decision == settled->decision;
      base.apply(Settled{settled->decision, found->second}, is_new ? Study::Trust::none : others);
    } else if (const auto other = observations.find(number); other != observations.end()) {
      if (other->second.kind == OutcomeKind::voided) continue;
      const bool is_new = corrected != nullptr && corrected->observation == number;
      base.apply(Observed{std::get<Observed>(*event).arm, other->second.reward},
                 is_new ? Study::Trust::except_rewards : others);
    } else {
      base.apply(*event, others);
    }
  }
  return base;
}

void StudyLog::add(const Event& event) {
  if (known_) known_->add(event, next_event());
  if (const auto* pulled = std::get_if<PulledInstead>(&event)) note_pull(pulled->decision, pulled->instead_of);
  events_.push_back(event);
}

void StudyLog::drop_old_events() {
  if (events_.size() / 2 < keep_) return;
  const std::size_t dropped = events_.size() - keep_;
  keep_replacements(dropped);
  base_ = after(base_with(study_.spec().noise), dropped, {});
  events_.drop_first(dropped);
  first_event_ += static_cast<std::int64_t>(dropped);
  known_.reset();
}

std::vector<StudyLog::EventDifference> StudyLog::replay(std::span<const Event> events) {
  std::vector<EventDifference> differences;
  for (const Event& event : events) {
    const std::int64_t number = next_event();
    try {
      if (const auto* corrected = std::get_if<Corrected>(&event)) {
        if (correct({corrected->decision, corrected->outcome, corrected->observation}) == nullptr) {
          throw InputError("the correction changes nothing: this outcome is recorded already");
        }
      } else if (const auto* noise = std::get_if<NoiseChanged>(&event)) {
        if (change_noise({noise->noise}) == nullptr) throw InputError("the noise is the same as before");
      } else {
        if (const auto* pulled = std::get_if<PulledInstead>(&event))
          check_pull_instead(pulled->instead_of, pulled->arm);
        if (auto difference = study_.apply(event)) differences.push_back({number, std::move(*difference)});
      }
    } catch (const InputError& error) {
      throw EventError(number, error.what());
    }
    add(event);
  }
  drop_old_events();  // not before: a correction needs the report that it corrects
  return differences;
}

void StudyLog::load(std::span<const Event> events) {
  for (const Event& event : events) {
    const auto* corrected = std::get_if<Corrected>(&event);
    if (corrected == nullptr) {
      if (std::holds_alternative<NoiseChanged>(event)) apply_corrections();
      if (is_corrected_) {
        // Checked in a study without the corrections: what was accepted with them must not be refused.
        const std::int64_t number = next_event();
        try {
          if (const auto* pulled = std::get_if<PulledInstead>(&event))
            check_pull_instead(pulled->instead_of, pulled->arm);
          study_.apply(event, Study::Trust::accepted);
        } catch (const InputError& error) {
          throw EventError(number, error.what());
        }
        add(event);
      } else {
        replay({&event, 1});
      }
      continue;
    }
    const std::int64_t number = next_event();
    try {
      const Correct correct{corrected->decision, checked(corrected->outcome), corrected->observation};
      const KnownOutcome& known = known_before(correct);
      if (known.outcome == correct.outcome)
        throw InputError("the correction changes nothing: this outcome is recorded already");
      if (counts_again(known, {correct.decision, correct.outcome, correct.observation})) {
        check_only_pull(correct.decision);
      }
    } catch (const InputError& error) {
      throw EventError(number, error.what());
    }
    add(event);
    is_corrected_ = true;
  }
}

void StudyLog::apply_corrections() {
  if (!std::exchange(is_corrected_, false)) return;
  study_ = after(base_with(study_.spec().noise), events_.size(), {});
  drop_old_events();
}

}  // namespace longrun
