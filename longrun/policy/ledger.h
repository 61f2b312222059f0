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

/// Which pulls were made, and which are in flight: suggested, their rewards not yet back.
///
/// Every reward settles one suggestion: the one for its own arm, or, where that arm was not suggested, the oldest,
/// which counts as replaced by what the user did instead. Rewards that come when nothing is in flight (logged history)
/// settle nothing. In the play loop at most one pull is in flight and all of this costs a few instructions.
class Ledger {
 public:
  explicit Ledger(const Setting& setting)
      : horizon_(setting.horizon), pulls_(static_cast<std::size_t>(setting.arms), 0), flying_(pulls_.size(), 0) {
    in_flight_.reserve(8);
  }

  void suggest(Arm arm) {
    in_flight_.push_back(arm);
    ++flying_[static_cast<std::size_t>(arm)];
  }

  void settle(Arm arm) {
    ++pulls_[static_cast<std::size_t>(arm)];
    ++made_;
    if (!any_in_flight()) return;
    if (in_flight(arm) == 0) {  // replaces the oldest suggestion, whose arm lacks that pull again
      arm = in_flight_[landed_];
      first_lacking_ = std::min(first_lacking_, arm);
    }
    land(arm);
    --flying_[static_cast<std::size_t>(arm)];
  }

  Arm arms() const { return static_cast<Arm>(pulls_.size()); }
  Pulls pulls(Arm arm) const { return pulls_[static_cast<std::size_t>(arm)]; }
  Pulls made() const { return made_; }
  bool any_in_flight() const { return landed_ < in_flight_.size(); }
  Pulls in_flight(Arm arm) const { return flying_[static_cast<std::size_t>(arm)]; }
  /// Pulls made or in flight.
  Pulls issued(Arm arm) const { return pulls(arm) + in_flight(arm); }
  /// Pulls still to be decided on, at least 1: beyond its horizon a policy acts as if one pull were left.
  Pulls remaining() const {
    return std::max<Pulls>(1, horizon_ - made_ - static_cast<Pulls>(in_flight_.size() - landed_));
  }

  /// The first arm issued fewer than `wanted` pulls (the same number at every call), or nothing. Amortised O(1).
  std::optional<Arm> lacking(Pulls wanted) {
    while (first_lacking_ < arms() && issued(first_lacking_) >= wanted) ++first_lacking_;
    if (first_lacking_ < arms()) return first_lacking_;
    return std::nullopt;
  }
  /// The same among these arms. O(arms).
  std::optional<Arm> lacking(Pulls wanted, std::span<const Arm> among) const {
    const auto lacks = [&](Arm arm) { return issued(arm) < wanted; };
    const auto found = std::find_if(among.begin(), among.end(), lacks);
    if (found != among.end()) return *found;
    return std::nullopt;
  }

  /// The arm issued the fewest pulls, the first of them on ties.
  Arm least_issued() const {
    Arm least = 0;
    for (Arm arm = 1; arm < arms(); ++arm) {
      if (issued(arm) < issued(least)) least = arm;
    }
    return least;
  }
  /// The same among these arms.
  Arm least_issued(std::span<const Arm> among) const {
    return *std::min_element(among.begin(), among.end(), [this](Arm a, Arm b) { return issued(a) < issued(b); });
  }

 private:
  /// Takes the arm's oldest pull out of those in flight. Rewards mostly come back in order, rounds of many pulls among
  /// them, so the oldest is only passed over, and room made when half are.
  void land(Arm arm) {
    const auto oldest = in_flight_.begin() + static_cast<std::ptrdiff_t>(landed_);
    const auto found = std::find(oldest, in_flight_.end(), arm);
    if (found != oldest) {
      in_flight_.erase(found);
      return;
    }
    if (2 * ++landed_ < in_flight_.size()) return;
    in_flight_.erase(in_flight_.begin(), oldest + 1);
    landed_ = 0;
  }

  Pulls horizon_;
  std::vector<Pulls> pulls_;
  Pulls made_ = 0;
  std::vector<std::int32_t> flying_;  // of each arm, how many pulls are in flight
  std::vector<Arm> in_flight_;        // those, oldest first, after ...
  std::size_t landed_ = 0;            // ... so many that are back
  Arm first_lacking_ = 0;             // no arm before it lacks an initial pull
};

}  // namespace longrun
