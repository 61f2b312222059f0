#include "longrun/model/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

constexpr std::size_t kMostNamesListed = 10;  // in an error

/// Returns the first labels as an error lists them.
std::string some_of(const std::vector<std::string>& labels) {
  const std::span listed = std::span(labels).first(std::min(labels.size(), kMostNamesListed));
  return fmt::format("{}{}", fmt::join(listed, ", "),
                     labels.size() > listed.size() ? fmt::format(", ... ({} in all)", labels.size()) : "");
}

}  // namespace

std::string label_of(const std::vector<std::string>& arm_names, Arm arm) {
  const std::string& name = arm_names[static_cast<std::size_t>(arm)];
  return name.empty() ? std::to_string(arm) : name;
}

std::vector<std::string> position_labels(Arm arms) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(arms));
  for (Arm arm = 0; arm < arms; ++arm) labels.push_back(std::to_string(arm));
  return labels;
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

ArmLabels::ArmLabels(std::vector<std::string> arm_names, By by) : labels_(std::move(arm_names)), by_(by) {
  for (std::size_t arm = 0; arm < labels_.size(); ++arm) {
    if (labels_[arm].empty()) labels_[arm] = std::to_string(arm);
    if (by_ == By::label) arms_.emplace(labels_[arm], static_cast<Arm>(arm));
  }
}

Arm ArmLabels::find(std::string_view text) const {
  if (by_ == By::position) {
    const auto position = parse_number<Arm>(text);
    if (position && *position >= 0 && *position < arms()) return *position;
    throw InputError(fmt::format("'{}' is not an arm; arms are positions from 0 to {}", text, arms() - 1));
  }
  const auto found = arms_.find(std::string(text));
  if (found != arms_.end()) return found->second;
  // A number is similar to every other number.
  const std::string meant = is_whole_number(text) ? "" : did_you_mean(text, labels_);
  throw InputError(fmt::format("'{}' is not an arm; arms are {}{}", text, some_of(labels_), meant));
}

std::string ArmLabels::text(Arm arm) const {
  return by_ == By::position ? std::to_string(arm) : labels_[static_cast<std::size_t>(arm)];
}

}  // namespace longrun
