#pragma once

#include <algorithm>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"

namespace longrun {

/// The index rule of one-step optimism: each arm is pulled twice, then the arm whose next reward could be largest. With
/// half-width w and upper end u = y_n + w, the index is min(1, u + (u - (y_{n-1} - w))) after a step up, else u.
class OneStepOptimisticRule {
 public:
  static constexpr bool kIndexMayGrow = false;

  explicit OneStepOptimisticRule(const Setting& setting)
      : half_width_(setting.resolved_half_width()),
        last_rewards_(static_cast<std::size_t>(setting.arms)),
        indices_(static_cast<std::size_t>(setting.arms)) {}

  Pulls initial_pulls() const { return 2; }
  void observe(Arm arm, double reward, const Ledger& ledger) {
    const auto i = static_cast<std::size_t>(arm);
    const double upper = reward + half_width_;
    const double previous_lower = last_rewards_[i] - half_width_;
    const double after_step_up = std::min(1.0, upper + (upper - previous_lower));
    const double index = reward > last_rewards_[i] ? after_step_up : upper;
    indices_[i] = ledger.pulls(arm) < 2 ? 1 : index;  // one reward bounds no step
    last_rewards_[i] = reward;
  }
  void prepare(const Ledger&) {}
  double index(Arm arm, const Ledger&) const { return indices_[static_cast<std::size_t>(arm)]; }

  void add_arm() {
    last_rewards_.push_back(0);
    indices_.push_back(0);
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(last_rewards_, indices_);
  }

 private:
  double half_width_;
  std::vector<double> last_rewards_;  // by arm
  std::vector<double> indices_;       // by arm
};

using OneStepOptimistic = IndexPolicy<OneStepOptimisticRule>;

inline OneStepOptimistic make_one_step_optimistic(const Setting& setting, const Parameters&) {
  return {setting, OneStepOptimisticRule(setting)};
}

}  // namespace longrun
