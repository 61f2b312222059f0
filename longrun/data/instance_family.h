#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "longrun/base/random.h"

namespace longrun {

/// The families of bandits that are drawn at random. The position of a family is part of the key of its streams, so new
/// families are added at the end: elsewhere, they would change the bandits of the families after them.
enum class InstanceFamily : std::uint32_t {
  constant,              ///< const_K
  fico_sample,           ///< fico_score_change_sample_K and fico_utility_sample_K: the same applicants, two rewards
  random_peaked,         ///< random_peaked_K
  random_rising,         ///< random_rising_K
  random_falling,        ///< random_falling_K
  random_constant,       ///< random_constant_K
  recommender_random,    ///< recommender_random_K
  random_mixed,          ///< random_mixed_K
  random_s_shaped,       ///< random_s_shaped_K
  random_plateau,        ///< random_plateau_K
  random_many_peaked,    ///< random_many_peaked_K
  random_many_rising,    ///< random_many_rising_K
  random_many_falling,   ///< random_many_falling_K
  random_many_constant,  ///< random_many_constant_K
};

/// All families, in the order of the enumeration.
inline constexpr std::array kInstanceFamilies{
    InstanceFamily::constant,
    InstanceFamily::fico_sample,
    InstanceFamily::random_peaked,
    InstanceFamily::random_rising,
    InstanceFamily::random_falling,
    InstanceFamily::random_constant,
    InstanceFamily::recommender_random,
    InstanceFamily::random_mixed,
    InstanceFamily::random_s_shaped,
    InstanceFamily::random_plateau,
    InstanceFamily::random_many_peaked,
    InstanceFamily::random_many_rising,
    InstanceFamily::random_many_falling,
    InstanceFamily::random_many_constant,
};
static_assert(
    [] {
      for (std::size_t i = 0; i < kInstanceFamilies.size(); ++i) {
        if (static_cast<std::size_t>(kInstanceFamilies[i]) != i) return false;
      }
      return true;
    }(),
    "every family has a number of its own");

/// Returns the key of a stream that draws instance number `instance` of a family. A family may use one stream per arm:
/// `lane` is then the arm. Bandits take their keys only from here, so no two families share a stream.
constexpr StreamKey instance_stream(InstanceFamily family, std::uint64_t instance, std::uint32_t lane = 0) {
  return {
      .seed = instance, .replicate = static_cast<std::uint32_t>(family), .purpose = Purpose::instance, .lane = lane};
}

}  // namespace longrun
