#include "longrun/decide/recommendation.h"

#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/decide/study_of_question.h"

namespace longrun {
namespace {

/// Returns the estimates of kDefaultPolicy before the first reward. They use the parameters of the question's policy if
/// that is kDefaultPolicy or a variant of it.
ArmReports reports_of(const Question& question, const Study& study) {
  const PolicyChoice policy(question.policy);
  const PolicyChoice estimator = policy.entry().traits.estimates_arms ? policy : PolicyChoice(kDefaultPolicy);
  Setting setting{.arms = question.history.arms(), .horizon = study.policy().constraints().most_pulls()};
  if (question.noise) setting.noise = *question.noise;
  return {setting, (question.noise ? estimator : estimator.estimating_noise()).parameters()};
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
    if (arm.expected) {
      for (double* reward : {&arm.expected->mean, &arm.expected->low, &arm.expected->high}) {
        *reward = scale.from_unit(*reward);
      }
    }
    arm.index = scale.from_unit(arm.index);
    arm.upper_bound_total = static_cast<double>(answer.remaining) * scale.minimum + difference(arm.upper_bound_total);
    for (FuturePull& point : arm.upper_bound) point.reward = scale.from_unit(point.reward);
  }
  if (!answer.what_if) return;
  for (Consequence& consequence : answer.what_if->consequences) {
    consequence.from = scale.from_unit(consequence.from);
    consequence.to = scale.from_unit(consequence.to);
  }
}

}  // namespace

Recommendation recommend(const Question& question) {
  const Study study = study_of(question);
  ArmReports reports = reports_of(question, study);
  for (const auto& [arm, reward] : question.history.pulls) reports.observe(arm, question.scale.to_unit(reward));
  reports.update();

  const ConstrainedPolicy& state = study.policy();
  Recommendation answer{.policy = study.policy_text(), .next = {}, .arms = {}};
  answer.made = std::ssize(question.history.pulls);
  answer.remaining = state.constraints().most_pulls(question.horizon - study.spent());
  answer.sd = reports.sd();
  answer.sd_estimated = reports.sd_is_estimate();
  answer.initial_pulls = reports.initial_pulls();
  for (Arm arm = 0; arm < question.history.arms(); ++arm) {
    throw_if_cancelled();
    answer.arms.push_back(reports.report(arm, answer.remaining));
  }

  DecidedRound round = next_round(state);
  answer.round = round.number;
  answer.next = std::move(round.pulls);
  if (!answer.next.empty()) {
    const Arm arm = answer.next.front().arm;
    answer.what_if = what_if(state, arm, answer.arms[static_cast<std::size_t>(arm)].pulls, reports.exact());
  }
  to_scale(answer, question.scale);
  return answer;
}

}  // namespace longrun
