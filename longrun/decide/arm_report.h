#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/foresight/arm_foresight.h"
#include "longrun/policy/foresight/foresight.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// The direction of an arm's reward from pull to pull: `falling` if ArmForesight classifies the arm as falling,
/// `rising` if it does not and the recent slope is more than 2 standard errors above 0, else `undecided`. With exact
/// observations, the sign of the last step.
enum class Trend { rising, falling, undecided };
std::string_view name(Trend trend);

/// The reward of a future pull of an arm.
struct FuturePull {
  Pulls pull = 0;  ///< number of the pull of this arm, from 1
  double reward = 0;
};

/// The estimates for one arm.
struct ArmReport {
  Pulls pulls = 0;
  std::optional<Measured> reward_now{};  ///< expected reward of a pull now; nullopt before the first pull
  std::optional<Measured> slope{};       ///< growth of the reward per pull; nullopt before the second pull
  Trend trend = Trend::undecided;
  double index = 0;                       ///< reward per remaining pull, by which kDefaultPolicy compares arms
  double upper_bound_total = 0;           ///< upper bound on the sum of all remaining pulls, if all go to this arm
  std::vector<FuturePull> upper_bound{};  ///< the same bound per pull: corners of a piecewise linear curve, ascending
};

/// The estimates of kDefaultPolicy for every arm, on the scale from 0 to 1. They do not depend on the policy that
/// decides.
class ArmReports {
 public:
  ArmReports(const Setting& setting, const Parameters& parameters)
      : ledger_(setting), rule_(setting, parameters), last_(static_cast<std::size_t>(setting.arms)) {}

  /// Adds a reward of `arm`.
  void observe(Arm arm, double reward);

  /// Updates the numbers that depend on all arms, as the policy does before a decision. Call it after the last reward.
  void update() { rule_.start_refresh_if_due(ledger_); }

  /// Returns the estimates for `arm` with `remaining` pulls left.
  ArmReport report(Arm arm, Pulls remaining) const;

  bool exact() const { return rule_.exact() != nullptr; }  ///< whether observations are exact
  double sd() const { return exact() ? 0 : rule_.model().sd(); }
  bool sd_is_estimate() const { return rule_.sd_is_estimate(); }
  Pulls initial_pulls() const { return rule_.initial_pulls(); }

 private:
  struct LastTwo {
    double newest = 0;
    double previous = 0;
  };
  Outlook add_exact_estimates(Arm arm, ArmReport& report) const;
  Outlook add_noisy_estimates(Arm arm, Pulls remaining, ArmReport& report) const;

  Ledger ledger_;
  ForesightRule rule_;         // has observed the same rewards as ledger_
  std::vector<LastTwo> last_;  // the last two rewards of each arm; 0 for those not yet observed
};

}  // namespace longrun
