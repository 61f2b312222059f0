#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/half_width.h"
#include "longrun/model/noise.h"

namespace longrun {

/// All that a policy is told. Never the bandit: it can't peek at curves or draw extra observations.
struct Setting {
  Arm arms = 1;
  Pulls horizon = 1;  ///< all pulls there will be, those of a logged history included
  Noise noise = NoNoise{};
  /// Half-width of the interval around an observation; the paper's choice for the noise where not given. 0 means that
  /// observations are exact.
  std::optional<double> half_width{};
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  /// The best pull counts, given only to a policy whose catalog entry says that it needs them (`optimal`).
  std::vector<Pulls> plan{};

  double resolved_half_width() const { return half_width ? *half_width : paper_half_width(noise); }
};

/// Throws InputError unless arms >= 1, horizon >= 1 and the half-width is finite and not negative.
void check(const Setting& setting);

}  // namespace longrun
