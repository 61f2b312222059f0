#include "longrun/experiment/internal/config_bandits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "longrun/base/nearest_name.h"
#include "longrun/data/csv_curves.h"
#include "longrun/data/named_bandits.h"

namespace longrun {
namespace {

using Names = std::vector<std::string>;

constexpr Pulls kEveryPullChecked = 1'000'000;  // beyond it, a sample of the pulls

constexpr std::string_view kBanditForm = R"(names and CSV files, such as ["inc_dec_3", "const_*", "mine.csv"])";
constexpr std::string_view kOwnForm =
    R"([[bandit]] with name = "mine" and arms = [{formula = "constant", level = 0.3}])";
constexpr std::string_view kArmForm = R"(a list such as [{formula = "constant", level = 0.3}, {rewards = [0.1, 0.2]}])";

struct FormulaField {
  std::string name;
  std::optional<double> otherwise{};  // the default; a field without one is required
};
struct FormulaForm {
  std::string name;
  std::vector<FormulaField> fields;
  std::function<Formula(const std::vector<double>&)> make;
};
using Values = std::vector<double>;

const std::vector<FormulaForm>& formula_forms() {
  static const std::vector<FormulaForm> forms{
      {"constant", {{"level"}}, [](const Values& v) { return Constant{.level = v[0]}; }},
      {"saturating_power",
       {{"ceiling"}, {"drop"}, {"exponent"}},
       [](const Values& v) { return SaturatingPower{.ceiling = v[0], .drop = v[1], .exponent = v[2]}; }},
      {"capped_power",
       {{"ceiling"}, {"rise"}, {"exponent"}},
       [](const Values& v) { return CappedPower{.ceiling = v[0], .rise = v[1], .exponent = v[2]}; }},
      {"rise_and_fall",
       {{"k1"}, {"k2"}, {"c1"}, {"c2"}, {"l"}, {"a"}},
       [](const Values& v) {
         return RiseAndFall{.k1 = v[0], .k2 = v[1], .c1 = v[2], .c2 = v[3], .l = v[4], .a = v[5]};
       }},
      {"novelty",
       {{"value"}, {"novelty"}, {"decay"}, {"pull_to_value"}, {"scale", 1}},
       [](const Values& v) {
         return Novelty{.value = v[0], .novelty = v[1], .decay = v[2], .pull_to_value = v[3], .scale = v[4]};
       }},
      {"shifted_power",
       {{"ceiling"}, {"drop"}, {"shift"}, {"exponent"}},
       [](const Values& v) { return ShiftedPower{.ceiling = v[0], .drop = v[1], .shift = v[2], .exponent = v[3]}; }},
      {"saturating_exponential",
       {{"ceiling"}, {"rate"}},
       [](const Values& v) { return SaturatingExponential{.ceiling = v[0], .rate = v[1]}; }},
      {"hill",
       {{"start"}, {"top"}, {"end"}, {"peak"}, {"rise", 1}, {"fall"}},
       [](const Values& v) {
         return Hill{.start = v[0], .top = v[1], .end = v[2], .peak = v[3], .rise = v[4], .fall = v[5]};
       }},
      {"step",
       {{"before"}, {"after"}, {"pulls"}},
       [](const Values& v) { return Step{.before = v[0], .after = v[1], .pulls = v[2]}; }},
      {"logistic",
       {{"start"}, {"top"}, {"middle"}, {"width"}},
       [](const Values& v) { return Logistic{.start = v[0], .top = v[1], .middle = v[2], .width = v[3]}; }},
      {"gompertz",
       {{"start"}, {"top"}, {"middle"}, {"width"}},
       [](const Values& v) { return Gompertz{.start = v[0], .top = v[1], .middle = v[2], .width = v[3]}; }},
      {"two_rises",
       {{"start"},
        {"plateau"},
        {"top"},
        {"fast"},
        {"middle"},
        {"exponent"},
        {"end", 0},
        {"peak", TwoRises::kNeverPeaks},
        {"fall", 100}},
       [](const Values& v) {
         return TwoRises{.start = v[0],
                         .plateau = v[1],
                         .top = v[2],
                         .fast = v[3],
                         .middle = v[4],
                         .exponent = v[5],
                         .end = v[6],
                         .peak = v[7],
                         .fall = v[8]};
       }},
  };
  return forms;
}

ArmChoice formula_arm(const TomlValue& arm) {
  Names names;
  for (const FormulaForm& form : formula_forms()) names.push_back(form.name);
  const std::string allowed = fmt::format("{}", fmt::join(names, ", "));
  const TomlValue formula = arm.at("formula", "formula = NAME, one of " + allowed + ", or rewards = [...]");
  const std::string name = formula.text(allowed);
  const auto form = std::find_if(formula_forms().begin(), formula_forms().end(),
                                 [&](const FormulaForm& candidate) { return candidate.name == name; });
  if (form == formula_forms().end()) throw formula.refused("is not a formula", allowed + did_you_mean(name, names));

  Names keys{"name", "formula"};
  for (const FormulaField& field : form->fields) keys.push_back(field.name);
  arm.check_keys(keys);
  Values values;
  std::string toml = fmt::format("formula = {}", toml_quoted(name));
  for (const FormulaField& field : form->fields) {
    const auto given = field.otherwise ? arm.find(field.name) : arm.at(field.name, "a finite number");
    values.push_back(given ? given->number() : *field.otherwise);
    toml += fmt::format(", {} = {}", field.name, values.back());
  }
  return {form->make(values), toml};
}

std::string rewards_toml(const std::vector<double>& rewards) {
  return fmt::format("rewards = [{}]", fmt::join(rewards, ", "));
}

double read_reward(const TomlValue& value) {
  const double reward = value.number();
  if (!(reward >= 0 && reward <= 1)) throw value.refused("is not a reward", "0 to 1");
  return reward;
}

ArmChoice table_arm(const TomlValue& arm, const TomlValue& list) {
  arm.check_keys(Names{"name", "rewards", "after_end"});
  std::vector<double> rewards;
  for (const TomlValue& reward : list.list("the mean reward of each pull, 0 to 1"))
    rewards.push_back(read_reward(reward));
  std::string toml = rewards_toml(rewards);
  Table table{.rewards = std::make_shared<const std::vector<double>>(std::move(rewards))};
  if (const auto after_end = arm.find("after_end")) {
    table.after_end = read_reward(*after_end);
    toml += fmt::format(", after_end = {}", table.after_end);
  }
  return {table, toml};
}

/// Checks every pull up to a million, and then in steps of about pull / 1024, because formulas change slowly there.
void check_rewards(const TomlValue& arm, const Curve& curve, Pulls longest) {
  for (Pulls pull = 1; pull <= longest; pull += 1 + (pull > kEveryPullChecked ? pull / 1024 : 0)) {
    const double reward = curve.reward(pull);
    if (reward >= 0 && reward <= 1) continue;
    throw arm.error(
        fmt::format("reward {} at pull {} is outside [0, 1]; allowed: curves that stay in [0, 1] up to the "
                    "longest horizon, {}",
                    reward, pull, longest));
  }
}

}  // namespace

ArmChoice read_arm(const TomlValue& value, Pulls longest) {
  if (!value.is_table())
    throw value.refused("is not an arm",
                        R"(tables such as {formula = "constant", level = 0.3} or {rewards = [0.1, 0.2]})");
  const auto rewards = value.find("rewards");
  ArmChoice arm = rewards ? table_arm(value, *rewards) : formula_arm(value);
  check_rewards(value, arm.curve, std::min(longest, arm.curve.length()));
  return arm;
}

namespace {

std::string arm_toml(const std::string& name, const std::string& rest) {
  return fmt::format("{{name = {}, {}}}", toml_quoted(name), rest);
}

std::string arms_toml(const Names& arms) { return fmt::format("[\n  {},\n]", fmt::join(arms, ",\n  ")); }

bool is_named_bandit(const std::string& name) {
  try {
    named_bandit(name);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string own_name(const TomlValue& table) {
  const TomlValue value = table.at("name", TomlValue::kText);
  std::string name = value.text(TomlValue::kText);
  if (name.empty() || name.find('*') != std::string::npos) throw value.refused("is not a name", "any text without '*'");
  if (is_named_bandit(name)) throw value.refused("is the name of a built-in bandit", "any other name");
  return name;
}

/// Reads a [[bandit]] table.
BanditChoice own_bandit(const TomlValue& table, Pulls longest) {
  table.check_keys(Names{"name", "arms"});
  BanditChoice choice{.name = own_name(table)};
  Bandit bandit{.name = choice.name, .arm_names = {}, .arms = {}, .recorded_noise = nullptr, .horizon = longest};
  Names written;
  for (const TomlValue& value : table.at("arms", kArmForm).list(kArmForm)) {
    const ArmChoice arm = read_arm(value, longest);
    const auto name = value.find("name");
    const std::string arm_name = name ? name->text(TomlValue::kText) : fmt::format("f_{}", bandit.arms.size() + 1);
    if (std::find(bandit.arm_names.begin(), bandit.arm_names.end(), arm_name) != bandit.arm_names.end()) {
      throw value.error(fmt::format("the arm name {} is given twice; allowed: each once", toml_quoted(arm_name)));
    }
    bandit.arm_names.push_back(arm_name);
    bandit.arms.push_back(arm.curve);
    written.push_back(arm_toml(arm_name, arm.toml));
  }
  choice.fixed = std::move(bandit);
  choice.arms = arms_toml(written);
  return choice;
}

BanditChoice csv_bandit(const std::string& name, const std::string& config_path) {
  BanditChoice choice{.name = name};
  choice.fixed = read_csv_curves((std::filesystem::path(config_path).parent_path() / name).string());
  choice.fixed->name = name;
  Names written;
  for (std::size_t arm = 0; arm < choice.fixed->arms.size(); ++arm) {
    std::vector<double> rewards;
    for (Pulls pull = 1; pull <= choice.fixed->horizon; ++pull) rewards.push_back(choice.fixed->arms[arm].reward(pull));
    written.push_back(arm_toml(choice.fixed->arm_names[arm], rewards_toml(rewards)));
  }
  choice.arms = arms_toml(written);
  return choice;
}

BanditChoice listed_bandit(const TomlValue& value, const std::string& name, const std::string& config_path) {
  const auto stars = std::count(name.begin(), name.end(), '*');
  const bool csv = name.ends_with(".csv");
  if (stars > (csv ? 0 : 1)) {
    throw value.refused(csv ? "is not a file" : "is not a bandit", csv ? "a path without '*'" : "one '*' in a name");
  }
  return value.located([&] {
    if (csv) return csv_bandit(name, config_path);
    BanditChoice choice{.name = name, .per_seed = stars == 1};
    const Bandit first = choice.per_seed ? choice.at(1) : named_bandit(name);
    if (!choice.per_seed) choice.fixed = first;
    return choice;
  });
}

void check_length(const TomlValue& horizons, const BanditChoice& choice, Pulls longest) {
  const Pulls reached = choice.at(1).longest_horizon();
  if (reached >= longest) return;
  throw horizons.error(fmt::format("{} is longer than bandit {}, which is given for {} pulls per arm; allowed: 1 to {}",
                                   longest, toml_quoted(choice.name), reached, reached));
}

}  // namespace

Bandit BanditChoice::at(std::uint32_t seed) const {
  if (!per_seed) return *fixed;
  std::string instance = name;
  instance.replace(instance.find('*'), 1, fmt::format("{}", seed));
  return named_bandit(instance);
}

std::vector<BanditChoice> read_bandits(const TomlValue& root, const std::string& config_path, const TomlValue& horizons,
                                       Pulls longest) {
  const auto listed = root.find("bandits");
  const auto defined = root.find("bandit");
  if (!listed && !defined)
    throw root.error(fmt::format("bandits is missing; allowed: {}, or {}", kBanditForm, kOwnForm));

  std::vector<BanditChoice> own;
  if (defined) {
    for (const TomlValue& table : defined->list(kOwnForm)) {
      own.push_back(own_bandit(table, longest));
      const auto same = [&](const BanditChoice& other) { return other.name == own.back().name; };
      if (std::count_if(own.begin(), own.end(), same) > 1) {
        throw table.at("name", TomlValue::kText).refused("is given twice", "each bandit once");
      }
    }
  }
  std::vector<BanditChoice> bandits;
  if (listed) {
    for (const TomlValue& value : listed->list(kBanditForm)) {
      const std::string name = value.text(kBanditForm);
      const auto same = [&](const BanditChoice& other) { return other.name == name; };
      if (std::any_of(bandits.begin(), bandits.end(), same)) {
        throw value.refused("is given twice", "each bandit once");
      }
      const auto found = std::find_if(own.begin(), own.end(), same);
      bandits.push_back(found == own.end() ? listed_bandit(value, name, config_path) : *found);
    }
  }
  for (BanditChoice& choice : own) {  // those that `bandits` does not name come last
    const auto same = [&](const BanditChoice& other) { return other.name == choice.name; };
    if (std::none_of(bandits.begin(), bandits.end(), same)) bandits.push_back(std::move(choice));
  }
  for (const BanditChoice& choice : bandits) check_length(horizons, choice, longest);
  return bandits;
}

}  // namespace longrun
