#include "longrun/policy/foresight/foresight.h"

#include <algorithm>

namespace longrun {
namespace {

bool estimates_sd(const Setting& setting, const Parameters& parameters) {
  return parameters.get(kForesightEstimateSd, setting) != 0;
}

ForesightTuning tuning_of(const Setting& setting, const Parameters& parameters) {
  ForesightTuning tuning = kForesightTuning;
  for (const TunedConstant& each : kForesightTuned) {
    tuning.*each.constant = parameters.get(each.parameter(), setting);
  }
  return tuning;
}

bool is_exact(const Setting& setting, const Parameters& parameters) {
  return standard_deviation(setting.noise) == 0 && !estimates_sd(setting, parameters);
}

}  // namespace

ForesightRule::ForesightRule(const Setting& setting, const Parameters& parameters)
    : bound_only_(parameters.get(kForesightBoundOnly, setting) != 0),
      model_(setting.horizon, setting.arms, standard_deviation(setting.noise), tuning_of(setting, parameters)) {
  if (is_exact(setting, parameters)) {
    exact_.emplace(setting, Parameters{}, Refresh::every_arm);
    return;
  }
  arms_.resize(static_cast<std::size_t>(setting.arms));
  if (!estimates_sd(setting, parameters)) return;
  noise_.emplace(setting.arms);
  model_.set_sd(noise_->sd());
}

Pulls ForesightRule::initial_pulls() const {
  if (exact_) return exact_->initial_pulls();
  return kForesightTuning.initial_pulls;
}

void ForesightRule::observe(Arm arm, double reward, const Ledger& ledger) {
  if (exact_) return exact_->observe(arm, reward, ledger);
  if (noise_) {
    noise_->add(arm, reward);
    model_.set_sd(noise_->sd());
  }
  imagine(arm, reward, ledger);
  State& state = arms_[static_cast<std::size_t>(arm)];
  if (state.outdated) state.foresight.show_kind(model_);
}

void ForesightRule::imagine(Arm arm, double reward, const Ledger& ledger) {
  if (exact_) return exact_->observe(arm, reward, ledger);
  State& state = arms_[static_cast<std::size_t>(arm)];
  state.foresight.add(reward, model_);
  const Pulls pulls = state.foresight.pulls();
  state.outdated = state.foresight.falling() || static_cast<double>(pulls - state.indexed_at) >
                                                    model_.tuning().arm_refresh * static_cast<double>(state.indexed_at);
  if (state.outdated) state.indexed_at = pulls;
}

void ForesightRule::lose(Arm arm, const Ledger& ledger) {
  if (exact_) return exact_->lose(arm, ledger);
  arms_[static_cast<std::size_t>(arm)].foresight.add_lost();
}

void ForesightRule::add_arm() {
  model_.add_arm();
  if (exact_) return exact_->add_arm();
  if (noise_) noise_->add_arm();
  arms_.emplace_back();
  make_refresh_due();
}

void ForesightRule::extend(Pulls pulls) {
  if (exact_) return exact_->extend(pulls);
  model_.extend(pulls);
  make_refresh_due();
}

void ForesightRule::make_refresh_due() { refreshed_at_ = remaining_then_ = 0; }

bool ForesightRule::start_refresh_if_due(const Ledger& ledger) {
  constexpr Pulls kInterval = kForesightTuning.all_refresh;
  if (exact_) return false;
  const Pulls remaining = ledger.remaining();
  if (kInterval * remaining > (kInterval - 1) * remaining_then_ && refreshed_at_ > 0) return false;
  if (kForesightTuning.indices_per_pull * (ledger.made() - refreshed_at_) < ledger.arms()) return false;
  refreshed_at_ = ledger.made();
  remaining_then_ = remaining;
  update_fall_discount(remaining);
  return true;
}

void ForesightRule::update_fall_discount(Pulls remaining) {
  double level = 0;
  double average = 0;
  for (const State& state : arms_) {
    if (!state.foresight.falling()) continue;
    level = std::max(level, state.foresight.falling_level(model_));
    average = std::max(average, state.foresight.falling_average(remaining, model_));
  }
  model_.set_fall_discount(level, level > 0 ? average / level : 1);
}

double ForesightRule::index(Arm arm, const Ledger& ledger) const {
  if (exact_) return exact_->index(arm, ledger);
  const ArmForesight& foresight = arms_[static_cast<std::size_t>(arm)].foresight;
  const Pulls remaining = ledger.remaining();
  return bound_only_ ? 1 + foresight.bound(remaining, model_).average_less_one(remaining)
                     : foresight.index(remaining, model_);
}

Foresight make_foresight(const Setting& setting, const Parameters& parameters) {
  return {setting, ForesightRule(setting, parameters),
          is_exact(setting, parameters) ? Refresh::every_arm : Refresh::pulled_arm};
}

}  // namespace longrun
