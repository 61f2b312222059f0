#pragma once

#include <map>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

/// The pulls of one arm in the next round, by their reasons.
struct NextPulls {
  Arm arm = 0;
  std::map<PullCause, Pulls> causes{};  ///< number of pulls for each cause; causes without pulls are left out

  Pulls pulls() const;
  Pulls pulls(PullCause cause) const;
  bool operator==(const NextPulls&) const = default;
};

/// Why no arm can be pulled.
enum class PullObstacle {
  none,             ///< an arm can
  budget,           ///< the rest of the budget does not pay for the cheapest arm
  all_unavailable,  ///< every arm is unavailable now
  costs,            ///< the rest of the budget does not pay for an arm that is available now
  rounds,           ///< no such arm can be paid for in a remaining round in which the constraints make it available
  minima,           ///< the rest of the budget is reserved for minima of arms that are unavailable
  search_limit,     ///< an arm may be pulled later than the rounds that were searched
};

/// A round that a policy has decided. If no arm can be pulled, it is the last round, and the rounds "before" end with
/// it.
struct DecidedRound {
  Pulls number = 1;
  Pulls without_choice = 0;       ///< rounds right before, without pulls: no arm can be pulled in them
  Pulls saving = 0;               ///< rounds after those, without pulls: their units are saved for `first`
  std::vector<NextPulls> arms{};  ///< those that are pulled, ascending
  Arm first = 0;                  ///< the arm that was decided on first, if any
  PullCause first_cause = PullCause::choice;
  PullObstacle obstacle = PullObstacle::none;  ///< why there are no pulls, if there are none

  Pulls pulls() const;
  bool operator==(const DecidedRound&) const = default;
};

/// Returns why no arm can be pulled from round `next` on with `unspent` units, while the arms `unavailable`, ascending,
/// are. There must be such a reason. O(arms).
PullObstacle pull_obstacle(const ConstrainedPolicy& state, Pulls next, Pulls unspent, std::span<const Arm> unavailable);

/// Returns the first round in which an arm is pulled. Earlier rounds have no pulls if units are saved or arms are
/// unavailable. Returns a round without pulls if there is none, or none within a limit on the rounds searched.
DecidedRound next_round(ConstrainedPolicy state);
/// Does the same without a copy: `state` has then decided on the round.
DecidedRound take_next_round(ConstrainedPolicy& state);

}  // namespace longrun
