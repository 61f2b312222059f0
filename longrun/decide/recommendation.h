#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/arm_report.h"
#include "longrun/decide/next_round.h"
#include "longrun/decide/question.h"
#include "longrun/decide/what_if.h"

namespace longrun {

/// The answer to a Question. Rewards are on the scale of the question.
struct Recommendation {
  std::string policy;          ///< the policy that decided, with its parameters
  std::vector<NextPull> next;  ///< pulls of the next round, in order; empty if no arm can be pulled
  Pulls round = 1;             ///< number of that round
  Pulls made = 0;              ///< pulls of the history, pending ones included
  Pulls pending = 0;           ///< those of them whose reward is not known yet
  Pulls remaining = 0;         ///< pulls that the rest of the budget buys at most
  double sd = 0;               ///< standard deviation of the noise
  bool sd_estimated = false;   ///< whether `sd` is estimated from the history
  Pulls initial_pulls = 0;     ///< pulls that kDefaultPolicy gives every arm before it compares arms
  std::vector<ArmReport> arms;
  std::optional<WhatIf> what_if{};  ///< nullopt if no decision is left after the next pulls
};

/// Returns the next decision of a study that has observed the history, and the estimates for every arm. Throws
/// InputError for a history longer than the horizon, rewards that are not on the scale (check_rewards()), constraints
/// that cannot be met, and a policy that needs known curves.
Recommendation recommend(const Question& question);

}  // namespace longrun
