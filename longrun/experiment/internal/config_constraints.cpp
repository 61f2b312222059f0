#include "longrun/experiment/internal/config_constraints.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/feasible_constraints.h"

namespace longrun {
namespace {

constexpr std::string_view kConstraintForm =
    R"(a number for every arm, a list with one for each, or a text such as "0:10,2:5")";

/// Returns the value, a number, a list of numbers or a text, as text that set_constraint() reads.
std::string text_of(const TomlValue& value) {
  if (value.is_text()) return value.text(kConstraintForm);
  if (value.is_number()) return fmt::format("{}", value.number());
  std::string text;
  for (const TomlValue& element : value.list(kConstraintForm)) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", element.number());
  }
  return text;
}

/// Throws InputError unless the constraints can be met.
void check_feasible(const Constraints& constraints, const Bandit& bandit, Pulls horizon) {
  try {
    resolve_feasible(constraints, bandit.arm_count(), horizon);
  } catch (const InputError& problem) {
    throw InputError(fmt::format("{} (bandit '{}', horizon {})", problem.what(), bandit.name, horizon));
  }
}

}  // namespace

Constraints read_constraints(const TomlValue& table, const Config& config) {
  std::vector<std::string> names;
  names.reserve(kConstraintFields.size());
  for (const ConstraintField& field : kConstraintFields) names.emplace_back(field.name);
  table.check_keys(names);
  Constraints constraints;
  for (const std::string& name : names) {
    const auto value = table.find(name);
    if (!value) continue;
    const std::string text = text_of(*value);
    value->located([&] { set_constraint(constraints, name, text); });
  }
  if (constraints.none()) return constraints;
  for (const BanditChoice& choice : config.bandits) {
    std::set<Arm> checked;  // numbers of arms; nothing else of a bandit matters for constraints
    const std::uint32_t instances = choice.per_seed && instances_differ_in_arms(choice.name) ? config.seeds : 1;
    for (std::uint32_t k = 0; k < instances; ++k) {
      const Bandit bandit = choice.at(config.first_seed + k);
      if (!checked.insert(bandit.arm_count()).second) continue;
      table.located([&] {
        for (const Pulls horizon : config.horizons) check_feasible(constraints, bandit, horizon);
      });
    }
  }
  return constraints;
}

std::string to_toml(const Constraints& constraints) {
  if (constraints.none()) return "";
  std::string text = "\n[constraints]\n";
  for (const auto& [name, value] : constraint_texts(constraints)) {
    text += fmt::format("{} = {}\n", name, toml_quoted(value));
  }
  return text;
}

}  // namespace longrun
