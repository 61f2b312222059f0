#include "longrun/decide/what_if.h"

#include <algorithm>

#include "longrun/base/cancellation.h"
#include "longrun/decide/next_round.h"

namespace longrun {
namespace {

constexpr Pulls kPullsPerSupposedPull = 10;
constexpr int kGridSteps = 16;
constexpr int kBisections = 12;  // of one grid step: rewards are found to 1 / (16 * 2^12) of the scale

/// The search for the rewards of the supposed pulls at which the next choice changes.
class ChangeSearch {
 public:
  ChangeSearch(const SupposedState& state, Arm arm, Pulls pulls)
      : state_(state), what_if_{.arm = arm, .pulls = pulls, .consequences = {}} {}

  /// Returns the consequences of all rewards, or nullopt if no decision is left after the supposed pulls.
  std::optional<WhatIf> result() {
    Point last = at(0);
    if (!last.arm) return std::nullopt;
    what_if_.consequences.push_back({.from = 0, .to = 1, .arm = *last.arm});
    for (int step = 1; step <= kGridSteps; ++step) {
      const Point here = at(static_cast<double>(step) / kGridSteps);
      if (!here.arm) return std::nullopt;
      add_changes(last, here, kBisections);
      last = here;
    }
    return what_if_;
  }

 private:
  struct Point {
    double reward = 0;
    std::optional<Arm> arm;
  };
  Point at(double reward) const {
    throw_if_cancelled();
    const DecidedRound round = next_round(state_(reward));
    return {reward, round.arms.empty() ? std::nullopt : std::optional(round.first)};
  }

  /// Adds the changes between two points that bisection finds.
  void add_changes(const Point& low, const Point& high, int bisections) {
    if (low.arm == high.arm || !high.arm) return;
    const double middle = (low.reward + high.reward) / 2;
    if (bisections > 0) {
      const Point between = at(middle);
      add_changes(low, between, bisections - 1);
      add_changes(between, high, bisections - 1);
      return;
    }
    what_if_.consequences.back().to = middle;
    what_if_.consequences.push_back({.from = middle, .to = 1, .arm = *high.arm});
  }

  const SupposedState& state_;
  WhatIf what_if_;  // complete for rewards from 0 to the last point searched
};

}  // namespace

Pulls supposed_pulls(const ConstrainedPolicy& state, Arm arm, Pulls pulls_so_far, bool exact) {
  const Pulls left = (state.constraints().horizon() - state.spent()) / state.constraints().cost(arm);
  return std::max<Pulls>(0, std::min(std::max<Pulls>(1, exact ? 1 : pulls_so_far / kPullsPerSupposedPull), left - 1));
}

std::optional<WhatIf> what_if(Arm arm, Pulls pulls, const SupposedState& state) {
  return ChangeSearch(state, arm, pulls).result();
}

}  // namespace longrun
