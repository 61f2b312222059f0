#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/field_error.h"
#include "longrun/base/types.h"
#include "longrun/decide/advice/question.h"
#include "longrun/decide/future_range.h"
#include "longrun/decide/next_round.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/model/constraints.h"
#include "longrun/model/noise.h"

namespace longrun {

/// Other constraints under which the same policy is played in the same futures.
struct ComparedConstraints {
  std::string name;  ///< for the output: "minimum share 0.1"
  Constraints constraints{};
  std::string field{};  ///< the constraint of the question that is replaced; empty if several may be
};

/// An error in constraints that are compared. Its fields are the constraints that are not possible together.
class ComparisonError : public FieldError {
 public:
  /// The message is "comparison with NAME: FIELD: problem".
  ComparisonError(const std::string& comparison, std::vector<std::string> fields, std::string problem)
      : FieldError("comparison with " + comparison + ": ", std::move(fields), std::move(problem)),
        comparison_(comparison) {}

  const std::string& comparison() const { return comparison_; }  ///< ComparedConstraints::name

 private:
  std::string comparison_;
};

/// The input of a plan: past pulls, the conditions of the remaining ones, and what to compare with.
struct PlanQuestion {
  Question question;                           ///< unavailable_now holds for the next round only
  std::optional<StudyHistory> study{};         ///< if set, the plan begins after its events; `question` is its
                                               ///< question_of(), and its unavailable arms stay unavailable
  std::vector<ComparedConstraints> compare{};  ///< in addition to the question's constraints
  Pulls futures = 1000;                        ///< from kFewestFutures to kMostFutures
  std::uint64_t seed = 0;                      ///< of the futures
};
inline constexpr Pulls kFewestFutures = 100;  ///< fewer give no quantiles that are worth printing
inline constexpr Pulls kMostFutures = 1'000'000;
inline constexpr Pulls kMostArmFutures = 20'000'000;  ///< limit on arms times futures times courses: 320 MB
/// Courses of a plan that compares no constraints, at most: the policy, an equal split, the best arm so far, greedy.
inline constexpr std::size_t kSimpleCourses = 4;
inline constexpr double kMostPlayedPulls = 1e11;  ///< limit on pulls times futures times courses: hours on one core

/// The kinds of courses: the rule that decides the remaining pulls.
enum class CourseKind {
  policy,       ///< the policy of the question
  equal_split,  ///< all arms equally often
  best_so_far,  ///< only the arm whose newest rewards are largest
  greedy,       ///< the arm with the largest last reward, each time
  constrained,  ///< the policy of the question, under other constraints
};

/// One way to spend the rest of the budget, played in every future.
struct Course {
  CourseKind kind = CourseKind::policy;
  std::string name;                    ///< "equal split", "arm 3 (item 4) only", "foresight"
  std::optional<Arm> arm{};            ///< of best_so_far: the arm
  std::string field{};                 ///< of constrained: ComparedConstraints::field
  FutureRange total{};                 ///< sum of the rewards; its mean is that of the mean rewards
  FutureRange pulls{};                 ///< pulls that are made
  std::vector<FutureRange> arm_pulls;  ///< of each arm
  double unmet = 0;                    ///< share of futures in which an arm ends below its minimum or share

  // The comparison with the policy, future by future, without noise: sums of mean rewards. 0 for the policy itself.

  FutureRange loss{};       ///< what the policy earns more than this course
  double worse_share = 0;   ///< share of futures in which the policy earns more than this course
  double better_share = 0;  ///< share of futures in which the policy earns less

  // The same if arms go on as their rewards show: those whose trend is not stated as rising or falling keep paying the
  // mean of their rewards so far, drawn towards those of the other arms. Means over the first 200 futures; nullopt for
  // courses of another policy.

  std::optional<double> total_as_shown{};  ///< mean total of these futures if arms go on paying what their rewards show
  std::optional<double> loss_as_shown{};   ///< loss.mean in these futures
};

/// The next round and the rest of one arm.
struct PlannedArm {
  Pulls made = 0;          ///< pulls so far, pending ones included
  Pulls pending = 0;       ///< those of them whose reward is not known yet
  FutureRange next_round;  ///< pulls in the round of Recommendation::next; certain unless the policy is randomized
  FutureRange rest;        ///< pulls until the end, those of the next round included
};

/// The answer to a PlanQuestion. Rewards are on the scale of the question.
struct Plan {
  std::string policy;  ///< the policy that decides, as the question names it
  Pulls futures = 0;
  Pulls made = 0;        ///< pulls so far, pending ones included
  Pulls pending = 0;     ///< those of them whose reward is not known yet; it is part of no total
  Pulls units_left = 0;  ///< rest of the budget, in the units of Question::horizon
  Noise noise{};         ///< of the rewards of the futures, on the scale from 0 to 1
  bool noise_estimated = false;
  bool noise_of_rewards = false;  ///< whether the estimate is that of rewards, and not an initial value
  /// Standard deviations of the noise of each arm, on the scale from 0 to 1, if they are clearly_different(); else
  /// empty, and `noise` is that of all.
  std::vector<double> arm_noise_sds{};
  std::vector<std::string> cautions{};  ///< sentences: what in the data may mislead, and what the rewards do not show
  PullObstacle obstacle{};  ///< why no arm can be pulled in the next round, if none can; the rest of the plan is then
                            ///< that of the rounds after it, in which unavailable_now does not hold any more
  bool some_trends_are_shown = false;  ///< whether the trend of an arm is stated as rising or falling
  std::vector<PlannedArm> arms;
  std::vector<Course> courses;  ///< the policy first, then the simple courses, then the compared constraints
};

/// The options of the computation of a plan. No option changes the result.
struct PlanOptions {
  int threads = 0;                           ///< 0: one per core
  const std::atomic<bool>* stop = nullptr;   ///< plan() throws Cancelled soon after it becomes true
  std::function<void(Pulls)> on_progress{};  ///< receives the number of futures played; one call at a time
  /// Receives the pulls that a course plays in a future at most, and the number of courses, before the first is played.
  std::function<void(Pulls, std::size_t)> on_start{};
};

/// Returns what happens if the policy is followed until the budget is spent. Futures are drawn from what the rewards
/// leave open (ArmFutures); in each, the policy and every course that it is compared with are played to the end, under
/// the constraints, with noise. All courses of a future have the same curves and the same noise of every pull, so their
/// differences are those of the courses. Throws InputError as recommend() does; ComparisonError for compared
/// constraints that cannot be met; FieldError for a number of `futures` out of range, or too large for this many arms
/// or remaining pulls.
Plan plan(const PlanQuestion& asked, const PlanOptions& options = {});

/// Returns the noise of future rewards: that of the question; if it is not known, Bernoulli where all rewards of the
/// history are at the ends of the scale, else normal noise with the standard deviation `sd`.
Noise future_noise(const Question& question, double sd);

}  // namespace longrun
