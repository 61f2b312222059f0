// The replay of recorded events in a study.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/study.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

std::optional<Difference> Study::apply(const Event& event, Trust trust) {
  struct Apply {
    Study& study;
    Trust trust;
    std::optional<Difference> operator()(const Decided& decided) const { return study.apply_decided(decided, trust); }
    std::optional<Difference> operator()(const Settled& settled) const {
      study.settle(settled.decision, settled.outcome, trust);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const Corrected&) const {
      throw InputError("a correction needs the events before it");
    }
    std::optional<Difference> operator()(const Observed& observed) const {
      study.observe(observed.arm, observed.reward, trust);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const PulledInstead& pulled) const {
      study.apply_pulled(pulled);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const AvailabilityChanged& changed) const {
      study.set_unavailable(changed.unavailable);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const ArmAdded& added) const {
      study.add_arm(added.name);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const BudgetExtended& extended) const {
      study.extend_budget(extended.units);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const NoiseChanged&) const {
      throw InputError("a change of the noise needs the events before it");
    }
    std::optional<Difference> operator()(const ConstraintsChanged& changed) const {
      study.change_constraints(changed.constraints, trust);
      return std::nullopt;
    }
    std::optional<Difference> operator()(const ModeChanged&) const {
      study.check_open();
      return std::nullopt;
    }
    std::optional<Difference> operator()(const Closed&) const {
      study.close();
      return std::nullopt;
    }
  };
  return std::visit(Apply{*this, trust}, event);
}

void Study::apply_pulled(const PulledInstead& recorded) {
  if (recorded.decision != last_decision_ + 1) {
    throw InputError(
        fmt::format("decision {} follows decision {}; numbers must be consecutive", recorded.decision, last_decision_));
  }
  pull_instead(recorded.instead_of, recorded.arm);
}

/// Throws InputError if the decisions spend more than the budget has, or have other numbers than those of the next
/// ones.
void Study::check_follows(const Decided& recorded) const {
  std::map<Arm, Pulls> in_round;
  Pulls cost = 0;
  for (const Decision& decision : recorded.decisions) {
    const Pulls pull = pulls(decision.arm) + ++in_round[decision.arm];
    if (decision.pull != pull) {
      throw InputError(fmt::format("decision {}: pull {} of {}; its next pull is number {}", decision.id, decision.pull,
                                   arm_label(spec_.arms, decision.arm), pull));
    }
    cost += policy_.constraints().cost(decision.arm);
  }
  const Pulls left = policy_.unspent() + policy_.committed();
  if (cost > 0 && cost > left) {
    throw InputError(fmt::format("the decisions cost {} units; the budget of {} units has {} left",
                                 spec_.constraints.units_text(cost), spec_.constraints.units_text(spec_.budget),
                                 spec_.constraints.units_text(left)));
  }
}

/// Decides again, so that the policy's state is that of the study that made the decisions.
std::optional<Difference> Study::apply_decided(const Decided& recorded, Trust trust) {
  check_open();
  check_ascending(recorded.among);
  for (const Decision& decision : recorded.decisions) {
    check_arm(decision.arm);
    if (decision.id != last_decision_ + 1 + (&decision - recorded.decisions.data())) {
      throw InputError(fmt::format("decision {} follows decision {}; numbers must be consecutive", decision.id,
                                   last_decision_ + (&decision - recorded.decisions.data())));
    }
  }
  if (trust == Trust::none) check_follows(recorded);
  std::vector<Arm> arms;
  for (const Decision& decision : recorded.decisions) arms.push_back(decision.arm);
  const std::vector<Arm> recomputed = policy_.adopt_round(arms, recorded.among);
  for (const Decision& decision : recorded.decisions) {
    pending_.push_back({decision.id, decision.arm});
    order_.add(decision.arm, decision.id);
  }
  last_decision_ += static_cast<DecisionId>(recorded.decisions.size());
  if (recomputed == arms) return std::nullopt;
  return Difference{std::move(arms), recomputed};
}

}  // namespace longrun
