#include "longrun/experiment/internal/config_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace longrun {
namespace {

constexpr std::size_t kMostPolicies = 1000;  // no figure shows more, and a mistyped grid grows fast

constexpr std::string_view kPoliciesForm =
    R"(a list such as ["spo", "d-ucb:discount=0.99", {name = "sw-ucb", window = [100, 200]}])";

/// A parameter of a table, with the values it takes in turn.
struct Axis {
  std::string key;
  std::vector<double> values;
};

/// Returns the parameters of a policy table in the order of the file; a number is an axis of length 1.
std::vector<Axis> read_axes(const TomlValue& table) {
  std::vector<Axis> axes;
  for (const std::string& key : table.keys_in_file()) {
    if (key == "name") continue;
    const TomlValue value = *table.find(key);
    Axis axis{.key = key, .values = {}};
    if (value.is_list()) {
      for (const TomlValue& element : value.list("a list of numbers")) axis.values.push_back(element.number());
    } else {
      axis.values.push_back(value.number());
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// Returns combination `number` of the axes' values as text, such as "sw-ucb:exploration=1,window=200".
std::string combination(const std::string& name, const std::vector<Axis>& axes, std::size_t number) {
  std::map<std::string, double> values;  // by name, as in records
  for (std::size_t i = axes.size(); i > 0; --i) {
    const Axis& axis = axes[i - 1];
    values[axis.key] = axis.values[number % axis.values.size()];
    number /= axis.values.size();
  }
  std::string text = name;
  char separator = ':';
  for (const auto& [key, value] : values) {
    text += fmt::format("{}{}={}", separator, key, value);
    separator = ',';
  }
  return text;
}

/// Returns the policies of one element of the list, as texts.
std::vector<std::string> policy_texts(const TomlValue& element) {
  if (!element.is_table()) return {element.text(kPoliciesForm)};
  const std::string name = element.at("name", "the name of a policy").text("the name of a policy");
  const std::vector<Axis> axes = read_axes(element);
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.values.size();
    if (count > kMostPolicies) {
      throw element.error(
          fmt::format("the lists combine to more than {0} policies; allowed: at most {0}", kMostPolicies));
    }
  }
  std::vector<std::string> texts;
  for (std::size_t number = 0; number < count; ++number) texts.push_back(combination(name, axes, number));
  return texts;
}

bool same_policy(const PolicyChoice& a, const PolicyChoice& b) {
  return &a.entry() == &b.entry() && a.parameters() == b.parameters();
}

}  // namespace

std::vector<PolicyChoice> read_policies(const TomlValue& root) {
  std::vector<PolicyChoice> policies;
  for (const TomlValue& element : root.at("policies", kPoliciesForm).list(kPoliciesForm)) {
    for (const std::string& text : policy_texts(element)) {
      const PolicyChoice policy = element.located([&] { return PolicyChoice(text); });
      const auto same = [&](const PolicyChoice& other) { return same_policy(policy, other); };
      if (std::any_of(policies.begin(), policies.end(), same)) {
        throw element.error(fmt::format("{} is given twice; allowed: each policy once", toml_quoted(text)));
      }
      policies.push_back(policy);
    }
    if (policies.size() > kMostPolicies) {
      throw element.error(fmt::format("these are {} policies; allowed: at most {}", policies.size(), kMostPolicies));
    }
  }
  return policies;
}

}  // namespace longrun
