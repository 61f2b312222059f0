#pragma once

#include <array>
#include <cstddef>

#include "longrun/base/types.h"

namespace longrun {

/// The numbers that decide what foresight does; docs/method.md, "Foresight", has the formulas that they appear in, in
/// the sections named below. Those marked * were chosen by the regret on bandits for tuning: the arena's development
/// seeds and generators of our own. docs/noise-study.md has the measured effects of halving and doubling them. The rest
/// follow from the derivation or limit the cost. Rewards are on the scale from 0 to 1. Another value of any of them
/// means other decisions, and other scores in docs/arena.md.
struct ForesightTuning {
  // Confidence: "Bounds under noise", "When an arm is classified as falling".
  double failure = 0.05;  ///< probability, per arm and over all its pulls, that a bound or a detected fall is wrong
  /// Scale from which one window of 2^scale rewards is enough to detect a fall; two smaller ones in a row must agree. *
  std::size_t single_window_scale = 3;
  double outlier = 3;  ///< standard errors: from there on a reward, or a small window after a fall, counts no more *

  // Prior of an arm's curve: "Futures".
  double level_mean = 0.5;           ///< reward: mean of the level *
  double level_sd = 0.5;             ///< reward: standard deviation of the level *
  double growth_sd = 2.5;            ///< reward: standard deviation of the growth over the horizon *
  double zero_sd = 0.02;             ///< reward: standard deviation of the level of a curve that grows from 0 *
  double misfit_sd = 0.006;          ///< reward: distance of a curve from its shape; adds to the noise *
  double smallest_belief = 1e-5;     ///< share of all belief; a shape with less is left out, which only saves time
  double shortest_growth_scale = 4;  ///< pulls: scale of the exponential shape that levels off first
  /// Standard errors from its mean at which the future of each shape is evaluated, all with the same weight.
  std::array<double, 3> deviations{-1, 0, 1};

  // Kinds of curves: "What other arms show".
  double no_growth = 0.15;  ///< probability that the curve is constant, if the horizon is at least growth_horizon *
  double from_zero = 0.25;  ///< probability that it grows from 0; otherwise it grows from any level *
  double growth_horizon = 10000;    ///< pulls: on a horizon T below, a share ln(1 + T) / ln(this) of growth is left *
  double prior_arms = 0.25;         ///< number of arms that both count as, in addition to the other arms *
  double telling_pulls = 400;       ///< pulls: an arm with n of them informs the others with weight n / (n + this) *
  double straight_line = 0.125;     ///< share of growing curves that continue in a straight line *
  double hidden_growth = 0.5;       ///< share of growing curves whose growth has not shown before the first pull *
  double hidden_growth_pulls = 70;  ///< pulls: growth is hidden after n with probability (1 + n/this)^-4 *

  // Index of an arm that is not falling: "Index".
  double trial_cost = 12;    ///< pulls that a trial takes, per pull of the arm so far and per other arm *
  double trial_offset = 20;  ///< pulls that are added to those of the arm so far *

  // Falling arms: "Index of a falling arm".
  double end_of_growth = 10;  ///< how far the end of a future lies above its present, in terms of its average *

  // Windows of recent rewards.
  double level_window = 0.25;         ///< share of the arm's rewards: largest window for the present level
  double straight_line_window = 0.5;  ///< share of the arm's rewards: largest of the two windows for the straight line
  double fall_window = 1.0 / 3;       ///< share of the rewards since the peak: largest of the two for a fall's slope *
  double longest_fall = 3;            ///< a fall continues at most this many times as long as it has lasted *

  // Refresh of indices: "When indices are recomputed".
  double arm_refresh = 0.1;     ///< an arm's index is recomputed after its pulls have grown by more than this share *
  Pulls all_refresh = 50;       ///< all indices are recomputed after 1/50 of the remaining pulls has been made
  Pulls indices_per_pull = 16;  ///< limit on all_refresh: indices recomputed per pull, on average

  // Start.
  Pulls initial_pulls = 1;     ///< of every arm *
  double sd_guess = 0.1;       ///< reward: standard deviation of the noise before any second difference
  double sd_guess_weight = 1;  ///< number of second differences that the guess counts as
};

inline constexpr ForesightTuning kForesightTuning{};

}  // namespace longrun
