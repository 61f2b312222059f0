#include "longrun/solve/unit_flow.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace longrun {

UnitFlow::UnitFlow(std::vector<Pulls> capacities, std::vector<std::vector<bool>> there)
    : spare_(std::move(capacities)),
      there_(std::move(there)),
      given_(there_.empty() ? 0 : there_[0].size(), std::vector<Pulls>(spare_.size(), 0)) {}

Pulls UnitFlow::raise(Arm arm, Pulls wanted) {
  Pulls raised = 0;
  while (raised < wanted) {
    const Pulls more = raise_by_one_path(static_cast<std::size_t>(arm), wanted - raised);
    if (more == 0) break;
    raised += more;
  }
  return raised;
}

Pulls UnitFlow::raise_by_one_path(std::size_t arm, Pulls wanted) {
  std::vector<std::optional<Hop>> reached(spare_.size());
  std::vector<bool> asked(given_.size(), false);
  std::queue<std::size_t> queue;
  const auto reach = [&](std::size_t taker, std::optional<std::size_t> from) {
    asked[taker] = true;
    for (std::size_t period = 0; period < spare_.size(); ++period) {
      if (reached[period] || !there_[period][taker]) continue;
      reached[period] = Hop{taker, from};
      queue.push(period);
    }
  };
  reach(arm, std::nullopt);
  for (; !queue.empty(); queue.pop()) {
    const std::size_t end = queue.front();
    if (spare_[end] == 0) {
      for (std::size_t other = 0; other < given_.size(); ++other) {
        if (!asked[other] && given_[other][end] > 0) reach(other, end);
      }
      continue;
    }
    Pulls units = std::min(wanted, spare_[end]);
    for (Hop hop = *reached[end]; hop.from; hop = *reached[*hop.from]) {
      units = std::min(units, given_[hop.taker][*hop.from]);
    }
    spare_[end] -= units;
    std::size_t period = end;
    for (;;) {
      const Hop hop = *reached[period];
      given_[hop.taker][period] += units;
      if (!hop.from) return units;
      given_[hop.taker][*hop.from] -= units;
      period = *hop.from;
    }
  }
  return 0;
}

}  // namespace longrun
