#include "longrun/policy/glr_kl_ucb.h"

namespace longrun {

GlrKlUcb::GlrKlUcb(const Setting& setting, const Options& options)
    : options_(options),
      ledger_(setting),
      bounds_(setting.arms),
      detectors_(static_cast<std::size_t>(setting.arms)),
      starts_(detectors_.size()) {}

Arm GlrKlUcb::choose() {
  if (const auto arm = ledger_.first_lacking(1)) return *arm;
  if (ledger_.made() == 0) return ledger_.least_tried();
  if (const auto turn = turn_of(starts_.size())) return static_cast<Arm>(*turn);
  Pulls start = -1;  // most arms never began again: their exploration is computed once
  double same = 0;
  return bounds_.best([&](Arm arm) {
    if (starts_[static_cast<std::size_t>(arm)] != start) {
      start = starts_[static_cast<std::size_t>(arm)];
      same = exploration(arm);
    }
    return same;
  });
}

Arm GlrKlUcb::choose(const Restriction& restriction) {
  if (const auto arm = ledger_.first_lacking(1, restriction.arms)) return *arm;
  if (ledger_.made() == 0) return ledger_.least_tried(restriction.arms);
  if (const auto turn = turn_of(restriction.arms.size())) return restriction.arms[*turn];
  std::optional<Arm> best;
  double largest = 0;
  for (const Arm arm : restriction.arms) {
    if (ledger_.pulls(arm) == 0) continue;
    const double bound = bounds_.bound(arm, exploration(arm));  // minus 1; the sum with 1 may round
    const double index = restriction.costs.empty() ? bound : restriction.per_unit(1 + bound, arm);
    if (best && index <= largest) continue;
    largest = index;
    best = arm;
  }
  return best ? *best : ledger_.least_tried(restriction.arms);
}

void GlrKlUcb::observe(Arm arm, double reward) {
  imagine(arm, reward);
  ChangeDetector& detector = detectors_[static_cast<std::size_t>(arm)];
  detector.add(reward);
  if (!detector.has_changed(options_.delta)) return;
  detector = {};
  detector.add(reward);
  bounds_.clear(arm);
  bounds_.add(arm, reward);
  starts_[static_cast<std::size_t>(arm)] = ledger_.made() - 1;
}

void GlrKlUcb::imagine(Arm arm, double reward) {
  ledger_.add(arm);
  bounds_.add(arm, reward);
}

void GlrKlUcb::add_arm() {
  ledger_.add_arm();
  bounds_.add_arm();
  detectors_.emplace_back();
  starts_.push_back(0);
}

std::optional<std::size_t> GlrKlUcb::turn_of(std::size_t arms) const {
  const double period = std::floor(static_cast<double>(arms) / options_.alpha);
  if (!(period <= static_cast<double>(kLongestHorizon))) return std::nullopt;
  const auto turn = static_cast<std::size_t>(ledger_.tried() % static_cast<Pulls>(period));
  if (turn >= arms) return std::nullopt;
  return turn;
}

double GlrKlUcb::exploration(Arm arm) const {
  const Pulls time = ledger_.made() + 1 - starts_[static_cast<std::size_t>(arm)];
  return kl_exploration(static_cast<double>(time), options_.c);
}

GlrKlUcb make_glr_kl_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting,
          {.delta = parameters.get(kGlrKlUcbDelta, setting),
           .alpha = parameters.get(kGlrKlUcbAlpha, setting),
           .c = parameters.get(kKlUcbC, setting)}};
}

}  // namespace longrun
