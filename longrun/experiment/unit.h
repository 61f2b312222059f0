#pragma once

#include <cstddef>
#include <cstdint>

#include "longrun/experiment/config.h"

namespace longrun {

/// One bandit with one noise and one seed, by their indices in the config. A unit is computed, recorded and, after an
/// interruption, recomputed as a whole.
struct Unit {
  std::size_t bandit = 0;
  std::size_t noise = 0;
  std::uint32_t seed = 1;

  friend bool operator==(const Unit&, const Unit&) = default;
};

std::size_t unit_count(const Config& config);

/// Returns the unit with this number, from 0: all seeds of the first noise of the first bandit, then of its next noise,
/// then of the next bandit.
Unit unit_at(const Config& config, std::size_t number);
/// Returns the number of a unit: unit_at(config, unit_number(config, unit)) == unit.
std::size_t unit_number(const Config& config, const Unit& unit);

}  // namespace longrun
