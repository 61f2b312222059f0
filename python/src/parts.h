#pragma once

// The module in parts, each of which adds to it what it binds. Noise and constraints cross over as the texts that the
// command line takes; python/longrun makes them feel native.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): "name"_a, as nanobind means it

namespace longrun {

void add_lists(nb::module_& module);
void add_policy(nb::module_& module);
void add_bandit(nb::module_& module);
void add_world(nb::module_& module);
void add_solvers(nb::module_& module);
void add_recommendation(nb::module_& module);
void add_simulation(nb::module_& module);

// ---- arguments and results

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A NumPy array that owns the values.
template <class Value, class... Lengths>
auto numpy_array(std::vector<Value> values, Lengths... lengths) {
  auto* kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<sizeof...(lengths)>>(kept->data(), {static_cast<size_t>(lengths)...},
                                                                     owner);
}

// Taken as objects, so that what is no number is refused in one line, not with nanobind's list of signatures.
Arm arm_from(nb::handle object, Arm arms);
double reward_from(nb::handle object);

using ConstraintTexts = std::map<std::string, std::string>;
Constraints constraints_from(const ConstraintTexts& texts);

void check_horizon(const Bandit& bandit, Pulls horizon);

}  // namespace longrun
