#pragma once

#include <limits>
#include <optional>
#include <utility>

#include "longrun/base/types.h"
#include "longrun/policy/lazy_argmax.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// Which indices are brought up to date before a decision. The paper's rules refresh every arm's; the code its authors
/// released only that of the arm just pulled, so that the others keep the index of their own last pull.
enum class Refresh { every_arm, pulled_arm };

/// Pulls the arm with the largest index, lowest arm on ties: what every index policy shares. A `Rule` says
///   Pulls initial_pulls() const               pulls of every arm, first arm first, before any index counts
///   void observe(Arm, double, const Ledger&)  takes in a reward (the ledger already counts its pull)
///   void prepare(const Ledger&)               called before a round of index() calls
///   double index(Arm, const Ledger&) const    of an arm with at least one reward
///   kIndexMayGrow                             whether an arm's index can grow while it is not pulled; where it can't,
///                                             stale indices are enough and a decision costs O(log arms), not O(arms)
///   fixed_rank(Arm) const                     optional, see FixedRank
///   bool stands(Arm) const, bool all_due(const Ledger&)
///                                             optional: that an arm's index is kept after a reward of it; that those
///                                             of all arms are to be computed anew
///   double from_zero(double index) const      optional: the index on a scale whose 0 is an arm that pays nothing
///
/// Restricted to some arms it pulls, of those, the first that lacks an initial pull, then the one with the largest
/// index; with costs, the largest index per unit of cost. O(arms).
///
/// Outside the play loop: pulls in flight count as made for the initial pulls and for the number of pulls that remain,
/// while an index rests on the rewards that have come back. An arm whose first rewards are all in flight waits for
/// them. While no reward at all has come back, the arm suggested least often is next. A reward of an arm that was not
/// suggested is taken in like any other, and so is a history observed before the first choice; arms that already have
/// their initial pulls get no more of them.
/// Rewards of one arm are taken to be of its pulls in the order in which they come in: where those of a steep curve
/// come back swapped, SPO with narrow intervals may take the arm for falling.
template <class Rule>
class IndexPolicy {
 public:
  IndexPolicy(const Setting& setting, Rule rule, Refresh refresh = Refresh::every_arm)
      : ledger_(setting), rule_(std::move(rule)), refresh_(refresh), best_(setting.arms) {}

  Arm choose() {
    const Arm arm = next();
    ledger_.suggest(arm);
    return arm;
  }
  Arm choose(const Restriction& among) {
    const Arm arm = next(among);
    ledger_.suggest(arm);
    return arm;
  }

  void observe(Arm arm, double reward) {
    ledger_.settle(arm);
    rule_.observe(arm, reward, ledger_);
    if (!indexed_) return;
    if constexpr (requires { rule_.stands(arm); }) {
      if (rule_.stands(arm)) return;
    }
    refresh(arm);
  }

  const Rule& rule() const { return rule_; }

 private:
  bool scans() const { return Rule::kIndexMayGrow && refresh_ == Refresh::every_arm; }

  Arm next() {
    if (const auto arm = ledger_.lacking(rule_.initial_pulls())) return *arm;
    if (ledger_.made() == 0) return ledger_.least_issued();
    if (scans()) return scan();
    bring_up_to_date();
    if (refresh_ == Refresh::pulled_arm) return best_.best_as_set();
    return best_.best(ledger_.remaining(), [this](Arm arm) { return rule_.index(arm, ledger_); });
  }

  Arm next(const Restriction& among) {
    if (const auto arm = ledger_.lacking(rule_.initial_pulls(), among.arms)) return *arm;
    if (ledger_.made() == 0) return ledger_.least_issued(among.arms);
    if (refresh_ == Refresh::pulled_arm) bring_up_to_date();
    rule_.prepare(ledger_);
    std::optional<Arm> best;
    double largest = 0;
    for (const Arm arm : among.arms) {
      if (ledger_.pulls(arm) == 0) continue;
      const double worth = worth_of(arm, among);
      if (best && worth <= largest) continue;
      largest = worth;
      best = arm;
    }
    return best ? *best : ledger_.least_issued(among.arms);
  }

  double worth_of(Arm arm, const Restriction& among) const {
    const double index = refresh_ == Refresh::pulled_arm ? best_.as_set(arm) : rule_.index(arm, ledger_);
    if constexpr (requires { rule_.from_zero(index); }) {
      if (!among.costs.empty()) return among.per_unit(rule_.from_zero(index), arm);
    }
    return among.per_unit(index, arm);
  }

  /// Once, after the initial pulls, and when the rule says so. Otherwise an arm's index is set when a reward of it
  /// comes in.
  void bring_up_to_date() {
    bool due = !indexed_;
    if constexpr (requires { rule_.all_due(ledger_); }) due = rule_.all_due(ledger_) || due;
    if (due) index_every_arm();
  }

  void index_every_arm() {
    for (Arm arm = 0; arm < ledger_.arms(); ++arm) {
      if (ledger_.pulls(arm) > 0) refresh(arm);
    }
    indexed_ = true;
  }

  void refresh(Arm arm) {
    rule_.prepare(ledger_);
    std::optional<FixedRank> fixed;
    if constexpr (requires { rule_.fixed_rank(arm); }) {
      if (refresh_ == Refresh::every_arm) fixed = rule_.fixed_rank(arm);
    }
    best_.set(arm, rule_.index(arm, ledger_), fixed, ledger_.remaining());
  }

  Arm scan() {
    rule_.prepare(ledger_);
    Arm best = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (Arm arm = 0; arm < ledger_.arms(); ++arm) {
      if (ledger_.pulls(arm) == 0) continue;
      const double index = rule_.index(arm, ledger_);
      if (index > largest) {
        largest = index;
        best = arm;
      }
    }
    return best;
  }

  Ledger ledger_;
  Rule rule_;
  Refresh refresh_;
  LazyArgmax best_;
  bool indexed_ = false;
};

}  // namespace longrun
