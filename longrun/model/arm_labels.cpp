#include "longrun/model/arm_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

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

std::string arm_label(const std::vector<std::string>& arm_names, Arm arm) {
  const std::string label = label_of(arm_names, arm);
  return is_whole_number(label) ? fmt::format("arm {}", label) : fmt::format("arm '{}'", label);
}

std::vector<std::string> position_labels(Arm arms) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(arms));
  for (Arm arm = 0; arm < arms; ++arm) labels.push_back(std::to_string(arm));
  return labels;
}

ArmLabels::ArmLabels(const std::vector<std::string>& arm_names, By by) : by_(by) {
  labels_.reserve(arm_names.size());
  for (const std::string& name : arm_names) add(name);
}

void ArmLabels::add(std::string name) {
  const Arm arm = arms();
  if (name.empty()) name = std::to_string(arm);
  if (by_ == By::label) arms_.emplace(name, arm);
  labels_.push_back(std::move(name));
}

std::optional<Arm> ArmLabels::find(std::string_view text) const {
  if (by_ == By::position) {
    const auto position = parse_number<Arm>(text);
    return position && *position >= 0 && *position < arms() ? position : std::nullopt;
  }
  const auto found = arms_.find(text);
  return found == arms_.end() ? std::nullopt : std::optional(found->second);
}

Arm ArmLabels::at(std::string_view text) const {
  if (const auto arm = find(text)) return *arm;
  if (by_ == By::position) {
    throw InputError(fmt::format("'{}' is not an arm; arms are positions from 0 to {}", text, arms() - 1));
  }
  // A number is similar to every other number.
  const std::string meant = is_whole_number(text) ? "" : did_you_mean(text, labels_);
  throw InputError(fmt::format("'{}' is not an arm; arms are {}{}", text, some_of(labels_), meant));
}

std::string ArmLabels::text(Arm arm) const {
  return by_ == By::position ? std::to_string(arm) : labels_[static_cast<std::size_t>(arm)];
}

}  // namespace longrun
