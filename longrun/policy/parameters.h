#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace longrun {

/// One knob of a policy: CLI help, docs and validation read it.
struct Parameter {
  std::string_view name;
  std::string_view meaning;  ///< with its default
  double minimum;
  double maximum;
  bool whole = false;  ///< takes whole numbers only
};

/// The knobs a user set; every other keeps its default.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::map<std::string, double, std::less<>> values) : values_(std::move(values)) {}

  double get(std::string_view name, double default_value) const { return find(name).value_or(default_value); }
  std::optional<double> find(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }
  const std::map<std::string, double, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, double, std::less<>> values_;
};

}  // namespace longrun
