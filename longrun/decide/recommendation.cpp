#include "longrun/decide/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/base/random.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/decide/study.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {
namespace {

constexpr std::size_t kFewestArmsForThreads = 1000;  // the estimates of fewer arms take a few milliseconds

/// Returns names for the study. Messages name the arms of the question.
std::vector<std::string> numbers_of(Arm arms) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(arms));
  for (Arm arm = 0; arm < arms; ++arm) names.push_back(std::to_string(arm));
  return names;
}

void check(const Question& question) {
  if (question.horizon < 1 || question.horizon > kLongestHorizon) {
    throw InputError(fmt::format("horizon {}: must be from 1 to {}", question.constraints.units_text(question.horizon),
                                 question.constraints.units_text(kLongestHorizon)));
  }
  const PolicyChoice policy(question.policy);
  if (policy.entry().traits.needs_plan) {
    throw InputError(fmt::format("policy '{}' needs known reward curves; a history does not give them", policy.text()));
  }
  check_rewards(question);
  if (question.constraints.none()) return;
  const History& history = question.history;
  resolve_feasible(question.constraints, history.arms(), question.horizon, {}, history.arm_names);  // names arms
}

double estimated_sd(const Question& question) {
  NoiseScale noise(question.history.arms());
  for (const PastPull& pull : question.history.pulls) {
    if (pull.reward) noise.add(pull.arm, question.scale.to_unit(*pull.reward));
  }
  return noise.sd();
}

/// Returns the study whose next decision answers the question.
StudySpec spec_of(const Question& question) {
  StudySpec spec{.arms = numbers_of(question.history.arms()),
                 .budget = question.horizon,
                 .scale = question.scale,
                 .noise = question.noise,
                 .policy = question.policy,
                 .constraints = question.constraints};
  if (!spec.noise && !PolicyChoice(spec.policy).entry().traits.estimates_noise) {
    spec.noise = Gaussian{.sd = estimated_sd(question)};
  }
  // Other random numbers for each decision: a study that has only observed draws its first number next.
  const StreamKey stream{.seed = question.seed, .purpose = Purpose::policy};
  spec.seed = random_block(stream, question.history.pulls.size())[0];
  return spec;
}

void check_horizon(const Question& question, const Study& study) {
  Pulls spent = 0;
  for (const PastPull& pull : question.history.pulls) spent += study.policy().constraints().cost(pull.arm);
  if (spent <= question.horizon) return;
  const bool pulls = question.constraints.unit_decimals == 0 && spent == std::ssize(question.history.pulls);
  throw InputError(fmt::format("horizon {}: the history already takes {} {}; the horizon includes them",
                               question.constraints.units_text(question.horizon),
                               question.constraints.units_text(spent), pulls ? "pulls" : "units"));
}

/// Returns the estimates of kDefaultPolicy before the first reward. They use the parameters of the question's policy if
/// that is kDefaultPolicy or a variant of it.
ArmReports reports_of(const Question& question, const Study& study) {
  const PolicyChoice policy(question.policy);
  const PolicyChoice estimator = policy.entry().traits.estimates_arms ? policy : PolicyChoice(kDefaultPolicy);
  Setting setting{.arms = question.history.arms(), .horizon = study.policy().constraints().most_pulls()};
  if (question.noise) setting.noise = *question.noise;
  return {setting, (question.noise ? estimator : estimator.estimating_noise()).parameters()};
}

/// Adds pending pulls of an arm to its estimates: they are made, so the next pull comes after them.
void add_pending(ArmReport& report, Pulls pending) {
  report.pulls += pending;
  for (FuturePull& point : report.upper_bound) point.pull += pending;
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
  check(question);
  Study study(spec_of(question));
  check_horizon(question, study);
  ArmReports reports = reports_of(question, study);
  std::vector<Pulls> pending(question.history.arm_names.size());  // by arm
  for (const PastPull& pull : question.history.pulls) {
    if (!pull.reward) {
      study.add_pending(pull.arm);
      ++pending[static_cast<std::size_t>(pull.arm)];
      continue;
    }
    study.apply(Observed{pull.arm, *pull.reward}, Study::Trust::accepted);  // check_rewards() accepted all
    reports.observe(pull.arm, question.scale.to_unit(*pull.reward));
  }
  reports.update();
  std::vector<Arm> unavailable = question.unavailable_now;
  std::sort(unavailable.begin(), unavailable.end());
  unavailable.erase(std::unique(unavailable.begin(), unavailable.end()), unavailable.end());
  study.set_unavailable(std::move(unavailable));

  const ConstrainedPolicy& state = study.policy();
  Recommendation answer{.policy = study.policy_text(), .next = {}, .arms = {}};
  answer.made = std::ssize(question.history.pulls);
  answer.pending = std::accumulate(pending.begin(), pending.end(), Pulls{0});
  answer.remaining = state.constraints().most_pulls(question.horizon - study.spent());
  answer.sd = reports.sd();
  answer.sd_estimated = reports.sd_is_estimate();
  answer.initial_pulls = reports.initial_pulls();
  answer.arms.resize(pending.size());
  // Other threads are worth their start only for many arms. This thread is one of them, so the others stop with it.
  in_parallel(pending.size() < kFewestArmsForThreads ? 1 : 0, pending.size(), [&](std::size_t arm) {
    throw_if_cancelled();
    answer.arms[arm] = reports.report(static_cast<Arm>(arm), answer.remaining);
    add_pending(answer.arms[arm], pending[arm]);
  });

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
