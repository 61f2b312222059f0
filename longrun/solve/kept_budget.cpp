#include "longrun/solve/kept_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "longrun/solve/constrained_allocation.h"

namespace longrun {
namespace {

std::size_t index(Arm arm) { return static_cast<std::size_t>(arm); }

}  // namespace

KeptBudget::KeptBudget(ScheduleRules given) : Feasibility(std::move(given)), by_last_round_(rules().costs.size()) {
  const Pulls rounds = rules().budget.rounds();
  for (const std::vector<RoundRange>& ranges : rules().unavailable) {
    const bool available_at_end = ranges.empty() || ranges.back().to < rounds;
    last_rounds_.push_back(available_at_end ? rounds : ranges.back().from - 1);
  }
  std::iota(by_last_round_.begin(), by_last_round_.end(), Arm{0});
  std::stable_sort(by_last_round_.begin(), by_last_round_.end(),
                   [this](Arm a, Arm b) { return last_round(a) < last_round(b); });
}

std::optional<std::string> KeptBudget::obstacle(std::span<const Pulls> least, const ScheduleWords& words) const {
  const auto units = [&](Arm arm) {  // a double: minima times costs may exceed the largest number of units
    return static_cast<double>(least[index(arm)]) * static_cast<double>(rules().costs[index(arm)]);
  };
  const RoundBudget& budget = rules().budget;
  double needed = 0;
  for (std::size_t i = 0; i < by_last_round_.size(); ++i) {
    const Arm arm = by_last_round_[i];
    if (least[index(arm)] == 0) continue;
    const Pulls last = last_round(arm);
    if (last == 0) {
      return fmt::format("{} needs {} pull{}, but is available in none of the {} rounds", words.arm(arm),
                         least[index(arm)], least[index(arm)] == 1 ? "" : "s", budget.rounds());
    }
    needed += units(arm);
    if (needed <= static_cast<double>(budget.granted(last))) continue;
    for (std::size_t j = i + 1; j < by_last_round_.size() && last_round(by_last_round_[j]) == last; ++j) {
      needed += units(by_last_round_[j]);
    }
    if (last == budget.rounds())
      return fmt::format("{} units are needed, but the budget has only {}", needed / words.unit,
                         static_cast<double>(budget.units) / words.unit);
    return fmt::format("{} units are needed by round {}, the last of {}, but only {} are granted by then",
                       needed / words.unit, last, words.arm(arm),
                       static_cast<double>(budget.granted(last)) / words.unit);
  }
  return std::nullopt;
}

std::optional<std::string> KeptBudget::obstacle(const ScheduleState& state, const ScheduleWords& words) const {
  const RoundBudget& budget = rules().budget;
  const auto shown = [&](double units) { return units / words.unit; };
  double needed = 0;  // a double: minima times costs may exceed the largest number of units
  for (const Arm arm : by_last_round_) {
    const Pulls owed = state.owed[index(arm)];
    if (owed == 0) continue;
    const Pulls last = last_round(arm);
    if (last < state.round) {
      return fmt::format("{} needs {} more pull{}, but is available in none of the rounds that are left",
                         words.arm(arm), owed, owed == 1 ? "" : "s");
    }
    needed += static_cast<double>(owed) * static_cast<double>(rules().costs[index(arm)]);
    const auto left = static_cast<double>(std::max<Pulls>(0, budget.granted(last) - state.gone));
    if (needed <= left) continue;
    if (last == budget.rounds()) {
      return fmt::format("at least {} units are needed, but only {} are left", shown(needed), shown(left));
    }
    return fmt::format("at least {} units are needed by round {}, the last of {}, but only {} are left until then",
                       shown(needed), last, words.arm(arm), shown(left));
  }
  return std::nullopt;
}

std::vector<KeptBudget::Deadline> KeptBudget::deadlines(const ScheduleState& state) const {
  std::vector<Deadline> result;
  Pulls needed = 0;
  for (const Arm arm : by_last_round_) {
    const Pulls round = last_round(arm);
    if (state.owed[index(arm)] == 0 || round < state.round) continue;
    // Pulls that the arm's last round cannot pay for (their units were spent otherwise) cannot be made: they restrict
    // nothing. Units kept for them would be lost.
    const Pulls cost = rules().costs[index(arm)];
    const Pulls possible = std::max<Pulls>(0, rules().budget.granted(round) - state.gone) / cost;
    if (possible == 0) continue;
    needed += std::min(state.owed[index(arm)], possible) * cost;
    if (result.empty() || result.back().round < round) result.push_back({.round = round, .spare = 0});
    result.back().spare = rules().budget.granted(round) - state.gone - needed;
  }
  return result;
}

void KeptBudget::find_allowed(const ScheduleState& state, std::vector<Arm>& arms) const {
  const std::vector<Deadline> all = deadlines(state);
  arms.clear();
  for (Arm arm = 0; arm < rules().arms(); ++arm) {
    if (allowed(arm, state, all)) arms.push_back(arm);
  }
}

bool KeptBudget::allowed(Arm arm, const ScheduleState& state, std::span<const Deadline> deadlines) const {
  const Pulls cost = rules().costs[index(arm)];
  if (state.unavailable_now[index(arm)] != 0 || cost > rules().budget.units - state.gone) return false;
  const Pulls paid_in = std::max(state.round, rules().budget.round_of(state.gone + cost));
  if (!rules().available(arm, paid_in)) return false;
  return std::all_of(deadlines.begin(), deadlines.end(), [&](const Deadline& deadline) {
    if (deadline.round < paid_in) return false;  // pulls owed by then could not be made while units are saved
    const bool owed_by_then = state.owed[index(arm)] > 0 && last_round(arm) <= deadline.round;
    return owed_by_then || cost <= deadline.spare;
  });
}

Allocation KeptBudget::best_allocation(const KnownArms& known, std::span<const Pulls> least) const {
  AllocationLimits limits{.costs = rules().costs, .least = {least.begin(), least.end()}, .until = {}};
  for (const Pulls round : last_rounds_) limits.until.push_back(rules().budget.granted(round));
  return constrained_allocation(known, limits);
}

}  // namespace longrun
