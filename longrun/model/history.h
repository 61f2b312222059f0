#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A past pull and its reward.
struct PastPull {
  Arm arm = 0;
  std::optional<double> reward = 0.0;  ///< nullopt while it is pending: the pull was made, its reward is not known yet
  std::int64_t line = 0;               ///< the line that it was read from, from 1; 0 if it was not read from a file
  bool lost = false;                   ///< whether the reward will never be known; it is nullopt then
  bool operator==(const PastPull&) const = default;
};

/// A round of a file: its rows are pulls first_pull to end_pull - 1 of the history.
struct LoggedRound {
  Pulls round = 0;  ///< its number in the file
  Pulls first_pull = 0;
  Pulls end_pull = 0;
  bool operator==(const LoggedRound&) const = default;
};

/// The past pulls of some arms.
struct History {
  /// One label per arm, all different. An arm with an empty label is called by its position, from 0.
  std::vector<std::string> arm_names;
  std::vector<PastPull> pulls;          ///< in order
  std::vector<std::string> warnings{};  ///< what may be a mistake in the file that it was read from, a line each
  std::vector<LoggedRound> rounds{};    ///< as the file states them; empty if it does not
  bool order_confirmed = false;         ///< whether rounds, times or dates of the file say that the pulls are in order

  Arm arms() const { return static_cast<Arm>(arm_names.size()); }
};

/// Returns the label of an arm: its name, or its position if it has none.
std::string label_of(const std::vector<std::string>& arm_names, Arm arm);
/// Returns the labels "0", "1", ... of arms that are called by their positions.
std::vector<std::string> position_labels(Arm arms);
/// Returns whether the text is a whole number: digits, perhaps after a minus sign.
bool is_whole_number(std::string_view text);

/// The arms of a problem by their labels or, if the caller says so, by their positions.
class ArmLabels {
 public:
  enum class By { label, position };

  explicit ArmLabels(std::vector<std::string> arm_names, By by = By::label);

  /// Returns the arm that the text names. Throws InputError, which lists some arms and the most similar one, if no arm
  /// is called so. O(1).
  Arm find(std::string_view text) const;
  /// Returns what find() accepts for the arm.
  std::string text(Arm arm) const;
  Arm arms() const { return static_cast<Arm>(labels_.size()); }

 private:
  std::vector<std::string> labels_;  // one per arm, none empty
  By by_;
  std::unordered_map<std::string, Arm> arms_;  // of each label; empty if arms are called by their positions
};

}  // namespace longrun
