#pragma once

#include <string>
#include <vector>

#include "longrun/decide/advice/question.h"
#include "longrun/decide/advice/recommendation.h"

namespace longrun {

/// Returns the reasons to doubt the choice of `answer`, one sentence each: rewards that may be misread, a scale that
/// may be wrong, and a round of which most rests on few rewards.
std::vector<std::string> choice_cautions(const Question& question, const Recommendation& answer);

}  // namespace longrun
