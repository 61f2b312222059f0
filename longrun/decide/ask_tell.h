#pragma once

#include <memory>
#include <utility>

#include "longrun/base/types.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/restriction.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// A policy outside the play loop: ask it for an arm, tell it a reward. Rewards may arrive late, in any order, for arms
/// that were not suggested, or before the first question (a logged history). Ledger defines how they are matched to
/// suggestions; each policy's header says how it uses them.
class AskTell {
 public:
  AskTell() = default;
  AskTell(const AskTell&) = delete;
  AskTell& operator=(const AskTell&) = delete;
  virtual ~AskTell() = default;

  /// Returns the arm to pull next. The pull counts as made from now on, its reward as in flight.
  virtual Arm choose() = 0;
  /// Returns the arm to pull next, restricted to some arms. Throws InputError for an invalid restriction: without arms,
  /// with arms that do not exist or are not ascending, or with a wrong number of costs.
  virtual Arm choose(const Restriction& restriction) = 0;
  /// Records a reward of `arm`. Throws InputError for an arm that does not exist or a reward that is not finite.
  virtual void observe(Arm arm, double reward) = 0;
  /// Returns a copy in the same state.
  virtual std::unique_ptr<AskTell> clone() const = 0;
};

/// Returns a new policy. Throws InputError for an invalid setting.
std::unique_ptr<AskTell> make_policy(const PolicyChoice& choice, const Setting& setting);

/// An AskTell with value semantics: a copy has the same state, so it answers what-if questions.
class PolicyState {
 public:
  PolicyState(std::unique_ptr<AskTell> policy) : policy_(std::move(policy)) {}  // NOLINT(google-explicit-constructor)
  PolicyState(const PolicyState& other) : policy_(other.policy_->clone()) {}
  PolicyState(PolicyState&&) = default;
  PolicyState& operator=(PolicyState other) {
    policy_ = std::move(other.policy_);
    return *this;
  }
  ~PolicyState() = default;

  AskTell* operator->() { return policy_.get(); }

 private:
  std::unique_ptr<AskTell> policy_;  // null only after a move
};

}  // namespace longrun
