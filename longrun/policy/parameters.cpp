#include "longrun/policy/parameters.h"

#include <fmt/format.h>

namespace longrun {

std::string Parameter::default_text() const {
  if (const auto* constant = std::get_if<double>(&default_value)) return fmt::format("{}", *constant);
  if (const auto* formula = std::get_if<DefaultFormula>(&default_value)) return std::string(formula->text);
  return fmt::format("no default: {}", std::get<NoDefault>(default_value).text);
}

std::string Parameter::help() const { return fmt::format("{} ({})", meaning, default_text()); }

double Parameters::get(const Parameter& parameter, const Setting& setting) const {
  if (const auto set = find(parameter)) return *set;
  if (const auto* constant = std::get_if<double>(&parameter.default_value)) return *constant;
  return std::get<DefaultFormula>(parameter.default_value).value(setting, *this);
}

std::optional<double> Parameters::find(const Parameter& parameter) const {
  const auto found = values_.find(parameter.name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

}  // namespace longrun
