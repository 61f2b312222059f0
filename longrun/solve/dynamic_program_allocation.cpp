#include "longrun/solve/dynamic_program_allocation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "longrun/base/cancellation.h"

namespace longrun {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 16 * kLanes;

/// Returns the largest a[j] + b[j] of one block. Independent lanes let the compiler compare several sums at once.
double largest_in_block(const double* a, const double* b) {
  std::array<double, kLanes> largest;
  for (std::size_t lane = 0; lane < kLanes; ++lane) largest[lane] = a[lane] + b[lane];
  for (std::size_t j = kLanes; j < kBlock; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double sum = a[j + lane] + b[j + lane];
      largest[lane] = sum > largest[lane] ? sum : largest[lane];
    }
  }
  return *std::max_element(largest.begin(), largest.end());
}

/// Returns the j < n with the largest a[j] + b[j]. Compares whole blocks first: tracking the position of the largest
/// sum through every comparison is several times slower than finding it again in the best block.
std::size_t largest_sum(const double* a, const double* b, std::size_t n) {
  double largest = -std::numeric_limits<double>::infinity();
  std::size_t best_block = 0;
  std::size_t j = 0;
  for (; j + kBlock <= n; j += kBlock) {
    const double in_block = largest_in_block(a + j, b + j);
    if (in_block > largest) {
      largest = in_block;
      best_block = j;
    }
  }
  std::size_t best = n;
  for (; j < n; ++j) {
    if (a[j] + b[j] > largest) {
      largest = a[j] + b[j];
      best = j;
    }
  }
  if (best < n) return best;
  for (best = best_block; a[best] + b[best] < largest;) ++best;
  return best;
}

/// Returns F(T), F(T - 1), ..., F(0). In this order others[s] + F(t - s) reads both tables forwards as s grows.
std::vector<double> totals_backwards(const std::vector<double>& rewards) {
  std::vector<double> totals = running_totals(rewards);
  std::reverse(totals.begin(), totals.end());
  return totals;
}

/// Adds one arm: best[t] becomes the best total of t pulls with this arm. Returns the pulls of the arm for each t.
std::vector<std::int32_t> add_arm(const std::vector<double>& rewards, std::vector<double>& best) {
  const std::vector<double> totals = totals_backwards(rewards);
  const std::vector<double> others = best;
  std::vector<std::int32_t> taken(best.size());
  for (std::size_t t = 0; t < best.size(); ++t) {
    throw_if_cancelled();
    const double* own = totals.data() + (best.size() - 1 - t);
    const std::size_t left = largest_sum(others.data(), own, t + 1);
    best[t] = others[left] + own[left];
    taken[t] = static_cast<std::int32_t>(t - left);
  }
  return taken;
}

/// Returns the best allocations of the first `arms` arms for every number of pulls up to the horizon.
AllocationsByHorizon share(const RewardTable& rewards, std::size_t arms) {
  AllocationsByHorizon shared;
  shared.table.order.resize(rewards.size());
  std::iota(shared.table.order.begin(), shared.table.order.end(), Arm{0});
  shared.values = running_totals(rewards[0]);
  for (std::size_t arm = 1; arm < arms; ++arm) shared.table.taken.push_back(add_arm(rewards[arm], shared.values));
  return shared;
}

}  // namespace

double dynamic_program_steps(Arm arms, Pulls horizon, bool every_horizon) {
  // The first arm needs no comparisons; the last one only those of one horizon, unless every horizon is wanted.
  const auto t = static_cast<double>(horizon);
  const Arm full_arms = every_horizon ? arms - 1 : arms - 2;
  return (full_arms > 0 ? full_arms : 0) * t * (t + 1) / 2 + t;
}

std::vector<Pulls> dynamic_program_allocation(const RewardTable& rewards) {
  const std::size_t last = rewards.size() - 1;
  const std::size_t horizon = rewards[0].size();
  if (last == 0) return {static_cast<Pulls>(horizon)};
  const auto [table, best] = share(rewards, last);
  const std::size_t left = largest_sum(best.data(), totals_backwards(rewards[last]).data(), horizon + 1);
  std::vector<Pulls> pulls = table.pulls(static_cast<Pulls>(left));
  pulls[last] = static_cast<Pulls>(horizon - left);
  return pulls;
}

AllocationsByHorizon dynamic_program_allocations(const RewardTable& rewards) { return share(rewards, rewards.size()); }

}  // namespace longrun
