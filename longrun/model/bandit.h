#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/curve.h"
#include "longrun/model/noise.h"

namespace longrun {

/// Noise written down in advance, recorded[arm][pull - 1], to be added to the means instead of drawing any.
using RecordedNoise = std::vector<std::vector<double>>;

/// A rested bandit: pull m of an arm pays f_arm(m), observed with noise.
struct Bandit {
  std::string name;
  std::vector<std::string> arm_names;
  std::vector<Curve> arms;
  Noise noise = NoNoise{};
  std::shared_ptr<const RecordedNoise> recorded_noise;  ///< where set, added instead of drawn noise
  Pulls horizon = 0;                                    ///< the horizon its source looks at; 0 where it has none

  Arm arm_count() const { return static_cast<Arm>(arms.size()); }
  /// The largest horizon that every curve (and the recorded noise) reaches, however the pulls are spread.
  Pulls longest_horizon() const;
  /// The same bandit with the first `pulls` rewards of every arm looked up instead of computed.
  Bandit tabulated(Pulls pulls) const;
};

}  // namespace longrun
