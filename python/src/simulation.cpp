#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/simulate/contest.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/simulate/regret.h"
#include "longrun/simulate/trajectory.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

using Columns = nb::typed<nb::dict, nb::str, nb::object>;

/// Steps of a run that are kept: every so many and the last one, or those of a list.
class KeptSteps {
 public:
  KeptSteps(Pulls every, std::vector<Pulls> listed) : every_(every), listed_(std::move(listed)) {}

  bool none() const { return every_ == 0 && listed_.empty(); }
  /// Returns the number of kept steps of a run with so many steps.
  std::size_t count(Pulls steps) const {
    if (every_ > 0) return static_cast<std::size_t>(steps / every_ + (steps % every_ == 0 ? 0 : 1));
    return static_cast<std::size_t>(std::upper_bound(listed_.begin(), listed_.end(), steps) - listed_.begin());
  }
  bool keeps(Pulls step, Pulls steps) const {
    if (every_ > 0) return step % every_ == 0 || step == steps;
    return std::binary_search(listed_.begin(), listed_.end(), step);
  }

 private:
  Pulls every_;                // 0: the list
  std::vector<Pulls> listed_;  // ascending
};

/// Trajectories of all runs, one after the other. Runs under constraints may have fewer steps than there is room for.
struct Trajectories {
  std::vector<std::size_t> first;  // [run], and the end of the last one
  std::vector<std::int64_t> kept;  // [run], kept steps
  std::vector<std::int32_t> steps, arms, pulls;
  std::vector<float> rewards, regrets;

  void make_room(const std::vector<std::size_t>& counts) {
    first.assign(1, 0);
    for (const std::size_t count : counts) first.push_back(first.back() + count);
    kept.assign(counts.size(), 0);
    for (auto* column : {&steps, &arms, &pulls}) column->resize(first.back());
    for (auto* column : {&rewards, &regrets}) column->resize(first.back());
  }
  void keep(std::size_t run, const TrajectoryStep& step) {
    const std::size_t place = first[run] + static_cast<std::size_t>(kept[run]++);
    steps[place] = static_cast<std::int32_t>(step.step);
    arms[place] = step.arm;
    pulls[place] = static_cast<std::int32_t>(step.pull);
    rewards[place] = static_cast<float>(step.reward);
    regrets[place] = static_cast<float>(step.regret);
  }
};

/// The runs of one bandit whose steps are kept. They equal those of ContestBandit.
class TracedBandit {
 public:
  TracedBandit(const Contest& contest, const Bandit& bandit)
      : contest_(contest), bandit_(bandit.tabulated(contest.horizons.back())) {
    if (constrained()) {
      for (const Pulls horizon : contest.horizons)
        best_.push_back(optimal_allocation(bandit_, horizon, contest.constraints));
    } else {
      best_after_.emplace(known_arms(bandit_, contest.horizons.back()));
      for (const Pulls horizon : contest.horizons) best_.push_back(best_after_->at(horizon));
    }
  }

  using Visit = std::function<void(const TrajectoryStep&, Pulls steps)>;
  ContestRun play(std::size_t policy, std::size_t horizon, std::uint32_t replicate, const Visit& visit) const {
    const PolicyChoice& choice = contest_.policies[policy];
    const Pulls end = contest_.horizons[horizon];
    const Setting setting{.arms = bandit_.arm_count(),
                          .horizon = end,
                          .noise = bandit_.noise,
                          .half_width = contest_.half_width.at(bandit_.noise, end),
                          .seed = contest_.seed,
                          .replicate = replicate,
                          .plan = choice.entry().traits.needs_plan ? best_[horizon].pulls : std::vector<Pulls>{}};
    std::vector<Arm> trace;
    RunResult result = constrained() ? play_rounds(choice, setting, trace) : play_pulls(choice, setting, trace);
    const auto steps = static_cast<Pulls>(trace.size());
    const auto optimum = [&](Pulls step) {
      if (step == steps) return best_[horizon].value;
      return best_after_ ? best_after_->value(step) : std::numeric_limits<double>::quiet_NaN();
    };
    follow(World(bandit_, contest_.seed, replicate), bandit_, trace, optimum,
           [&](const TrajectoryStep& step) { visit(step, steps); });
    return {.policy = policy,
            .horizon = horizon,
            .pulls = std::move(result.pulls),
            .earned = result.earned,
            .optimum = best_[horizon].value};
  }

