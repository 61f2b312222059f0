#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "longrun/base/pair.h"
#include "longrun/base/types.h"
#include "longrun/policy/lazy_argmax.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// The indices that are recomputed before a decision. `every_arm`: those of all arms, as the rules of the paper do.
/// `pulled_arm`: only that of the arm just pulled; the other arms keep their stored indices. The authors' released code
/// does this, and so does foresight under noise, which also recomputes all indices when start_refresh_if_due() returns
/// true.
enum class Refresh { every_arm, pulled_arm };

/// A policy that pulls the arm with the largest index, lowest arm on ties. `Rule` defines the index:
///   Pulls initial_pulls() const               pulls of every arm, first arm first, before indices are compared
///   void observe(Arm, double, const Ledger&)  adds a reward; the ledger already counts its pull
///   void prepare(const Ledger&)               is called before a series of index() calls
///   double index(Arm, const Ledger&) const    returns the index of an arm with at least one reward
///   kIndexMayGrow                             whether an arm's index can grow while the arm is not pulled; if not,
///                                             outdated indices are enough and a decision between many arms costs
///                                             O(log arms), not O(arms)
///   void add_arm()                            adds an arm without rewards: the last one
/// and may define
///   void extend(Pulls)                        is called when pulls are added to those that remain, if indices
///                                             depend on their number; then all stored indices are recomputed
///   void lose(Arm, const Ledger&)             adds a lost pull; the ledger already counts it
///   void imagine(Arm, double, const Ledger&)  adds an imagined reward (LivePolicy), if observe() also learns from
///                                             the spread of real ones
///   std::optional<FixedRank> fixed_rank(Arm) const  returns the arm's rank (LazyArgmax), if it has one
///   bool index_is_current(Arm) const          returns whether an arm's stored index is still valid after its reward
///   bool start_refresh_if_due(const Ledger&)  returns whether all stored indices must be recomputed now
///   Lanes indices<Lanes>(std::size_t) const   returns the indices of the arms from this number on: of one (double) or
///                                             two (Pair), which take the time of one
///   Arm best() const                          returns the arm with the largest index, lowest arm on ties, of those
///                                             with a reward, without computing all indices
///   void share_with(Rule&)                    computes only once what two rules with the same rewards both need
///   double index_from_zero(double) const      converts an index to a scale on which 0 is an arm that pays nothing
///
/// Restricted to some arms it pulls the first of them that has not had its initial pulls, else the one with the largest
/// index; with costs, the largest index per unit of cost, of indices for the pulls that the budget still pays for.
/// O(arms).
///
/// A lost initial pull is repeated (Ledger). An arm without a reward has no index: LivePolicy tries it again. Rewards
/// of an arm are assigned to its pulls in the order in which they arrive. If rewards of a steep curve arrive in another
/// order, SPO with narrow intervals may classify the arm as falling.
template <class Rule>
class IndexPolicy {
 public:
  IndexPolicy(const Setting& setting, Rule rule, Refresh refresh = Refresh::every_arm)
      : ledger_(setting), rule_(std::move(rule)), refresh_(refresh), stored_(setting.arms) {
    if (refresh == Refresh::pulled_arm && setting.arms <= kFewStored) {
      latest_.resize(static_cast<std::size_t>(setting.arms), kNoIndex);
    }
  }

  Arm choose() {
    if (!has_indices_) [[unlikely]] {
      if (const auto arm = ledger_.first_lacking(rule_.initial_pulls())) return *arm;
      if (ledger_.made() == 0) return ledger_.least_tried();
      has_indices_ = true;
    }
    if (recomputes_all()) return best_of_all();
    update_stored_indices();
    if (!latest_.empty()) return largest_of(latest_);
    if (refresh_ == Refresh::pulled_arm) return stored_.best_stored();
    return stored_.best(ledger_.remaining(), [this](Arm arm) { return rule_.index(arm, ledger_); });
  }

