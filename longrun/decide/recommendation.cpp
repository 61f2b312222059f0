#include "longrun/decide/recommendation.h"

#include <fmt/format.h>

#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {
namespace {

/// Returns the policy of the question, told to estimate the noise if the question does not give it.
PolicyChoice policy_of(const Question& question) {
  PolicyChoice policy(question.policy);
  if (policy.entry().traits.needs_plan) {
    throw InputError(fmt::format("policy '{}' needs known reward curves; a history does not give them", policy.text()));
  }
  return question.noise ? policy : policy.estimating_noise();
}

/// Returns the parameters of the policy whose estimates are reported.
Parameters estimate_parameters(const Question& question, const PolicyChoice& policy) {
  if (policy.entry().traits.estimates_arms) return policy.parameters();
  const PolicyChoice estimator(kDefaultPolicy);
  return (question.noise ? estimator : estimator.estimating_noise()).parameters();
}

double estimated_sd(const History& unit) {
  NoiseScale noise(unit.arms());
  for (const auto& [arm, reward] : unit.pulls) noise.add(arm, reward);
  return noise.sd();
}

Setting setting_of(const Question& question, const History& unit, const PolicyChoice& policy) {
  Setting setting{.arms = unit.arms(), .horizon = question.horizon, .seed = question.seed};
  if (question.noise) {
    setting.noise = *question.noise;
  } else if (!policy.entry().traits.estimates_noise) {
    setting.noise = Gaussian{.sd = estimated_sd(unit)};
  }
  setting.replicate = static_cast<std::uint32_t>(unit.pulls.size());  // other random numbers for each decision
  return setting;
}

History on_unit_scale(const Question& question) {
  History unit = question.history;
  for (PastPull& pull : unit.pulls) pull.reward = question.scale.to_unit(pull.reward);
  return unit;
}

void check_horizon(const Question& question, const ConstrainedPolicy& state) {
  if (state.spent() <= question.horizon) return;
  const bool pulls = state.spent() == std::ssize(question.history.pulls);
  throw InputError(fmt::format("horizon {}: the history already takes {} {}; the horizon includes them",
                               question.horizon, state.spent(), pulls ? "pulls" : "units"));
}

/// Converts all rewards of the answer from the scale from 0 to 1 to `scale`.
void to_scale(Recommendation& answer, const RewardScale& scale) {
  const auto difference = [&](double value) { return value * scale.range(); };
  answer.sd = difference(answer.sd);
  for (ArmReport& arm : answer.arms) {
    if (arm.reward_now) {
      arm.reward_now = Measured{scale.from_unit(arm.reward_now->value), difference(arm.reward_now->standard_error)};
    }
    if (arm.slope) arm.slope = Measured{difference(arm.slope->value), difference(arm.slope->standard_error)};
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
  const PolicyChoice policy = policy_of(question);
  check_rewards(question);
  const History unit = on_unit_scale(question);
  Setting setting = setting_of(question, unit, policy);
  ConstrainedPolicy state(policy, setting, question.constraints);
  state.set_unavailable(question.unavailable_now);

  setting.horizon = state.constraints().most_pulls();  // the horizon that ConstrainedPolicy gives its policy
  ArmReports reports(setting, estimate_parameters(question, policy));
  for (const auto& [arm, reward] : unit.pulls) {
    state.add(arm, reward);
    reports.observe(arm, reward);
  }
  check_horizon(question, state);
  reports.update();

  Recommendation answer{.policy = policy.text(), .next = {}, .arms = {}};
  answer.made = static_cast<Pulls>(unit.pulls.size());
  answer.remaining = state.constraints().most_pulls(question.horizon - state.spent());
  answer.sd = reports.sd();
  answer.sd_estimated = reports.sd_is_estimate();
  answer.initial_pulls = reports.initial_pulls();
  for (Arm arm = 0; arm < unit.arms(); ++arm) {
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
