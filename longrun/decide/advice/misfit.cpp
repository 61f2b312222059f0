#include "longrun/decide/advice/misfit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace longrun {
namespace {

constexpr Pulls kGroups = 16;           // at most
constexpr Pulls kFewestPerGroup = 4;    // rewards, so that the error of their mean is nearly normal
constexpr double kStandardErrors = 4;   // that noise explains; there are 560 triples of groups
constexpr double kSmallestGap = 0.005;  // reward; below it a contradiction does not matter

struct Group {
  Pulls begin = 0;         // rewards before it
  Pulls pulls_before = 0;  // lost ones included
  RewardBucket rewards{};

  Pulls end() const { return begin + rewards.count; }
  double centre() const { return static_cast<double>(pulls_before) + rewards.centre(); }
  double variance(double sd) const { return sd * sd / static_cast<double>(rewards.count); }
};

std::vector<Group> groups_of(const RewardSummary& rewards, double sd) {
  const Pulls fewest = sd > 0 ? kFewestPerGroup : 1;  // exact rewards have no error
  const Pulls size = std::max(fewest, rewards.count() / kGroups);
  std::vector<Group> groups;
  Group group;
  for (const RewardBucket& bucket : rewards.buckets()) {
    group.rewards += bucket;
    if (group.rewards.count < size) continue;
    groups.push_back(group);
    group = {.begin = group.end(), .pulls_before = group.pulls_before + group.rewards.pulls};
  }
  if (group.rewards.count > 0 && !groups.empty()) groups.back().rewards += group.rewards;
  return groups;
}

/// How far the middle one of three groups is below the least that the assumption allows.
struct Gap {
  double size = 0;
  double error = 0;
};

Gap gap(const Group& first, const Group& middle, const Group& last, double sd) {
  const double a = first.rewards.mean();
  const double b = middle.rewards.mean();
  const double c = last.rewards.mean();
  const double share = c < a ? 1 : (middle.centre() - first.centre()) / (last.centre() - first.centre());
  const double variance =
      middle.variance(sd) + (1 - share) * (1 - share) * first.variance(sd) + share * share * last.variance(sd);
  return {.size = a + share * (c - a) - b, .error = std::sqrt(variance)};
}

}  // namespace

std::string_view name(MisfitKind kind) { return kind == MisfitKind::speeds_up ? "speeds up" : "rises again"; }

std::optional<Misfit> find_misfit(const RewardSummary& rewards, double sd) {
  const std::vector<Group> groups = groups_of(rewards, sd);
  std::optional<Misfit> clearest;
  double most = kStandardErrors;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      for (std::size_t k = j + 1; k < groups.size(); ++k) {
        const auto [size, error] = gap(groups[i], groups[j], groups[k], sd);
        // Without noise every contradiction is certain, and the largest is the clearest.
        const double clarity = error > 0 ? size / error : kStandardErrors + size;
        if (size < kSmallestGap || clarity <= most) continue;
        most = clarity;
        const double fall = groups[i].rewards.mean() - groups[j].rewards.mean();
        const double fall_error = std::sqrt(groups[i].variance(sd) + groups[j].variance(sd));
        const bool fell = fall > kSmallestGap && fall > kStandardErrors * fall_error;
        clearest = Misfit{.kind = fell ? MisfitKind::rises_again : MisfitKind::speeds_up,
                          .from = groups[j].begin + 1,
                          .to = groups[j].end(),
                          .clarity = error > 0 ? clarity : 0};
      }
    }
  }
  return clearest;
}

}  // namespace longrun
