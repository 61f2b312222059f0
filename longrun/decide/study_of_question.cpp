#include "longrun/decide/study_of_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"

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
    throw InputError(fmt::format("horizon {}: must be from 1 to {}", question.horizon, kLongestHorizon));
  }
  const PolicyChoice policy(question.policy);
  if (policy.entry().traits.needs_plan) {
    throw InputError(fmt::format("policy '{}' needs known reward curves; a history does not give them", policy.text()));
  }
  check_rewards(question);
}

/// Returns the study whose next decision answers the question.
StudySpec spec_of(const Question& question, std::uint64_t seed) {
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
  const StreamKey stream{.seed = seed, .purpose = Purpose::policy};
  spec.seed = random_block(stream, question.history.pulls.size())[0];
  return spec;
}

void check_horizon(const Question& question, const Study& study) {
  Pulls spent = 0;
  for (const PastPull& pull : question.history.pulls) spent += study.policy().constraints().cost(pull.arm);
  if (spent <= question.horizon) return;
  const bool pulls = spent == std::ssize(question.history.pulls);
  throw InputError(fmt::format("horizon {}: the history already takes {} {}; the horizon includes them",
                               question.horizon, spent, pulls ? "pulls" : "units"));
}

}  // namespace

Study study_of(const Question& question, std::uint64_t seed) {
  check(question);
  Study study(spec_of(question, seed));
  check_horizon(question, study);
  for (const auto& [arm, reward] : question.history.pulls) {
    study.apply(Observed{arm, reward}, Study::Trust::accepted);  // check_rewards() accepted all
  }
  std::vector<Arm> unavailable = question.unavailable_now;
  std::sort(unavailable.begin(), unavailable.end());
  unavailable.erase(std::unique(unavailable.begin(), unavailable.end()), unavailable.end());
  study.set_unavailable(std::move(unavailable));
  return study;
}

Study study_of(const Question& question) { return study_of(question, question.seed); }

}  // namespace longrun
