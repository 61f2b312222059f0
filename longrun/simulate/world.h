#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"

namespace longrun {

/// All observations of one replicate up to some pull, table[arm][pull - 1], computed once and shared by all policies
/// and horizons that play the replicate.
using ObservationTable = std::vector<std::vector<double>>;
/// Computes the first `pulls` observations of every arm.
ObservationTable observe_all(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate, Pulls pulls);

/// One replicate of a bandit that is being played. Its noise is a function of (seed, replicate, arm, pull), not of
/// time: two policies that make the same pull observe the same reward, so a comparison needs far fewer seeds.
class World {
 public:
  World(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate = 0);
  /// Uses the given observations. No arm may be pulled more often than the table has entries.
  World(const Bandit& bandit, std::shared_ptr<const ObservationTable> observed);

  /// Pulls `arm` once and returns the observed reward.
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
  /// Returns the sum of the mean rewards, without noise, of all pulls made.
  double earned() const;

 private:
  // Observations are computed in blocks, several normal numbers at once.
  static constexpr std::size_t kBlock = 16;
  void observe_block(std::size_t arm, Pulls first_pull) { observe(arm, first_pull, blocks_[arm]); }
  /// Computes the observations of an arm's pulls first_pull, first_pull + 1, ... Requires observed_ == nullptr.
  void observe(std::size_t arm, Pulls first_pull, std::span<double> out) const;
  friend ObservationTable observe_all(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate, Pulls pulls);

  std::vector<Curve> curves_;
  const Noise noise_;
  const std::shared_ptr<const RecordedNoise> recorded_;  // null: noise is drawn
  const StreamKey key_;
  const bool noise_free_;  // whether observations are mean rewards; unused if observed_
  const std::shared_ptr<const ObservationTable> observed_;  // null: observations are computed
  std::vector<Pulls> pulls_;                                // pulls made, per arm
  std::vector<std::array<double, kBlock>> blocks_;          // the current block of each arm; empty without noise
};

}  // namespace longrun
