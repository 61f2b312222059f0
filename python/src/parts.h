#pragma once

// The parts of the module _core. Each add_...() adds its bindings. Noise and constraints cross over as tuples of their
// fields; python/longrun has the classes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"
#include "longrun/model/noise.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): "name"_a, as in nanobind's documentation

namespace longrun {

void add_lists(nb::module_& module);
void add_policy(nb::module_& module);
void add_bandit(nb::module_& module);
void add_world(nb::module_& module);
void add_solvers(nb::module_& module);
void add_recommendation(nb::module_& module);
void add_plan(nb::module_& module);
void add_backtest(nb::module_& module);
void add_simulation(nb::module_& module);
void add_own_policies(nb::module_& module);
void add_study(nb::module_& module);

// ---- arguments and results

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Returns a NumPy array that owns the values.
template <class Value, class... Lengths>
auto numpy_array(std::vector<Value> values, Lengths... lengths) {
  auto* kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<sizeof...(lengths)>>(kept->data(), {static_cast<size_t>(lengths)...},
                                                                     owner);
}

// These functions take Python objects, so that an invalid argument causes an error of one line instead of nanobind's
// list of signatures.

/// Returns the number, or nullopt if the object is not a whole number of 64 bits; True, 1.0 and "1" are none.
std::optional<std::int64_t> whole_number_in(nb::handle object);
/// Returns the arm. Throws InputError unless it is a whole number from 0 to arms - 1.
Arm arm_from(nb::handle object, Arm arms);
/// Returns the number of pulls that are asked for. Throws InputError unless it is a whole number from 1 to 10^9.
Pulls count_from(nb::handle object);
/// Returns the reward by the rules of longrun.Study. Raises a ValueError unless it is a finite number, or a float,
/// which may be infinite or nan; True and False count on the scale from 0 to 1 only.
double reward_from(nb::handle object, double minimum, double maximum);

/// Returns the text with a blank in place of every line break and other control character: texts of the caller may have
/// some, and an error message is one line.
std::string one_line(std::string text);

/// The name of a kind of noise and the values of its fields: NoiseFields.
using NoiseTuple = std::tuple<std::string, std::vector<double>>;
NoiseTuple tuple_of(const Noise& noise);
/// Returns the noise. Throws InputError for values that are out of range or contradict each other.
Noise noise_from(const NoiseTuple& fields);
std::optional<Noise> noise_from(const std::optional<NoiseTuple>& fields);

/// PerArm: the value of arms that are not named, those of named arms, and whether they were listed.
template <class Value>
using ArmValues = std::tuple<Value, std::vector<std::tuple<Arm, Value>>, bool>;
/// Constraints: unit_decimals, units_per_round, costs, minimum_pulls, minimum_share, unavailable arms with the first
/// and last round of each range, and units_lapse. Python has checked the ranges of the numbers.
using ConstraintFields = std::tuple<int, Pulls, ArmValues<Pulls>, ArmValues<Pulls>, ArmValues<double>,
                                    std::vector<std::tuple<Arm, Pulls, Pulls>>, bool>;
Constraints constraints_from(const ConstraintFields& fields);

/// Throws InputError unless the horizon is from 1 to kLongestHorizon and the curves reach it.
void check_horizon(const Bandit& bandit, Pulls horizon);

}  // namespace longrun
