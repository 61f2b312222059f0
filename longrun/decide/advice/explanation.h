#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longrun/decide/advice/recommendation.h"

namespace longrun {

/// Returns one sentence: the arms to pull next.
std::string what_to_do(const Question& question, const Recommendation& answer);
/// Returns the sentences that explain the choice.
std::vector<std::string> why(const Question& question, const Recommendation& answer);
/// Returns the sentences that say which rewards would change the choice.
std::vector<std::string> what_would_change(const Question& question, const Recommendation& answer);

/// Returns the sentences that say what may mislead: outliers, arms that contradict the assumptions, a round of which
/// most rests on few rewards, and minima that cannot be met any more.
std::vector<std::string> cautions(const Question& question, const Recommendation& answer);
/// Returns the cautions about the data: a scale that rewards hardly use, rewards that look like mistakes, misfits by
/// arm, arms that change together in time, and arms whose noise differs. Misfits and noise may be empty.
std::vector<std::string> cautions(const Question& question, const FarRewards& far,
                                  const std::vector<std::optional<Misfit>>& misfits, const NoiseByArm& noise);

/// Returns a warning if all known rewards, of at least ten, lie within a fiftieth of the scale, or four that are not
/// all the same within a two-thousandth; else an empty text.
std::string scale_caution(const History& history, const RewardScale& scale);

/// Returns where a pull of the history was read: "line 12", or "pull 12 of the history" if it has no line.
std::string place_of(const History& history, std::size_t pull);

/// Returns a sentence: why no arm can be pulled now.
std::string obstacle_sentence(const Question& question, PullObstacle obstacle, Pulls units_left);

/// Returns a sentence about pending pulls, of which there must be some: "16 of 400 pulls are pending: they are made,
/// and their rewards are not known yet."
std::string pending_sentence(Pulls pending, Pulls made);
/// Returns a sentence about the lost rewards of a history, "2 of 12 pulls are lost: they count as pulls of their arms
/// without a reward."; an empty text if there are none. `made` is the number of all pulls so far.
std::string lost_sentence(const History& history, Pulls made);

/// Returns a trend as text: "rising, 97 %", or "undecided".
std::string trend_text(const CurveTrend& trend);

/// Returns a reward as text: 3 decimals on a scale from 0 to 1, fewer on a larger scale, more on a smaller one and for
/// rewards so small that they would have fewer than 2 digits.
std::string reward_text(const RewardScale& scale, double reward);
/// Returns a difference of two rewards as text, by the same rule.
std::string reward_difference_text(const RewardScale& scale, double difference);

}  // namespace longrun
