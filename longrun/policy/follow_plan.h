#pragma once

#include <vector>

#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// The policy `optimal`: pulls every arm as often as `Setting::plan` requires, first arm first. After that it pulls the
/// last arm that has planned pulls. Pulls that it did not suggest count as planned ones. Restricted to some arms, it
/// pulls the first of them that has planned pulls left, else the first of them.
class FollowPlan {
 public:
  /// Throws InputError if the plan does not have one pull count per arm.
  explicit FollowPlan(const Setting& setting);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);

 private:
  Ledger ledger_;
  std::vector<Pulls> plan_;  // pulls by arm
};

inline FollowPlan make_follow_plan(const Setting& setting, const Parameters&) { return FollowPlan(setting); }

}  // namespace longrun
