#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "longrun/base/input_error.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

/// Returns the object as Python shows it.
std::string shown(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

}  // namespace

Arm arm_from(nb::handle object, Arm arms) {
  std::int64_t arm = 0;
  if (!nb::try_cast(object, arm) || arm < 0 || arm >= arms) {
    throw InputError(fmt::format("arm {} is not one of 0..{}", shown(object), arms - 1));
  }
  return static_cast<Arm>(arm);
}

double reward_from(nb::handle object) {
  double reward = 0;
  if (!nb::try_cast(object, reward)) throw InputError(fmt::format("reward {} is not a finite number", shown(object)));
  return reward;
}

Constraints constraints_from(const ConstraintTexts& texts, int decimals) {
  Constraints constraints = Constraints::with_decimals(decimals);
  for (const auto& [field, text] : texts) {
    try {
      set_constraint(constraints, field, text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", field, error.what()));
    }
  }
  return constraints;
}

int unit_decimals_in(const ConstraintTexts& texts) {
  int decimals = 0;
  for (const auto& [field, text] : texts) {
    decimals = std::max(decimals, unit_decimals_of(field, text));
    if (decimals > kMostDecimals)
      throw InputError(fmt::format("{} {}: units have at most {} decimals", field, text, kMostDecimals));
  }
  return decimals;
}

void check_horizon(const Bandit& bandit, Pulls horizon) {
  if (horizon < 1) throw InputError(fmt::format("horizon {} must be at least 1", horizon));
  if (horizon > kLongestHorizon) {
    throw InputError(fmt::format("horizon {} is too large; at most {} is accepted", horizon, kLongestHorizon));
  }
  check_covers_horizon(bandit, horizon);
}

}  // namespace longrun