 private:
  bool constrained() const { return !contest_.constraints.none(); }
  RunResult play_pulls(const PolicyChoice& policy, const Setting& setting, std::vector<Arm>& trace) const {
    trace.resize(static_cast<std::size_t>(setting.horizon));
    return longrun::play(policy, bandit_, setting, trace);
  }
  RunResult play_rounds(const PolicyChoice& policy, const Setting& setting, std::vector<Arm>& trace) const {
    std::vector<RoundPull> pulls;
    RunResult result = play_constrained(World(bandit_, setting.seed, setting.replicate), policy, setting,
                                        contest_.constraints, &pulls);
    for (const RoundPull& pull : pulls) trace.push_back(pull.arm);
    return result;
  }

  const Contest& contest_;
  const Bandit bandit_;
  std::vector<Allocation> best_;               // [horizon]
  std::optional<BestAllocations> best_after_;  // without constraints
};

/// An object for each bandit, which is created for its first unit and destroyed after its last one.
template <class Prepared>
class PerBandit {
 public:
  explicit PerBandit(std::size_t bandits) : slots_(bandits) {}
  void add_unit(std::size_t bandit) { ++slots_[bandit].units_left; }
  template <class Make, class Use>
  void use(std::size_t bandit, Make make, Use act) {
    Slot& slot = slots_[bandit];
    std::call_once(slot.once, [&] { slot.prepared = make(); });
    act(*slot.prepared);
    if (--slot.units_left == 0) slot.prepared.reset();
  }

 private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<Prepared> prepared;
    std::atomic<std::size_t> units_left{0};
  };
  std::vector<Slot> slots_;
};

using Units = std::vector<std::tuple<std::size_t, std::uint32_t>>;  // a bandit and a replicate each

void check_bandits(const Contest& contest, const std::vector<const Bandit*>& bandits, const Units& units) {
  for (const Bandit* bandit : bandits) {
    for (const Pulls horizon : contest.horizons) {
      check_horizon(*bandit, horizon);
      contest.half_width.at(bandit->noise, horizon);
    }
  }
  for (const auto& unit : units) {
    if (std::get<0>(unit) >= bandits.size())
      throw InputError(fmt::format("bandit {} is not one of {}", std::get<0>(unit), bandits.size()));
  }
}

