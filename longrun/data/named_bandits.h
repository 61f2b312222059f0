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

/// The bandits of the paper, as named_bandit() takes them.
std::vector<NamedBandit> named_bandits();

/// A bandit of the paper by its name, without noise. Beyond the listed names: inc_1, inc_2 and inc_3 take any exponent
/// (inc_1_alpha_0.7; alone they stand for the first exponent of the paper), and const_K is the K-th random instance of
/// ten constant arms (const alone is the first). Throws InputError, with the nearest name, for anything else.
Bandit named_bandit(std::string_view name);

}  // namespace longrun
