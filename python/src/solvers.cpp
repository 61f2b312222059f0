#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "longrun/base/input_error.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/regret.h"
#include "longrun/solve/optimistic_future.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

std::optional<double> future(const Numbers& lower, const Numbers& upper, Pulls remaining) {
  if (lower.size() != upper.size()) {
    throw InputError(
        fmt::format("lower has {} numbers and upper {}; they must have the same length", lower.size(), upper.size()));
  }
  if (remaining < 0) throw InputError(fmt::format("remaining {}: must be at least 0", remaining));
  std::vector<Band> bands;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const Band band{lower.data()[i], upper.data()[i]};
    if (!std::isfinite(band.lower) || !std::isfinite(band.upper) || band.lower > band.upper) {
      throw InputError(
          fmt::format("band {}: [{}, {}] is not a finite interval; its lower end must not be above its upper end", i,
                      band.lower, band.upper));
    }
    bands.push_back(band);
  }
  return optimistic_future(bands, remaining);
}

}  // namespace

void add_solvers(nb::module_& module) {
  module.def(
      "optimum",
      [](const Bandit& bandit, Pulls horizon, const ConstraintFields& constraints) {
        check_horizon(bandit, horizon);
        const Constraints given = constraints_from(constraints);
        Allocation best;
        run_interruptible([&](const auto&) { best = optimal_allocation(bandit, horizon, given); });
        return std::tuple(best.value, numpy_array(std::move(best.pulls), bandit.arms.size()),
                          std::string(name(best.method)));
      },
      "bandit"_a, "horizon"_a, "constraints"_a);
  module.def("optimistic_future", &future, "lower"_a, "upper"_a, "remaining"_a);
  module.def("policy_regret", &policy_regret, "optimum"_a, "earned"_a);
}

}  // namespace longrun
