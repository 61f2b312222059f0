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

/// What pulls do to those whom the arms stand for, whatever the decision-maker is rewarded by: per_pull[arm][pull - 1],
/// may be negative; pulls beyond the last do nothing.
struct Impact {
  std::string unit;  ///< "credit score points"
  std::vector<std::vector<double>> per_pull;

  /// The mean over those the arm stands for, one per pull it has, once the first `pulls` of them were made.
  double mean_after(Arm arm, Pulls pulls) const;
};

/// A rested bandit: pull m of an arm pays f_arm(m), observed with noise.
struct Bandit {
  std::string name;
  std::vector<std::string> arm_names;
  std::vector<Curve> arms;
  Noise noise = NoNoise{};
  std::shared_ptr<const RecordedNoise> recorded_noise;  ///< where set, added instead of drawn noise
  Pulls horizon = 0;                                    ///< the horizon its source looks at; 0 where it has none
  std::shared_ptr<const Impact> impact{};               ///< where it is known

  Arm arm_count() const { return static_cast<Arm>(arms.size()); }
  /// The largest horizon that every curve (and the recorded noise) reaches, however the pulls are spread.
  Pulls longest_horizon() const;
  /// The same bandit with the first `pulls` rewards of every arm looked up instead of computed.
  Bandit tabulated(Pulls pulls) const;
};

/// Throws InputError where the curves do not reach the horizon.
void check_covers_horizon(const Bandit& bandit, Pulls horizon);

}  // namespace longrun
