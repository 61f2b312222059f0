#include "longrun/policy/ptrr.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "longrun/base/random.h"

namespace longrun {
namespace {

std::vector<Arm> random_order(const Setting& setting) {
  const StreamKey stream{.seed = setting.seed, .replicate = setting.replicate, .purpose = Purpose::policy};
  std::vector<Arm> order(static_cast<std::size_t>(setting.arms));
  std::iota(order.begin(), order.end(), Arm{0});
  for (std::size_t rest = order.size(); rest > 1; --rest) {  // Fisher and Yates
    std::swap(order[rest - 1], order[random_block(stream, rest)[0] % rest]);
  }
  return order;
}

}  // namespace

Ptrr::Ptrr(const Setting& setting, double m, double a)
    : m_(m),
      a_(a),
      first_arms_(setting.arms),
      ledger_(setting),
      order_(random_order(setting)),
      dropped_(order_.size()),
      last_rewards_(setting.arms) {}

void Ptrr::observe(Arm arm, double reward) {
  ledger_.add(arm);
  if (!dropped(arm) && reward >= threshold(ledger_.tried(arm))) return;
  dropped_[static_cast<std::size_t>(arm)] = 1;
  last_rewards_.set(arm, reward, std::nullopt, ledger_.remaining());
}

void Ptrr::add_arm() {
  order_.push_back(ledger_.arms());
  ledger_.add_arm();
  dropped_.push_back(0);
  last_rewards_.add_arm();
}

double Ptrr::threshold(Pulls pulls) const {
  // A straight line to m lies on the threshold at every pull and must not be dropped because of rounding.
  constexpr double kRoundingFactor = 1 - 1e-12;
  const auto tau = static_cast<double>(std::max<Pulls>(1, ledger_.horizon() - first_arms_));
  const double share = std::min(1.0, static_cast<double>(pulls - 1) / tau);
  return kRoundingFactor * m_ * (a_ == 1 ? share : std::pow(share, a_));
}

Arm Ptrr::choose() {
  while (position_ < order_.size() && dropped(order_[position_])) ++position_;
  return position_ == order_.size() ? last_rewards_.best_stored() : order_[position_];
}

Arm Ptrr::choose(const Restriction& restriction) {
  for (std::size_t i = position_; i < order_.size(); ++i) {
    const Arm arm = order_[i];
    if (!dropped(arm) && std::binary_search(restriction.arms.begin(), restriction.arms.end(), arm)) return arm;
  }
  const auto lower_reward = [this](Arm a, Arm b) {
    return last_rewards_.stored_index(a) < last_rewards_.stored_index(b);
  };
  return *std::max_element(restriction.arms.begin(), restriction.arms.end(), lower_reward);
}

Ptrr make_ptrr(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.get(kPtrrM, setting), parameters.get(kPtrrA, setting)};
}

}  // namespace longrun
