#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/base/types.h"
#include "longrun/decide/advice/arm_futures.h"
#include "longrun/model/noise.h"

namespace longrun {

/// One possible future of all arms, which is being played. The reward of the k-th pull of an arm from now is a function
/// of (key, arm, k), not of time: two policies that make the same pull observe the same reward.
class FutureWorld {
 public:
  /// Keeps references to `curves` and `noise`, one per arm, which must outlive this object.
  FutureWorld(std::span<const FutureCurve> curves, std::span<const Noise> noise, const StreamKey& key)
      : curves_(curves), noise_(noise), key_(key), pulls_(curves.size(), 0), blocks_(curves.size()) {}

  /// The reward of a pull, and its mean.
  struct Reward {
    double mean = 0;
    double observed = 0;
  };
  /// Pulls `arm` once.
  Reward pull(Arm arm) {
    const auto index = static_cast<std::size_t>(arm);
    const auto slot = static_cast<std::size_t>(pulls_[index]++) % kBlock;
    Block& block = blocks_[index];
    if (slot == 0) compute(index, block);
    return {block.means[slot], block.observed[slot]};
  }

 private:
  static constexpr std::size_t kBlock = 16;  // as in World
  struct Block {
    std::array<double, kBlock> means;
    std::array<double, kBlock> observed;
  };

  /// Computes the block that begins with the last pull.
  void compute(std::size_t arm, Block& block) const {
    const Pulls first = pulls_[arm];
    for (std::size_t k = 0; k < kBlock; ++k)
      block.means[k] = curves_[arm].at(static_cast<double>(first) + static_cast<double>(k));
    block.observed = block.means;
    StreamKey key = key_;
    key.lane = static_cast<std::uint32_t>(arm);
    add_noise(noise_[arm], key, first, block.observed);
  }

  std::span<const FutureCurve> curves_;
  std::span<const Noise> noise_;
  StreamKey key_;
  std::vector<Pulls> pulls_;   // [arm], from now
  std::vector<Block> blocks_;  // [arm], the current block; uninitialised before the first pull
};

}  // namespace longrun
