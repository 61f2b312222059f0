#include "longrun/data/formula_bandit.h"

#include <fmt/format.h>

namespace longrun {

Bandit formula_bandit(std::string_view name, const std::vector<Formula>& curves, Pulls horizon) {
  Bandit bandit{.name = std::string(name),
                .arm_names = {},
                .arms = {curves.begin(), curves.end()},
                .recorded_noise = nullptr,
                .horizon = horizon};
  for (std::size_t arm = 1; arm <= curves.size(); ++arm) bandit.arm_names.push_back(fmt::format("f_{}", arm));
  return bandit;
}

}  // namespace longrun
