#include "longrun/policy/optimal.h"

#include <fmt/format.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/base/interruption.h"
#include "longrun/model/constraint_terms.h"
#include "longrun/solve/constrained_allocation.h"
#include "longrun/solve/flow_allocation.h"

namespace longrun {

KnownArms known_arms(const Bandit& bandit, Pulls horizon) {
  return {.arms = bandit.arm_count(), .horizon = horizon, .reward = [&bandit](Arm arm, Pulls pull) {
            if (pull % kStepsUnasked == 1) leave_if_interrupted();  // solvers that read rewards need not ask, then
            return bandit.arms[static_cast<std::size_t>(arm)].reward(pull);
          }};
}

Allocation optimal_allocation(const Bandit& bandit, Pulls horizon) {
  return best_allocation(known_arms(bandit, horizon));
}

namespace {

/// Where units lapse: what each period in which the same arms are there can give.
Allocation optimum_of_periods(const Bandit& bandit, const ConstraintTerms& terms) {
  std::vector<Pulls> least(bandit.arms.size());
  for (Arm arm = 0; arm < terms.arms(); ++arm) least[static_cast<std::size_t>(arm)] = terms.least_pulls(arm);
  Periods periods;
  Pulls pulls = 0;
  for (const auto& [from, to] : terms.periods(1)) {
    std::vector<bool> there = terms.there(from);
    if (std::find(there.begin(), there.end(), true) == there.end()) continue;
    periods.pulls.push_back(terms.granted(to) - terms.granted(from - 1));
    periods.there.push_back(std::move(there));
    pulls += periods.pulls.back();
  }
  Allocation best = flow_allocation(known_arms(bandit, pulls), least, periods);
  best.horizon = terms.horizon();
  return best;
}

}  // namespace

Allocation optimal_allocation(const Bandit& bandit, Pulls horizon, const Constraints& constraints) {
  if (constraints.none()) return optimal_allocation(bandit, horizon);
  const ConstraintTerms terms(constraints, bandit.arm_count(), horizon);
  if (terms.units_lapse()) return optimum_of_periods(bandit, terms);
  AllocationLimits limits;
  for (Arm arm = 0; arm < terms.arms(); ++arm) {
    limits.costs.push_back(terms.cost(arm));
    limits.least.push_back(terms.least_pulls(arm));
    limits.until.push_back(terms.granted(terms.last_round(arm)));
  }
  return constrained_allocation(known_arms(bandit, horizon), limits);
}

double policy_regret(double optimum, double earned) {
  const double regret = optimum - earned;
  return regret < 0 && regret > -1e-9 * std::max(1.0, optimum) ? 0 : regret;
}

Optimal::Optimal(const Setting& setting) : ledger_(setting), plan_(setting.plan) {
  if (plan_.size() != static_cast<std::size_t>(setting.arms)) {
    throw InputError(fmt::format("policy 'optimal' needs the best pull counts of {} arms, which only known curves give",
                                 setting.arms));
  }
}

Arm Optimal::choose() {
  Arm arm = 0;
  for (Arm candidate = 0; candidate < ledger_.arms(); ++candidate) {
    const Pulls planned = plan_[static_cast<std::size_t>(candidate)];
    if (planned > 0) arm = candidate;
    if (ledger_.issued(candidate) < planned) break;
  }
  ledger_.suggest(arm);
  return arm;
}

Arm Optimal::choose(const Choices& among) {
  const auto planned = [this](Arm arm) { return ledger_.issued(arm) < plan_[static_cast<std::size_t>(arm)]; };
  const auto found = std::find_if(among.arms.begin(), among.arms.end(), planned);
  const Arm arm = found == among.arms.end() ? among.arms[0] : *found;
  ledger_.suggest(arm);
  return arm;
}

void Optimal::observe(Arm arm, double) { ledger_.settle(arm); }

}  // namespace longrun
