#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/half_width.h"
#include "longrun/model/noise.h"

namespace longrun {

/// The information that a policy receives. It does not include the bandit, so a policy cannot read curves or draw extra
/// observations.
struct Setting {
  Arm arms = 1;
  Pulls horizon = 1;  ///< total number of pulls, including those of a logged history
  Noise noise = NoNoise{};
  /// Half-width of the interval around an observation; if not set, the paper's choice for the noise. 0 means that
  /// observations are exact.
  std::optional<double> half_width{};
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  /// The optimal pull counts by arm, for policies with the trait `needs_plan`; else empty.
  std::vector<Pulls> plan{};
  /// Whether `noise` is that of the rewards; if not, live decisions estimate it.
  bool noise_known = true;

  double resolved_half_width() const { return half_width ? *half_width : paper_half_width(noise); }
};

/// Throws InputError unless arms >= 1, horizon >= 1 and the half-width is finite and not negative.
void check(const Setting& setting);

}  // namespace longrun
