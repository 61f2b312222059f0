#include "longrun/policy/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"
#include "longrun/base/unknown_name_error.h"
#include "longrun/policy/static_catalog.h"

namespace longrun {
namespace {

constexpr auto kCatalog = per_policy<PolicyEntry>([](const auto& each) { return each.entry; });

const PolicyEntry& known_policy(std::string_view name) {
  if (const PolicyEntry* entry = find_policy(name)) return *entry;
  std::vector<std::string> names;
  names.reserve(kCatalog.size());
  for (const PolicyEntry& entry : kCatalog) names.emplace_back(entry.name);
  throw UnknownNameError("policy", name, std::move(names));
}

std::pair<std::string, double> parse_parameter(const PolicyEntry& policy, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto known = std::find_if(policy.parameters.begin(), policy.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  if (known == policy.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : policy.parameters) names.emplace_back(parameter.name);
    if (names.empty())
      throw InputError(fmt::format("policy '{}' has no parameter '{}' (it has none)", policy.name, name));
    throw InputError(fmt::format("policy '{}' has no parameter '{}'; its parameters are {}{}", policy.name, name,
                                 fmt::join(names, ", "), did_you_mean(name, names)));
  }
  const auto value = equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  const bool in_range = value && *value >= known->minimum && *value <= known->maximum;
  if (!in_range || (known->whole && *value != std::floor(*value))) {
    throw InputError(fmt::format("policy '{}': '{}' should read {}=NUMBER with a {}number from {} to {}", policy.name,
                                 text, name, known->whole ? "whole " : "", known->minimum, known->maximum));
  }
  return {std::string(name), *value};
}

}  // namespace

std::span<const PolicyEntry> policy_catalog() { return kCatalog; }

std::string_view policy_name(std::string_view text) { return text.substr(0, text.find(':')); }

const PolicyEntry* find_policy(std::string_view text) {
  const auto found = std::find_if(kCatalog.begin(), kCatalog.end(),
                                  [&](const PolicyEntry& entry) { return entry.name == policy_name(text); });
  return found == kCatalog.end() ? nullptr : &*found;
}

PolicyTraits traits_of(std::string_view text) {
  const PolicyEntry* entry = find_policy(text);
  return entry == nullptr ? PolicyTraits{} : entry->traits;
}

const PolicyEntry& policy_with(bool PolicyTraits::*trait) {
  return *std::find_if(kCatalog.begin(), kCatalog.end(), [&](const PolicyEntry& entry) { return entry.traits.*trait; });
}

std::string variant_text(std::string_view text) {
  const std::string_view name = policy_name(text);
  for (const PolicyEntry& entry : kCatalog) {
    if (entry.traits.variant_of == name) return fmt::format("{}{}", entry.name, text.substr(name.size()));
  }
  return {};
}

PolicyChoice::PolicyChoice(std::string_view text) : text_(text) {
  const std::size_t colon = text.find(':');
  entry_ = &known_policy(text.substr(0, colon));
  if (colon == std::string_view::npos) return;
  std::map<std::string, double, std::less<>> values;
  for (const std::string_view part : split(text.substr(colon + 1), ',')) {
    if (part.empty()) {
      throw InputError(fmt::format("policy '{}': a parameter is missing after the {}", text,
                                   part.data() == text.data() + colon + 1 ? "colon" : "comma"));
    }
    auto [name, value] = parse_parameter(*entry_, part);
    if (!values.emplace(name, value).second) {
      throw InputError(fmt::format("policy '{}': parameter '{}' is given twice", text, name));
    }
  }
  parameters_ = Parameters(std::move(values));
}

bool PolicyChoice::estimates_noise() const {
  return entry_->traits.estimates_noise && parameters_.get(kForesightEstimateSd, {}) != 0;
}

PolicyChoice PolicyChoice::estimating_noise() const {
  if (!entry_->traits.estimates_noise || parameters_.find(kForesightEstimateSd)) return *this;
  const char separator = text_.find(':') == std::string::npos ? ':' : ',';
  return PolicyChoice(fmt::format("{}{}{}=1", text_, separator, kForesightEstimateSd.name));
}

std::vector<PolicyChoice> parse_policies(std::string_view text) {
  std::vector<std::string> texts;
  for (const std::string_view part : split(text, ',')) {
    const bool parameter = part.find('=') != std::string_view::npos && part.find(':') == std::string_view::npos;
    if (parameter && !texts.empty()) {
      texts.back() += fmt::format(",{}", part);
    } else {
      texts.emplace_back(part);
    }
  }
  return {texts.begin(), texts.end()};
}

}  // namespace longrun
