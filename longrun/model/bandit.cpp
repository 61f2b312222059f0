#include "longrun/model/bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "longrun/base/input_error.h"

namespace longrun {

double Impact::mean_after(Arm arm, Pulls pulls) const {
  const std::vector<double>& all = per_pull[static_cast<std::size_t>(arm)];
  if (all.empty()) return 0;  // no pull has an effect
  const auto made = std::min(static_cast<std::ptrdiff_t>(pulls), std::ssize(all));
  return std::accumulate(all.begin(), all.begin() + made, 0.0) / static_cast<double>(all.size());
}

Pulls Bandit::longest_horizon() const {
  Pulls longest = std::numeric_limits<Pulls>::max();
  for (const Curve& curve : arms) longest = std::min(longest, curve.length());
  if (recorded_noise != nullptr) {
    for (const auto& column : *recorded_noise) longest = std::min(longest, static_cast<Pulls>(column.size()));
  }
  return longest;
}

Bandit Bandit::tabulated(Pulls pulls) const {
  Bandit bandit = *this;
  for (Curve& curve : bandit.arms) curve = curve.tabulated(pulls);
  return bandit;
}

void check_covers_horizon(const Bandit& bandit, Pulls horizon) {
  if (horizon <= bandit.longest_horizon()) return;
  throw InputError(fmt::format("bandit '{}' is given for {} pulls per arm, too few for horizon {}", bandit.name,
                               bandit.longest_horizon(), horizon));
}

}  // namespace longrun
