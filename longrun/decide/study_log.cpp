#include "longrun/decide/study_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "longrun/base/input_error.h"

namespace longrun {

StudyLog::StudyLog(StudySpec spec, std::size_t keep)
    : keep_(std::max<std::size_t>(1, keep)), base_(std::move(spec)), study_(base_) {}

StudyLog::StudyLog(Study base, Study study, std::vector<Event> events, std::int64_t first_event, std::size_t keep)
    : keep_(std::max<std::size_t>(1, keep)),
      base_(std::move(base)),
      study_(std::move(study)),
      events_(std::move(events)),
      first_event_(first_event) {
  if (base_.initial_spec() != study_.initial_spec()) throw InputError("the two studies have different specifications");
  if (first_event_ < 1) throw InputError(fmt::format("event {}: events are numbered from 1", first_event_));
}

const Event* StudyLog::handle(const Command& command) {
  struct Handle {
    StudyLog& log;
    std::optional<Event> operator()(const Decide& decide) const {
      return log.study_.decide(decide.count, decide.among);
    }
    std::optional<Event> operator()(const Report& report) const { return log.settle(report); }
    std::optional<Event> operator()(const Correct& correct) const { return log.correct(correct); }
    std::optional<Event> operator()(const Observe& observe) const {
      return log.study_.observe(observe.arm, observe.reward);
    }
    std::optional<Event> operator()(const SetUnavailable& set) const { return log.study_.set_unavailable(set.arms); }
    std::optional<Event> operator()(const AddArm& add) const { return log.study_.add_arm(add.name); }
    std::optional<Event> operator()(const ExtendBudget& extend) const { return log.study_.extend_budget(extend.units); }
  };
  std::optional<Event> event = std::visit(Handle{*this}, command);
  if (!event) return nullptr;
  add(std::move(*event));
  return &events_.back();
}

std::optional<Event> StudyLog::settle(const Report& report) {
  const bool settled =
      report.decision >= 1 && report.decision <= study_.last_decision() && !study_.is_pending(report.decision);
  if (!settled) return study_.settle(report.decision, report.outcome);
  const Outcome known = outcome_of(report.decision);
  if (known == report.outcome) return std::nullopt;
  throw InputError(fmt::format("decision {} has another outcome already: {}; correct it if that is wrong",
                               report.decision, text_of(known)));
}

std::optional<Event> StudyLog::correct(const Correct& correct) {
  if (study_.is_pending(correct.decision)) {
    throw InputError(fmt::format("decision {} is pending; report its outcome", correct.decision));
  }
  if (outcome_of(correct.decision) == correct.outcome) return std::nullopt;
  check_kept(correct.decision);
  const Corrected event{correct.decision, correct.outcome};
  events_.emplace_back(event);
  try {
    rebuild();
  } catch (...) {  // the outcome is impossible, such as a reward off the scale
    events_.pop_back();
    throw;
  }
  events_.pop_back();  // handle() adds it
  return event;
}

/// A correction changes the outcome where it was first reported, so that event must be kept.
void StudyLog::check_kept(DecisionId decision) const {
  for (const Event& event : events_) {
    const auto* settled = std::get_if<Settled>(&event);
    if (settled != nullptr && settled->decision == decision) return;
  }
  throw InputError(fmt::format("the report of decision {} is no longer kept", decision));
}

Outcome StudyLog::outcome_of(DecisionId decision) const {
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (const auto* corrected = std::get_if<Corrected>(&*event);
        corrected != nullptr && corrected->decision == decision)
      return corrected->outcome;
    if (const auto* settled = std::get_if<Settled>(&*event); settled != nullptr && settled->decision == decision)
      return settled->outcome;
  }
  throw InputError(decision >= 1 && decision <= study_.last_decision()
                       ? fmt::format("the outcome of decision {} is no longer kept", decision)
                       : fmt::format("there is no decision {}; the last one is {}", decision, study_.last_decision()));
}

Study StudyLog::after(Study base, std::size_t count) const {
  std::unordered_map<DecisionId, Outcome> corrections;
  for (const Event& event : events_) {
    if (const auto* corrected = std::get_if<Corrected>(&event)) corrections[corrected->decision] = corrected->outcome;
  }
  // A corrected reward must be on the scale; the other corrections were accepted before.
  const auto* newest = events_.empty() ? nullptr : std::get_if<Corrected>(&events_.back());
  for (std::size_t i = 0; i < count; ++i) {
    if (std::holds_alternative<Corrected>(events_[i])) continue;
    const auto* settled = std::get_if<Settled>(&events_[i]);
    const auto found = settled == nullptr ? corrections.end() : corrections.find(settled->decision);
    if (found == corrections.end()) {
      base.apply(events_[i], Study::Trust::accepted);
    } else {
      const bool is_new = newest != nullptr && newest->decision == settled->decision;
      base.apply(Settled{settled->decision, found->second}, is_new ? Study::Trust::none : Study::Trust::accepted);
    }
  }
  return base;
}

void StudyLog::add(Event event) {
  events_.push_back(std::move(event));
  if (events_.size() / 2 < keep_) return;
  const std::size_t dropped = events_.size() - keep_;
  base_ = after(std::move(base_), dropped);
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(dropped));
  first_event_ += static_cast<std::int64_t>(dropped);
}

std::vector<StudyLog::EventDifference> StudyLog::replay(std::span<const Event> events) {
  std::vector<EventDifference> differences;
  for (const Event& event : events) {
    const std::int64_t number = next_event();
    try {
      if (const auto* corrected = std::get_if<Corrected>(&event)) {
        if (!correct({corrected->decision, corrected->outcome})) throw InputError("it corrects nothing");
      } else if (auto difference = study_.apply(event)) {
        differences.push_back({number, std::move(*difference)});
      }
    } catch (const InputError& error) {
      throw InputError(fmt::format("event {}: {}", number, error.what()));
    }
    add(event);
  }
  return differences;
}

}  // namespace longrun
