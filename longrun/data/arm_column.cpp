#include "longrun/data/arm_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Positions of which fewer than one in kMostArmsPerSeen appears are identifiers. Positions below kFewArms are exempt,
/// because a short history may skip many of them.
constexpr std::size_t kFewArms = 20;
constexpr std::size_t kMostArmsPerSeen = 10;

/// Returns a number in a form in which equal numbers are equal texts: 7 for 007, +7, 7. and 7.0. Returns an empty text
/// for any other text.
std::string canonical_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  std::string_view whole = text.substr(0, point);
  std::string_view decimals = point == std::string_view::npos ? "" : text.substr(point + 1);
  const auto is_digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (whole.empty() || !is_digits(whole) || !is_digits(decimals)) return {};
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size() - 1));
  decimals = decimals.substr(0, decimals.find_last_not_of('0') + 1);
  const bool has_sign = is_negative && !(whole == "0" && decimals.empty());
  return fmt::format("{}{}{}{}", has_sign ? "-" : "", whole, decimals.empty() ? "" : ".", decimals);
}

/// Compares whole numbers of any length, in the form of canonical_number().
bool is_smaller(const std::string& a, const std::string& b) {
  const bool a_negative = a.starts_with('-');
  if (a_negative != b.starts_with('-')) return a_negative;
  const bool smaller_magnitude = a.size() != b.size() ? a.size() < b.size() : a < b;
  return a_negative ? !smaller_magnitude && a != b : smaller_magnitude;
}

}  // namespace

ArmColumn::ArmColumn(const ArmsGiven& given) : given_(given) {
  if (!given.names.empty()) {
    known_.emplace(given.names, given.positions ? ArmLabels::By::position : ArmLabels::By::label);
  }
}

Arm ArmColumn::arm(std::string_view cell) {
  if (cell.empty()) throw InputError("the arm is missing; write the arm in every row");
  if (known_) return known_->at(cell);
  return given_.positions ? by_position(cell) : by_label(cell);
}

Arm ArmColumn::by_position(std::string_view cell) {
  const Arm most = given_.count.value_or(kMostArms);
  const auto position = parse_number<Arm>(cell);
  if (!position || *position < 0 || *position >= most) {
    throw InputError(fmt::format("'{}' is not the position of an arm; positions are from 0 to {}", cell, most - 1));
  }
  positions_.insert(*position);
  largest_ = std::max(largest_, *position);
  return *position;
}

Arm ArmColumn::by_label(std::string_view cell) {
  std::string label(cell);
  if (const auto found = arms_.find(label); found != arms_.end()) return found->second;
  const auto arm = static_cast<Arm>(labels_.size());
  if (arm >= kMostArms) throw InputError(fmt::format("'{}' is one arm too many; at most {} are read", cell, kMostArms));
  labels_.push_back(label);
  arms_.emplace(std::move(label), arm);
  return arm;
}

std::vector<std::string> ArmColumn::finish(std::vector<PastPull>& pulls) {
  if (known_) return given_.names;
  if (given_.positions) return position_names();
  if (labels_.empty() && given_.count) return position_labels(*given_.count);  // a history without pulls
  check_numbers_differ();
  check_count();
  sort_numbers(pulls);
  return labels_;
}

std::vector<std::string> ArmColumn::position_names() const {
  if (given_.count) return position_labels(*given_.count);
  const std::size_t arms = static_cast<std::size_t>(largest_) + 1;
  if (arms > kFewArms && arms > kMostArmsPerSeen * positions_.size()) {
    throw InputError(
        fmt::format("positions of arms go up to {}, but only {} arms appear; give the number of arms, or read the "
                    "column as labels",
                    largest_, positions_.size()));
  }
  return position_labels(largest_ + 1);
}

void ArmColumn::check_numbers_differ() const {
  std::unordered_map<std::string, std::string> seen;  // labels by their number
  for (const std::string& label : labels_) {
    const std::string number = canonical_number(label);
    if (number.empty()) continue;
    const auto [other, is_new] = seen.emplace(number, label);
    if (is_new) continue;
    throw InputError(
        fmt::format("arms '{}' and '{}' are the same number; write every arm in one way", other->second, label));
  }
}

void ArmColumn::check_count() const {
  if (!given_.count || std::ssize(labels_) == *given_.count) return;
  throw ArmCountError(fmt::format("{} {} appear, but the number of arms is {}", labels_.size(),
                                  labels_.size() == 1 ? "arm" : "arms", *given_.count));
}

void ArmColumn::sort_numbers(std::vector<PastPull>& pulls) {
  if (!std::all_of(labels_.begin(), labels_.end(), is_whole_number)) return;
  std::vector<std::string> numbers;
  for (const std::string& label : labels_) numbers.push_back(canonical_number(label));
  std::vector<std::size_t> order(labels_.size());  // [new place] = old place
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return is_smaller(numbers[a], numbers[b]); });
  std::vector<Arm> place(labels_.size());  // [old place] = new place
  std::vector<std::string> sorted;
  for (const std::size_t old : order) {
    place[old] = static_cast<Arm>(sorted.size());
    sorted.push_back(std::move(labels_[old]));
  }
  labels_ = std::move(sorted);
  for (PastPull& pull : pulls) pull.arm = place[static_cast<std::size_t>(pull.arm)];
}

}  // namespace longrun
