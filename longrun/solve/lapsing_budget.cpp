#include "longrun/solve/lapsing_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "longrun/solve/flow_allocation.h"

namespace longrun {
namespace {

/// Returns a flow that gives every arm its `wanted` units, or nullopt if no flow does.
std::optional<PeriodFlow> flow_of(Periods periods, std::span<const Pulls> wanted) {
  PeriodFlow flow(std::move(periods));
  for (std::size_t arm = 0; arm < wanted.size(); ++arm) {
    if (flow.raise(static_cast<Arm>(arm), wanted[arm]) < wanted[arm]) return std::nullopt;
  }
  return flow;
}

}  // namespace

LapsingBudget::LapsingBudget(ScheduleRules given) : Feasibility(std::move(given)), starts_{1} {
  for (const std::vector<RoundRange>& ranges : rules().unavailable) {
    for (const auto& [from, to] : ranges) {
      starts_.push_back(from);
      if (to < rules().budget.rounds()) starts_.push_back(to + 1);
    }
  }
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
}

std::vector<bool> LapsingBudget::available(Pulls round) const {
  std::vector<bool> result;
  result.reserve(rules().costs.size());
  for (Arm arm = 0; arm < rules().arms(); ++arm) result.push_back(rules().available(arm, round));
  return result;
}

Periods LapsingBudget::periods_from(Pulls round, Pulls left) const {
  const RoundBudget& budget = rules().budget;
  Periods periods;
  auto next = std::upper_bound(starts_.begin(), starts_.end(), round);
  for (Pulls from = round;; from = *next++) {
    const Pulls end = next == starts_.end() ? budget.units : budget.granted(*next - 1);
    periods.units.push_back(end - (from == round ? budget.granted(round) - left : budget.granted(from - 1)));
    periods.available.push_back(available(from));
    if (next == starts_.end()) return periods;
  }
}

std::optional<std::string> LapsingBudget::obstacle(std::span<const Pulls> least, const ScheduleWords& words) const {
  const double needed = std::accumulate(least.begin(), least.end(), 0.0);
  const RoundBudget& budget = rules().budget;
  if (needed > static_cast<double>(budget.units)) {
    return fmt::format("{} units are needed, but the budget has only {}", needed, budget.units);
  }
  if (flow_of(periods_from(1, budget.granted(1)), least)) return std::nullopt;
  for (Arm arm = 0; arm < rules().arms(); ++arm) {
    const Pulls wanted = least[static_cast<std::size_t>(arm)];
    const Pulls most = PeriodFlow(periods_from(1, budget.granted(1))).raise(arm, wanted);
    if (most < wanted) {
      return fmt::format("{} needs {} units, but only {} are granted in rounds in which it is available",
                         words.arm(arm), wanted, most);
    }
  }
  return fmt::format("{} units are needed, more than are granted in rounds in which their arms are available", needed);
}

std::optional<std::string> LapsingBudget::obstacle(const ScheduleState& state, const ScheduleWords& words) const {
  const RoundBudget& budget = rules().budget;
  const double needed = std::accumulate(state.owed.begin(), state.owed.end(), 0.0);
  if (needed == 0) return std::nullopt;
  const Pulls left = std::max<Pulls>(0, budget.units - state.gone);
  if (state.round > budget.rounds() || needed > static_cast<double>(left)) {
    return fmt::format("{} units are needed, but only {} are left", needed, state.round > budget.rounds() ? 0 : left);
  }
  const Periods periods = periods_from(state.round, std::max<Pulls>(0, budget.granted(state.round) - state.gone));
  if (flow_of(periods, state.owed)) return std::nullopt;
  for (Arm arm = 0; arm < rules().arms(); ++arm) {
    const Pulls wanted = state.owed[static_cast<std::size_t>(arm)];
    const Pulls most = PeriodFlow(periods).raise(arm, wanted);
    if (most < wanted) {
      return fmt::format("{} needs {} more units, but only {} are left in rounds in which it is available",
                         words.arm(arm), wanted, most);
    }
  }
  return fmt::format("{} units are needed, more than are left in rounds in which their arms are available", needed);
}

/// Returns the arms to allow if the minima cannot all be met any more (pulls were cancelled, or an arm became
/// unavailable): those that are owed pulls, or all if none of them is available.
std::vector<bool> LapsingBudget::arms_to_catch_up(const ScheduleState& state) const {
  std::vector<bool> owed(state.owed.size());
  bool any = false;
  for (std::size_t i = 0; i < owed.size(); ++i) {
    owed[i] = state.owed[i] > 0;
    any = any || (owed[i] && state.unavailable_now[i] == 0 && rules().available(static_cast<Arm>(i), state.round));
  }
  return any ? owed : std::vector(owed.size(), true);
}

void LapsingBudget::find_allowed(const ScheduleState& state, std::vector<Arm>& allowed) const {
  allowed.clear();
  const Pulls left = rules().budget.granted(state.round) - state.gone;
  if (left < 1) return;
  std::vector<bool> keeps_minima;  // empty: nothing is owed
  if (std::any_of(state.owed.begin(), state.owed.end(), [](Pulls pulls) { return pulls > 0; })) {
    const auto flow = flow_of(periods_from(state.round, left), state.owed);
    keeps_minima = flow ? flow->can_free_unit(0) : arms_to_catch_up(state);
  }
  for (Arm arm = 0; arm < rules().arms(); ++arm) {
    const auto i = static_cast<std::size_t>(arm);
    if (state.unavailable_now[i] != 0 || !rules().available(arm, state.round)) continue;
    if (keeps_minima.empty() || keeps_minima[i]) allowed.push_back(arm);
  }
}

Pulls LapsingBudget::lapsing(Pulls round, Pulls gone) const {
  return std::max<Pulls>(0, rules().budget.granted(round) - gone);
}

Allocation LapsingBudget::best_allocation(const KnownArms& known, std::span<const Pulls> least) const {
  const Periods all = periods_from(1, rules().budget.granted(1));
  Periods usable;
  KnownArms within = known;
  within.horizon = 0;
  for (std::size_t period = 0; period < all.units.size(); ++period) {
    const std::vector<bool>& available = all.available[period];
    if (std::find(available.begin(), available.end(), true) == available.end()) continue;
    usable.units.push_back(all.units[period]);
    usable.available.push_back(available);
    within.horizon += all.units[period];
  }
  Allocation best = flow_allocation(within, {least.begin(), least.end()}, usable);
  best.horizon = rules().budget.units;
  return best;
}

}  // namespace longrun
