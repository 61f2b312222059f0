#include "longrun/policy/epsilon_greedy.h"

#include <cstdint>

#include "longrun/policy/statistics/bounded_reward.h"

namespace longrun {

EpsilonGreedy::EpsilonGreedy(const Setting& setting, std::optional<double> epsilon, double exploration)
    : epsilon_(epsilon),
      exploration_(exploration),
      stream_{.seed = setting.seed, .replicate = setting.replicate, .purpose = Purpose::policy},
      ledger_(setting),
      sums_(static_cast<std::size_t>(setting.arms)),
      means_(setting.arms) {}

Arm EpsilonGreedy::choose() {
  if (const auto arm = ledger_.first_lacking(1)) return *arm;
  if (ledger_.made() == 0) return ledger_.least_tried();
  if (const auto drawn = drawn_of(sums_.size())) return static_cast<Arm>(*drawn);
  return means_.best_stored();
}

Arm EpsilonGreedy::choose(const Restriction& restriction) {
  if (const auto arm = ledger_.first_lacking(1, restriction.arms)) return *arm;
  if (ledger_.made() == 0) return ledger_.least_tried(restriction.arms);
  if (const auto drawn = drawn_of(restriction.arms.size())) return restriction.arms[*drawn];
  std::optional<Arm> best;
  double largest = 0;
  for (const Arm arm : restriction.arms) {
    if (ledger_.pulls(arm) == 0) continue;
    const double mean = restriction.per_unit(means_.stored_index(arm), arm);
    if (best && mean <= largest) continue;
    largest = mean;
    best = arm;
  }
  return best ? *best : ledger_.least_tried(restriction.arms);
}

void EpsilonGreedy::observe(Arm arm, double reward) {
  ledger_.add(arm);
  double& sum = sums_[static_cast<std::size_t>(arm)];
  sum += bounded_reward(reward);
  means_.set(arm, sum / static_cast<double>(ledger_.pulls(arm)), std::nullopt, ledger_.remaining());
}

void EpsilonGreedy::add_arm() {
  ledger_.add_arm();
  sums_.push_back(0);
  means_.add_arm();
}

std::optional<std::size_t> EpsilonGreedy::drawn_of(std::size_t arms) const {
  const Pulls made = ledger_.tried();
  const double decayed = exploration_ * static_cast<double>(arms) / static_cast<double>(made + 1);
  const auto [bits, more_bits] = random_block(stream_, static_cast<std::uint64_t>(made));
  if (unit_interval(bits) >= epsilon_.value_or(decayed)) return std::nullopt;
  return static_cast<std::size_t>(more_bits % arms);
}

EpsilonGreedy make_epsilon_greedy(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.find(kEpsilonGreedyEpsilon), parameters.get(kEpsilonGreedyExploration, setting)};
}

}  // namespace longrun
