#include "longrun/solve/period_flow.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace longrun {

PeriodFlow::PeriodFlow(Periods periods)
    : free_(std::move(periods.units)),
      available_(std::move(periods.available)),
      held_(available_.empty() ? 0 : available_[0].size(), std::vector<Pulls>(free_.size(), 0)) {}

Pulls PeriodFlow::raise(Arm arm, Pulls wanted) {
  Pulls raised = 0;
  while (raised < wanted) {
    const Pulls more = raise_by_one_path(static_cast<std::size_t>(arm), wanted - raised);
    if (more == 0) break;
    raised += more;
  }
  return raised;
}

Pulls PeriodFlow::raise_by_one_path(std::size_t arm, Pulls wanted) {
  std::vector<std::optional<Hop>> reached(free_.size());
  std::vector<bool> searched(held_.size(), false);
  std::queue<std::size_t> queue;
  const auto search = [&](std::size_t taker, std::optional<std::size_t> from) {
    searched[taker] = true;
    for (std::size_t period = 0; period < free_.size(); ++period) {
      if (reached[period] || !available_[period][taker]) continue;
      reached[period] = Hop{taker, from};
      queue.push(period);
    }
  };
  search(arm, std::nullopt);
  for (; !queue.empty(); queue.pop()) {
    const std::size_t end = queue.front();
    if (free_[end] == 0) {
      for (std::size_t other = 0; other < held_.size(); ++other) {
        if (!searched[other] && held_[other][end] > 0) search(other, end);
      }
      continue;
    }
    Pulls units = std::min(wanted, free_[end]);
    for (Hop hop = *reached[end]; hop.from; hop = *reached[*hop.from]) {
      units = std::min(units, held_[hop.taker][*hop.from]);
    }
    free_[end] -= units;
    std::size_t period = end;
    for (;;) {
      const Hop hop = *reached[period];
      held_[hop.taker][period] += units;
      if (!hop.from) return units;
      held_[hop.taker][*hop.from] -= units;
      period = *hop.from;
    }
  }
  return 0;
}

std::vector<bool> PeriodFlow::can_free_unit(std::size_t period) const {
  // An arm with units in a reached period can leave it; its unit then moves to any other period it is available in.
  std::vector<bool> reached(free_.size(), false);
  std::vector<bool> moves(held_.size(), false);
  std::queue<std::size_t> queue;
  const auto reach = [&](std::size_t next) {
    if (reached[next]) return;
    reached[next] = true;
    queue.push(next);
  };
  for (reach(period); !queue.empty(); queue.pop()) {
    const std::size_t full = queue.front();
    if (free_[full] > 0)
      return std::vector<bool>(held_.size(), true);  // NOLINT(modernize-return-braced-init-list): two elements
    for (std::size_t arm = 0; arm < held_.size(); ++arm) {
      if (moves[arm] || held_[arm][full] == 0) continue;
      moves[arm] = true;
      for (std::size_t next = 0; next < free_.size(); ++next) {
        if (available_[next][arm]) reach(next);
      }
    }
  }
  return moves;
}

}  // namespace longrun
