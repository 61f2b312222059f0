#include "longrun/simulate/backtest/arm_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "longrun/base/random.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

std::vector<std::size_t> arm_order(std::uint64_t seed, std::uint32_t replicate, std::size_t arms) {
  const std::size_t number = replicate % kArmOrders;
  const StreamKey key{
      .seed = seed, .replicate = static_cast<std::uint32_t>(number / arms), .purpose = Purpose::arm_order};
  std::vector<std::size_t> order(arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t rest = arms; rest > 1; --rest) {  // Fisher and Yates
    std::swap(order[rest - 1], order[random_block(key, rest)[0] % rest]);
  }
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(number % arms), order.end());
  return order;
}

Bandit in_order(const Bandit& bandit, const std::vector<std::size_t>& order) {
  Bandit ordered = bandit;
  for (std::size_t place = 0; place < order.size(); ++place) {
    ordered.arms[place] = bandit.arms[order[place]];
    ordered.arm_names[place] = bandit.arm_names[order[place]];
  }
  return ordered;
}

void sort_by_label(std::vector<LoggedArm>& arms, const std::vector<std::string>& arm_names) {
  std::sort(arms.begin(), arms.end(), [&](const LoggedArm& a, const LoggedArm& b) {
    return label_of(arm_names, a.arm) < label_of(arm_names, b.arm);
  });
}

}  // namespace longrun
