#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// Returns the label of an arm: its name, or its position if it has none.
std::string label_of(const std::vector<std::string>& arm_names, Arm arm);
/// Returns the arm as sentences call it, by its label: "arm 'coffee'", or "arm 7" if its label is a whole number. An
/// arm without a label is called by its position.
std::string arm_label(const std::vector<std::string>& arm_names, Arm arm);
/// Returns the labels "0", "1", ... of arms that are called by their positions.
std::vector<std::string> position_labels(Arm arms);

/// The arms of a problem by their labels or, if the caller says so, by their positions.
class ArmLabels {
 public:
  enum class By { label, position };

  explicit ArmLabels(const std::vector<std::string>& arm_names, By by = By::label);

  /// Adds a last arm.
  void add(std::string name);

  /// Returns the arm that the text names, or nullopt. O(1).
  std::optional<Arm> find(std::string_view text) const;
  /// Returns the arm that the text names. Throws InputError, which lists some arms and the most similar one, if no arm
  /// is called so.
  Arm at(std::string_view text) const;
  /// Returns what find() accepts for the arm.
  std::string text(Arm arm) const;
  /// Returns the labels of all arms.
  const std::vector<std::string>& names() const { return labels_; }
  Arm arms() const { return static_cast<Arm>(labels_.size()); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  By by_;
  std::vector<std::string> labels_;  // one per arm, none empty
  // The first arm with each label; empty if arms are called by their positions.
  std::unordered_map<std::string, Arm, Hash, std::equal_to<>> arms_;
};

}  // namespace longrun
