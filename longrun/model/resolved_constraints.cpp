#include "longrun/model/resolved_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "longrun/base/field_error.h"

namespace longrun {
namespace {

constexpr double kRounding = 1e-9;  // 0.29 * 100 is 28.999999999999996 in floating point

std::vector<Arm> all_arms(Arm arms) {
  std::vector<Arm> list(static_cast<std::size_t>(arms));
  std::iota(list.begin(), list.end(), Arm{0});
  return list;
}

std::string no_arm(Arm arm, Arm arms) { return fmt::format("arm {} is not one of 0..{}", arm, arms - 1); }

/// Returns the value of every arm. `field` is the name of the constraint, for errors.
template <class Value>
std::vector<Value> by_arm(const PerArm<Value>& values, Arm arms, std::string_view field) {
  if (values.listed && values.named.size() != static_cast<std::size_t>(arms)) {
    throw FieldError({std::string(field)}, fmt::format("{} values for {} arms", values.named.size(), arms));
  }
  if (!values.named.empty() && values.named.rbegin()->first >= arms) {
    throw FieldError({std::string(field)}, no_arm(values.named.rbegin()->first, arms));
  }
  std::vector<Value> result;
  for (const Arm arm : all_arms(arms)) result.push_back(values.at(arm));
  return result;
}

/// Returns the same rounds up to round `last` as ascending ranges, with overlapping and adjacent ranges merged.
std::vector<RoundRange> merged(std::vector<RoundRange> ranges, Pulls last) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  std::vector<RoundRange> result;
  for (RoundRange range : ranges) {
    if (range.from > last) break;
    range.to = std::min(range.to, last);
    if (!result.empty() && range.from <= result.back().to + 1) {
      result.back().to = std::max(result.back().to, range.to);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

}  // namespace

ResolvedConstraints::ResolvedConstraints(const Constraints& constraints, Arm arms, Pulls horizon)
    : budget_{.units = horizon, .units_per_round = constraints.units_per_round}, units_lapse_(constraints.units_lapse) {
  if (arms < 1) throw InputError(fmt::format("arms {} is not at least 1", arms));
  if (horizon < 1) throw InputError(fmt::format("horizon {} is not at least 1", horizon));
  if (budget_.units_per_round < 1) {
    throw FieldError({"units_per_round"},
                     fmt::format("{} is not at least 1", constraints.units_text(budget_.units_per_round)));
  }
  costs_ = by_arm(constraints.costs, arms, "costs");
  minimum_pulls_ = by_arm(constraints.minimum_pulls, arms, "minimum_pulls");
  shares_ = by_arm(constraints.minimum_share, arms, "minimum_share");
  smallest_cost_ = *std::min_element(costs_.begin(), costs_.end());
  largest_cost_ = *std::max_element(costs_.begin(), costs_.end());
  if (smallest_cost_ < 1) throw FieldError({"costs"}, fmt::format("{} is not at least 1", smallest_cost_));
  if (units_lapse_ && largest_cost_ > 1) {
    throw FieldError({"unspent"}, fmt::format("units can lapse only if every pull costs 1, but one costs {}",
                                              constraints.units_text(largest_cost_)));
  }
  if (smallest_cost_ > horizon) {
    throw FieldError({"costs"}, fmt::format("the cheapest pull costs {} units, more than the horizon of {} units",
                                            constraints.units_text(smallest_cost_), constraints.units_text(horizon)));
  }
  if (!constraints.unavailable.empty() && constraints.unavailable.rbegin()->first >= arms) {
    throw FieldError({"unavailable"}, no_arm(constraints.unavailable.rbegin()->first, arms));
  }
  const double total_share = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  if (total_share > 1 + kRounding) {
    throw FieldError({"minimum_share"},
                     fmt::format("the shares of all {} arms add up to {:.6g}, more than 1", arms, total_share));
  }
  for (const Arm arm : all_arms(arms)) {
    const auto ranges = constraints.unavailable.find(arm);
    const bool always_available = ranges == constraints.unavailable.end();
    unavailable_.push_back(always_available ? std::vector<RoundRange>{} : merged(ranges->second, budget_.rounds()));
    share_pulls_.push_back(share_pulls(arm, 0));
  }
  rounds_are_pulls_ =
      budget_.units_per_round == 1 && largest_cost_ == 1 &&
      std::all_of(unavailable_.begin(), unavailable_.end(), [](const auto& ranges) { return ranges.empty(); });
  const std::vector<Arm> all = all_arms(arms);
  if (std::none_of(all.begin(), all.end(), [this](Arm arm) { return can_be_pulled(arm); })) {
    throw FieldError({"unavailable"}, fmt::format("no arm can ever be pulled in the {} rounds", budget_.rounds()));
  }
  has_shares_ = std::any_of(share_pulls_.begin(), share_pulls_.end(), [](Pulls pulls) { return pulls > 0; });
}

bool ResolvedConstraints::available(Arm arm, Pulls round) const {
  return longrun::available(unavailable_[index(arm)], round);
}

Pulls ResolvedConstraints::last_available(Arm arm) const {
  const std::vector<RoundRange>& ranges = unavailable_[index(arm)];
  return ranges.empty() || ranges.back().to < budget_.rounds() ? budget_.rounds() : ranges.back().from - 1;
}

Pulls ResolvedConstraints::granted_while_available(Arm arm, Pulls last) const {
  Pulls units = budget_.granted(last);
  for (const auto& [from, to] : unavailable_[index(arm)]) {
    if (from > last) break;
    units -= budget_.granted(std::min(to, last)) - budget_.granted(from - 1);
  }
  return units;
}

bool ResolvedConstraints::can_be_pulled(Arm arm) const { return budget_.granted(last_available(arm)) >= cost(arm); }

std::vector<Pulls> ResolvedConstraints::least_pulls() const {
  std::vector<Pulls> least;
  least.reserve(costs_.size());
  for (const Arm arm : all_arms(arms())) least.push_back(least_pulls(arm));
  return least;
}

Pulls ResolvedConstraints::share_pulls(Arm arm, Pulls missed) const {
  const Pulls units = std::max<Pulls>(0, granted_while_available(arm, budget_.rounds()) - missed - largest_cost_ + 1);
  return static_cast<Pulls>(
      std::floor(shares_[index(arm)] * static_cast<double>(units) / static_cast<double>(cost(arm)) + kRounding));
}

Pulls ResolvedConstraints::share_release(Arm arm, Pulls pull) const {
  const double units = static_cast<double>(pull - 1) * static_cast<double>(cost(arm)) / shares_[index(arm)];
  return static_cast<Pulls>(std::floor(units + kRounding));
}

Pulls ResolvedConstraints::share_due(Arm arm, Pulls pull) const {
  const double units = static_cast<double>(pull) * static_cast<double>(cost(arm)) / shares_[index(arm)];
  return static_cast<Pulls>(std::ceil(units - kRounding));
}

ResolvedConstraints ResolvedConstraints::with_minimum(std::span<const Pulls> pulls) const {
  ResolvedConstraints raised = *this;
  for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
    raised.minimum_pulls_[arm] = std::max(raised.minimum_pulls_[arm], pulls[arm]);
  }
  return raised;
}

}  // namespace longrun
