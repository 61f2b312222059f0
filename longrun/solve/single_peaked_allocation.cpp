#include "longrun/solve/single_peaked_allocation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "longrun/base/cancellation.h"

// The best total of k arms sharing t pulls is best_k(t) = max_m best_{k-1}(t - m) + F_k(m), where arm k takes m pulls
// and leaves s = t - m to the others. Let p be the peak of f_k: F_k is convex up to p and concave from q = p - 1 on.
//
// m = 0: the value is best_{k-1}(t).
//
// m >= q: F_k is concave in this range. Of two ways to split t, the one that leaves the others more improves relative
// to the one that leaves them less as t grows, so the best s never falls as t grows: divide and conquer over t, O(T log
// T).
//
// 0 < m < q: suppose every best m is in this range, and take the largest. One pull more for the arm is then worse (at
// m = q it would be in the case above), and one pull less is no better:
//
//   f_k(m + 1) < best_{k-1}(s) - best_{k-1}(s - 1)  unless s = 0,    f_k(m) >= best_{k-1}(s + 1) - best_{k-1}(s).
//
// As f_k rises in this range, these m are an interval. It is empty unless the others' gain per pull drops at s, and the
// intervals of two s overlap only if that gain has risen again in between. So there are at most O(T) candidates, plus q
// for every time the gain has risen and fallen again. Arms with early peaks make it do so often; they are added last,
// when q is small. In the worst case this is O(T q), no worse than the plain dynamic program.

namespace longrun {
namespace {

/// Rewards as whole multiples of a small unit. Integer totals are exact, so equal gains compare equal. In floating
/// point, rounding errors would make every pull of a flat stretch a candidate, and a tolerance that covers those errors
/// could, over a long stretch, hide a real difference.
using Units = std::int64_t;

/// Returns the number of units per reward of 1: the largest power of two for which no total of T rewards overflows.
double units_per_reward(const RewardTable& rewards) {
  double largest = 0;
  for (const auto& curve : rewards) {
    for (const double reward : curve) largest = std::max(largest, std::abs(reward));
  }
  int reward_bits = 0;
  std::frexp(largest, &reward_bits);
  const int horizon_bits = static_cast<int>(std::bit_width(rewards[0].size()));
  return std::ldexp(1.0, std::min(62 - reward_bits - horizon_bits, 1000));
}

/// An arm whose rewards are rounded to whole units, with its valleys filled.
class GridArm {
 public:
  GridArm(std::span<const double> rewards, double units) : backwards_(rewards.size() + 1) {
    const std::vector<double> curve = without_valleys(rewards);
    Units highest = 0;
    Units total = 0;
    for (std::size_t pull = 1; pull <= curve.size(); ++pull) {
      const Units reward = std::llrint(curve[pull - 1] * units);
      if (pull == 1 || reward > highest) {
        highest = reward;
        concave_from_ = pull - 1;
      }
      total += reward;
      backwards_[curve.size() - pull] = total;
    }
  }

  Units total(std::size_t pulls) const { return backwards_.data()[backwards_.size() - 1 - pulls]; }
  Units reward(std::size_t pull) const { return total(pull) - total(pull - 1); }
  /// Returns F(pulls), F(pulls - 1), ..., F(0): the arm's totals when the other arms get 0, 1, ... of `pulls` pulls.
  const Units* totals_down_from(std::size_t pulls) const { return backwards_.data() + (backwards_.size() - 1 - pulls); }
  /// Returns the count from which on F is concave. F is convex up to one pull later.
  std::size_t concave_from() const { return concave_from_; }

 private:
  std::vector<Units> backwards_;  // F(T), F(T - 1), ..., F(0)
  std::size_t concave_from_ = 0;  // the pull before the peak
};

/// Returns the s in [first, last] with the largest a[s] + b[s], the first on ties.
std::size_t largest_sum(const Units* a, const Units* b, std::size_t first, std::size_t last) {
  std::size_t best = first;
  Units largest = a[first] + b[first];
  for (std::size_t s = first + 1; s <= last; ++s) {
    const Units sum = a[s] + b[s];
    best = sum > largest ? s : best;
    largest = sum > largest ? sum : largest;
  }
  return best;
}

/// The step that adds one arm to the `others`, whose best totals are known.
class Joining {
 public:
  Joining(const GridArm& arm, const std::vector<Units>& others)
      : best(others), taken(others.size(), 0), arm_(arm), others_(others), horizon_(others.size() - 1) {
    take_concave_part(arm.concave_from(), horizon_ + 1, 0, horizon_);
    take_convex_part();
  }

  std::vector<Units> best;          ///< [t], the best total of t pulls with the arm
  std::vector<std::int32_t> taken;  ///< [t], the pulls of the arm

 private:
  /// Updates the best total of takes + left pulls, where the arm takes `takes` and the others have `left`.
  void offer(std::size_t takes, std::size_t left) {
    const std::size_t t = takes + left;
    const Units total = arm_.total(takes) + others_.data()[left];
    if (total <= best.data()[t]) return;
    best.data()[t] = total;
    taken.data()[t] = static_cast<std::int32_t>(takes);
  }

  /// Finds, for t in [first, end), the best s in [fewest, most] for the others with t - s in the concave part.
  void take_concave_part(std::size_t first, std::size_t end, std::size_t fewest, std::size_t most) {
    if (first >= end) return;
    const std::size_t t = first + (end - first) / 2;
    const std::size_t most_at_t = std::min(most, t - arm_.concave_from());
    const std::size_t left = largest_sum(arm_.totals_down_from(t), others_.data(), fewest, most_at_t);
    offer(t - left, left);
    take_concave_part(first, t, fewest, left);
    take_concave_part(t + 1, end, left, most);
  }

