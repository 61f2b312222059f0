#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/simulate/contest.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/regret.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

using Columns = nb::typed<nb::dict, nb::str, nb::object>;

/// Plays policies of the catalog and returns the results as columns, ordered by policy, then horizon, then replicate.
/// `bandits` has one bandit for all replicates, or one for each.
Columns simulate(const std::vector<const Bandit*>& bandits, const std::vector<std::string>& policies,
                 std::vector<Pulls> horizons, const ConstraintTexts& constraints, std::string half_width,
                 std::uint64_t seed, const std::vector<std::uint32_t>& replicates, int threads,
                 const std::function<void(std::uint64_t)>& progress) {
  Contest contest{.half_width = {.text = std::move(half_width)},
                  .policies = {},
                  .horizons = std::move(horizons),
                  .seed = seed,
                  .constraints = constraints_from(constraints)};
  for (const std::string& policy : policies) contest.policies.emplace_back(policy);
  if (bandits.size() != 1 && bandits.size() != replicates.size()) {
    throw InputError(fmt::format("{} bandits are given for {} replicates; give one, or one per replicate",
                                 bandits.size(), replicates.size()));
  }
  std::size_t arms = 0;
  for (const Bandit* bandit : bandits) {
    arms = std::max(arms, bandit->arms.size());
    for (const Pulls horizon : contest.horizons) {
      check_horizon(*bandit, horizon);
      contest.half_width.at(bandit->noise, horizon);
    }
  }

  std::vector<std::vector<ContestRun>> runs(replicates.size());
  std::uint64_t steps = 0;  // of one replicate
  for (const Pulls horizon : contest.horizons) steps += static_cast<std::uint64_t>(horizon) * policies.size();
  std::atomic<std::uint64_t> done{0};
  const auto compute = [&](const std::atomic<bool>& stop) {
    std::optional<ContestBandit> shared;
    if (bandits.size() == 1) shared.emplace(contest, *bandits[0]);
    in_parallel(threads, replicates.size(), [&](std::size_t i) {
      const CancellationScope scope(&stop);
      std::uint64_t played = 0;
      const auto report_steps = [&](std::uint64_t more) {
        played += more;
        done += more;
      };
      const Bandit& bandit = *bandits[shared ? 0 : i];
      runs[i] = shared ? shared->play(bandit.noise, replicates[i], report_steps)
                       : ContestBandit(contest, bandit).play(bandit.noise, replicates[i], report_steps);
      done += steps - played;  // steps whose results this replicate shares with another one
    });
  };
  run_interruptible(compute, [&] { progress(done); });

  const std::size_t cells = policies.size() * contest.horizons.size();
  const std::size_t rows = cells * replicates.size();
  std::vector<Pulls> pulls(rows * arms);  // 0 for arms that a bandit does not have
  std::vector<double> earned(rows);
  std::vector<double> optimum(rows);
  std::vector<double> regret(rows);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const ContestRun& run : runs[i]) {
      const std::size_t row = (run.policy * contest.horizons.size() + run.horizon) * replicates.size() + i;
      std::copy(run.pulls.begin(), run.pulls.end(), pulls.begin() + static_cast<std::ptrdiff_t>(row * arms));
      earned[row] = run.earned;
      optimum[row] = run.optimum;
      regret[row] = policy_regret(run.optimum, run.earned);
    }
  }
  Columns columns;
  columns["pulls"] = numpy_array(std::move(pulls), rows, arms);
  columns["return"] = numpy_array(std::move(earned), rows);
  columns["optimum"] = numpy_array(std::move(optimum), rows);
  columns["regret"] = numpy_array(std::move(regret), rows);
  return columns;
}

}  // namespace

void add_simulation(nb::module_& module) {
  module.def("simulate", &simulate, "bandits"_a, "policies"_a, "horizons"_a, "constraints"_a, "half_width"_a, "seed"_a,
             "replicates"_a, "threads"_a, "progress"_a);
}

}  // namespace longrun
