#include "longrun/simulate/plan/plan_of_study.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "longrun/decide/study/study_log.h"

namespace longrun {
namespace {

/// The pulls of a study in the order in which they were decided or recorded.
class PullsInOrder {
 public:
  void add(const Event& event) {
    ++number_;
    std::visit(*this, event);
  }

  void operator()(const Decided& decided) {
    for (const Decision& decision : decided.decisions) {
      places_[decision.id] = pulls_.size();
      pulls_.push_back({decision.arm, std::nullopt});
      is_void_.push_back(false);
    }
  }
  void operator()(const Settled& settled) { set(settled.decision, settled.outcome); }
  void operator()(const Corrected& corrected) {
    if (corrected.observation == 0) return set(corrected.decision, corrected.outcome);
    set_at(observed_.at(corrected.observation), corrected.outcome);
  }
  void operator()(const Observed& observed) {
    observed_[number_] = pulls_.size();
    pulls_.push_back({observed.arm, observed.reward});
    is_void_.push_back(false);
  }
  void operator()(const PulledInstead& pulled) {
    places_[pulled.decision] = pulls_.size();
    pulls_.push_back({pulled.arm, std::nullopt});
    is_void_.push_back(false);
  }
  void operator()(const AvailabilityChanged&) {}
  void operator()(const ArmAdded&) {}
  void operator()(const BudgetExtended&) {}
  void operator()(const NoiseChanged&) {}
  void operator()(const ConstraintsChanged&) {}
  void operator()(const ModeChanged&) {}
  void operator()(const Closed&) {}

  std::vector<PastPull> made(PendingPulls pending) const {
    std::vector<PastPull> result;
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      const bool is_pending = !pulls_[i].reward && !pulls_[i].lost;
      if (!is_void_[i] && (!is_pending || pending == PendingPulls::included)) result.push_back(pulls_[i]);
    }
    return result;
  }

 private:
  void set(DecisionId decision, const Outcome& outcome) { set_at(places_.at(decision), outcome); }
  void set_at(std::size_t place, const Outcome& outcome) {
    PastPull& pull = pulls_[place];
    is_void_[place] = outcome.kind == OutcomeKind::voided;
    pull.reward = outcome.kind == OutcomeKind::observed ? std::optional(outcome.reward) : std::nullopt;
    pull.lost = outcome.kind == OutcomeKind::lost;
  }

  std::vector<PastPull> pulls_;                   // without a reward, and not lost, if pending or void
  std::vector<bool> is_void_;                     // one per pull
  std::map<DecisionId, std::size_t> places_;      // in pulls_
  std::map<std::int64_t, std::size_t> observed_;  // in pulls_, by the number of the event
  std::int64_t number_ = 0;                       // of the last event
};

template <class Kind>
bool has_event(const StudyHistory& history) {
  return std::any_of(history.events.begin(), history.events.end(),
                     [](const Event& event) { return std::holds_alternative<Kind>(event); });
}

}  // namespace

Study replayed(const StudyHistory& history, const std::string& policy, const Constraints& constraints) {
  StudySpec spec = history.spec;
  spec.policy = policy;
  if (!has_event<ConstraintsChanged>(history)) {
    const Constraints first = std::exchange(spec.constraints, constraints);
    // The other ones may name an arm that was not there at first, or need more than the first budget.
    if (has_event<ArmAdded>(history) || has_event<BudgetExtended>(history)) {
      spec.constraints.minimum_pulls = first.minimum_pulls;
      spec.constraints.minimum_share = first.minimum_share;
      spec.constraints.unavailable = first.unavailable;
    }
  }
  StudyLog log(std::move(spec));
  log.replay(history.events);
  Study study = log.study();
  if (study.spec().constraints != constraints) study.change_constraints(constraints);
  return study;
}

Question question_of(const StudyHistory& history, PendingPulls pending) {
  StudyLog log(history.spec);
  log.replay(history.events);
  const StudySpec& spec = log.study().spec();
  PullsInOrder pulls;
  for (const Event& event : history.events) pulls.add(event);
  return {.history = {.arm_names = spec.arms, .pulls = pulls.made(pending)},
          // A void pull that was made after all, by a correction, may take more than the budget.
          .horizon = std::max(spec.budget, log.study().spent()),
          .noise = spec.noise,
          .policy = spec.policy,
          .constraints = spec.constraints,
          .scale = spec.scale,
          .keep_outliers = true,  // as the study does
          .seed = spec.seed};
}

}  // namespace longrun
