#include "longrun/decide/next_round.h"

#include <algorithm>
#include <utility>

namespace longrun {
namespace {

constexpr Pulls kSearchLimit = 10'000'000;  // arms times rounds that next_round() searches

}  // namespace

PullObstacle pull_obstacle(const ConstrainedPolicy& state, Pulls next, Pulls unspent,
                           std::span<const Arm> unavailable) {
  const ResolvedConstraints& constraints = state.constraints();
  if (constraints.most_pulls(std::max<Pulls>(0, unspent)) == 0) return PullObstacle::budget;
  if (std::ssize(unavailable) == constraints.arms()) return PullObstacle::all_unavailable;
  bool is_affordable = false;
  bool is_payable = false;  // in a round in which the arm is available
  for (Arm arm = 0; arm < constraints.arms(); ++arm) {
    if (std::binary_search(unavailable.begin(), unavailable.end(), arm)) continue;
    is_affordable = is_affordable || constraints.cost(arm) <= unspent;
    const Pulls last = constraints.last_available(arm);
    const Pulls until_then = constraints.budget().granted(last) - (constraints.horizon() - unspent);
    is_payable = is_payable || (last >= next && until_then >= constraints.cost(arm));
  }
  return is_payable ? PullObstacle::minima : is_affordable ? PullObstacle::rounds : PullObstacle::costs;
}

Pulls NextPulls::pulls() const {
  Pulls sum = 0;
  for (const auto& [cause, pulls] : causes) sum += pulls;
  return sum;
}

Pulls NextPulls::pulls(PullCause cause) const {
  const auto found = causes.find(cause);
  return found == causes.end() ? 0 : found->second;
}

Pulls DecidedRound::pulls() const {
  Pulls sum = 0;
  for (const NextPulls& next : arms) sum += next.pulls();
  return sum;
}

DecidedRound next_round(ConstrainedPolicy state) { return take_next_round(state); }

DecidedRound take_next_round(ConstrainedPolicy& state) {
  const Pulls most_rounds = kSearchLimit / state.constraints().arms() + 1;
  // Units may lapse in rounds that go by without pulls; the obstacle is one to spending those that were left before.
  const Pulls next = std::min(state.round() + 1, state.constraints().budget().rounds());
  const Pulls unspent = state.spendable() + state.committed();
  Pulls searched = 0;
  Pulls without_choice = 0;
  for (; searched < most_rounds && !state.done(); ++searched) {
    const Pulls before = state.round();
    const auto pulls = state.next_round();
    if (pulls.empty() && state.round() == before) break;  // it would be the same again
    if (pulls.empty()) {
      without_choice += state.committed() == 0 ? 1 : 0;
      continue;
    }
    DecidedRound round{.number = state.round(),
                       .without_choice = without_choice,
                       .saving = searched - without_choice,
                       .first = pulls[0],
                       .first_cause = state.causes()[0]};
    std::map<Arm, NextPulls> arms;
    for (std::size_t i = 0; i < pulls.size(); ++i) arms[pulls[i]].causes[state.causes()[i]] += 1;
    for (auto& [arm, each] : arms) round.arms.push_back({.arm = arm, .causes = std::move(each.causes)});
    return round;
  }
  return {.number = state.round(),
          .without_choice = without_choice,
          .saving = searched - without_choice,
          .obstacle = searched == most_rounds ? PullObstacle::search_limit
                                              : pull_obstacle(state, next, unspent, state.unavailable_now())};
}

}  // namespace longrun
