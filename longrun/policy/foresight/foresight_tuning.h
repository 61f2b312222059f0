#pragma once

#include <array>
#include <cstddef>

#include "longrun/base/types.h"

namespace longrun {

/// The numbers that decide what foresight does; docs/method.md, "Foresight", has the formulas that they appear in, in
/// the sections named below. Those marked * were chosen on the arena's development seeds; docs/noise-study.md reports
/// the measured effects of other values. The rest follow from the derivation or limit the cost. Rewards are on the
/// scale from 0 to 1. Another value of any of them means other decisions, and other scores in docs/arena.md.
struct ForesightTuning {
  // Confidence: "Bounds under noise", "When an arm is classified as falling".
  double failure = 0.05;  ///< probability, per arm and over all its pulls, that a bound or a detected fall is wrong
  /// Scale from which one window of 2^scale rewards is enough to detect a fall; two smaller ones in a row must agree. *
  std::size_t single_window_scale = 3;

  // Prior of an arm's curve: "Futures".
  double level_mean = 0.5;     ///< reward: mean of the level *
  double level_sd = 0.5;       ///< reward: standard deviation of the level *
  double growth_sd = 2.5;      ///< reward: standard deviation of the growth over the horizon *
  double no_growth = 0.2;      ///< probability that the curve is constant *
  double straight_line = 0.1;  ///< probability that growth continues in a straight line, independent of the evidence *
  double evidence_exponent = 0.8;    ///< power of the likelihood (tempering), since no real curve has a shape exactly *
  double misfit_sd = 0.003;          ///< reward: distance of a curve from its shape; adds to the noise *
  double smallest_belief = 1e-5;     ///< share of all belief; a shape with less is left out, which only saves time
  double shortest_growth_scale = 4;  ///< pulls: scale of the exponential shape that levels off first
  /// Standard errors from its mean at which each future is evaluated, all with the same weight.
  std::array<double, 3> deviations{-1, 0, 1};

  // Index of an arm that is not falling: "Index".
  double trial_cost = 10;  ///< pulls that a trial takes, per pull of the arm so far and per other arm *

  // Windows of recent rewards.
  double level_window = 0.25;         ///< share of the arm's rewards: largest window for the present level
  double straight_line_window = 0.5;  ///< share of the arm's rewards: largest of the two windows for the straight line
  double fall_window = 1.0 / 3;       ///< share of the rewards since the peak: largest of the two for a fall's slope *
  double longest_fall = 3;            ///< a fall continues at most this many times as long as it has lasted *

  // Refresh of indices: "When indices are recomputed".
  Pulls arm_refresh = 10;       ///< an arm's index is recomputed after its pulls have grown by more than 1/10 *
  Pulls all_refresh = 50;       ///< all indices are recomputed after 1/50 of the remaining pulls has been made
  Pulls indices_per_pull = 16;  ///< limit on all_refresh: indices recomputed per pull, on average

  // Start.
  Pulls initial_pulls = 2;          ///< of every arm: two rewards give a trend *
  Pulls initial_pulls_with_sd = 3;  ///< of every arm if the noise is estimated: three give a second difference
  double sd_guess = 0.1;            ///< reward: standard deviation of the noise before any second difference
  double sd_guess_weight = 1;       ///< number of second differences that the guess counts as
};

inline constexpr ForesightTuning kForesightTuning{};

}  // namespace longrun
