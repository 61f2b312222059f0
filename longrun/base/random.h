#pragma once

#include <array>
#include <cstdint>

namespace longrun {

/// The purposes of random numbers. The purpose is part of the key, so numbers of different purposes are independent.
enum class Purpose : std::uint8_t {
  noise,         ///< of observations
  policy,        ///< choices of a randomized policy
  instance,      ///< random bandits; data/instance_family.h divides these streams
  future,        ///< curves of the arms in possible futures
  future_noise,  ///< of observations in possible futures
  resample,      ///< rewards drawn again from a log
  arm_order,     ///< orders of the arms in which policies are compared
};
inline constexpr std::array kPurposes{Purpose::noise,        Purpose::policy,   Purpose::instance, Purpose::future,
                                      Purpose::future_noise, Purpose::resample, Purpose::arm_order};

/// The name of one stream of random numbers. Block b of a stream is a pure function of (key, b) (Philox 4x32-10, Salmon
/// et al. 2011): the same numbers on any thread, in any order, on any machine.
struct StreamKey {
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  Purpose purpose = Purpose::noise;
  std::uint32_t lane = 0;  ///< the arm, where a purpose has one stream per arm
};

/// Returns block `index` (< 2^56) of the stream: two independent uniform 64-bit numbers.
std::array<std::uint64_t, 2> random_block(const StreamKey& key, std::uint64_t index);

/// Returns the 52 high bits as a number in (0, 1), ends excluded. With one bit more the largest would round to 1.
constexpr double unit_interval(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace longrun
