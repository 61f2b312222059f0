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

/// Who plays, and for how long: every policy at every horizon.
struct Contest {
  HalfWidthRule half_width;
  std::vector<PolicyChoice> policies;
  std::vector<Pulls> horizons;  ///< ascending, no two equal
  std::uint64_t seed = 0;       ///< the key all randomness starts from
  Constraints constraints;      ///< horizons are then budgets, in units
};

/// The outcome of one policy at one horizon.
struct ContestRun {
  std::size_t policy = 0;
  std::size_t horizon = 0;
  std::vector<Pulls> pulls;
  double earned = 0;
  double optimum = 0;
};

/// A contest on one bandit: its curves looked up, its optima known. Two things make a replicate cheap and change no
/// run: the observations are made once, for all policies and horizons, and a policy that does not use the horizon plays
/// one pass for all of them (unless there are constraints, which mean something else at every horizon).
class ContestBandit {
 public:
  /// The contest must outlive it.
  ContestBandit(const Contest& contest, const Bandit& bandit);

  /// Told of every run made, with its steps.
  using Watch = std::function<void(std::uint64_t steps)>;

  /// All runs of one replicate, with the bandit's noise replaced by this one. Threads may share it.
  std::vector<ContestRun> play(const Noise& noise, std::uint32_t replicate, const Watch& watch) const;

 private:
  struct Replicate;
  template <class Wanted>
  std::vector<ContestRun> play_some(const Noise& noise, std::uint32_t replicate, const Watch& watch,
                                    Wanted wanted) const;
  std::vector<RunResult> play_policy(const PolicyChoice& policy, const Replicate& replicate, const Watch& watch) const;

  const Contest& contest_;
  const Bandit bandit_;
  const std::vector<Allocation> best_;  // by horizon
  // Without noise a policy that tosses no coins does the same in every replicate: the first plays it for all.
  mutable std::mutex playing_certain_;
  mutable std::optional<std::vector<ContestRun>> certain_;
};

}  // namespace longrun
