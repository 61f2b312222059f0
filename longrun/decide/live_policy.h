#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "longrun/base/archive.h"
#include "longrun/base/types.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/restriction.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// A policy outside the play loop. A pull is pending from its choice until its outcome arrives: in any order, late, or
/// never. Policies themselves know only the pulls that were made (Ledger). What the others mean is defined here, once
/// for all policies:
///
///   pending   The policy decides as if every pending pull had paid what is expected of its arm (ExpectedRewards). So
///             pulls of one round differ where one by one they would differ, and none waits for a reward. A policy that
///             draws every choice at random draws again instead.
///   lost      The pull was made: it counts, and the arm moved on along its curve. Its reward is unknown for good.
///   cancelled The pull was not made: the state is as if it had never been chosen.
///
/// While no reward of any arm has arrived, the arm chosen least often is next. An arm with k choices and no reward is
/// tried again once all arms together have had (2^k - 1) choices per arm, and not before: an arm whose rewards are late
/// or lost is never given up, and costs O(log horizon) choices if they never arrive.
class LivePolicy {
 public:
  LivePolicy() = default;
  LivePolicy(const LivePolicy&) = delete;
  LivePolicy& operator=(const LivePolicy&) = delete;
  virtual ~LivePolicy() = default;

  /// Returns the arm to pull next. The pull is pending from now on.
  virtual Arm choose() = 0;
  /// Returns the arm to pull next, restricted to some arms. Throws InputError if there are none, or if they are not
  /// ascending or do not exist.
  virtual Arm choose(const Restriction& restriction) = 0;

  /// Records that `arm` is pulled next, whatever the policy would choose. The pull is pending from now on.
  virtual void adopt(Arm arm) = 0;

  // The outcome of a pending pull. Each throws InputError for an arm without one, and for a reward that is not finite.

  /// Records the reward of a pending pull of `arm`.
  virtual void observe(Arm arm, double reward) = 0;
  /// Records that the reward of a pending pull of `arm` never arrives.
  virtual void lose(Arm arm) = 0;
  /// Records that a pending pull of `arm` was not made.
  virtual void cancel(Arm arm) = 0;

  /// Records a pull that was not chosen here (a logged history, a pull by hand) and its reward.
  virtual void add(Arm arm, double reward) = 0;

  // Changes of the problem. The policy keeps its state. It also keeps all parameters that were derived from the first
  // number of arms or the first horizon: defaults such as windows, discounts and initial pulls, half-widths of
  // intervals, and the growth shapes and error bounds of foresight.

  /// Adds an arm without pulls. Its number is the number of arms so far.
  virtual void add_arm() = 0;
  /// Adds pulls to the horizon. Arms that a policy has dropped stay dropped. Throws InputError unless `pulls` is from 0
  /// to kLongestHorizon.
  virtual void extend(Pulls pulls) = 0;
  /// Sets the number of pulls still to be chosen, which pending ones are not. Where costs differ, it does not follow
  /// from the number of pulls made. Policies that do not use it ignore it.
  virtual void set_remaining(Pulls /*remaining*/) {}

  /// Returns the pending pulls of `arm`.
  virtual Pulls pending(Arm arm) const = 0;
  /// Returns a copy in the same state.
  virtual std::unique_ptr<LivePolicy> clone() const = 0;
  /// Takes the state of a policy of the same type and returns true, or returns false and changes nothing. Reuses
  /// memory, so it takes a fraction of the time of clone() where there are many arms.
  virtual bool assign(const LivePolicy& /*other*/) { return false; }

  // The state as bytes. They do not contain the choice and the setting that the policy was made with.

  /// Writes the state, with a checksum.
  virtual void save(Writer& writer) const = 0;
  /// Replaces the state by a saved one. The policy must have been made with the same choice and setting as the saved
  /// one; then both make the same decisions from here on. Throws InputError and changes nothing if the bytes are not
  /// those of such a policy.
  virtual void load(Reader& reader) = 0;
  /// Returns a hash of the types that save() writes. A policy loads only states of its own layout.
  virtual std::uint64_t layout() const = 0;
};

/// Returns a new policy. Throws InputError for an invalid setting.
std::unique_ptr<LivePolicy> make_policy(const PolicyChoice& choice, const Setting& setting);

/// A LivePolicy with value semantics: a copy has the same state, so it answers what-if questions.
class PolicyState {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  PolicyState(std::unique_ptr<LivePolicy> policy) : policy_(std::move(policy)) {}
  PolicyState(const PolicyState& other) : policy_(other.policy_->clone()) {}
  PolicyState(PolicyState&&) = default;
  PolicyState& operator=(const PolicyState& other) {
    if (this != &other && !(policy_ && policy_->assign(*other.policy_))) policy_ = other.policy_->clone();
    return *this;
  }
  PolicyState& operator=(PolicyState&&) = default;
  ~PolicyState() = default;

  LivePolicy* operator->() { return policy_.get(); }
  const LivePolicy* operator->() const { return policy_.get(); }

 private:
  std::unique_ptr<LivePolicy> policy_;
};

}  // namespace longrun
