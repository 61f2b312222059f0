#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

/// One pull of the next round, and its reason.
struct NextPull {
  Arm arm = 0;
  PullCause cause = PullCause::choice;
};

/// A round that a policy has decided.
struct DecidedRound {
  Pulls number = 1;
  std::vector<NextPull> pulls;
};

/// Returns the first round in which an arm is pulled. Earlier rounds have no pulls if units are saved or arms are
/// unavailable. Returns a round without pulls if there is none, or none within a limit on the rounds searched.
DecidedRound next_round(ConstrainedPolicy state);
/// Does the same without a copy: `state` has then decided on the round.
DecidedRound take_next_round(ConstrainedPolicy& state);

}  // namespace longrun
