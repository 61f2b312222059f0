#include "longrun/experiment/internal/config_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/nearest_name.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kChecksForm =
    R"(a list such as [{says = "SPO beats greedy choice", policy = "spo", against = ["greedy"], from = 0.5}])";

constexpr std::string_view kMeasures = R"("regret" or "first_arm")";

std::string policy_name(const TomlValue& value, const Names& policies) {
  std::string name = value.text("a policy of this experiment");
  if (std::find(policies.begin(), policies.end(), name) == policies.end()) {
    throw value.refused("is not a policy of this experiment",
                        fmt::format("{}{}", fmt::join(policies, ", "), did_you_mean(name, policies)));
  }
  return name;
}

double number_within(const TomlValue& table, const char* key, double lowest, double highest, double otherwise) {
  const auto value = table.find(key);
  if (!value) return otherwise;
  const double number = value->number();
  if (!(number >= lowest && number <= highest)) {
    throw value->refused("is out of range", fmt::format("a number from {} to {}", lowest, highest));
  }
  return number;
}

/// Reads "all" or a list of names.
Names read_against(const TomlValue& value, const std::string& policy, const Names& policies) {
  constexpr std::string_view kAllowed = R"("all", or a list such as ["greedy"])";
  Names against;
  if (!value.is_text()) {
    for (const TomlValue& element : value.list(kAllowed)) {
      const std::string other = policy_name(element, policies);
      if (other == policy) throw element.refused("is the policy itself", "other policies");
      if (std::find(against.begin(), against.end(), other) != against.end()) {
        throw element.refused("is given twice", "each policy once");
      }
      against.push_back(other);
    }
    return against;
  }
  if (value.text(kAllowed) != "all") throw value.refused("is not a list of policies", kAllowed);
  for (const std::string& other : policies) {
    const PolicyTraits traits = traits_of(other);
    if (other != policy && !traits.reference && traits.variant_of.empty()) against.push_back(other);
  }
  if (against.empty()) throw value.refused("leaves no policy to compare with", "a list of policies of this experiment");
  return against;
}

Check read_check(const TomlValue& table, const Names& policies) {
  table.check_keys(Names{"says", "policy", "measure", "against", "factor", "slack", "from", "to", "every", "since"});
  Check check;
  check.says = table.at("says", "a sentence").text("a sentence");
  check.policy = policy_name(table.at("policy", "a policy of this experiment"), policies);
  if (const auto measure = table.find("measure")) {
    const std::string name = measure->text(kMeasures);
    if (name != "regret" && name != "first_arm") {
      throw measure->refused("is not a measure",
                             fmt::format("{}{}", kMeasures, did_you_mean(name, Names{"regret", "first_arm"})));
    }
    if (name == "first_arm") check.measure = Check::Measure::first_arm;
  }
  if (const auto every = table.find("every")) check.every = every->boolean();
  if (const auto against = table.find("against")) check.against = read_against(*against, check.policy, policies);
  check.factor = number_within(table, "factor", 0, 1e6, 1);
  check.slack = number_within(table, "slack", 0, 1, 0);
  check.from = number_within(table, "from", 0, 1, 0);
  check.to = number_within(table, "to", check.from, 1, 1);
  check.since = number_within(table, "since", 1e-9, 1, 0);
  if (const auto factor = table.find("factor"); factor && check.against.empty() && check.since == 0) {
    throw factor->refused("has nothing to multiply", "with 'against' or 'since'");
  }
  if (!check.against.empty() && check.since > 0) {
    throw table.error("has both 'against' and 'since'; allowed: one of them");
  }
  const bool compares = !check.against.empty() || check.since > 0;
  if (check.slack == 0 && (!compares || check.factor == 0)) {  // no measure is below 0
    throw table.error(compares ? "can never hold, because 'factor' and 'slack' are 0; allowed: one of them above 0"
                               : "can never hold; allowed: with 'against', 'since', or a 'slack' above 0");
  }
  return check;
}

}  // namespace

std::vector<Check> read_checks(const TomlValue& root, const std::vector<PolicyChoice>& policies) {
  const auto value = root.find("checks");
  if (!value) return {};
  Names names;
  for (const PolicyChoice& policy : policies) names.push_back(policy.text());
  std::vector<Check> checks;
  for (const TomlValue& element : value->list(kChecksForm)) {
    if (!element.is_table()) throw element.refused("is not a check", kChecksForm);
    checks.push_back(read_check(element, names));
  }
  return checks;
}

std::string to_toml(const std::vector<Check>& checks) {
  Names tables;
  for (const Check& check : checks) {
    std::string table = fmt::format("says = {}, policy = {}", toml_quoted(check.says), toml_quoted(check.policy));
    if (!check.against.empty()) {
      Names others;
      for (const std::string& other : check.against) others.push_back(toml_quoted(other));
      table += fmt::format(", against = [{}]", fmt::join(others, ", "));
    }
    if (!check.against.empty() || check.since > 0) table += fmt::format(", factor = {}", check.factor);
    table += fmt::format(", slack = {}, from = {}, to = {}", check.slack, check.from, check.to);
    if (check.measure == Check::Measure::first_arm) table += R"(, measure = "first_arm")";
    if (check.every) table += ", every = true";
    if (check.since > 0) table += fmt::format(", since = {}", check.since);
    tables.push_back(fmt::format("  {{{}}},\n", table));
  }
  return tables.empty() ? "" : fmt::format("checks = [\n{}]\n", fmt::join(tables, ""));
}

}  // namespace longrun