  /// Tries, for every s left to the others, the pulls inside the convex part that neither neighbour beats.
  void take_convex_part() {
    const std::size_t end = arm_.concave_from();
    if (end < 2) return;
    // The first pull, up to `end`, whose reward is at least the others' gain from their next pull (beats_next) or from
    // their last pull (beats_last). It moves down by the number of candidates, and up no further than down, so stepping
    // is faster than a binary search.
    std::size_t beats_next = 1;
    std::size_t beats_last = end + 1;
    for (std::size_t left = 0; left < horizon_; ++left) {
      if (left % 1024 == 0) throw_if_cancelled();
      const Units next = others_.data()[left + 1] - others_.data()[left];
      while (beats_next > 1 && arm_.reward(beats_next - 1) >= next) --beats_next;
      while (beats_next <= end && arm_.reward(beats_next) < next) ++beats_next;
      for (std::size_t m = beats_next; m + 1 < beats_last && m + left <= horizon_; ++m) offer(m, left);
      beats_last = beats_next;
    }
  }

  const GridArm& arm_;
  const std::vector<Units>& others_;
  std::size_t horizon_;
};

std::vector<Arm> latest_peak_first(const RewardTable& rewards) {
  std::vector<std::ptrdiff_t> peaks;
  for (const auto& curve : rewards) peaks.push_back(std::max_element(curve.begin(), curve.end()) - curve.begin());
  std::vector<Arm> order(rewards.size());
  std::iota(order.begin(), order.end(), Arm{0});
  std::stable_sort(order.begin(), order.end(), [&](Arm a, Arm b) {
    return peaks[static_cast<std::size_t>(a)] > peaks[static_cast<std::size_t>(b)];
  });
  return order;
}

/// The best allocations of 0 to T pulls, with totals in units.
struct Shared {
  AllocationTable table;
  std::vector<Units> best;
};

/// Returns the best allocations of the first `arms` arms, in the order of the table, for every number of pulls up to
/// the horizon.
Shared share(const RewardTable& rewards, std::size_t arms, double units) {
  Shared shared;
  shared.table.order = latest_peak_first(rewards);
  shared.best = std::vector<Units>(rewards[0].size() + 1, 0);
  for (std::size_t k = 0; k < arms; ++k) {
    const GridArm arm(rewards[static_cast<std::size_t>(shared.table.order[k])], units);
    if (k == 0) {
      for (std::size_t t = 0; t < shared.best.size(); ++t) shared.best[t] = arm.total(t);
    } else {
      Joining joining(arm, shared.best);
      shared.best = std::move(joining.best);
      shared.table.taken.push_back(std::move(joining.taken));
    }
  }
  return shared;
}

}  // namespace

std::vector<double> without_valleys(std::span<const double> rewards) {
  std::vector<double> curve(rewards.begin(), rewards.end());
  const auto peak = std::max_element(curve.begin(), curve.end());
  const auto after = curve.rend() - (peak - curve.begin());
  std::partial_sum(curve.begin(), peak, curve.begin(), [](double a, double b) { return std::max(a, b); });
  std::partial_sum(curve.rbegin(), after, curve.rbegin(), [](double a, double b) { return std::max(a, b); });
  return curve;
}

Valley deepest_valley(const RewardTable& rewards) {
  Valley deepest;
  for (std::size_t arm = 0; arm < rewards.size(); ++arm) {
    const std::vector<double> filled = without_valleys(rewards[arm]);
    for (std::size_t i = 0; i < filled.size(); ++i) {
      const double depth = filled[i] - rewards[arm][i];
      if (depth > deepest.depth) deepest = {static_cast<Arm>(arm), static_cast<Pulls>(i + 1), depth};
    }
  }
  return deepest;
}

std::vector<Pulls> single_peaked_allocation(const RewardTable& rewards) {
  const std::size_t horizon = rewards[0].size();
  if (rewards.size() == 1) return {static_cast<Pulls>(horizon)};
  const double units = units_per_reward(rewards);
  const auto [table, best] = share(rewards, rewards.size() - 1, units);
  // The last arm is needed for one horizon only, which takes O(T) for any curve.
  const auto last = static_cast<std::size_t>(table.order.back());
  const GridArm arm(rewards[last], units);
  const std::size_t left = largest_sum(arm.totals_down_from(horizon), best.data(), 0, horizon);
  std::vector<Pulls> pulls = table.pulls(static_cast<Pulls>(left));
  pulls[last] = static_cast<Pulls>(horizon - left);
  return pulls;
}

AllocationsByHorizon single_peaked_allocations(const RewardTable& rewards) {
  AllocationsByHorizon found;
  found.table = share(rewards, rewards.size(), units_per_reward(rewards)).table;
  found.values = running_totals(rewards[static_cast<std::size_t>(found.table.order[0])]);
  for (std::size_t k = 1; k < rewards.size(); ++k) {
    const std::vector<double> totals = running_totals(rewards[static_cast<std::size_t>(found.table.order[k])]);
    const std::vector<std::int32_t>& taken = found.table.taken[k - 1];
    // From the longest horizon down, so that the shorter ones still hold the values without this arm.
    for (std::size_t t = taken.size(); t-- > 0;) {
      const auto takes = static_cast<std::size_t>(taken[t]);
      found.values[t] = found.values[t - takes] + totals[takes];
    }
  }
  return found;
}

}  // namespace longrun
