#pragma once

#include <algorithm>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"

namespace longrun {

/// The index rule of greedy choice: each arm is pulled once, then the arm with the largest last observation. No mean
/// reward is below 0, so an observation below the floor of 0 counts as 0: under noise two arms near 0 then tie, and the
/// first is pulled. Without the floor an arm is pulled until its reward is below the last reward of another arm,
/// which happens to favour the better arm.
class GreedyRule {
 public:
  static constexpr bool kIndexMayGrow = false;

  GreedyRule(const Setting& setting, double floor)
      : floor_(floor), last_rewards_(static_cast<std::size_t>(setting.arms)) {}

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) {
    last_rewards_[static_cast<std::size_t>(arm)] = std::max(reward, floor_);
  }
  void prepare(const Ledger&) {}
  double index(Arm arm, const Ledger&) const { return last_rewards_[static_cast<std::size_t>(arm)]; }

  void add_arm() { last_rewards_.push_back(0); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(last_rewards_);
  }

 private:
  double floor_;
  std::vector<double> last_rewards_;  // by arm, not below the floor
};

using Greedy = IndexPolicy<GreedyRule>;

inline constexpr Parameter kGreedyFloor{.name = "floor",
                                        .meaning = "smaller observations are raised to this value",
                                        .default_value = 0.0,
                                        .minimum = -1e9,
                                        .maximum = 1};
inline constexpr Parameter kGreedyParameters[] = {kGreedyFloor};

inline Greedy make_greedy(const Setting& setting, const Parameters& parameters) {
  return {setting, GreedyRule(setting, parameters.get(kGreedyFloor, setting))};
}

}  // namespace longrun
