// Changes of the conditions: arms, budget, noise, constraints, availability, mode.

#include <fmt/format.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/service/served_study.h"

namespace longrun {

ServedStudy::Result ServedStudy::change_conditions(const ChangeConditions& change) {
  std::vector<StudyCommand> commands;
  std::vector<ErrorFields> fields;
  for (auto name = change.added_arms.begin(); name != change.added_arms.end(); ++name) {
    const bool is_repeated = std::find(change.added_arms.begin(), name, *name) != name;
    if (is_repeated || arms().find(*name)) {
      throw invalid_request(fmt::format("add_arms: '{}' {}; names must differ", *name,
                                        is_repeated ? "is given twice" : "is an arm of the study already"),
                            "/add_arms");
    }
    commands.emplace_back(AddArm{*name});
    fields.emplace_back("/add_arms");
  }
  if (change.more_budget) {
    const int decimals = study().spec().constraints.unit_decimals;
    commands.emplace_back(ExtendBudget{
        units_of(*change.more_budget, decimals, "extend_budget", kLongestHorizon - study().spec().budget)});
    fields.emplace_back("/extend_budget");
  }
  if (change.noise) {
    if (change.noise->noise == study().spec().noise) {
      const std::string text = change.noise->noise ? to_text(*change.noise->noise) : "estimate";
      throw invalid_request(fmt::format("noise: {} is the noise already", text), "/noise");
    }
    commands.emplace_back(ChangeNoise{change.noise->noise});
    fields.emplace_back("/noise");
  }
  if (!change.constraints.empty()) {
    commands.emplace_back(ChangeConstraints{changed_constraints(change)});
    fields.emplace_back("/constraints");
  }
  if (change.unavailable) {
    commands.emplace_back(SetUnavailable{unavailable_in(change)});
    fields.emplace_back("/unavailable");
  }
  if (change.mode) {
    if (*change.mode == mode_)
      throw invalid_request(fmt::format("mode: the study is {} already", longrun::name(mode_)), "/mode");
    if (*change.mode == StudyMode::shadow) {
      throw invalid_request("mode: a live study cannot become a shadow; close it, or create a shadow", "/mode");
    }
    commands.emplace_back(ChangeMode{*change.mode});
    fields.emplace_back("/mode");
  }
  if (commands.empty()) {
    throw invalid_request("nothing is changed; give add_arms, extend_budget, noise, constraints, unavailable or mode");
  }
  if (commands.size() > 1) try_all(commands, fields);
  Result result;
  for (std::size_t i = 0; i < commands.size(); ++i) result.entries.push_back(handle(commands[i], fields[i]));
  return result;
}

Constraints ServedStudy::changed_constraints(const ChangeConditions& change) const {
  ArmLabels known = arms();
  for (const std::string& name : change.added_arms) {
    if (!name.empty() && !known.find(name)) known.add(name);  // others are refused before the constraints change
  }
  const Constraints& now = study().spec().constraints;
  const Constraints defaults = Constraints::with_decimals(now.unit_decimals);
  Constraints changed = now;
  for (const auto& [field, text] : change.constraints) {
    if (!text && constraint_text(now, field) == constraint_text(defaults, field)) continue;
    if (!text && field == "minimum_pulls") {
      changed.minimum_pulls = defaults.minimum_pulls;
    } else if (!text && field == "minimum_share") {
      changed.minimum_share = defaults.minimum_share;
    } else if (!text && field == "unavailable") {
      changed.unavailable = defaults.unavailable;
    } else if (!text) {
      throw invalid_constraint(field,
                               "cannot change while the study runs; minimum_pulls, minimum_share and unavailable can");
    } else {
      try {
        set_constraint(changed, field, *text, {.arms = &known, .arms_are_ordered = false});
      } catch (const InputError& error) {
        throw invalid_constraint(field, error.what());
      }
    }
  }
  if (changed == now) throw invalid_request("constraints: they are the constraints already", "/constraints");
  return changed;
}

std::vector<Arm> ServedStudy::unavailable_in(const ChangeConditions& change) const {
  std::vector<Arm> unavailable;
  for (const std::string& name : *change.unavailable) {
    // An arm that this request adds is known too.
    const auto added = std::find(change.added_arms.begin(), change.added_arms.end(), name);
    const bool is_new = added != change.added_arms.end() && !arms().find(name);
    unavailable.push_back(is_new ? static_cast<Arm>(arms().names().size()) +
                                       static_cast<Arm>(added - change.added_arms.begin())
                                 : arm_named(name, "/unavailable"));
  }
  std::sort(unavailable.begin(), unavailable.end());
  std::vector<std::string> names = *change.unavailable;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    throw invalid_request(fmt::format("arm '{}' is given twice", *twice), "/unavailable");
  }
  return unavailable;
}

}  // namespace longrun