/// Plays policies of the catalog in every unit and returns the results as columns, ordered by policy, then horizon,
/// then unit. With kept steps, `trajectories` has them.
Columns simulate(const std::vector<const Bandit*>& bandits, const Units& units,
                 const std::vector<std::string>& policies, std::vector<Pulls> horizons,
                 const ConstraintFields& constraints, std::string half_width, std::uint64_t seed, int threads,
                 Pulls every, std::vector<Pulls> steps_kept, const std::function<void(std::uint64_t)>& progress) {
  Contest contest{.half_width = {.text = std::move(half_width)},
                  .policies = {},
                  .horizons = std::move(horizons),
                  .seed = seed,
                  .constraints = constraints_from(constraints)};
  for (const std::string& policy : policies) contest.policies.emplace_back(policy);
  check_bandits(contest, bandits, units);
  const KeptSteps kept(every, std::move(steps_kept));
  const std::size_t horizon_count = contest.horizons.size();
  const std::size_t cells = policies.size() * horizon_count;
  const std::size_t rows = cells * units.size();
  const auto row_of = [&](std::size_t policy, std::size_t horizon, std::size_t unit) {
    return (policy * horizon_count + horizon) * units.size() + unit;
  };
  Trajectories trajectories;
  if (!kept.none()) {
    std::vector<std::size_t> counts(rows);
    for (std::size_t row = 0; row < rows; ++row)
      counts[row] = kept.count(contest.horizons[row / units.size() % horizon_count]);
    trajectories.make_room(counts);
  }

  std::vector<std::vector<ContestRun>> runs(units.size());
  std::uint64_t steps = 0;  // of one unit
  for (const Pulls horizon : contest.horizons) steps += static_cast<std::uint64_t>(horizon) * policies.size();
  std::atomic<std::uint64_t> done{0};
  PerBandit<ContestBandit> contests(bandits.size());
  PerBandit<TracedBandit> traced(bandits.size());
  for (const auto& unit : units) {
    contests.add_unit(std::get<0>(unit));
    traced.add_unit(std::get<0>(unit));
  }
  const auto play_contest = [&](std::size_t i) {
    const auto [bandit, replicate] = units[i];
    std::uint64_t played = 0;
    const auto report_steps = [&](std::uint64_t more) {
      played += more;
      done += more;
    };
    contests.use(
        bandit, [&, number = bandit] { return std::make_unique<ContestBandit>(contest, *bandits[number]); },
        [&, number = bandit, replicate = replicate](const ContestBandit& prepared) {
          runs[i] = prepared.play(bandits[number]->noise, replicate, report_steps);
        });
    done += steps - played;  // steps whose results this unit shares with another one
  };
  const auto play_traced = [&](std::size_t i) {
    const auto [bandit, replicate] = units[i];
    traced.use(
        bandit, [&, number = bandit] { return std::make_unique<TracedBandit>(contest, *bandits[number]); },
        [&, replicate = replicate](const TracedBandit& prepared) {
          for (std::size_t cell = 0; cell < cells; ++cell) {
            const std::size_t policy = cell / horizon_count;
            const std::size_t horizon = cell % horizon_count;
            const std::size_t row = row_of(policy, horizon, i);
            runs[i].push_back(
                prepared.play(policy, horizon, replicate, [&](const TrajectoryStep& step, Pulls all_steps) {
                  if (kept.keeps(step.step, all_steps)) trajectories.keep(row, step);
                }));
            done += static_cast<std::uint64_t>(contest.horizons[horizon]);
          }
        });
  };
  const auto compute = [&](const std::atomic<bool>& stop) {
    in_parallel(threads, units.size(), [&](std::size_t i) {
      const CancellationScope scope(&stop);
      kept.none() ? play_contest(i) : play_traced(i);
    });
  };
  run_interruptible(compute, [&] { progress(done); });

  std::size_t arms = 0;
  for (const Bandit* bandit : bandits) arms = std::max(arms, bandit->arms.size());
  std::vector<Pulls> pulls(rows * arms);  // 0 for arms that a bandit does not have
  std::vector<double> earned(rows);
  std::vector<double> optimum(rows);
  std::vector<double> regret(rows);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const ContestRun& run : runs[i]) {
      const std::size_t row = row_of(run.policy, run.horizon, i);
      std::copy(run.pulls.begin(), run.pulls.end(), pulls.begin() + static_cast<std::ptrdiff_t>(row * arms));
      earned[row] = run.earned;
      optimum[row] = run.optimum;
      regret[row] = policy_regret(run.optimum, run.earned);
    }
  }
  Columns columns;
  columns["pulls"] = numpy_array(std::move(pulls), rows, arms);
  columns["earned"] = numpy_array(std::move(earned), rows);
  columns["optimum"] = numpy_array(std::move(optimum), rows);
  columns["regret"] = numpy_array(std::move(regret), rows);
  if (kept.none()) return columns;
  const std::size_t size = trajectories.steps.size();
  nb::dict steps_of_runs;
  steps_of_runs["room"] =
      numpy_array(std::vector<std::int64_t>(trajectories.first.begin(), trajectories.first.end()), rows + 1);
  steps_of_runs["kept"] = numpy_array(std::move(trajectories.kept), rows);
  steps_of_runs["step"] = numpy_array(std::move(trajectories.steps), size);
  steps_of_runs["arm"] = numpy_array(std::move(trajectories.arms), size);
  steps_of_runs["pull"] = numpy_array(std::move(trajectories.pulls), size);
  steps_of_runs["reward"] = numpy_array(std::move(trajectories.rewards), size);
  steps_of_runs["regret"] = numpy_array(std::move(trajectories.regrets), size);
  columns["trajectories"] = steps_of_runs;
  return columns;
}

/// Returns the largest sums of mean rewards of 1, 2, ..., `horizon` pulls.
auto optima_after(const Bandit& bandit, Pulls horizon) {
  check_horizon(bandit, horizon);
  std::vector<double> values;
  run_interruptible([&](const auto&) {
    const BestAllocations best(known_arms(bandit, horizon));
    for (Pulls steps = 1; steps <= horizon; ++steps) values.push_back(best.value(steps));
  });
  return numpy_array(std::move(values), horizon);
}

}  // namespace

void add_simulation(nb::module_& module) {
  module.def("simulate", &simulate, "bandits"_a, "units"_a, "policies"_a, "horizons"_a, "constraints"_a, "half_width"_a,
             "seed"_a, "threads"_a, "every"_a, "steps"_a, "progress"_a);
  module.def("optima_after", &optima_after, "bandit"_a, "horizon"_a);
}

}  // namespace longrun
