#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// A statement about an experiment that its records confirm or refute, for every bandit and noise:
///
///   measure(policy) < factor * measure(other) + slack    for every `other` in `against`.
///
/// The measure is averaged over the horizons between the shares `from` and `to` of the longest horizon; if `every`, the
/// inequality must hold at each of them instead. With `since`, `other` is the policy itself at the horizon nearest to
/// that share of the longest. Without `against` and `since`, the right-hand side is `slack`.
struct Check {
  enum class Measure {
    regret,     ///< policy regret per step
    first_arm,  ///< share of the pulls that go to arm 0
  };

  std::string says;
  std::string policy;
  Measure measure = Measure::regret;
  std::vector<std::string> against{};
  double factor = 1;
  double slack = 0;
  double from = 0;
  double to = 1;
  bool every = false;
  double since = 0;  ///< 0: not used
};

}  // namespace longrun
