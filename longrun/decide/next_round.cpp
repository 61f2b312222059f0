#include "longrun/decide/next_round.h"

namespace longrun {

constexpr Pulls kSearchLimit = 10'000'000;  // arms times rounds that next_round() searches

DecidedRound next_round(ConstrainedPolicy state) { return take_next_round(state); }

DecidedRound take_next_round(ConstrainedPolicy& state) {
  const Pulls most_rounds = kSearchLimit / state.constraints().arms() + 1;
  for (Pulls ahead = 0; ahead < most_rounds && !state.done(); ++ahead) {
    const Pulls before = state.round();
    const auto pulls = state.next_round();
    if (pulls.empty() && state.round() == before) break;  // it would be the same again
    if (pulls.empty()) continue;
    DecidedRound round{.number = state.round(), .pulls = {}};
    for (std::size_t i = 0; i < pulls.size(); ++i) round.pulls.push_back({pulls[i], state.causes()[i]});
    return round;
  }
  return {.number = state.round(), .pulls = {}};
}

}  // namespace longrun
