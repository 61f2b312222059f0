#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// A statement about an experiment that its records prove right or wrong, for every bandit and noise of it:
///
///   regret(policy) <= factor * regret(other) + slack    for every `other` in `against`,
///
/// where regret is the policy regret per step, averaged over the horizons from `from` to `to`, as shares of the
/// longest. With `since`, `other` is the policy itself at the horizon nearest to that share: how much its regret per
/// step fell. With neither, the right-hand side is `slack`.
struct Check {
  std::string says;
  std::string policy;
  std::vector<std::string> against{};
  double factor = 1;
  double slack = 0;
  double from = 0;
  double to = 1;
  double since = 0;  ///< 0: not asked for
};

/// A policy that is run for comparison with another of the same name (spo@released).
inline bool is_variant(std::string_view policy) { return policy.find('@') != std::string_view::npos; }

}  // namespace longrun
