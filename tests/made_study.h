#pragma once

#include "longrun/decide/study.h"

namespace longrun {

/// Returns the specification of a study of three arms.
inline StudySpec three_arms(Pulls budget) {
  return {.arms = {"a", "b", "c"}, .budget = budget, .noise = Gaussian{0.1}};
}

/// Returns the decisions of an event.
inline const Decided& decided(const Event* event) { return std::get<Decided>(*event); }

}  // namespace longrun
