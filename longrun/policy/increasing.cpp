#include "longrun/policy/increasing.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "longrun/solve/outlook.h"

namespace longrun {

Increasing::Increasing(const Setting& setting)
    : ledger_(setting),
      states_(static_cast<std::size_t>(setting.arms)),
      survivors_(static_cast<std::size_t>(setting.arms)) {
  std::iota(survivors_.begin(), survivors_.end(), Arm{0});
}

Arm Increasing::choose() { return survivors_.size() == 1 ? survivors_[0] : ledger_.least_tried(survivors_); }

Arm Increasing::choose(const Restriction& restriction) {
  std::vector<Arm> allowed;  // both lists are ascending
  std::set_intersection(survivors_.begin(), survivors_.end(), restriction.arms.begin(), restriction.arms.end(),
                        std::back_inserter(allowed));
  if (!allowed.empty()) return ledger_.least_tried(allowed);
  const auto lower_total = [this](Arm a, Arm b) { return pessimistic_total(a) < pessimistic_total(b); };
  return *std::max_element(restriction.arms.begin(), restriction.arms.end(), lower_total);
}

void Increasing::observe(Arm arm, double reward) {
  ledger_.add(arm);
  State& state = states_[static_cast<std::size_t>(arm)];
  state.sum.add(reward);
  state.step = (reward - state.last) / static_cast<double>(std::exchange(state.gap, 1));
  state.last = reward;
  if (survivors_.size() == 1) return;
  const Pulls fewest = fewest_rewards();
  if (fewest <= rounds_) return;
  rounds_ = fewest;
  if (rounds_ >= 2) drop_dominated();
}

void Increasing::lose(Arm arm) {
  ledger_.add_lost(arm);
  State& state = states_[static_cast<std::size_t>(arm)];
  if (ledger_.pulls(arm) == 0) return;
  state.sum.add(state.last);
  ++state.gap;
}

void Increasing::add_arm() {
  survivors_.push_back(ledger_.arms());
  ledger_.add_arm();
  states_.emplace_back();
}

void Increasing::extend(Pulls pulls) { ledger_.extend(pulls); }

Pulls Increasing::fewest_rewards() const {
  const auto fewer = [this](Arm a, Arm b) { return ledger_.pulls(a) < ledger_.pulls(b); };
  return ledger_.pulls(*std::min_element(survivors_.begin(), survivors_.end(), fewer));
}

double Increasing::pessimistic_total(Arm arm) const {
  const State& state = states_[static_cast<std::size_t>(arm)];
  return state.sum.value() +
         static_cast<double>(std::max<Pulls>(0, ledger_.horizon() - ledger_.tried(arm))) * state.last;
}

double Increasing::optimistic_total(Arm arm) const {
  const State& state = states_[static_cast<std::size_t>(arm)];
  const Pulls left = std::max<Pulls>(0, ledger_.horizon() - ledger_.tried(arm));
  if (state.step >= 0) return state.sum.value() + Outlook::rising(state.last, state.step).total(left);
  const auto count = static_cast<double>(left);  // a step down, by noise: the line of the formula continues down
  return state.sum.value() + count * (state.last + state.step * (count + 1) / 2);
}

void Increasing::drop_dominated() {
  const auto lower_total = [this](Arm a, Arm b) { return pessimistic_total(a) < pessimistic_total(b); };
  const Arm best = *std::max_element(survivors_.begin(), survivors_.end(), lower_total);
  const double best_total = pessimistic_total(best);
  double second_total = -std::numeric_limits<double>::infinity();  // the total that `best` itself is compared with
  for (const Arm arm : survivors_) {
    if (arm != best) second_total = std::max(second_total, pessimistic_total(arm));
  }
  std::vector<Arm> kept;
  for (const Arm arm : survivors_) {
    if ((arm == best ? second_total : best_total) <= optimistic_total(arm)) kept.push_back(arm);
  }
  if (kept.empty()) kept.push_back(best);
  survivors_ = std::move(kept);
}

}  // namespace longrun
