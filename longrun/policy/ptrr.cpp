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
      tau_(static_cast<double>(std::max<Pulls>(1, setting.horizon - setting.arms))),
      ledger_(setting),
      order_(random_order(setting)),
      dropped_(order_.size()),
      last_rewards_(setting.arms) {}

Arm Ptrr::choose() {
  const Arm arm = next();
  ledger_.suggest(arm);
  return arm;
}

Arm Ptrr::choose(const Restriction& restriction) {
  const Arm arm = next(restriction);
  ledger_.suggest(arm);
  return arm;
}

void Ptrr::observe(Arm arm, double reward) {
  ledger_.settle(arm);
  if (!dropped(arm) && reward >= threshold(ledger_.pulls(arm))) return;
  dropped_[static_cast<std::size_t>(arm)] = 1;
  last_rewards_.set(arm, reward, std::nullopt, ledger_.remaining());
}

double Ptrr::threshold(Pulls pulls) const {
  // A straight line to m lies on the threshold at every pull and must not be dropped because of rounding.
  constexpr double kRounding = 1 - 1e-12;
  const double share = std::min(1.0, static_cast<double>(pulls - 1) / tau_);
  return kRounding * m_ * (a_ == 1 ? share : std::pow(share, a_));
}

Arm Ptrr::next() {
  while (position_ < order_.size() && dropped(order_[position_])) ++position_;
  if (position_ == order_.size()) return last_rewards_.best_stored();
  const Arm arm = order_[position_];
  return awaits_first_reward(arm) ? next_while_in_flight() : arm;
}

Arm Ptrr::next_while_in_flight() const {
  Arm fewest = order_[position_];
  for (std::size_t i = position_; i < order_.size(); ++i) {
    const Arm arm = order_[i];
    if (dropped(arm)) continue;
    if (!awaits_first_reward(arm)) return arm;
    if (ledger_.issued(arm) < ledger_.issued(fewest)) fewest = arm;
  }
  return fewest;
}

Arm Ptrr::next(const Restriction& restriction) const {
  std::vector<Arm> waiting;  // in the order of order_
  for (std::size_t i = position_; i < order_.size(); ++i) {
    const Arm arm = order_[i];
    if (dropped(arm) || !std::binary_search(restriction.arms.begin(), restriction.arms.end(), arm)) continue;
    if (!awaits_first_reward(arm)) return arm;
    waiting.push_back(arm);
  }
  if (!waiting.empty()) return ledger_.least_issued(waiting);
  const auto lower_reward = [this](Arm a, Arm b) {
    return last_rewards_.stored_index(a) < last_rewards_.stored_index(b);
  };
  return *std::max_element(restriction.arms.begin(), restriction.arms.end(), lower_reward);
}

Ptrr make_ptrr(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.get(kPtrrM, setting), parameters.get(kPtrrA, setting)};
}

}  // namespace longrun
