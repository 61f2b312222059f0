#include "longrun/simulate/world.h"

#include <algorithm>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/running_sum.h"

namespace longrun {

World::World(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate)
    : curves_(bandit.arms),
      noise_(bandit.noise),
      recorded_(bandit.recorded_noise),
      key_{.seed = seed, .replicate = replicate, .purpose = Purpose::noise},
      noise_free_(recorded_ == nullptr && std::holds_alternative<NoNoise>(noise_)),
      pulls_(bandit.arms.size(), 0),
      blocks_(noise_free_ ? 0 : bandit.arms.size()) {}

World::World(const Bandit& bandit, std::shared_ptr<const ObservationTable> observed)
    : curves_(bandit.arms),
      noise_(bandit.noise),
      key_{},
      noise_free_(true),
      observed_(std::move(observed)),
      pulls_(bandit.arms.size(), 0) {}

double World::earned() const {
  RunningSum sum;
  for (std::size_t arm = 0; arm < curves_.size(); ++arm) sum.add(curves_[arm].cumulative(pulls_[arm]));
  return sum.value();
}

void World::observe(std::size_t arm, Pulls first_pull, std::span<double> out) const {
  const Curve& curve = curves_[arm];
  for (std::size_t k = 0; k < out.size(); ++k) {
    // Past the end of a table the reward is NaN. No run within Bandit::longest_horizon() reads it.
    out[k] = curve.reward(first_pull + static_cast<Pulls>(k));
  }
  if (recorded_ != nullptr) {
    const std::vector<double>& column = (*recorded_)[arm];
    const auto first = static_cast<std::size_t>(first_pull - 1);
    for (std::size_t k = 0; k < out.size() && first + k < column.size(); ++k) out[k] += column[first + k];
    return;
  }
  StreamKey key = key_;
  key.lane = static_cast<std::uint32_t>(arm);
  add_noise(noise_, key, first_pull, out);
}

ObservationTable observe_all(const Bandit& bandit, std::uint64_t seed, std::uint32_t replicate, Pulls pulls) {
  const World world(bandit, seed, replicate);
  ObservationTable table(bandit.arms.size(), std::vector<double>(static_cast<std::size_t>(pulls)));
  for (std::size_t arm = 0; arm < table.size(); ++arm) {
    for (Pulls done = 0; done < pulls; done += kStepsPerCancellationCheck) {
      throw_if_cancelled();
      const auto count = static_cast<std::size_t>(std::min(kStepsPerCancellationCheck, pulls - done));
      world.observe(arm, done + 1, std::span(table[arm]).subspan(static_cast<std::size_t>(done), count));
    }
  }
  return table;
}

}  // namespace longrun
