#pragma once

#include <string>
#include <vector>

#include "longrun/decide/recommendation.h"

namespace longrun {

// A recommendation in plain words; every sentence has its numbers.

/// One sentence: what to pull next.
std::string what_to_do(const Question& question, const Recommendation& answer);
/// A few sentences that say why.
std::vector<std::string> why(const Question& question, const Recommendation& answer);
/// What would have to be observed for another arm to be chosen.
std::vector<std::string> what_would_change(const Question& question, const Recommendation& answer);

/// A reward with as many decimals as its scale deserves.
std::string reward_text(const RewardScale& scale, double reward);

}  // namespace longrun
