#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/arm_report.h"
#include "longrun/decide/advice/common_step.h"
#include "longrun/decide/advice/noise_by_arm.h"
#include "longrun/decide/advice/outliers.h"
#include "longrun/decide/advice/question.h"
#include "longrun/decide/advice/what_if.h"
#include "longrun/decide/next_round.h"
#include "longrun/decide/study/study.h"
#include "longrun/decide/unmet_minima.h"

namespace longrun {

/// The cost and the possible gain of a pull that is made to learn, although another arm is expected to pay more.
/// Rewards are per pull. Where costs differ, they are per unit of the budget, if the rest of it goes to one arm.
struct ToLearn {
  Arm instead = 0;         ///< the arm that is expected to pay most: Recommendation::better
  double cost = 0;         ///< what that arm is expected to pay more at the next pull; may be negative
  double probability = 0;  ///< that the pulled arm pays more than that arm is expected to
  double gain = 0;         ///< how much more it then pays, on average
};

/// An arm with a larger index than the first arm of the next round, where costs differ per unit of cost.
struct LargerIndex {
  std::optional<Arm> of_allowed{};  ///< the one with the largest index of those that could be pulled instead
  std::optional<Arm> of_others{};   ///< the one with the largest index of those that cannot be pulled now
};

/// The indices that would result if the first rewards of Recommendation::better, which contradict the assumption, did
/// not count.
struct WithoutMisfit {
  Pulls rewards = 0;          ///< those that would not count: the ones until the end of the contradiction
  double index = 0;           ///< of the better arm
  double index_of_first = 0;  ///< of the first arm of the round
};

/// The largest number of arms whose reports have an expected course.
inline constexpr Arm kMostCourses = 1000;

/// The answer to a Question. Rewards are on the scale of the question.
struct Recommendation {
  std::string policy;         ///< the policy that decided, with its parameters
  DecidedRound next;          ///< the next round that has pulls; without arms if no arm can be pulled
  Pulls made = 0;             ///< pulls of the history, pending ones included
  Pulls pending = 0;          ///< those of them whose reward is not known yet
  Pulls units_left = 0;       ///< rest of the budget, in the units of Question::horizon
  Pulls remaining = 0;        ///< pulls that the rest of the budget buys at most
  bool costs_differ = false;  ///< whether a pull of one arm costs more than that of another
  double sd = 0;              ///< standard deviation of the noise; of yes/no rewards, that of all arms together
  bool yes_or_no = false;     ///< whether all rewards so far are at the ends of the scale
  bool sd_estimated = false;  ///< whether `sd` is estimated from the history
  bool of_study = false;      ///< whether a study decides that has made decisions before
  Pulls initial_pulls = 0;    ///< pulls that kDefaultPolicy gives every arm before it compares arms
  /// The standard deviation by the rewards alone. `sd` is larger where the noise is small, because the policy counts a
  /// first guess as well. nullopt if `sd` is not estimated, or if there are too few rewards.
  std::optional<double> sd_of_rewards{};
  double stated_sd = 0;  ///< standard deviation of the noise that the policy uses, as texts state it (ArmReports)
  NoiseByArm noise{};    ///< `stated_sd`, and the noise of each arm
  std::vector<Outlier> outliers{};  ///< rewards that were counted as `typical`
  std::optional<Arm>
      first_with_outliers{};        ///< the first arm if outliers counted as they are; nullopt without outliers
  std::vector<Outlier> doubtful{};  ///< others that look like mistakes, and were counted as they are; not those that
                                    ///< `step` explains
  std::optional<Arm> first_without_doubtful{};  ///< the first arm if they counted as `typical`; nullopt without them
  std::optional<CommonStep> step{};             ///< of all arms, or nearly all, at the same place of the history
  std::optional<Arm> first_without_step{};      ///< the first arm without the rows of pulls_in_question()
  UnmetMinima unmet{};                          ///< minima that cannot be met any more
  std::vector<ArmReport> arms;
  bool last_decision = false;  ///< whether no decision follows the next pulls: no later one can use their rewards
  Pulls index_pulls = 0;       ///< pulls that every index is a mean over: the most that the budget pays for
  LargerIndex larger{};        ///< if the first arm of the round was chosen by its index
  /// The arm that is expected to pay most with the rest of the budget, of those that can be pulled in the next round;
  /// nullopt if it is the first arm of the round, or if that one was not chosen by its index.
  std::optional<Arm> better{};
  /// Set if `better` has a smaller index than the first arm, and a misfit in spite of which all of its rewards count.
  /// nullopt where costs differ.
  std::optional<WithoutMisfit> without_misfit{};
  std::optional<ToLearn> to_learn{};  ///< set if there is a better arm, a later decision, and noise
  /// nullopt if no decision is left after the next pulls; of a study, also while outcomes of their first arm are
  /// pending; of a history, also if it has more than kMostArmsOfWhatIf arms
  std::optional<WhatIf> what_if{};
};

/// Returns the next decision of a study that has observed the history, and the estimates for every arm. Throws
/// InputError where standing_of() and check_means() do.
Recommendation recommend(const Question& question);

/// Returns the next decision of a study, and the estimates for every arm. The question is that of the study: its
/// specification, and its rewards and pending pulls as the history. The decision can differ from that for the history
/// alone, because a study continues a trial of an arm that it has begun, and counts lost pulls.
Recommendation recommend(const Question& question, const Study& study);

}  // namespace longrun
