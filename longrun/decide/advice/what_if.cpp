#include "longrun/decide/advice/what_if.h"

#include <algorithm>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/decide/next_round.h"

namespace longrun {
namespace {

constexpr Pulls kPullsPerSupposedPull = 10;
constexpr int kGridSteps = 16;
constexpr int kBisections = 12;  // of one grid step: rewards are found to 1 / (16 * 2^12) of the scale

/// Returns the rewards 0, 1/steps, ..., 1.
std::vector<double> even_grid(int steps) {
  std::vector<double> grid;
  for (int step = 0; step <= steps; ++step) grid.push_back(static_cast<double>(step) / steps);
  return grid;
}

/// The search for the rewards of the supposed pulls at which the next choice changes. `chosen(reward)` returns the
/// choice after them.
template <class Chosen>
class ChangeSearch {
 public:
  /// `grid` are rewards from 0 to 1, ascending, with both ends.
  ChangeSearch(Arm arm, Pulls pulls, std::vector<double> grid, Chosen chosen)
      : chosen_(std::move(chosen)), grid_(std::move(grid)), what_if_{.arm = arm, .pulls = pulls, .consequences = {}} {}

  /// Returns the consequences of all rewards, or nullopt if no decision is left after the supposed pulls.
  std::optional<WhatIf> result() {
    Point last = at(0);
    if (!last.arm) return std::nullopt;
    what_if_.consequences.push_back({.from = 0, .to = 1, .arm = *last.arm});
    for (std::size_t i = 1; i < grid_.size(); ++i) {
      const Point here = at(grid_[i]);
      if (!here.arm) return std::nullopt;
      add_changes(last, here, kBisections);
      last = here;
    }
    return what_if_;
  }

 private:
  struct Point {
    double reward = 0;
    std::optional<Arm> arm;
  };
  Point at(double reward) { return {reward, chosen_(reward)}; }

  /// Adds the changes between two points that bisection finds.
  void add_changes(const Point& low, const Point& high, int bisections) {
    if (low.arm == high.arm || !high.arm) return;
    const double middle = (low.reward + high.reward) / 2;
    if (bisections > 0) {
      const Point between = at(middle);
      add_changes(low, between, bisections - 1);
      add_changes(between, high, bisections - 1);
      return;
    }
    what_if_.consequences.back().to = middle;
    what_if_.consequences.push_back({.from = middle, .to = 1, .arm = *high.arm});
  }

  Chosen chosen_;
  std::vector<double> grid_;
  WhatIf what_if_;  // complete for rewards from 0 to the last point searched
};

// ---- studies

constexpr int kGridStepsOfStudy = 64;          // see what_if()
constexpr Pulls kMostSupposedPulls = 100;      // of a study, each of which takes a decision of every copy
constexpr std::size_t kMostArmsOfMany = 1000;  // of a study of which there is a copy for every reward at once

/// Returns an even grid with more rewards near its ends: a policy may treat an end as a special case.
std::vector<double> fine_grid() {
  std::vector<double> grid = even_grid(kGridStepsOfStudy);
  for (const double near : {1.0 / 4096, 1.0 / 512, 1.0 / 128}) {
    grid.push_back(near);
    grid.push_back(1 - near);
  }
  std::sort(grid.begin(), grid.end());
  return grid;
}

/// A copy of a study that goes on with supposed rewards.
class SupposedCourse {
 public:
  explicit SupposedCourse(Study study) : study_(std::move(study)) {}