  Arm choose(const Restriction& restriction) {
    if (const auto arm = ledger_.first_lacking(rule_.initial_pulls(), restriction.arms)) return *arm;
    if (ledger_.made() == 0) return ledger_.least_tried(restriction.arms);
    if (refresh_ == Refresh::pulled_arm) update_stored_indices();
    rule_.prepare(ledger_);
    std::optional<Arm> best;
    double largest = 0;
    for (const Arm arm : restriction.arms) {
      if (ledger_.pulls(arm) == 0) continue;
      const double index = index_per_unit(arm, restriction);
      if (best && index <= largest) continue;
      largest = index;
      best = arm;
    }
    return best ? *best : ledger_.least_tried(restriction.arms);
  }

  void observe(Arm arm, double reward) {
    ledger_.add(arm);
    rule_.observe(arm, reward, ledger_);
    update_stored_index(arm);
  }
  void lose(Arm arm) {
    ledger_.add_lost(arm);
    if constexpr (requires { rule_.lose(arm, ledger_); }) {
      rule_.lose(arm, ledger_);
      if (ledger_.pulls(arm) > 0) update_stored_index(arm);
    }
  }
  void imagine(Arm arm, double reward) {
    if constexpr (requires { rule_.imagine(arm, reward, ledger_); }) {
      ledger_.add(arm);
      rule_.imagine(arm, reward, ledger_);
      update_stored_index(arm);
    } else {
      observe(arm, reward);
    }
  }

  /// Sets the number of pulls still to be made (Ledger).
  void set_remaining(Pulls remaining) { ledger_.set_remaining(remaining); }

  const Rule& rule() const { return rule_; }

  /// Computes only once what this policy and `other` both need, if the rule can: see its function. Requires that both
  /// will observe the same rewards of every arm, and that no pull is lost.
  void share_with(IndexPolicy& other) {
    if constexpr (requires { rule_.share_with(other.rule_); }) rule_.share_with(other.rule_);
  }

