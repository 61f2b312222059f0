#pragma once

#include <optional>
#include <string_view>

#include "longrun/decide/advice/reward_summary.h"

namespace longrun {

/// A contradiction of the assumption that an arm's mean reward first rises, ever more slowly, and then may fall.
enum class MisfitKind {
  speeds_up,   ///< growth becomes faster
  rises_again  ///< the reward falls, and rises again later
};
std::string_view name(MisfitKind kind);

/// Rewards of an arm that contradict the assumption: those with the numbers `from` to `to` are too small for the ones
/// before and after them. Numbers count the known rewards of the arm, from 1.
struct Misfit {
  MisfitKind kind = MisfitKind::speeds_up;
  Pulls from = 0;
  Pulls to = 0;
  double clarity = 0;  ///< how much they are too small, in standard errors; 0 if rewards are exact
  Pulls counted = 0;   ///< newest rewards of the arm that count since the contradiction was found; 0: all do
};

/// The clarity from which on only later rewards count. Up to 1 of 20 arms that meet the assumption has a misfit by
/// chance, of at least 4 standard errors. It should not lose its rewards.
inline constexpr double kClearMisfit = 6;

/// Returns the clearest contradiction, or nullopt if noise explains the rewards. For an arm that meets the assumption,
/// the probability of a contradiction is at most 0.05. `sd` is that of the noise.
///
/// The rewards are divided into up to 16 groups of successive pulls. Of three groups whose means are a, b, c in this
/// order, b must be at least the value of the line from a to c, or at least c if c is below a.
std::optional<Misfit> find_misfit(const RewardSummary& rewards, double sd);

}  // namespace longrun
