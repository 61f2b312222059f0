#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/model/constraints.h"
#include "longrun/model/history.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/foresight/arm_foresight.h"

namespace longrun {

/// The rewards that stand for 0 and for 1.
struct RewardScale {
  double minimum = 0;
  double maximum = 1;

  double range() const { return maximum - minimum; }
  double to_unit(double reward) const { return (reward - minimum) / range(); }
  double from_unit(double reward) const { return minimum + reward * range(); }
};

/// Somebody has pulled some arms and asks which one is next.
struct Question {
  History history;
  Pulls horizon = 1;             ///< all pulls there will be, those of the history included; under constraints, units
  std::optional<Noise> noise{};  ///< of rewards on the scale from 0 to 1; estimated from the history where not given
  std::string policy{kDefaultPolicy};  ///< of the catalog; whoever decides, the estimates below are those of foresight
  Constraints constraints{};
  std::vector<Arm> away{};  ///< arms that can't be pulled now, beside what the constraints say
  RewardScale scale{};      ///< of the history's rewards, and of all that is answered
  std::uint64_t seed = 0;   ///< for policies that toss coins
};

/// Whether an arm's reward grows from pull to pull. `falling` once foresight takes it to fall (ArmForesight), `rising`
/// while it does not and the recent slope is more than 2 standard errors above 0. Where observations are exact, the
/// last step tells.
enum class Trend { rising, falling, undecided };
std::string_view name(Trend trend);

/// The reward of a pull to come.
struct FuturePull {
  Pulls pull = 0;  ///< of the arm, from 1
  double reward = 0;
};

/// What is known of an arm.
struct ArmReport {
  Pulls pulls = 0;
  std::optional<Measured> level{};  ///< the reward as it is now; nothing before the first pull
  std::optional<Measured> slope{};  ///< per pull; nothing before there are two rewards to compare
  Trend trend = Trend::undecided;
  double worth = 0;                 ///< reward per remaining pull: what foresight compares arms by
  double bound_total = 0;           ///< what the remaining pulls pay at most, in total, if they all go to this arm
  std::vector<FuturePull> bound{};  ///< that bound, pull by pull: the corners of a broken line
};

struct NextPull {
  Arm arm = 0;
  PullCause cause = PullCause::choice;
};

/// A first pull of the next round, if the mean reward of some pulls lies between `from` and `to`.
struct Consequence {
  double from = 0;
  double to = 1;
  Arm arm = 0;
};

/// What would change the choice: which arm would be chosen after `pulls` more pulls of `arm`, each with the same
/// reward. Found by telling copies of the policy: at 17 rewards from one end of the scale to the other, then, where two
/// neighbours differ, by halving what is between them.
struct WhatIf {
  Arm arm = 0;
  Pulls pulls = 0;
  std::vector<Consequence> consequences;  ///< ascending, from one end of the scale to the other
};

struct Recommendation {
  std::string policy;          ///< who decided, with parameters
  std::vector<NextPull> next;  ///< the next round, in order; empty where nothing can be pulled any more
  Pulls round = 1;             ///< in which
  Pulls made = 0;
  Pulls remaining = 0;  ///< as many as the budget buys at most
  double sd = 0;        ///< of the noise
  bool sd_estimated = false;
  Pulls initial_pulls = 0;  ///< that foresight gives every arm before it compares any
  std::vector<ArmReport> arms;
  std::optional<WhatIf> what_if{};  ///< nothing where there is no choice after that
};

/// What the policy says that has seen the history and nothing else, and what is known of every arm. Throws InputError
/// for a history longer than the horizon, rewards that are clearly not on the scale, constraints nobody could meet, and
/// a policy that needs to know the curves.
Recommendation recommend(const Question& question);

/// Throws InputError, which recommend() does, too, for rewards that are not finite or, on average of an arm, so far off
/// the scale that noise can't be the reason.
void check_rewards(const Question& question);

/// "arm 2 (coffee)"; "arm 2" where it has no name.
std::string label(const History& history, Arm arm);

}  // namespace longrun
