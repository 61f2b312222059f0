#include "longrun/decide/next_round.h"

#include <utility>

namespace longrun {

constexpr Pulls kSearchLimit = 10'000'000;  // arms times rounds that next_round() searches

Pulls NextPulls::pulls() const {
  Pulls sum = 0;
  for (const auto& [cause, pulls] : causes) sum += pulls;
  return sum;
}

Pulls DecidedRound::pulls() const {
  Pulls sum = 0;
  for (const NextPulls& next : arms) sum += next.pulls();
  return sum;
}

DecidedRound next_round(ConstrainedPolicy state) { return take_next_round(state); }

DecidedRound take_next_round(ConstrainedPolicy& state) {
  const Pulls most_rounds = kSearchLimit / state.constraints().arms() + 1;
  for (Pulls ahead = 0; ahead < most_rounds && !state.done(); ++ahead) {
    const Pulls before = state.round();
    const auto pulls = state.next_round();
    if (pulls.empty() && state.round() == before) break;  // it would be the same again
    if (pulls.empty()) continue;
    DecidedRound round{.number = state.round(), .first = pulls[0], .first_cause = state.causes()[0]};
    std::map<Arm, NextPulls> arms;
    for (std::size_t i = 0; i < pulls.size(); ++i) arms[pulls[i]].causes[state.causes()[i]] += 1;
    for (auto& [arm, next] : arms) round.arms.push_back({.arm = arm, .causes = std::move(next.causes)});
    return round;
  }
  return {.number = state.round()};
}

}  // namespace longrun
