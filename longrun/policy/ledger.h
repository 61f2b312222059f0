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

/// The pulls that were made, and those in flight: suggested, with a reward that is not yet known.
///
/// Every reward settles one suggestion: one for its own arm, or, if that arm was not suggested, the oldest, which
/// counts as replaced by the user's own pull. A reward that arrives while no pull is in flight (a logged history)
/// settles none. In the play loop at most one pull is in flight, and every call costs a few instructions.
class Ledger {
 public:
  explicit Ledger(const Setting& setting)
      : horizon_(setting.horizon),
        pulls_(static_cast<std::size_t>(setting.arms), 0),
        in_flight_counts_(pulls_.size(), 0) {
    in_flight_.reserve(8);
  }

  /// Adds a pull in flight.
  void suggest(Arm arm) {
    in_flight_.push_back(arm);
    ++in_flight_counts_[static_cast<std::size_t>(arm)];
  }

  /// Counts a pull whose reward arrived, and settles a suggestion.
  void settle(Arm arm) {
    ++pulls_[static_cast<std::size_t>(arm)];
    ++made_;
    if (!any_in_flight()) return;
    if (in_flight(arm) == 0) {  // replaces the oldest suggestion, whose arm then has one pull less
      arm = in_flight_[settled_];
      first_below_ = std::min(first_below_, arm);
    }
    remove_oldest(arm);
    --in_flight_counts_[static_cast<std::size_t>(arm)];
  }

  Arm arms() const { return static_cast<Arm>(pulls_.size()); }
  /// Returns the pulls of the arm whose rewards have arrived.
  Pulls pulls(Arm arm) const { return pulls_[static_cast<std::size_t>(arm)]; }
  /// Returns the pulls of all arms whose rewards have arrived.
  Pulls made() const { return made_; }
  bool any_in_flight() const { return settled_ < in_flight_.size(); }
  Pulls in_flight(Arm arm) const { return in_flight_counts_[static_cast<std::size_t>(arm)]; }
  /// Returns the pulls of the arm that were made or are in flight.
  Pulls issued(Arm arm) const { return pulls(arm) + in_flight(arm); }
  /// Returns the number of pulls still to be decided, at least 1: beyond its horizon a policy acts as if one were left.
  Pulls remaining() const {
    return std::max<Pulls>(1, horizon_ - made_ - static_cast<Pulls>(in_flight_.size() - settled_));
  }

  /// Returns the first arm with fewer than `count` issued pulls, or nullopt. `count` must be the same in every call.
  /// Amortised O(1).
  std::optional<Arm> first_issued_below(Pulls count) {
    while (first_below_ < arms() && issued(first_below_) >= count) ++first_below_;
    if (first_below_ < arms()) return first_below_;
    return std::nullopt;
  }
  /// Returns the first of `candidates` with fewer than `count` issued pulls, or nullopt. O(candidates).
  std::optional<Arm> first_issued_below(Pulls count, std::span<const Arm> candidates) const {
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](Arm arm) { return issued(arm) < count; });
    if (found != candidates.end()) return *found;
    return std::nullopt;
  }

  /// Returns the arm with the fewest issued pulls, the first one on ties. O(arms).
  Arm least_issued() const {
    Arm least = 0;
    for (Arm arm = 1; arm < arms(); ++arm) {
      if (issued(arm) < issued(least)) least = arm;
    }
    return least;
  }
  /// Returns the one of `candidates` with the fewest issued pulls, the first one on ties. O(candidates).
  Arm least_issued(std::span<const Arm> candidates) const {
    return *std::min_element(candidates.begin(), candidates.end(),
                             [this](Arm a, Arm b) { return issued(a) < issued(b); });
  }

 private:
  /// Removes the arm's oldest pull from those in flight. Rewards mostly arrive in order, also those of rounds with many
  /// pulls: the front is then skipped by counting, and erased when it is half of the list.
  void remove_oldest(Arm arm) {
    const auto oldest = in_flight_.begin() + static_cast<std::ptrdiff_t>(settled_);
    const auto found = std::find(oldest, in_flight_.end(), arm);
    if (found != oldest) {
      in_flight_.erase(found);
      return;
    }
    if (2 * ++settled_ < in_flight_.size()) return;
    in_flight_.erase(in_flight_.begin(), oldest + 1);
    settled_ = 0;
  }

  Pulls horizon_;
  std::vector<Pulls> pulls_;                    // by arm
  Pulls made_ = 0;                              // sum of pulls_
  std::vector<std::int32_t> in_flight_counts_;  // by arm, occurrences in in_flight_ from settled_ on
  std::vector<Arm> in_flight_;                  // arms of the pulls in flight, oldest first, from settled_ on
  std::size_t settled_ = 0;                     // entries at the front of in_flight_ that are settled already
  Arm first_below_ = 0;                         // every arm before it has at least `count` issued pulls
};

}  // namespace longrun
