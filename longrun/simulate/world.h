#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"

namespace longrun {

/// Every observation of one replicate up to some pull, made once: table[arm][pull - 1]. Shared by all policies and
/// horizons that play the replicate, which then only look up.
using ObservationTable = std::vector<std::vector<double>>;
ObservationTable observe_all(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate, Pulls pulls);

/// One replicate of a bandit, being played. Noise is keyed by (seed, replicate, arm, pull), not by time: two policies
/// that make the same pull see the same reward, so comparing them needs far fewer seeds.
class World {
 public:
  World(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate = 0);
  /// The same, with its observations looked up: no arm can be pulled more often than the table has pulls.
  World(const Bandit& bandit, std::shared_ptr<const ObservationTable> observed);

  /// Pulls `arm` once more and returns what is observed.
  double pull(Arm arm) {
    const auto index = static_cast<std::size_t>(arm);
    const Pulls pull = ++pulls_[index];
    if (observed_ != nullptr) return (*observed_)[index][static_cast<std::size_t>(pull - 1)];
    if (noise_free_) return curves_[index].reward(pull);
    const auto slot = static_cast<std::size_t>(pull - 1) % kBlock;
    if (slot == 0) observe_block(index, pull);
    return blocks_[index][slot];
  }

  const std::vector<Pulls>& pulls() const { return pulls_; }
  /// Sum of the mean rewards of all pulls made, the return of the run. Noise plays no part in it.
  double earned() const;

 private:
  // Observations are made a block at a time, which lets the processor overlap their logarithms and cosines.
  static constexpr std::size_t kBlock = 16;
  void observe_block(std::size_t arm, Pulls first_pull);

  std::vector<Curve> curves_;
  const Noise noise_;
  const std::shared_ptr<const RecordedNoise> recorded_;
  const StreamKey key_;
  const bool noise_free_;
  const std::shared_ptr<const ObservationTable> observed_;
  std::vector<Pulls> pulls_;
  std::vector<std::array<double, kBlock>> blocks_;  // per arm; empty without noise
};

}  // namespace longrun
