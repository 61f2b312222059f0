#include "longrun/model/resolved_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longrun/base/input_error.h"
#include "longrun/solve/unit_flow.h"

namespace longrun {
namespace {

constexpr double kRounding = 1e-9;  // 0.29 of 100 is 29, though not in floating point

std::vector<Arm> all(Arm arms) {
  std::vector<Arm> list(static_cast<std::size_t>(arms));
  std::iota(list.begin(), list.end(), Arm{0});
  return list;
}

/// The values of all arms; `field` is for messages.
template <class Value>
std::vector<Value> by_arm(const PerArm<Value>& values, Arm arms, std::string_view field) {
  if (values.listed && values.named.size() != static_cast<std::size_t>(arms)) {
    throw InputError(fmt::format("{}: {} values for {} arms", field, values.named.size(), arms));
  }
  if (!values.named.empty() && values.named.rbegin()->first >= arms) {
    throw InputError(fmt::format("{}: arm {} is not one of 0..{}", field, values.named.rbegin()->first, arms - 1));
  }
  std::vector<Value> result;
  for (const Arm arm : all(arms)) result.push_back(values.at(arm));
  return result;
}

/// Those that begin by round `last`, cut off there, ascending, what touches made one.
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
    : horizon_(horizon), units_per_round_(constraints.units_per_round), units_lapse_(constraints.units_lapse) {
  if (arms < 1) throw InputError(fmt::format("arms {} is not at least 1", arms));
  if (horizon < 1) throw InputError(fmt::format("horizon {} is not at least 1", horizon));
  if (units_per_round_ < 1) throw InputError(fmt::format("units_per_round {} is not at least 1", units_per_round_));
  costs_ = by_arm(constraints.costs, arms, "costs");
  minimum_pulls_ = by_arm(constraints.minimum_pulls, arms, "minimum_pulls");
  shares_ = by_arm(constraints.minimum_share, arms, "minimum_share");
  cheapest_ = *std::min_element(costs_.begin(), costs_.end());
  dearest_ = *std::max_element(costs_.begin(), costs_.end());
  if (cheapest_ < 1) throw InputError(fmt::format("costs: {} is not at least 1", cheapest_));
  if (units_lapse_ && dearest_ > 1) {
    throw InputError(fmt::format("unspent: units can lapse only where every pull costs 1, and one costs {}", dearest_));
  }
  if (cheapest_ > horizon_) {
    throw InputError(
        fmt::format("costs: no pull costs less than {}, more than the horizon of {} units", cheapest_, horizon_));
  }
  if (!constraints.unavailable.empty() && constraints.unavailable.rbegin()->first >= arms) {
    throw InputError(
        fmt::format("unavailable: arm {} is not one of 0..{}", constraints.unavailable.rbegin()->first, arms - 1));
  }
  const double total_share = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  if (total_share > 1 + kRounding) {
    throw InputError(
        fmt::format("minimum_share: the shares of all {} arms add up to {}, more than 1", arms, total_share));
  }
  for (const Arm arm : all(arms)) {
    const auto away = constraints.unavailable.find(arm);
    away_.push_back(away == constraints.unavailable.end() ? std::vector<RoundRange>{} : merged(away->second, rounds()));
    const bool there_at_the_end = away_.back().empty() || away_.back().back().to < rounds();
    last_rounds_.push_back(there_at_the_end ? rounds() : away_.back().back().from - 1);
    const auto units = static_cast<double>(std::max<Pulls>(0, granted_while_there(arm) - dearest_ + 1));
    share_pulls_.push_back(
        static_cast<Pulls>(std::floor(shares_[index(arm)] * units / static_cast<double>(cost(arm)) + kRounding)));
  }
  has_shares_ = std::any_of(share_pulls_.begin(), share_pulls_.end(), [](Pulls pulls) { return pulls > 0; });
  check_feasible();
}

bool ResolvedConstraints::available(Arm arm, Pulls round) const {
  const std::vector<RoundRange>& away = away_[index(arm)];
  const auto covers = [round](const RoundRange& range) { return range.from <= round && round <= range.to; };
  return std::none_of(away.begin(), away.end(), covers);
}

std::vector<bool> ResolvedConstraints::there(Pulls round) const {
  std::vector<bool> result;
  for (const Arm arm : all(arms())) result.push_back(available(arm, round));
  return result;
}

Pulls ResolvedConstraints::granted_while_there(Arm arm) const {
  Pulls units = horizon_;
  for (const auto& [from, to] : away_[index(arm)]) units -= granted(to) - granted(from - 1);
  return units;
}

std::vector<RoundRange> ResolvedConstraints::periods(Pulls round) const {
  std::vector<Pulls> starts{round};
  for (const auto& away : away_) {
    for (const auto& [from, to] : away) {
      if (from > round) starts.push_back(from);
      if (to >= round && to < rounds()) starts.push_back(to + 1);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  std::vector<RoundRange> result;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    result.push_back({.from = starts[i], .to = i + 1 < starts.size() ? starts[i + 1] - 1 : rounds()});
  }
  return result;
}

bool ResolvedConstraints::in_reach(std::span<const Pulls> lacking, Pulls round, Pulls left) const {
  std::vector<Pulls> units;
  std::vector<std::vector<bool>> arms_there;
  for (const auto& [from, to] : periods(round)) {
    const bool now = from == round;
    units.push_back(now ? left + granted(to) - granted(from) : granted(to) - granted(from - 1));
    arms_there.push_back(there(from));
  }
  UnitFlow flow(std::move(units), std::move(arms_there));
  for (const Arm arm : all(arms())) {
    if (flow.raise(arm, lacking[index(arm)]) < lacking[index(arm)]) return false;
  }
  return true;
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
  ResolvedConstraints terms = *this;
  for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
    terms.minimum_pulls_[arm] = std::max(terms.minimum_pulls_[arm], pulls[arm]);
  }
  terms.check_feasible();
  return terms;
}

void ResolvedConstraints::check_feasible() const {
  std::vector<Arm> by_last_round = all(arms());
  std::stable_sort(by_last_round.begin(), by_last_round.end(),
                   [this](Arm a, Arm b) { return last_round(a) < last_round(b); });
  double needed = 0;  // a double: what is asked for may be more than a number of units can be
  for (std::size_t i = 0; i < by_last_round.size(); ++i) {
    const Arm arm = by_last_round[i];
    if (least_pulls(arm) == 0) continue;
    if (last_round(arm) == 0) {
      throw InputError(
          fmt::format("unavailable: arm {} is there in none of the {} rounds, but {} pulls of it are asked for", arm,
                      rounds(), least_pulls(arm)));
    }
    needed += static_cast<double>(least_pulls(arm)) * static_cast<double>(cost(arm));
    const Pulls there = granted(last_round(arm));
    if (needed <= static_cast<double>(there)) continue;
    for (std::size_t j = i + 1; j < by_last_round.size() && last_round(by_last_round[j]) == last_round(arm); ++j) {
      needed += static_cast<double>(least_pulls(by_last_round[j])) * static_cast<double>(cost(by_last_round[j]));
    }
    const bool at_the_end = last_round(arm) == rounds();
    throw InputError(
        fmt::format("minimum_pulls, minimum_share: take {} units{}, but there are only {}", needed,
                    at_the_end ? "" : fmt::format(" by round {}, the last of arm {}", last_round(arm), arm), there));
  }
  if (units_lapse_) check_in_reach();
}

void ResolvedConstraints::check_in_reach() const {
  std::vector<Pulls> least;
  for (const Arm arm : all(arms())) least.push_back(least_pulls(arm));
  if (in_reach(least, 1, granted(1))) return;
  throw InputError(
      "minimum_pulls, minimum_share: take more units than there are in the rounds in which their arms are there");
}

}  // namespace longrun
