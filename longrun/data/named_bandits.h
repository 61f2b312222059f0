#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// One line of the list of bandits that need no file.
struct NamedBandit {
  std::string name;
  std::string summary;
};

/// The bandits of the paper, of later papers, and random ones, as named_bandit() takes them.
std::vector<NamedBandit> named_bandits();

/// A bandit by its name, without noise. Beyond the listed names: inc_1, inc_2 and inc_3 take any exponent
/// (inc_1_alpha_0.7; alone they stand for the first exponent of the paper); const_K is the K-th random instance of ten
/// constant arms and recommender_random_K of four items (const and recommender_random alone are the first);
/// fico_score_change_sample_K and fico_utility_sample_K are the K-th random draw of applicants, where those without
/// `sample` are the quantiles; random_peaked_K and its like are the K-th random bandit. K = 1, 2, ... Throws
/// InputError, with the nearest name, for anything else.
Bandit named_bandit(std::string_view name);

}  // namespace longrun
