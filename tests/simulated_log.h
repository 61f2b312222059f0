#pragma once

// Logs of bandits that are known.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "longrun/model/bandit.h"
#include "longrun/model/history.h"
#include "longrun/simulate/world.h"

namespace longrun {

/// Returns a bandit of hills: one that peaks late and high, one that falls early, one that is level.
inline Bandit three_hills(const Noise& noise) {
  return {.name = "three hills",
          .arm_names = {"late", "early", "level"},
          .arms = {Hill{.start = 0.1, .top = 0.8, .end = 0.3, .peak = 150, .rise = 0.7, .fall = 300},
                   Hill{.start = 0.6, .top = 0.7, .end = 0.1, .peak = 20, .rise = 0.5, .fall = 80}, Constant{0.45}},
          .noise = noise,
          .recorded_noise = nullptr,
          .horizon = 400};
}

/// Returns a bandit of arms that never change.
inline Bandit three_levels(const Noise& noise) {
  return {.name = "three levels",
          .arm_names = {"low", "middle", "high"},
          .arms = {Constant{0.3}, Constant{0.45}, Constant{0.6}},
          .noise = noise,
          .recorded_noise = nullptr,
          .horizon = 400};
}

/// Returns a log of `pulls` pulls of arms that are chosen uniformly at random.
inline History random_log(const Bandit& bandit, std::uint64_t seed, Pulls pulls) {
  History history{.arm_names = bandit.arm_names, .pulls = {}};
  World world(bandit, seed);
  std::mt19937_64 bits(seed);
  for (Pulls i = 0; i < pulls; ++i) {
    const auto arm = static_cast<Arm>(bits() % bandit.arms.size());
    history.pulls.push_back({arm, world.pull(arm)});
  }
  return history;
}

/// Returns a log in which every arm has the same number of pulls, one arm after the other.
inline History column_log(const Bandit& bandit, std::uint64_t seed, Pulls pulls_per_arm) {
  History history{.arm_names = bandit.arm_names, .pulls = {}};
  World world(bandit, seed);
  for (Arm arm = 0; arm < bandit.arm_count(); ++arm) {
    for (Pulls i = 0; i < pulls_per_arm; ++i) history.pulls.push_back({arm, world.pull(arm)});
  }
  return history;
}

}  // namespace longrun
