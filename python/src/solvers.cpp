#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "longrun/base/input_error.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/regret.h"
#include "longrun/solve/optimistic_future.h"
#include "python/src/parts.h"
#include "python/src/watched.h"

namespace longrun {
namespace {

std::optional<double> future(const Numbers& lower, const Numbers& upper, Pulls remaining) {
  if (lower.size() != upper.size()) {
    throw InputError(fmt::format("{} lower ends and {} upper ends", lower.size(), upper.size()));
  }
  if (remaining < 0) throw InputError(fmt::format("remaining: {} is negative", remaining));
  std::vector<Band> bands;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const Band band{lower.data()[i], upper.data()[i]};
    if (!std::isfinite(band.lower) || !std::isfinite(band.upper) || band.lower > band.upper) {
      throw InputError(fmt::format("band {}: [{}, {}] is not an interval", i, band.lower, band.upper));
    }
    bands.push_back(band);
  }
  return optimistic_future(bands, remaining);
}

}  // namespace

void add_solvers(nb::module_& module) {
  module.def(
      "optimum",
      [](const Bandit& bandit, Pulls horizon, const ConstraintTexts& constraints) {
        check_horizon(bandit, horizon);
        const Constraints allowed = constraints_from(constraints);
        Allocation best;
        watched([&](const auto&) { best = optimal_allocation(bandit, horizon, allowed); });
        return std::tuple(best.value, numpy_array(std::move(best.pulls), bandit.arms.size()),
                          std::string(name(best.method)));
      },
      "bandit"_a, "horizon"_a, "constraints"_a);
  module.def("optimistic_future", &future, "lower"_a, "upper"_a, "remaining"_a);
  module.def("policy_regret", &policy_regret, "optimum"_a, "earned"_a);
}

}  // namespace longrun
