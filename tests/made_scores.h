#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longrun/report/arena/arena.h"

namespace longrun {

/// Returns invented scores for tests of tables and figures: 1/2 for the first policy, doubled for each next one.
inline ArenaScores made_scores(const std::vector<std::string>& policies, std::vector<std::string> families) {
  ArenaScores scores{.cells = "all cells", .families = std::move(families), .rows = {}, .seeds = "seeds 1 to 9"};
  double value = 0.5;
  for (const std::string& policy : policies) {
    const ArenaScore score{.g = {value, value * 0.75, value * 1.5}, .m = {value * 1.25, value, value * 2}};
    scores.rows.push_back({.policy = policy,
                           .families = std::vector<ArenaScore>(scores.families.size(), score),
                           .overall = score,
                           .worst_cell = "bandit of " + policy + ", no noise, T = 9",
                           .worst_ratio = value * 3});
    value *= 2;
  }
  return scores;
}

}  // namespace longrun