  void add_arm() {
    ledger_.add_arm();
    rule_.add_arm();
    stored_.add_arm();
    has_indices_ = false;
    if (latest_.empty()) return;
    latest_.push_back(kNoIndex);
    if (ledger_.arms() <= kFewStored) return;
    for (Arm arm = 0; arm < ledger_.arms(); ++arm) {
      const double index = latest_[static_cast<std::size_t>(arm)];
      if (index != kNoIndex) stored_.set(arm, index, std::nullopt, ledger_.remaining());
    }
    latest_.clear();
  }
  void extend(Pulls pulls) {
    ledger_.extend(pulls);
    if constexpr (requires { rule_.extend(pulls); }) {
      rule_.extend(pulls);
      stored_ = LazyArgmax(ledger_.arms());  // it requires that no index grows
      indices_stored_ = false;
    }
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, rule_, stored_, latest_, indices_stored_);
  }
  void after_load() { has_indices_ = false; }

 private:
  /// Up to this many arms it is faster to compute all indices than to keep heaps of them. Measured with 2, 4, 8 and 16
  /// arms: it is faster up to 8 for greedy, whose indices are stored numbers, and up to 3 or 4 for SPO.
  static constexpr Arm kFewArms = 4;
  /// Up to this many arms it is faster to scan stored indices than to keep heaps of them.
  static constexpr Arm kFewStored = 16;
  static constexpr double kNoIndex = -std::numeric_limits<double>::infinity();
  bool recomputes_all() const {
    return refresh_ == Refresh::every_arm && (Rule::kIndexMayGrow || ledger_.arms() <= kFewArms);
  }

  double index_per_unit(Arm arm, const Restriction& restriction) const {
    const double index = refresh_ == Refresh::pulled_arm ? stored_index(arm) : rule_.index(arm, ledger_);
    if constexpr (requires { rule_.index_from_zero(index); }) {
      if (!restriction.costs.empty()) return restriction.per_unit(rule_.index_from_zero(index), arm);
    }
    return restriction.per_unit(index, arm);
  }

  double stored_index(Arm arm) const {
    return latest_.empty() ? stored_.stored_index(arm) : latest_[static_cast<std::size_t>(arm)];
  }

  /// Stores the arm's index after its pull, unless all indices are stored later or the stored one is still valid.
  void update_stored_index(Arm arm) {
    if (!indices_stored_) return;
    if constexpr (requires { rule_.index_is_current(arm); }) {
      if (rule_.index_is_current(arm)) return;
    }
    store_index(arm);
  }

  /// Stores the indices of all arms: once, after the initial pulls, and whenever the rule requires it. Otherwise an
  /// arm's index is stored when a reward of the arm arrives.
  void update_stored_indices() {
    bool due = !indices_stored_;
    if constexpr (requires { rule_.start_refresh_if_due(ledger_); }) due = rule_.start_refresh_if_due(ledger_) || due;
    if (due) store_all_indices();
  }

  void store_all_indices() {
    for (Arm arm = 0; arm < ledger_.arms(); ++arm) {
      if (ledger_.pulls(arm) > 0) store_index(arm);
    }
    indices_stored_ = true;
  }

  void store_index(Arm arm) {
    rule_.prepare(ledger_);
    if (!latest_.empty()) {
      latest_[static_cast<std::size_t>(arm)] = rule_.index(arm, ledger_);
      return;
    }
    std::optional<FixedRank> fixed;
    if constexpr (requires { rule_.fixed_rank(arm); }) {
      if (refresh_ == Refresh::every_arm) fixed = rule_.fixed_rank(arm);
    }
    stored_.set(arm, rule_.index(arm, ledger_), fixed, ledger_.remaining());
  }

  /// Returns `condition`, on which compilers then make a branch. Processors predict it: most policies soon pull one arm
  /// most of the time. With a conditional move instead, which compilers prefer, every step would wait for the indices
  /// of the step before.
  static bool is_new_best(bool condition) {
    if (condition) [[unlikely]] {
      asm volatile("");  // empty, but not to be executed unless the condition is true: so not a conditional move
      return true;
    }
    return false;
  }

  /// Returns the arm with the largest index of those with a reward.
  Arm best_of_all() {
    rule_.prepare(ledger_);
    if constexpr (requires { rule_.best(); }) return rule_.best();
    const bool skips_arms = ledger_.has_lost();  // else every arm has its initial pulls
    if constexpr (requires { rule_.template indices<Pair>(0); }) {
      if (!skips_arms) return best_of_pairs();
    }
    Arm best = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (Arm arm = 0; arm < ledger_.arms(); ++arm) {
      if (skips_arms && ledger_.pulls(arm) == 0) continue;
      const double index = rule_.index(arm, ledger_);
      if (is_new_best(index > largest)) {
        largest = index;
        best = arm;
      }
    }
    return best;
  }

  /// Returns the arm with the largest index. Requires that every arm has a reward.
  Arm best_of_pairs() const {
    Arm best = 0;
    double largest = -std::numeric_limits<double>::infinity();
    const auto compare = [&](double index, std::size_t arm) {
      if (is_new_best(index > largest)) {
        largest = index;
        best = static_cast<Arm>(arm);
      }
    };
    for_each_lanes(static_cast<std::size_t>(ledger_.arms()), [&]<class Lanes>(std::size_t first, Lanes) {
      const auto indices = rule_.template indices<Lanes>(first);
      if constexpr (std::is_same_v<Lanes, Pair>) {
        compare(indices[0], first);
        compare(indices[1], first + 1);
      } else {
        compare(indices, first);
      }
    });
    return best;
  }

  static Arm largest_of(const std::vector<double>& indices) {
    Arm best = 0;
    for (std::size_t arm = 1; arm < indices.size(); ++arm) {
      if (is_new_best(indices[arm] > indices[static_cast<std::size_t>(best)])) best = static_cast<Arm>(arm);
    }
    return best;
  }

  Ledger ledger_;
  Rule rule_;
  Refresh refresh_;
  LazyArgmax stored_;  // indices of arms; empty if recomputes_all() or if latest_ is not
  std::vector<double>
      latest_;                // by arm: its stored index or kNoIndex, for few arms with Refresh::pulled_arm; else empty
  bool has_indices_ = false;  // whether every arm has had its initial pulls, and one a reward; not saved
  bool indices_stored_ = false;  // whether stored_ has the index of every arm with a reward
};

}  // namespace longrun