  /// Makes the next decisions that have pulls. Returns the first arm, or nullopt if no decision follows.
  std::optional<Arm> decide() {
    throw_if_cancelled();
    constexpr Pulls kMostRounds = 10'000;  // without pulls
    for (Pulls rounds = 0; rounds < kMostRounds && !study_.done() && !study_.is_closed(); ++rounds) {
      try {
        study_.decide(1, {}, decided_);
      } catch (const InputError&) {  // no arm can be pulled
        return std::nullopt;
      }
      if (!decided_.decisions.empty()) return decided_.decisions[0].arm;
    }
    return std::nullopt;
  }
  /// Returns how many of the last decisions are for the arm.
  Pulls pulls(Arm arm) const {
    return std::count_if(decided_.decisions.begin(), decided_.decisions.end(),
                         [&](const Decision& decision) { return decision.arm == arm; });
  }
  /// Reports a reward, on the scale from 0 to 1, of every one of them.
  void report(Arm arm, double reward) {
    const Outcome outcome = Outcome::observed(study_.spec().scale.from_unit(reward));
    for (const Decision& decision : decided_.decisions) {
      if (decision.arm == arm) study_.apply(Settled{decision.id, outcome}, Study::Trust::accepted);
    }
  }

 private:
  Study study_;
  Decided decided_;
};

/// Returns the choice of a study after `decisions` decisions whose pulls of `arm` paid the reward.
std::optional<Arm> chosen_after(const Study& study, Arm arm, Pulls decisions, double reward) {
  SupposedCourse course(study);
  for (Pulls made = 0; made < decisions; ++made) {
    if (!course.decide()) return std::nullopt;
    course.report(arm, reward);
  }
  return course.decide();
}

/// Returns after how many pulls of `arm`, one decision each, a reward of the grid can change the choice; `most` if none
/// does.
Pulls fewest_that_matter(const Study& study, Arm arm, Pulls most, const std::vector<double>& grid) {
  std::vector<SupposedCourse> courses(grid.size(), SupposedCourse(study));
  for (SupposedCourse& course : courses) course.decide();
  for (Pulls pulls = 1; pulls < most; ++pulls) {
    for (std::size_t i = 0; i < grid.size(); ++i) {
      courses[i].report(arm, grid[i]);
      if (courses[i].decide() != arm) return pulls;
    }
  }
  return most;
}

}  // namespace

Pulls supposed_pulls(const ConstrainedPolicy& state, Arm arm, Pulls pulls_so_far, bool exact) {
  const Pulls left = (state.constraints().horizon() - state.spent()) / state.constraints().cost(arm);
  return std::max<Pulls>(0, std::min(std::max<Pulls>(1, exact ? 1 : pulls_so_far / kPullsPerSupposedPull), left - 1));
}

std::optional<WhatIf> what_if(Arm arm, Pulls pulls, const SupposedState& state) {
  return ChangeSearch(arm, pulls, even_grid(kGridSteps),
                      [&](double reward) -> std::optional<Arm> {
                        throw_if_cancelled();
                        const DecidedRound round = next_round(state(reward));
                        if (round.arms.empty()) return std::nullopt;
                        return round.first;
                      })
      .result();
}

std::optional<WhatIf> what_if(const Study& study, Arm arm, Pulls pulls_so_far, bool exact) {
  const std::vector<Study::Pending> pending = study.pending();
  const bool waits =
      std::any_of(pending.begin(), pending.end(), [&](const Study::Pending& each) { return each.arm == arm; });
  if (waits) return std::nullopt;
  SupposedCourse next(study);
  if (next.decide() != arm) return std::nullopt;
  const bool has_many_arms = study.spec().arms.size() > kMostArmsOfMany;
  const std::vector<double> grid = has_many_arms ? even_grid(kGridSteps) : fine_grid();
  Pulls pulls = next.pulls(arm);
  Pulls decisions = 1;
  if (study.policy().constraints().rounds_are_pulls()) {
    const bool one = exact || has_many_arms;
    const Pulls most = std::min({pulls_so_far / kPullsPerSupposedPull, study.left() - 1, kMostSupposedPulls});
    decisions = one || most < 2 ? 1 : fewest_that_matter(study, arm, most, grid);
    pulls = decisions;
  }
  return ChangeSearch(arm, pulls, grid, [&](double reward) { return chosen_after(study, arm, decisions, reward); })
      .result();
}

}  // namespace longrun
