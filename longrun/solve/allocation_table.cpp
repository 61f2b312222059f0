#include "longrun/solve/allocation_table.h"

#include <cstddef>

#include "longrun/base/running_sum.h"

namespace longrun {

std::vector<double> running_totals(std::span<const double> rewards) {
  std::vector<double> totals;
  totals.reserve(rewards.size() + 1);
  RunningSum sum;
  totals.push_back(0);
  for (const double reward : rewards) {
    sum.add(reward);
    totals.push_back(sum.value());
  }
  return totals;
}

std::vector<Pulls> AllocationTable::pulls(Pulls horizon) const {
  std::vector<Pulls> pulls(order.size());
  Pulls left = horizon;
  for (std::size_t k = taken.size(); k > 0; --k) {
    const Pulls takes = taken[k - 1][static_cast<std::size_t>(left)];
    pulls[static_cast<std::size_t>(order[k])] = takes;
    left -= takes;
  }
  pulls[static_cast<std::size_t>(order[0])] = left;
  return pulls;
}

}  // namespace longrun
