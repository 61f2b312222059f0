#include "longrun/model/bandit.h"

#include <algorithm>
#include <limits>

namespace longrun {

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

}  // namespace longrun
