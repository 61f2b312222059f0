#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// The arms of a study by name.
class ArmNames {
 public:
  explicit ArmNames(const std::vector<std::string>& names);

  void add(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the arm with this name, or nullopt.
  std::optional<Arm> find(std::string_view name) const;
  /// Returns the arm with this name. Throws InputError if there is none.
  Arm at(std::string_view name) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, Arm, Hash, std::equal_to<>> numbers_;  // of names_
};

}  // namespace longrun
