#include "longrun/policy/spo.h"

#include <algorithm>
#include <utility>

#include "longrun/model/half_width.h"

namespace longrun {
namespace {

double half_width(const Setting& setting, const Parameters& parameters) {
  const auto failure = parameters.find(kSpoFailure);
  return failure ? half_width_for_failure(setting.noise, *failure, setting.horizon) : setting.resolved_half_width();
}

}  // namespace

SpoRule::SpoRule(const Setting& setting, const Parameters& parameters, Refresh refresh)
    : refresh_(refresh),
      horizon_(setting.horizon),
      initial_pulls_(static_cast<Pulls>(parameters.get(kSpoInitialPulls, setting))),
      half_width_(half_width(setting, parameters)),
      states_(static_cast<std::size_t>(setting.arms)),
      envelopes_(half_width_ == 0 ? 0 : static_cast<std::size_t>(setting.arms)) {}

void SpoRule::lose(Arm arm, const Ledger& ledger) {
  const auto i = static_cast<std::size_t>(arm);
  ArmState& state = states_[i];
  if (half_width_ != 0) {
    if (!state.falling) envelopes_[i].add({0, 1});  // any reward is possible
    if (!state.falling && ledger.pulls(arm) > 0) state.outlook = envelopes_[i].outlook();
    return;
  }
  if (ledger.pulls(arm) == 0) return;  // the first reward bounds no step, whichever pull it belongs to
  ++state.gap;
  if (state.outlook.slope() > 0) {  // the curve has risen in the meantime
    state.outlook =
        Outlook::rising(std::min(1.0, state.outlook.level() + state.outlook.slope()), state.outlook.slope());
  }
}

void SpoRule::observe_exactly(ArmState& state, double reward, Pulls pulls) const {
  double step = reward - state.last_reward;
  if (state.gap > 1) step /= std::exchange(state.gap, 1);
  state.last_reward = reward;
  if (pulls < 2) return;  // one reward bounds no step
  state.falling = refresh_ == Refresh::every_arm ? step < 0 : step <= 0;
  state.outlook = state.falling ? Outlook::constant(reward) : Outlook::rising(reward, step);
}

void SpoRule::observe_interval(std::size_t arm, double reward) {
  ArmState& state = states_[arm];
  RisingEnvelope& envelope = envelopes_[arm];
  envelope.add({reward - half_width_, reward + half_width_});
  if (envelope.feasible()) {
    state.outlook = envelope.outlook();
    return;
  }
  state.falling = true;
  state.outlook = Outlook::constant(reward + half_width_);
  envelope = RisingEnvelope{};  // frees memory; it is never read again
}

void SpoRule::share_with(SpoRule& other) {
  constexpr Pulls kLongestShared = 1'000'000;  // pulls; 32 bytes of an arm for each
  if (half_width_ == 0 || half_width_ != other.half_width_ || horizon_ > kLongestShared) return;
  if (!other.shared_) other.shared_ = std::make_shared<std::vector<SharedOutlooks>>(other.states_.size());
  shared_ = other.shared_;
}

void SpoRule::solve(SharedOutlooks& shared, double reward) const {
  if (shared.falling) return;
  shared.envelope.add({reward - half_width_, reward + half_width_});
  shared.falling = !shared.envelope.feasible();
  if (shared.falling) {
    shared.envelope = RisingEnvelope{};  // frees memory; it is never read again
  } else {
    shared.outlooks.push_back(shared.envelope.outlook());
  }
}

double SpoRule::released_total(Arm arm, const ArmState& state, const Ledger& ledger) const {
  if (half_width_ == 0 || state.falling) return state.outlook.total(ledger.remaining());
  return state.outlook.total(ledger.horizon() - ledger.pulls(arm)) - state.outlook.total(1);
}

}  // namespace longrun
