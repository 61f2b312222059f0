#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/rounds.h"
#include "longrun/base/types.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// The rules of a schedule of pulls: when units are granted, the cost of pulls, and when arms are unavailable.
struct ScheduleRules {
  RoundBudget budget;
  std::vector<Pulls> costs;                          ///< [arm], units per pull, at least 1
  std::vector<std::vector<RoundRange>> unavailable;  ///< [arm], ascending, disjoint, within the rounds of the budget

  Arm arms() const { return static_cast<Arm>(costs.size()); }
  bool available(Arm arm, Pulls round) const {
    return longrun::available(unavailable[static_cast<std::size_t>(arm)], round);
  }
};

/// A moment in a schedule, before the next pull is decided.
struct ScheduleState {
  Pulls round = 1;                                ///< the current round
  Pulls gone = 0;                                 ///< units that are spent, committed or lapsed; where units lapse,
                                                  ///< only units of rounds up to `round`
  std::span<const Pulls> owed;                    ///< [arm], pulls that the arm still needs to meet its minimum
  std::span<const std::uint8_t> unavailable_now;  ///< [arm], not 0: can't be pulled, regardless of the rules
};

/// The names of arms and units in messages.
struct ScheduleWords {
  std::vector<std::string> arms{};  ///< such as "arm 2", one per arm; empty: by position
  double unit = 1;                  ///< the number that messages show as 1 unit

  std::string arm(Arm arm) const {
    return arms.empty() ? "arm " + std::to_string(arm) : arms[static_cast<std::size_t>(arm)];
  }
};

/// The possible pulls under ScheduleRules. Implementations: units that a round leaves unspent are kept (KeptBudget) or
/// lapse (LapsingBudget).
class Feasibility {
 public:
  explicit Feasibility(ScheduleRules rules) : rules_(std::move(rules)) {}
  virtual ~Feasibility() = default;
  Feasibility(const Feasibility&) = delete;
  Feasibility& operator=(const Feasibility&) = delete;

  /// Returns why no schedule makes at least `least` pulls of every arm, or nullopt if one does.
  virtual std::optional<std::string> obstacle(std::span<const Pulls> least, const ScheduleWords& words) const = 0;
  /// Returns why no schedule makes the pulls that are owed from `state` on, or nullopt if one does. Arms that are
  /// unavailable now may be available later.
  virtual std::optional<std::string> obstacle(const ScheduleState& state, const ScheduleWords& words) const = 0;

  /// Sets `allowed` to the arms, ascending, that can be chosen next such that everything owed can still be pulled.
  /// Where units are kept, a chosen arm may be paid for in a later round; its units are committed at once. If not all
  /// that is owed can be pulled any more (pulls were cancelled or not decided here, or an arm became unavailable), arms
  /// that are owed pulls come first, and no units are kept for pulls of an arm that it cannot have even alone.
  virtual void find_allowed(const ScheduleState& state, std::vector<Arm>& allowed) const = 0;

  /// Returns the units that lapse when `round` ends and `gone` units are spent, committed or lapsed.
  virtual Pulls lapsing(Pulls round, Pulls gone) const = 0;

  /// Returns the pull counts with the largest total reward that some schedule makes, with at least `least` pulls of
  /// every arm; exact. Rewards must be >= 0 and known for as many pulls as the budget can buy. Throws InputError if
  /// `least` is impossible or the computation takes too many steps.
  virtual Allocation best_allocation(const KnownArms& known, std::span<const Pulls> least) const = 0;

 protected:
  const ScheduleRules& rules() const { return rules_; }

 private:
  ScheduleRules rules_;
};

/// Returns the feasibility of these rules. Where units lapse, every cost must be 1.
std::shared_ptr<const Feasibility> make_feasibility(ScheduleRules rules, bool units_lapse);

}  // namespace longrun
