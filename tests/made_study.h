#pragma once

#include <random>

#include "longrun/decide/study/study_log.h"

namespace longrun {

/// Returns the specification of a study of three arms.
inline StudySpec three_arms(Pulls budget) {
  return {.arms = {"a", "b", "c"}, .budget = budget, .noise = Gaussian{0.1}};
}

/// Returns the decisions of an event.
inline const Decided& decided(const Event* event) { return std::get<Decided>(*event); }

/// Returns a log after `steps` decisions with random rewards; that of decision 20 is `reward_20`.
inline StudyLog played(const std::string& policy, int steps, double reward_20, std::size_t keep = StudyLog::kAll) {
  StudySpec spec = three_arms(1'000);
  spec.policy = policy;
  StudyLog log(spec, keep);
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(0, 0.1);
  for (int step = 0; step < steps; ++step) {
    const Decision decision = decided(log.handle(Decide{})).decisions[0];
    const double reward = 0.2 + 0.2 * decision.arm + noise(random);
    log.handle(Report{decision.id, Outcome::observed(decision.id == 20 ? reward_20 : reward)});
  }
  return log;
}

}  // namespace longrun
