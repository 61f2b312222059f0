#include "longrun/data/sorted_rewards.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>

namespace longrun {
namespace {

/// Returns how improbable it is, in bits, that rewards in random order are sorted: the logarithm of the number of their
/// different orders.
double bits_of_order(const std::vector<const PastPull*>& pulls) {
  std::map<double, double> equal;
  for (const PastPull* pull : pulls) equal[*pull->reward] += 1;
  double orders = std::lgamma(static_cast<double>(pulls.size()) + 1);
  for (const auto& [reward, count] : equal) orders -= std::lgamma(count + 1);
  return orders / std::log(2.0);
}

/// Returns whether at every row no arm has two pulls more than another.
bool are_balanced(const std::vector<const PastPull*>& pulls) {
  std::map<Arm, std::size_t> counts;
  for (const PastPull* pull : pulls) counts[pull->arm] = 0;
  std::size_t ahead = 0;  // arms that have one pull more than the others
  std::size_t turn = 1;
  for (const PastPull* pull : pulls) {
    if (++counts[pull->arm] > turn) return false;
    if (++ahead < counts.size()) continue;
    ahead = 0;
    ++turn;
  }
  return true;
}

/// Returns whether the reward of a pull depends on how often its arm was pulled before, and not on the arm.
bool are_equal_arms(const std::vector<const PastPull*>& pulls) {
  std::map<Arm, std::size_t> counts;
  std::vector<double> rewards;  // [i]: of the first arm that has so many pulls before it
  for (const PastPull* pull : pulls) {
    const std::size_t before = counts[pull->arm]++;
    if (before == rewards.size()) rewards.push_back(*pull->reward);
    if (rewards[before] != *pull->reward) return false;
  }
  return counts.size() > 1;
}

}  // namespace

std::vector<std::string> sorted_reward_warnings(const std::string& path, const std::vector<PastPull>& pulls,
                                                RowNames rows) {
  constexpr std::size_t kFewestTurns = 20;  // rows with another arm than the row above; arms of one run may only grow
  constexpr double kSurprising = 40;        // bits
  std::vector<const PastPull*> known;       // pulls whose reward is known
  for (const PastPull& pull : pulls) {
    if (pull.reward) known.push_back(&pull);
  }
  bool ascends = true;
  bool descends = true;
  std::size_t turns = 0;
  for (std::size_t i = 1; i < known.size() && (ascends || descends); ++i) {
    ascends = ascends && *known[i]->reward >= *known[i - 1]->reward;
    descends = descends && *known[i]->reward <= *known[i - 1]->reward;
    if (known[i]->arm != known[i - 1]->arm) ++turns;
  }
  const bool are_sorted = (ascends || descends) && turns >= kFewestTurns;
  if (!are_sorted || bits_of_order(known) < kSurprising) return {};
  if (are_balanced(known) || are_equal_arms(known)) return {};
  return {fmt::format(
      "{}: the rows seem to be sorted by their rewards{}: from {} on, whatever the arm, no reward is {} than the one "
      "before it; rows must be in the order of their pulls{}",
      path, ascends ? ", or rewards to be running totals" : "",
      row_name(static_cast<std::size_t>(known[0]->line), rows), ascends ? "smaller" : "larger",
      ascends ? ", and each reward that of one pull" : "")};
}

}  // namespace longrun
