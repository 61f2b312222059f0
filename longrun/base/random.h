#pragma once

#include <array>
#include <cstdint>

namespace longrun {

/// What random numbers are drawn for. Part of the key, so that a policy's own coin can never meet the noise.
enum class Purpose : std::uint8_t { noise = 0, policy = 1, instance = 2 };

/// Names one stream of random numbers. Block b of a stream is a pure function of (key, b) (Philox 4x32-10, Salmon et
/// al. 2011): the same numbers on any thread, in any order, on any machine.
struct StreamKey {
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  Purpose purpose = Purpose::noise;
  std::uint32_t lane = 0;  ///< the arm, where a purpose has one stream per arm
};

/// Two independent uniform 64-bit numbers: block `index` (< 2^56) of the stream.
std::array<std::uint64_t, 2> random_block(const StreamKey& key, std::uint64_t index);

/// The 52 high bits as a number in (0, 1), ends excluded: with one bit more the largest would round to 1.
constexpr double unit_interval(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace longrun
