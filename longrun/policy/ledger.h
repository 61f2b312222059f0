#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// The pulls that were made: those with a reward, and lost ones, whose reward never arrives. A policy knows no others.
/// What pulls mean whose reward has not arrived yet is defined by LivePolicy, for all policies.
class Ledger {
 public:
  explicit Ledger(const Setting& setting)
      : horizon_(setting.horizon), pulls_(static_cast<std::size_t>(setting.arms), 0), lost_(pulls_.size(), 0) {}

  /// Counts a pull whose reward is known.
  void add(Arm arm) {
    ++pulls_[static_cast<std::size_t>(arm)];
    ++made_;
  }
  /// Counts a pull whose reward never arrives.
  void add_lost(Arm arm) {
    ++lost_[static_cast<std::size_t>(arm)];
    ++all_lost_;
  }

  Arm arms() const { return static_cast<Arm>(pulls_.size()); }
  /// Returns the pulls of the arm with a reward.
  Pulls pulls(Arm arm) const { return pulls_[static_cast<std::size_t>(arm)]; }
  /// Returns all pulls of the arm, with those that were lost. The arm's curve is a function of this number.
  Pulls tried(Arm arm) const { return pulls(arm) + lost_[static_cast<std::size_t>(arm)]; }
  /// Returns the pulls of all arms with a reward.
  Pulls made() const { return made_; }
  /// Returns all pulls of all arms, with those that were lost. A policy that draws at random keys its numbers by it: a
  /// choice that is cancelled then leaves no trace.
  Pulls tried() const { return made_ + all_lost_; }
  /// Returns whether any pull was lost.
  bool has_lost() const { return all_lost_ > 0; }
  /// Returns the number of all pulls by the end: those that were made, and those still to be made.
  Pulls horizon() const { return horizon_; }
  /// Returns the number of pulls still to be made, at least 1: beyond its horizon a policy acts as if one were left.
  Pulls remaining() const { return std::max<Pulls>(1, horizon_ - made_ - all_lost_); }

  /// Returns the first arm that lacks one of `count` initial pulls, or nullopt. Lost ones are repeated, up to 8 pulls
  /// per initial pull in all. `count` must be the same in every call. Amortised O(1).
  std::optional<Arm> first_lacking(Pulls count) {
    while (first_lacking_ < arms() && !lacks(first_lacking_, count)) ++first_lacking_;
    if (first_lacking_ < arms()) return first_lacking_;
    return std::nullopt;
  }
  /// Returns the first of `candidates` that lacks one of `count` initial pulls, or nullopt. O(candidates).
  std::optional<Arm> first_lacking(Pulls count, std::span<const Arm> candidates) const {
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](Arm arm) { return lacks(arm, count); });
    if (found != candidates.end()) return *found;
    return std::nullopt;
  }

  /// Returns whether an arm with `tried` pulls, of which `rewards` have a reward, lacks one of `count` initial pulls.
  static bool lacks(Pulls rewards, Pulls tried, Pulls count) {
    return rewards < count && tried < kTriesPerInitialPull * count;
  }

  /// Returns the arm that was tried least often, the first one on ties. O(arms).
  Arm least_tried() const {
    Arm least = 0;
    for (Arm arm = 1; arm < arms(); ++arm) {
      if (tried(arm) < tried(least)) least = arm;
    }
    return least;
  }
  /// Returns the one of `candidates` that was tried least often, the first one on ties. O(candidates).
  Arm least_tried(std::span<const Arm> candidates) const {
    return *std::min_element(candidates.begin(), candidates.end(),
                             [this](Arm a, Arm b) { return tried(a) < tried(b); });
  }

  /// Adds an arm without pulls: the last one.
  void add_arm() {
    pulls_.push_back(0);
    lost_.push_back(0);
  }
  /// Adds pulls to the horizon.
  void extend(Pulls pulls) { horizon_ += pulls; }
  /// Sets the number of pulls still to be made: where costs differ, it does not follow from the number of pulls made.
  void set_remaining(Pulls remaining) { horizon_ = tried() + remaining; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(horizon_, pulls_, lost_, made_, all_lost_, first_lacking_);
  }

 private:
  /// A limit, so that an arm whose rewards are always lost does not get all pulls.
  static constexpr Pulls kTriesPerInitialPull = 8;
  bool lacks(Arm arm, Pulls count) const { return lacks(pulls(arm), tried(arm), count); }

  Pulls horizon_;
  std::vector<Pulls> pulls_;        // by arm, with a reward
  std::vector<std::int32_t> lost_;  // by arm
  Pulls made_ = 0;                  // sum of pulls_
  Pulls all_lost_ = 0;              // sum of lost_
  Arm first_lacking_ = 0;           // no arm before it lacks an initial pull
};

}  // namespace longrun
