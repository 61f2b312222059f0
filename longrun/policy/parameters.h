#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "longrun/policy/setting.h"

namespace longrun {

class Parameters;

/// A default that is computed from the setting and from other parameters of the policy.
struct DefaultFormula {
  std::string_view text;  ///< the formula as help shows it; names in it are those of settings and parameters
  double (*value)(const Setting& setting, const Parameters& parameters);
};

/// The absence of a default: the policy follows another rule while the parameter is not set.
struct NoDefault {
  std::string_view text;  ///< that rule, as help shows it
};

/// A parameter of a policy. Help, validation and the policy itself read it: its default is written only here.
struct Parameter {
  std::string_view name;
  std::string_view meaning;  ///< without the default
  std::variant<double, DefaultFormula, NoDefault> default_value;
  double minimum;
  double maximum;
  bool whole = false;  ///< accepts only whole numbers

  /// Returns the default as help shows it: a number, which reads back exactly, or the text of a formula.
  std::string default_text() const;
  /// Returns the meaning with the default in parentheses.
  std::string help() const;
};

/// The parameters that a user set. All others have their defaults.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::map<std::string, double, std::less<>> values) : values_(std::move(values)) {}

  /// Returns the value of a parameter: the one that was set, else the default. Throws std::bad_variant_access for a
  /// parameter with NoDefault that was not set; read those with find().
  double get(const Parameter& parameter, const Setting& setting) const;
  /// Returns the value that was set, if any.
  std::optional<double> find(const Parameter& parameter) const;

  bool operator==(const Parameters&) const = default;

 private:
  std::map<std::string, double, std::less<>> values_;  // by the parameter's name
};

}  // namespace longrun
