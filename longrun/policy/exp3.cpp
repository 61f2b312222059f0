#include "longrun/policy/exp3.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace longrun {

Exp3::Exp3(const Setting& setting, double gamma, Pulls restart_every)
    : gamma_(gamma),
      restart_every_(restart_every),
      stream_{.seed = setting.seed, .replicate = setting.replicate, .purpose = Purpose::policy},
      log_weights_(static_cast<std::size_t>(setting.arms)),
      weights_(static_cast<std::size_t>(setting.arms)) {
  restart();
}

Arm Exp3::choose(const Restriction& restriction) {
  if (restriction.arms.size() == weights_.size()) return choose();
  if (restriction.arms.size() == 1) return restriction.arms[0];
  const auto weight = [this](Arm arm) { return probabilities_[static_cast<std::size_t>(arm)]; };
  double left = next_uniform() *
                std::transform_reduce(restriction.arms.begin(), restriction.arms.end(), 0.0, std::plus<>(), weight);
  for (const Arm arm : restriction.arms) {
    left -= weight(arm);
    if (left < 0) return arm;
  }
  return restriction.arms.back();
}

void Exp3::add_arm() {
  const double sum = std::accumulate(log_weights_.begin(), log_weights_.end(), 0.0);
  log_weights_.push_back(sum / static_cast<double>(log_weights_.size()));
  weights_.push_back(0);
  rescale();
}

void Exp3::restart() {
  std::fill(log_weights_.begin(), log_weights_.end(), 0.0);
  rewards_ = 0;
  rescale();
}

void Exp3::rescale() {
  reference_ = *std::max_element(log_weights_.begin(), log_weights_.end());
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = std::exp(log_weights_[i] - reference_);
  total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  set_probabilities();
}

Exp3 make_exp3(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.get(kExp3Gamma, setting)};
}

Exp3 make_r_exp3(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.get(kRExp3Gamma, setting), static_cast<Pulls>(parameters.get(kRExp3Batch, setting))};
}

}  // namespace longrun
