#pragma once

#include <map>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

/// The pulls of one arm in the next round, by their reasons.
struct NextPulls {
  Arm arm = 0;
  std::map<PullCause, Pulls> causes{};  ///< number of pulls for each cause; causes without pulls are left out

  Pulls pulls() const;
  bool operator==(const NextPulls&) const = default;
};

/// A round that a policy has decided.
struct DecidedRound {
  Pulls number = 1;
  std::vector<NextPulls> arms{};  ///< those that are pulled, ascending
  Arm first = 0;                  ///< the arm that was decided on first, if any
  PullCause first_cause = PullCause::choice;

  Pulls pulls() const;
  bool operator==(const DecidedRound&) const = default;
};

/// Returns the first round in which an arm is pulled. Earlier rounds have no pulls if units are saved or arms are
/// unavailable. Returns a round without pulls if there is none, or none within a limit on the rounds searched.
DecidedRound next_round(ConstrainedPolicy state);
/// Does the same without a copy: `state` has then decided on the round.
DecidedRound take_next_round(ConstrainedPolicy& state);

}  // namespace longrun
