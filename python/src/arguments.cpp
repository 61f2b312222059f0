#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "longrun/base/input_error.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

/// Returns whether the object is True or False, of Python or NumPy. A number is expected in its place.
bool is_truth_value(nb::handle object) {
  const std::string_view type = Py_TYPE(object.ptr())->tp_name;
  return PyBool_Check(object.ptr()) || type == "numpy.bool" || type == "numpy.bool_";
}

/// Returns the object as error messages show it: on one line, and not long.
std::string shown(nb::handle object) {
  return nb::cast<std::string>(nb::module_::import_("longrun._checks").attr("shown")(object));
}

}  // namespace

std::optional<std::int64_t> whole_number_in(nb::handle object) {
  if (is_truth_value(object) || PyIndex_Check(object.ptr()) == 0) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  std::int64_t number = 0;
  if (index.is_valid() && nb::try_cast(index, number)) return number;
  PyErr_Clear();
  return std::nullopt;
}

Arm arm_from(nb::handle object, Arm arms) {
  const auto arm = whole_number_in(object);
  if (!arm && (PyFloat_Check(object.ptr()) || is_truth_value(object))) {
    throw InputError(fmt::format("arm {}: must be a whole number from 0 to {}, such as int({})", shown(object),
                                 arms - 1, shown(object)));
  }
  if (!arm || *arm < 0 || *arm >= arms) {
    throw InputError(fmt::format("arm {} is not one of 0..{}", shown(object), arms - 1));
  }
  return static_cast<Arm>(*arm);
}

Pulls count_from(nb::handle object) {
  constexpr Pulls kMost = 1'000'000'000;  // pulls of one call
  const auto count = whole_number_in(object);
  if (!count || *count < 1 || *count > kMost) {
    throw InputError(fmt::format("n {}: must be a whole number from 1 to {}", shown(object), kMost));
  }
  return *count;
}

double reward_from(nb::handle object, double minimum, double maximum) {
  if (PyFloat_Check(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
  const nb::object reward_of = nb::module_::import_("longrun._study_checks").attr("reward_of");
  return nb::cast<double>(reward_of(object, nb::make_tuple(minimum, maximum)));
}

std::string one_line(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

NoiseTuple tuple_of(const Noise& noise) {
  NoiseFields fields = fields_of(noise);
  return {std::move(fields.kind), std::move(fields.values)};
}

Noise noise_from(const NoiseTuple& fields) {
  return noise_of({.kind = std::get<0>(fields), .values = std::get<1>(fields)});
}

std::optional<Noise> noise_from(const std::optional<NoiseTuple>& fields) {
  return fields ? std::optional(noise_from(*fields)) : std::nullopt;
}

Constraints constraints_from(const ConstraintFields& fields) {
  const auto per_arm = []<class Value>(const ArmValues<Value>& values) {
    const auto& [every, named, listed] = values;
    PerArm<Value> result{.every = every, .listed = listed};
    for (const auto& [arm, value] : named) result.named.emplace(arm, value);
    return result;
  };
  const auto& [decimals, units_per_round, costs, minimum_pulls, minimum_share, unavailable, units_lapse] = fields;
  Constraints constraints{.units_per_round = units_per_round,
                          .costs = per_arm(costs),
                          .minimum_pulls = per_arm(minimum_pulls),
                          .minimum_share = per_arm(minimum_share),
                          .units_lapse = units_lapse,
                          .unit_decimals = decimals};
  for (const auto& [arm, from, to] : unavailable) constraints.unavailable[arm].push_back({from, to});
  return constraints;
}

void check_horizon(const Bandit& bandit, Pulls horizon) {
  if (horizon < 1) throw InputError(fmt::format("horizon {} must be at least 1", horizon));
  if (horizon > kLongestHorizon) {
    throw InputError(fmt::format("horizon {} is too large; at most {} is accepted", horizon, kLongestHorizon));
  }
  check_covers_horizon(bandit, horizon);
}

}  // namespace longrun
