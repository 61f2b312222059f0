#include "longrun/decide/study/arm_names.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"

namespace longrun {

ArmNames::ArmNames(const std::vector<std::string>& names) {
  names_.reserve(names.size());
  for (const std::string& name : names) add(name);
}

void ArmNames::add(const std::string& name) {
  numbers_.emplace(name, static_cast<Arm>(names_.size()));
  names_.push_back(name);
}

std::optional<Arm> ArmNames::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

Arm ArmNames::at(std::string_view name) const {
  if (const auto arm = find(name)) return *arm;
  throw InputError(fmt::format("arm: '{}' is not an arm of the study", name));
}

}  // namespace longrun
