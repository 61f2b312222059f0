#pragma once

#include <cstdint>

#include "longrun/decide/question.h"
#include "longrun/decide/study.h"

namespace longrun {

/// Returns a study that has observed the history of the question. Its next decision answers the question. `seed` is
/// that of randomized policies. Throws InputError for a history longer than the horizon, rewards that are not on the
/// scale (check_rewards()), constraints that cannot be met, and a policy that needs known curves.
Study study_of(const Question& question, std::uint64_t seed);

/// Returns the same for the seed of the question.
Study study_of(const Question& question);

}  // namespace longrun
