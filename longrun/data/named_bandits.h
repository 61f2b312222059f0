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

/// Returns the built-in bandits: those of the paper, of later papers, and random ones. named_bandit() accepts each
/// name.
std::vector<NamedBandit> named_bandits();

/// Returns the bandit with this name, without noise. In addition to the listed names it accepts
/// - inc_1, inc_2 and inc_3 with any exponent above 0 (for inc_2 at most 1), such as inc_1_alpha_0.7; without one, such
///   as inc_1, the exponent is the first of the paper;
/// - NAME_K, K = 1, 2, ..., for the K-th random instance of const, recommender_random and each of kRandomFamilies
///   (arena_bandits.h), such as random_peaked; NAME alone is NAME_1;
/// - fico_score_change_sample_K and fico_utility_sample_K for the K-th random draw of applicants.
/// Throws InputError for any other name; the message suggests the nearest one.
Bandit named_bandit(std::string_view name);

/// Returns whether this is a name of a family of random bandits that differ in their number of arms: random_peaked_7,
/// or random_peaked_* for all of them.
bool instances_differ_in_arms(std::string_view name);

}  // namespace longrun
