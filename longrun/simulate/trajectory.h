#pragma once

#include <functional>
#include <span>
#include <string>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/simulate/compared_run.h"
#include "longrun/simulate/world.h"

namespace longrun {

/// One step of a run.
struct TrajectoryStep {
  Pulls step = 1;     ///< number of the step, from 1
  Arm arm = 0;        ///< the arm that is pulled
  Pulls pull = 1;     ///< number of this pull of the arm, from 1
  double reward = 0;  ///< the observed reward
  double regret = 0;  ///< policy regret of the run up to this step; NaN if the optimum up to this step is not known
};

/// The largest possible sum of mean rewards of the first `steps` pulls of a run, or NaN if it is not known.
using OptimumAfter = std::function<double(Pulls steps)>;

/// Repeats a run from the arm of each of its steps, and calls `visit` for each step. `world` is the world of the run
/// before its first pull, and `bandit` its bandit. The regret of a step is optimum(step) minus the mean rewards so far,
/// which is the policy regret if the run ended there; that of the last step is computed as for the whole run.
void follow(World world, const Bandit& bandit, std::span<const Arm> arms, const OptimumAfter& optimum,
            const std::function<void(const TrajectoryStep&)>& visit);

/// Returns the largest possible return of the first pulls of a run that play_and_compare() made. Under constraints it
/// is known only for the whole run.
OptimumAfter optimum_after(const RunSpec& spec, const ComparedRun& run);

/// Returns the steps of a run that play_and_compare() made with its trace, as CSV with a header. The column `round` is
/// present only under constraints; a regret that is not known is empty.
std::string trajectory_csv(const RunSpec& spec, const ComparedRun& run);

}  // namespace longrun
