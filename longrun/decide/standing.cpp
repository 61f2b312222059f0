#include "longrun/decide/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {
namespace {

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
  const bool estimated = !question.noise || std::holds_alternative<Bernoulli>(*question.noise);
  return {setting, (estimated ? estimator.estimating_noise() : estimator).parameters()};
}

std::vector<Arm> ascending(std::vector<Arm> arms) {
  std::sort(arms.begin(), arms.end());
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  return arms;
}

/// Observes a history without outliers.
Standing observed(const Question& question) {
  Study study(spec_of(question));
  check_horizon(question, study);
  ArmReports reports = reports_of(question, study);
  std::vector<Pulls> pending(question.history.arm_names.size());
  for (const PastPull& pull : question.history.pulls) {
    if (pull.lost) {
      study.apply(Settled{study.add_pending(pull.arm), Outcome::lost()}, Study::Trust::accepted);
      reports.add_lost(pull.arm);
      continue;
    }
    if (!pull.reward) {
      study.add_pending(pull.arm);
      reports.add_pending(pull.arm);
      ++pending[static_cast<std::size_t>(pull.arm)];
      continue;
    }
    study.apply(Observed{pull.arm, *pull.reward}, Study::Trust::accepted);  // check_rewards() accepted all
    reports.observe(pull.arm, question.scale.to_unit(*pull.reward));
  }
  reports.update();
  study.set_unavailable(ascending(question.unavailable_now));
  const Pulls remaining = study.policy().constraints().most_pulls(question.horizon - study.spent());
  return {
      .study = std::move(study), .reports = std::move(reports), .remaining = remaining, .pending = std::move(pending)};
}

}  // namespace

Standing standing_of(const Question& question) {
  check(question);
  std::vector<Outlier> outliers;
  if (!question.keep_outliers) outliers = find_outliers(question.history, question.scale, question.noise);
  if (outliers.empty()) return observed(question);
  Question cleaned = question;
  for (const Outlier& outlier : outliers) cleaned.history.pulls[outlier.pull].reward = outlier.typical;
  Standing standing = observed(cleaned);
  standing.outliers = std::move(outliers);
  return standing;
}

}  // namespace longrun
