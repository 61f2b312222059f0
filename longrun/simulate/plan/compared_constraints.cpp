#include "longrun/simulate/plan/compared_constraints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {

ComparedConstraints compared_constraints(const std::string& text, const Constraints& constraints,
                                         const ConstraintForm& form) {
  if (text == "none") {
    return {.name = "no constraints", .constraints = Constraints::with_decimals(constraints.unit_decimals)};
  }
  const std::size_t space = text.find_first_of(" =");
  std::string name = text.substr(0, space);
  if (name.starts_with("--")) name.erase(0, 2);
  std::string field = name;
  std::replace(field.begin(), field.end(), '-', '_');
  std::vector<std::string> names{"none"};
  for (const ConstraintField& known : kConstraintFields) {
    names.emplace_back(known.name);
    std::replace(names.back().begin(), names.back().end(), '_', '-');
  }
  if (std::none_of(kConstraintFields.begin(), kConstraintFields.end(),
                   [&](const ConstraintField& known) { return known.name == field; })) {
    throw InputError(
        fmt::format("{}: unknown constraint '{}'; must be one of {}, followed by a space or '=' and its value", text,
                    name, fmt::join(names, ", ")));
  }
  const std::size_t value = space == std::string::npos ? space : text.find_first_not_of(' ', space + 1);
  if (value == std::string::npos) {
    const auto* const known = std::find_if(kConstraintFields.begin(), kConstraintFields.end(),
                                           [&](const ConstraintField& each) { return each.name == field; });
    throw InputError(
        fmt::format("{}: the value is missing; give it after a space, as in '{} {}'", text, name, known->example));
  }
  ComparedConstraints compared{
      .name = fmt::format("{} {}", name, text.substr(value)), .constraints = constraints, .field = field};
  try {
    set_constraint(compared.constraints, field, text.substr(value), form);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", text, error.what()));
  }
  return compared;
}

}  // namespace longrun
