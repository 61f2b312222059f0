#include "longrun/experiment/unit.h"

namespace longrun {

std::size_t unit_count(const Config& config) { return config.bandits.size() * config.noises.size() * config.seeds; }

Unit unit_at(const Config& config, std::size_t number) {
  const std::size_t bandit_and_noise = number / config.seeds;
  return {.bandit = bandit_and_noise / config.noises.size(),
          .noise = bandit_and_noise % config.noises.size(),
          .seed = config.first_seed + static_cast<std::uint32_t>(number % config.seeds)};
}

std::size_t unit_number(const Config& config, const Unit& unit) {
  return (unit.bandit * config.noises.size() + unit.noise) * config.seeds + (unit.seed - config.first_seed);
}

}  // namespace longrun
