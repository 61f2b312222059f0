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

}  // namespace longrun
