#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/policy/choices.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/play.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// A policy outside the play loop: ask which arm to pull, tell what was observed. Rewards may come back late, in any
/// order, for arms that were not suggested, or before the first question (a logged history): see Ledger for how they
/// are matched to suggestions, and each policy's header for what it makes of them.
class AskTell {
 public:
  AskTell() = default;
  AskTell(const AskTell&) = delete;
  AskTell& operator=(const AskTell&) = delete;
  virtual ~AskTell() = default;

  /// The arm to pull next. Counts as pulled from now on, its reward in flight.
  virtual Arm choose() = 0;
  /// The same among these arms alone. Throws InputError where they are none, not ascending or do not exist.
  virtual Arm choose(const Choices& among) = 0;
  /// A reward of `arm`. Throws InputError for an arm that does not exist or a reward that is not finite.
  virtual void observe(Arm arm, double reward) = 0;
  /// Another one in the same state; see PolicyState.
  virtual std::unique_ptr<AskTell> clone() const = 0;
};

/// An AskTell as a value: a copy is another one in the same state, which tells what would be chosen if.
class PolicyState {
 public:
  PolicyState(std::unique_ptr<AskTell> policy) : policy_(std::move(policy)) {}  // NOLINT: it is one
  PolicyState(const PolicyState& other) : policy_(other.policy_->clone()) {}
  PolicyState(PolicyState&&) = default;
  PolicyState& operator=(PolicyState other) {
    policy_ = std::move(other.policy_);
    return *this;
  }
  ~PolicyState() = default;

  AskTell* operator->() { return policy_.get(); }

 private:
  std::unique_ptr<AskTell> policy_;
};

/// One line of the catalog.
struct PolicyEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const Parameter> parameters;
  bool needs_plan = false;    ///< wants Setting::plan, the best pull counts
  bool uses_horizon = true;   ///< else a run is the beginning of every longer one
  bool tosses_coins = false;  ///< else a run depends on nothing but what is observed
  std::unique_ptr<AskTell> (*make)(const Setting&, const Parameters&) = nullptr;
  std::vector<Outcome> (*play)(World, const Setting&, const Parameters&, std::span<const Pulls> horizons,
                               std::span<Arm> trace) = nullptr;
};

/// The policy for whoever does not name one: good under noise, and SPO without.
inline constexpr std::string_view kDefaultPolicy = "foresight";

/// The one list of policies: CLI help, Python, docs and conformance tests read it.
std::span<const PolicyEntry> policy_catalog();

/// A policy as a user names it: a catalog name, then parameters, such as "d-ucb:discount=0.99,exploration=1".
class PolicyChoice {
 public:
  explicit PolicyChoice(std::string_view text);  ///< throws InputError for what it does not know

  const PolicyEntry& entry() const { return *entry_; }
  const Parameters& parameters() const { return parameters_; }
  const std::string& text() const { return text_; }

  std::unique_ptr<AskTell> make(const Setting& setting) const;
  /// One run of `setting.horizon` pulls; the setting's arms must be the bandit's. `trace` is empty or takes every arm.
  Outcome play(const Bandit& bandit, const Setting& setting, std::span<Arm> trace = {}) const;
  /// The outcomes at several ascending horizons of one run in `world`, the last of them `setting.horizon`. They are
  /// those of runs of their own where the policy does not use the horizon.
  std::vector<Outcome> play_on(World world, const Setting& setting, std::span<const Pulls> horizons) const;

 private:
  std::string text_;
  const PolicyEntry* entry_ = nullptr;
  Parameters parameters_;
};

}  // namespace longrun
