#include "longrun/solve/constrained_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/solve/allocation_table.h"

namespace longrun {
namespace {

constexpr double kMostTableSteps = 4e11;        // of the dynamic program: a few minutes
constexpr Pulls kMostEntries = Pulls{1} << 28;  // of all tables, 4 bytes each: 1 GB
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

std::vector<std::size_t> by_until(const AllocationLimits& limits) {
  std::vector<std::size_t> order(limits.until.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return limits.until[a] < limits.until[b]; });
  return order;
}

bool possible(const std::vector<Pulls>& pulls, const AllocationLimits& limits) {
  Pulls spent = 0;
  for (const std::size_t arm : by_until(limits)) {
    spent += limits.costs[arm] * pulls[arm];
    if (pulls[arm] > 0 && spent > limits.until[arm]) return false;
  }
  return true;
}

/// Returns the same limits in the largest unit of which all costs are multiples. A smaller remainder buys no pull.
AllocationLimits in_larger_units(AllocationLimits limits) {
  Pulls unit = limits.costs[0];
  for (const Pulls cost : limits.costs) unit = std::max<Pulls>(1, std::gcd(unit, cost));
  for (Pulls& cost : limits.costs) cost /= unit;
  for (Pulls& until : limits.until) until /= unit;
  return limits;
}

/// Returns the steps of the dynamic program: for every arm, one per number of units u and number of pulls that u units
/// can buy.
double steps(const AllocationLimits& limits) {
  double total = 0;
  for (std::size_t arm = 0; arm < limits.until.size(); ++arm) {
    const auto units = static_cast<double>(limits.until[arm]);
    total += units * units / (2 * static_cast<double>(limits.costs[arm]));
  }
  return total;
}

void check_size(const KnownArms& known, const AllocationLimits& limits) {
  const double entries = std::accumulate(limits.until.begin(), limits.until.end(), 0.0);
  if (steps(limits) <= kMostTableSteps && entries <= static_cast<double>(kMostEntries)) return;
  const double factor =
      std::min(std::sqrt(kMostTableSteps / steps(limits)), static_cast<double>(kMostEntries) / entries);
  throw InputError(fmt::format(
      "the exact optimum of {} arms with horizon {} under these constraints would take {:.1e} steps and a table of "
      "{:.1e} entries; shorten the horizon to about {}",
      known.arms, known.horizon, steps(limits), entries,
      static_cast<Pulls>(static_cast<double>(known.horizon) * factor)));
}

/// Adds one arm to the dynamic program: best[u] becomes the largest total reward, with this arm, of exactly u <= until
/// units. Returns the pulls of the arm for each u.
std::vector<std::int32_t> add_arm(const std::vector<double>& totals, Pulls cost, Pulls least, Pulls until,
                                  std::vector<double>& best) {
  const std::vector<double> others = std::move(best);
  const auto units = static_cast<std::size_t>(until);
  const auto step = static_cast<std::size_t>(cost);
  best.assign(units + 1, kImpossible);
  std::vector<std::int32_t> taken(units + 1, 0);
  const auto first = static_cast<std::size_t>(least);
  for (std::size_t pulls = first; pulls < totals.size() && pulls * step <= units; ++pulls) {
    throw_if_cancelled();
    const std::size_t spent = pulls * step;
    const std::size_t end = std::min(units, spent + others.size() - 1);
    for (std::size_t u = spent; u <= end; ++u) {
      const double value = others[u - spent] + totals[pulls];
      if (!(value > best[u])) continue;
      best[u] = value;
      taken[u] = static_cast<std::int32_t>(pulls);
    }
  }
  return taken;
}

std::vector<double> totals_of(const KnownArms& known, Arm arm, Pulls pulls) {
  std::vector<double> rewards;
  rewards.reserve(static_cast<std::size_t>(pulls));
  for (Pulls pull = 1; pull <= pulls; ++pull) rewards.push_back(known.reward(arm, pull));
  return running_totals(rewards);
}

std::vector<Pulls> by_dynamic_program(const KnownArms& known, const AllocationLimits& limits) {
  const std::vector<std::size_t> order = by_until(limits);
  std::vector<double> best{0};
  std::vector<std::vector<std::int32_t>> taken;
  for (const std::size_t arm : order) {
    const Pulls until = limits.until[arm];
    const std::vector<double> totals = totals_of(known, static_cast<Arm>(arm), until / limits.costs[arm]);
    taken.push_back(add_arm(totals, limits.costs[arm], limits.least[arm], until, best));
  }
  auto left = static_cast<std::size_t>(std::max_element(best.begin(), best.end()) - best.begin());
  if (best[left] == kImpossible) throw InputError("no allocation meets all constraints");
  std::vector<Pulls> pulls(order.size());
  for (std::size_t k = order.size(); k > 0; --k) {
    const std::size_t arm = order[k - 1];
    pulls[arm] = taken[k - 1][left];
    left -= static_cast<std::size_t>(pulls[arm] * limits.costs[arm]);
  }
  return pulls;
}

}  // namespace

Allocation constrained_allocation(const KnownArms& known, const AllocationLimits& given) {
  const AllocationLimits limits = in_larger_units(given);
  if (std::all_of(limits.costs.begin(), limits.costs.end(), [](Pulls cost) { return cost == 1; })) {
    KnownArms at_most = known;
    at_most.horizon = *std::max_element(limits.until.begin(), limits.until.end());
    Allocation relaxed = best_allocation(at_most, limits.least);
    relaxed.horizon = known.horizon;
    if (possible(relaxed.pulls, limits)) return relaxed;
  }
  return constrained_allocation_by_dynamic_program(known, limits);
}

Allocation constrained_allocation_by_dynamic_program(const KnownArms& known, const AllocationLimits& limits) {
  check_size(known, limits);
  Allocation best{.horizon = known.horizon, .value = 0, .pulls = by_dynamic_program(known, limits)};
  best.value = total_reward(known, best.pulls);
  return best;
}

}  // namespace longrun
