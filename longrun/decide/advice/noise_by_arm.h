#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/history.h"

namespace longrun {

/// The noise that a policy uses for all arms, and that of each arm by its own rewards, in the unit of the
/// rewards.
struct NoiseByArm {
  /// The noise of one arm.
  struct Own {
    double sd = 0;
    Pulls rewards = 0;     ///< that it is estimated from
    double as_normal = 0;  ///< number of normal rewards that would tell it as well: fewer if most rewards are the same
  };
  double sd = 0;
  std::vector<Own> arms{};  ///< empty if the noise is not estimated, or is that of yes/no rewards
};

/// Returns the noise of all arms, `sd`, and of each, `arm_sds`, which is empty if it is not estimated. `counted` is the
/// history that they are estimated from (Standing::counted): one outlier, or a jump, would hide how well an arm's
/// rewards tell its noise.
NoiseByArm noise_by_arm(const History& counted, double sd, std::span<const double> arm_sds);

/// The arms with the least and the most noise.
struct NoiseExtremes {
  std::size_t least = 0;
  std::size_t most = 0;
};

/// Returns the arms with the least and the most noise if it differs clearly.
std::optional<NoiseExtremes> clearly_different(const NoiseByArm& noise);

/// Returns the standard deviation that the rewards show if it clearly contradicts the stated one: if it is more than
/// 1.25 times as large, or less than a third of it, and that does not come from chance, or if rewards that are stated
/// to be exact rise and fall as noise does. Otherwise returns nullopt. `range` is that of the scale of the rewards.
std::optional<double> contradicted_noise(const History& history, double stated, double range);
/// Returns the standard deviation of the recorded errors of all arms if it contradicts the stated one by the same
/// ratios; nullopt if it does not, or if there are fewer than 100 errors.
std::optional<double> contradicted_noise(std::span<const std::vector<double>> errors, double stated);

}  // namespace longrun
