#pragma once

#include <cstddef>

#include "longrun/data/named_bandits.h"

namespace longrun {

/// Returns noisy arms that rise, one faster than the next: no policy settles on one of them at once. They are the two
/// arms of inc_1, repeated.
inline Bandit rising_arms(Arm arms) {
  const Bandit pair = named_bandit("inc_1_alpha_0.5");
  Bandit bandit{
      .name = "rising", .arm_names = {}, .arms = {}, .noise = Gaussian{.sd = 0.05}, .recorded_noise = nullptr};
  for (Arm arm = 0; arm < arms; ++arm) bandit.arms.push_back(pair.arms[static_cast<std::size_t>(arm % 2)]);
  bandit.arm_names.resize(bandit.arms.size());
  return bandit;
}

}  // namespace longrun
