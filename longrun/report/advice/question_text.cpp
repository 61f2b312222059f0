#include "longrun/report/advice/question_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

constexpr std::size_t kMostNamed = 24;  // arms in a sentence

std::string joined(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts[0];
  const std::vector<std::string> before(parts.begin(), parts.end() - 1);
  return fmt::format("{} and {}", fmt::join(before, ", "), parts.back());
}

/// The sentences about the constraints of one question.
class ConstraintWords {
 public:
  explicit ConstraintWords(const Question& question) : question_(question) {}

  /// Returns "arm 'north' and arm 'south'".
  std::string arms(const std::vector<Arm>& arms) const {
    std::vector<std::string> names;
    for (const Arm arm : arms) {
      if (names.size() == kMostNamed) break;
      names.push_back(arm_label(question_.history.arm_names, arm));
    }
    if (names.size() < arms.size()) names.push_back(fmt::format("{} more arms", arms.size() - names.size()));
    return joined(names);
  }

  /// Returns "2 for arm 'north' and arm 'west', 3 for arm 'south', and 1 for every other arm". Leaves out the
  /// value `nothing` if it is that of all arms that are not named.
  template <class Value>
  std::string values(const PerArm<Value>& values, Value nothing, const std::function<std::string(Value)>& text) const {
    std::map<Value, std::vector<Arm>> arms_of;
    auto others = static_cast<std::size_t>(question_.history.arms());
    for (const auto& [arm, value] : values.named) {
      if (value == values.every) continue;
      --others;
      if (value != nothing || values.every != nothing) arms_of[value].push_back(arm);
    }
    std::vector<std::string> parts;
    parts.reserve(arms_of.size());
    for (const auto& [value, some] : arms_of) parts.push_back(fmt::format("{} for {}", text(value), arms(some)));
    if (others > 0 && values.every != nothing) {
      const bool all = others == static_cast<std::size_t>(question_.history.arms());
      parts.push_back(fmt::format("{} for every {}arm", text(values.every), all ? "" : "other "));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  std::string units(Pulls units) const {
    const std::string number = question_.constraints.units_text(units);
    return fmt::format("{} {}", number, number == "1" ? "unit" : "units");
  }

 private:
  const Question& question_;
};

std::string rounds_text(const std::vector<RoundRange>& ranges) {
  std::vector<std::string> parts;
  parts.reserve(ranges.size());
  for (const RoundRange& range : ranges) {
    parts.push_back(range.from == range.to ? fmt::format("{}", range.from)
                                           : fmt::format("{} to {}", range.from, range.to));
  }
  const bool one = ranges.size() == 1 && ranges[0].from == ranges[0].to;
  return fmt::format("{} {}", one ? "round" : "rounds", joined(parts));
}

}  // namespace

std::vector<std::string> constraint_sentences(const Question& question) {
  const Constraints& constraints = question.constraints;
  const Constraints none = Constraints::with_decimals(constraints.unit_decimals);
  const ConstraintWords words(question);
  std::vector<std::string> sentences;
  if (constraints.units_per_round != none.units_per_round) {
    sentences.push_back(
        fmt::format("Every round has {}; its pulls are decided together.", words.units(constraints.units_per_round)));
  }
  if (constraints.units_lapse) sentences.emplace_back("Units that a round leaves unspent lapse.");
  if (!(constraints.costs == none.costs)) {
    sentences.push_back(fmt::format(
        "Cost of a pull: {}.", words.values<Pulls>(constraints.costs, 0, [&](Pulls u) { return words.units(u); })));
  }
  if (const auto text = words.values<Pulls>(constraints.minimum_pulls, 0, [](Pulls n) { return fmt::format("{}", n); });
      !text.empty()) {
    sentences.push_back(fmt::format("Smallest number of pulls by the end: {}.", text));
  }
  if (const auto text = words.values<double>(constraints.minimum_share, 0.0,
                                             [](double share) { return fmt::format("{:.4g} %", 100 * share); });
      !text.empty()) {
    sentences.push_back(fmt::format("Smallest share of the spent units, at all times: {}.", text));
  }
  for (const auto& [arm, ranges] : constraints.unavailable) {
    sentences.push_back(fmt::format("Not available in {}: {}.", rounds_text(ranges), words.arms({arm})));
  }
  if (!question.unavailable_now.empty()) {
    sentences.push_back(fmt::format("Not available now: {}.", words.arms(question.unavailable_now)));
  }
  return sentences;
}

std::string scale_text(const RewardScale& scale) {
  return fmt::format("Mean rewards lie between {} and {}.", scale.minimum, scale.maximum);
}

std::string horizon_text(const Question& question) {
  const bool units = !question.constraints.none();
  const std::string number = question.constraints.units_text(question.horizon);
  return fmt::format("{} {}{}", number, units ? "unit" : "pull", number == "1" ? "" : "s");
}

}  // namespace longrun
