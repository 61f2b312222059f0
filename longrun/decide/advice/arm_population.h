#pragma once

#include <optional>
#include <span>

#include "longrun/decide/advice/curve_trend.h"
#include "longrun/decide/advice/reward_summary.h"

namespace longrun {

/// Estimates for an arm from its own rewards, on the scale from 0 to 1.
struct OwnEstimate {
  ArmNoise noise{};
  std::optional<RewardNow> reward_now{};  ///< nullopt before the first reward
  CurveTrend trend = CurveTrend::unknown();
  bool has_fallen = false;  ///< certainly
};

/// A normal distribution of the present mean rewards of all arms.
struct ArmLevel {
  double mean = 0;
  double sd = 0;
};

/// Estimates from the rewards of all arms.
struct ArmPopulation {
  CurveTrend shares{};              ///< of arms that rise, fall and stay
  double growth_sd = 1;             ///< of an arm's growth up to the horizon
  double fall_sd = 1;               ///< of an arm's fall up to the horizon, and the largest fall that begins later
  std::optional<ArmLevel> level{};  ///< nullopt if rewards are exact, or if fewer than 2 arms have 2 of them
  double falls_later = 0;           ///< probability that an arm that does not fall yet will

  /// Returns the trend of an arm, given the shares of all arms: where all others stay, one more is likely to stay.
  CurveTrend trend_among_all(const CurveTrend& own) const;
};

/// The fewest rewards of an arm whose trend and growth count in the estimates for other arms.
inline constexpr Pulls kFewestToJudge = 10;

/// Returns what the arms, with these rewards and the estimates that follow from them, say together. Shares of trends
/// are found by expectation maximisation, the level by the method of DerSimonian and Laird (1986). O(arms).
ArmPopulation population_of(std::span<const RewardSummary> rewards, std::span<const OwnEstimate> estimates);

}  // namespace longrun
