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
  static constexpr bool kNeedsNoRewards = true;

  /// Throws InputError if the plan does not have one pull count per arm.
  explicit FollowPlan(const Setting& setting);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double) { ledger_.add(arm); }
  void lose(Arm arm) { ledger_.add_lost(arm); }

  /// Adds an arm without planned pulls.
  void add_arm() {
    ledger_.add_arm();
    plan_.push_back(0);
  }
  /// Adds no planned pulls.
  void extend(Pulls pulls) { ledger_.extend(pulls); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, plan_);
  }

 private:
  Ledger ledger_;
  std::vector<Pulls> plan_;  // pulls by arm
};

inline FollowPlan make_follow_plan(const Setting& setting, const Parameters&) { return FollowPlan(setting); }

}  // namespace longrun
