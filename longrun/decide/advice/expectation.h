#pragma once

#include <string>
#include <vector>

#include "longrun/decide/advice/recommendation.h"

namespace longrun {

/// Returns the sentences that say what the first arm of the next round is expected to pay and, if another arm is
/// expected to pay more, why the first one is chosen all the same. Empty if nothing is expected of it yet.
std::vector<std::string> expectation(const Question& question, const Recommendation& answer);

/// The difference of two numbers of compared_index() below which they are the same.
inline constexpr double kIndexRounding = 1e-9;

/// Returns the number by which index policies compare arms, on the scale from 0 to 1: the index, per unit of cost if it
/// is positive.
double compared_index(const Question& question, const Recommendation& answer, Arm arm);

/// Returns an index as text. Where costs differ: "0.582 (0.873 per pull, at cost 1.5)".
std::string index_text(const Question& question, const Recommendation& answer, Arm arm);

/// Returns the sentences that say what the indices of these arms are means over, where costs differ; why one of them is
/// above its upper bound, if one is. Empty where all pulls cost the same.
std::vector<std::string> meaning_of_indices(const Question& question, const Recommendation& answer,
                                            const std::vector<Arm>& arms);

}  // namespace longrun
