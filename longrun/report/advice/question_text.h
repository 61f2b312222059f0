#pragma once

#include <string>
#include <vector>

#include "longrun/decide/advice/question.h"

namespace longrun {

/// Returns sentences that state the constraints of a question, one per constraint that differs from its default, and
/// the arms that are unavailable now. Arms have their labels; of more than 24 arms with values of their own, the first
/// 24 are named.
std::vector<std::string> constraint_sentences(const Question& question);

/// Returns a sentence about the range of the rewards.
std::string scale_text(const RewardScale& scale);

/// Returns the horizon as text: "1000 pulls", or "250.5 units" under constraints.
std::string horizon_text(const Question& question);

}  // namespace longrun
