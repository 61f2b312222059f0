#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// One entry of the list of built-in bandits.
struct NamedBandit {
  std::string name;
  std::string summary;
};

/// Returns the bandits of the paper, of later papers, and random ones, with the names that named_bandit() accepts.
std::vector<NamedBandit> named_bandits();

/// Returns the bandit with this name, without noise. Beside the listed names it accepts
/// - inc_1, inc_2 and inc_3 with any exponent, such as inc_1_alpha_0.7, or alone: with the paper's first exponent;
/// - NAME_K, K = 1, 2, ..., for the K-th random instance of const, recommender_random, random_peaked, random_rising,
///   random_falling and random_constant; NAME alone is NAME_1;
/// - fico_score_change_sample_K and fico_utility_sample_K for the K-th random draw of applicants.
/// Throws InputError with the nearest name for any other.
Bandit named_bandit(std::string_view name);

}  // namespace longrun
