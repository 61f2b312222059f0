#include "longrun/decide/recommendation.h"

#include <algorithm>
#include <numeric>

#include "longrun/base/cancellation.h"
#include "longrun/base/parallel.h"
#include "longrun/decide/standing.h"

namespace longrun {
namespace {

ExpectedReward on_scale(const ExpectedReward& expected, const RewardScale& scale) {
  return {scale.from_unit(expected.mean), scale.from_unit(expected.low), scale.from_unit(expected.high)};
}

/// Converts all rewards of the answer from the scale from 0 to 1 to `scale`.
void to_scale(Recommendation& answer, const RewardScale& scale) {
  const auto difference = [&](double value) { return value * scale.range(); };
  answer.sd = difference(answer.sd);
  for (ArmReport& arm : answer.arms) {
    if (arm.reward_now) {
      arm.reward_now->mean = scale.from_unit(arm.reward_now->mean);
      arm.reward_now->standard_error = difference(arm.reward_now->standard_error);
    }
    if (arm.expected) arm.expected = on_scale(*arm.expected, scale);
    for (ExpectedPull& pull : arm.expected_course) pull.reward = on_scale(pull.reward, scale);
    arm.index = scale.from_unit(arm.index);
    if (arm.value_of_learning) arm.value_of_learning = difference(*arm.value_of_learning);
    arm.upper_bound_total = static_cast<double>(arm.remaining) * scale.minimum + difference(arm.upper_bound_total);
    for (FuturePull& point : arm.upper_bound) point.reward = scale.from_unit(point.reward);
  }
  if (answer.to_learn) {
    answer.to_learn->cost = difference(answer.to_learn->cost);
    answer.to_learn->gain = difference(answer.to_learn->gain);
  }
  if (!answer.what_if) return;
  for (Consequence& consequence : answer.what_if->consequences) {
    consequence.from = scale.from_unit(consequence.from);
    consequence.to = scale.from_unit(consequence.to);
  }
}

/// Returns what the first pull can teach, if another arm is expected to pay more and the policy chose it by its index.
std::optional<ToLearn> to_learn(const Question& question, const ArmReports& reports, const Recommendation& answer) {
  const bool by_index = answer.next.first_cause == PullCause::choice &&
                        PolicyChoice(question.policy).entry().traits.estimates_arms && !answer.costs_differ &&
                        answer.arms[static_cast<std::size_t>(answer.next.first)].pulls >= answer.initial_pulls;
  const auto expected = [&](Arm arm) { return answer.arms[static_cast<std::size_t>(arm)].expected; };
  const Arm first = answer.next.first;
  if (!by_index || !expected(first)) return std::nullopt;
  Arm best = first;
  for (Arm arm = 0; arm < question.history.arms(); ++arm) {
    const auto& gone = question.unavailable_now;
    // An arm that is unavailable in some rounds may be so now.
    if (!expected(arm) || std::find(gone.begin(), gone.end(), arm) != gone.end()) continue;
    if (question.constraints.unavailable.contains(arm)) continue;
    if (expected(arm)->mean > expected(best)->mean) best = arm;
  }
  if (best == first) return std::nullopt;
  const auto next_pull = [&](Arm arm) { return expected_reward(reports.futures(arm).spread(), 1).mean; };
  ToLearn learned{.instead = best, .cost = next_pull(best) - next_pull(first)};
  const std::vector<FutureCurve> curves = reports.futures(first).spread();
  double gains = 0;
  double better = 0;
  for (const FutureCurve& curve : curves) {
    const double gain = curve.mean(answer.remaining) - expected(best)->mean;
    if (gain <= 0) continue;
    gains += gain;
    better += 1;
  }
  learned.probability = better / static_cast<double>(curves.size());
  learned.gain = better > 0 ? gains / better : 0;
  return learned;
}

Recommendation answer_of(const Question& question, const Standing& standing) {
  const ArmReports& reports = standing.reports;
  const ConstrainedPolicy& state = standing.study.policy();
  Recommendation answer{.policy = standing.study.policy_text(), .next = {}, .arms = {}};
  answer.made = std::ssize(question.history.pulls);
  answer.units_left = question.horizon - standing.study.spent();
  answer.remaining = standing.remaining;
  answer.costs_differ = state.constraints().costs_differ();
  answer.sd = reports.sd();
  answer.yes_or_no = reports.yes_or_no();
  answer.sd_estimated = reports.sd_is_estimate();
  answer.initial_pulls = reports.initial_pulls();
  answer.outliers = standing.outliers;
  answer.pending = std::accumulate(standing.pending.begin(), standing.pending.end(), Pulls{0});
  answer.arms.resize(standing.pending.size());
  const auto course = std::ssize(answer.arms) <= kMostCourses ? ArmReports::Course::with : ArmReports::Course::without;
  // Other threads are worth their start only for many arms. This thread is one of them, so the others stop with it.
  in_parallel(answer.arms.size() < ArmReports::kFewestForThreads ? 1 : 0, answer.arms.size(), [&](std::size_t arm) {
    throw_if_cancelled();
    const Pulls of_arm = answer.units_left / state.constraints().cost(static_cast<Arm>(arm));
    const Pulls of_index = answer.costs_differ ? reports.pulls_of_index() : of_arm;
    answer.arms[arm] = reports.report(static_cast<Arm>(arm), {.of_arm = of_arm, .of_index = of_index}, course);
  });

  answer.next = next_round(state);
  if (!answer.next.arms.empty()) {
    const Arm arm = answer.next.first;
    answer.what_if = what_if(state, arm, answer.arms[static_cast<std::size_t>(arm)].pulls, reports.exact());
    answer.to_learn = to_learn(question, reports, answer);
  }
  to_scale(answer, question.scale);
  return answer;
}

}  // namespace

Recommendation recommend(const Question& question) { return answer_of(question, standing_of(question)); }

Recommendation recommend(const Question& question, const Study& study) {
  Standing standing = standing_of(without_minima(question));
  standing.study = study;
  standing.remaining = study.policy().constraints().most_pulls(study.spec().budget - study.spent());
  Recommendation answer = answer_of(question, standing);
  answer.of_study = true;
  return answer;
}

}  // namespace longrun
