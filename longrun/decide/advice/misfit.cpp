#include "longrun/decide/advice/misfit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
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

/// The distance by which the middle one of three groups is below the least that the assumption allows.
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

/// Returns the number of rewards before a rise: of those of `around`, in order after the first `before` ones, the split
/// into two means that is the likeliest (the largest likelihood ratio).
Pulls rewards_before_rise(std::span<const RewardBucket> around, Pulls before) {
  RewardBucket all;
  for (const RewardBucket& bucket : around) all += bucket;
  RewardBucket low;
  Pulls split = before + around[0].count;
  double most = 0;
  for (std::size_t i = 0; i + 1 < around.size(); ++i) {
    low += around[i];
    const auto count = static_cast<double>(low.count);
    const auto rest = static_cast<double>(all.count - low.count);
    const double rise = (all.sum - low.sum) / rest - low.mean();
    const double ratio = rise > 0 ? rise * rise * count * rest : 0;
    if (ratio <= most) continue;
    most = ratio;
    // The rise may be within a sum of several rewards, which would keep an old one.
    const RewardBucket& next = around[i + 1];
    const bool is_mixed =
        next.squares > rise * rise / 4 || next.mean() < low.mean() + rise * (1 - 0.5 / static_cast<double>(next.count));
    split = before + low.count + (next.count > 1 && i + 2 < around.size() && is_mixed ? next.count : 0);
  }
  return split;
}

/// Returns the number of rewards before the rise from group j to group k. If most of it is made within four groups, it
/// may be a jump, and is where these are best split. A slower rise begins after group j.
Pulls before_rise(const RewardSummary& rewards, const std::vector<Group>& groups, std::size_t j, std::size_t k) {
  constexpr double kMost = 2.0 / 3;
  const double rise = groups[k].rewards.mean() - groups[j].rewards.mean();
  std::size_t half = j + 1;  // the first group that is nearer to k than to j
  while (half < k && groups[half].rewards.mean() < groups[j].rewards.mean() + rise / 2) ++half;
  const Group& first = groups[std::max(j, half - std::min<std::size_t>(2, half))];
  const Group& last = groups[std::min(half + 1, groups.size() - 1)];
  if (last.rewards.mean() - first.rewards.mean() < kMost * rise) return groups[j].end();
  const Pulls begin = first.begin;
  const Pulls end = last.end();
  std::vector<RewardBucket> around;
  Pulls before = 0;
  for (const RewardBucket& bucket : rewards.buckets()) {
    if (before >= begin && before < end) around.push_back(bucket);
    before += bucket.count;
  }
  return rewards_before_rise(around, begin);
}

}  // namespace

std::string_view name(MisfitKind kind) { return kind == MisfitKind::speeds_up ? "speeds up" : "rises again"; }

std::optional<Misfit> find_misfit(const RewardSummary& rewards, double sd) {
  const std::vector<Group> groups = groups_of(rewards, sd);
  std::optional<Misfit> clearest;
  std::array<std::size_t, 2> rise{};  // the groups that it is between
  double most = kStandardErrors;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      for (std::size_t k = j + 1; k < groups.size(); ++k) {
        const auto [size, error] = gap(groups[i], groups[j], groups[k], sd);
        // Without noise every contradiction is certain, and the largest is the clearest.
        const double clarity = error > 0 ? size / error : kStandardErrors + size;
        if (size < kSmallestGap || clarity <= most) continue;
        most = clarity;
        rise = {j, k};
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
  // Groups are coarse. Rewards before a jump would hide in those that count after it.
  if (clearest) clearest->to = std::max(clearest->from, before_rise(rewards, groups, rise[0], rise[1]));
  return clearest;
}

}  // namespace longrun
