#pragma once

#include <string>

#include "longrun/decide/advice/recommendation.h"

namespace longrun {

/// Returns the answer as one line of JSON: the pulls to make, the sentences that explain them, and the estimates for
/// every arm. Bytes of labels that are not UTF-8 are replaced.
std::string recommendation_json(const Question& question, const Recommendation& answer);

}  // namespace longrun
