#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/curve.h"
#include "longrun/model/noise.h"

namespace longrun {

/// Recorded noise, [arm][pull - 1], which is added to the means instead of drawn noise.
using RecordedNoise = std::vector<std::vector<double>>;

/// The effect of pulls on the people that an arm represents, apart from the reward: per_pull[arm][pull - 1]. May be
/// negative. Pulls beyond the last have no effect.
struct Impact {
  std::string unit;  ///< "credit score points"
  std::vector<std::vector<double>> per_pull;

  /// Returns the mean effect per person after the first `pulls` pulls of the arm. An arm represents as many people as
  /// it has entries in `per_pull`.
  double mean_after(Arm arm, Pulls pulls) const;
};

/// A rested bandit: pull m of an arm pays f_arm(m), observed with noise.
struct Bandit {
  std::string name;
  std::vector<std::string> arm_names;
  std::vector<Curve> arms;
  Noise noise = NoNoise{};
  std::shared_ptr<const RecordedNoise> recorded_noise;  ///< if set, added instead of drawn noise
  Pulls horizon = 0;                                    ///< the horizon that its source uses; 0 if it gives none
  std::shared_ptr<const Impact> impact{};               ///< null if unknown

  Arm arm_count() const { return static_cast<Arm>(arms.size()); }
  /// Returns the largest horizon for which every curve and the recorded noise are defined, for any sequence of pulls.
  Pulls longest_horizon() const;
  /// Returns the same bandit with the first `pulls` rewards of every arm looked up instead of computed.
  Bandit tabulated(Pulls pulls) const;
};

/// Throws InputError if the bandit is not defined up to the horizon.
void check_covers_horizon(const Bandit& bandit, Pulls horizon);

}  // namespace longrun
