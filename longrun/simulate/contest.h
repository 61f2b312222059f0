#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"
#include "longrun/model/half_width.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/play.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// A comparison of policies: every policy plays at every horizon.
struct Contest {
  HalfWidthRule half_width;
  std::vector<PolicyChoice> policies;
  std::vector<Pulls> horizons;  ///< ascending, no two equal
  std::uint64_t seed = 0;       ///< root of all random streams
  Constraints constraints;      ///< if there are any, horizons are budgets in units
};

/// The result of one policy at one horizon.
struct ContestRun {
  std::size_t policy = 0;    ///< index into Contest::policies
  std::size_t horizon = 0;   ///< index into Contest::horizons
  std::vector<Pulls> pulls;  ///< per arm
  double earned = 0;         ///< sum of the mean rewards of all pulls
  double optimum = 0;        ///< largest possible value of `earned`
};

/// A contest on one bandit, with tabulated curves and known optima. Two shortcuts make a replicate cheap and change no
/// result: observations are computed once for all policies and horizons, and a policy that does not use the horizon
/// makes one run for all horizons (not under constraints, because they differ by horizon).
class ContestBandit {
 public:
  /// Keeps a reference to `contest`, which must outlive this object.
  ContestBandit(const Contest& contest, const Bandit& bandit);

  /// A callback that receives the number of steps played since its last call. It is called after each run.
  using ReportSteps = std::function<void(std::uint64_t steps)>;

  /// Plays all policies at all horizons in one replicate, with `noise` in place of the bandit's. Thread-safe.
  std::vector<ContestRun> play(const Noise& noise, std::uint32_t replicate, const ReportSteps& report_steps) const;

 private:
  struct Replicate;
  template <class Selected>
  std::vector<ContestRun> play_policies(const Noise& noise, std::uint32_t replicate, const ReportSteps& report_steps,
                                        Selected selected) const;
  std::vector<RunResult> play_policy(const PolicyChoice& policy, const Replicate& replicate,
                                     const ReportSteps& report_steps) const;

  const Contest& contest_;
  const Bandit bandit_;
  const std::vector<Allocation> best_;  // the optimum at each of the contest's horizons
  // Without noise, the runs of policies that are not randomized are the same in every replicate. The first call that
  // needs them fills this; the mutex guards it.
  mutable std::mutex deterministic_mutex_;
  mutable std::optional<std::vector<ContestRun>> deterministic_runs_;
};

}  // namespace longrun
