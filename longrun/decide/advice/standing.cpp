#include "longrun/decide/advice/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/model/arm_labels.h"
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

void observe(std::span<const PastPull> pulls, Study& study) {
  for (const PastPull& pull : pulls) {
    if (pull.lost) {
      study.apply(Settled{study.add_pending(pull.arm), Outcome::lost()}, Study::Trust::accepted);
    } else if (!pull.reward) {
      study.add_pending(pull.arm);
    } else {
      study.apply(Observed{pull.arm, *pull.reward}, Study::Trust::accepted);  // check_rewards() accepted all
    }
  }
}

void observe(std::span<const PastPull> pulls, const RewardScale& scale, ArmReports& reports) {
  for (const PastPull& pull : pulls) {
    if (pull.lost) {
      reports.add_lost(pull.arm);
    } else if (!pull.reward) {
      reports.add_pending(pull.arm);
    } else {
      reports.observe(pull.arm, scale.to_unit(*pull.reward));
    }
  }
}

/// The estimates that are needed: of the noise, for misfits, or all.
enum class Estimates { noise, all };

Question cleaned(Question question, std::span<const Outlier> outliers) {
  question.history = cleaned(std::move(question.history), outliers);
  return question;
}

/// Observes a history without outliers.
Standing observed(const Question& question, ObservedOrder order, Estimates estimates) {
  Study study(spec_of(question));
  check_horizon(question, study);
  ArmReports reports = reports_of(question, study);
  const std::vector<PastPull>& logged = question.history.pulls;
  const std::vector<PastPull> ordered = order == ObservedOrder::by_arm ? pulls_by_arm(question.history) : logged;
  observe(PolicyChoice(question.policy).entry().traits.estimates_arms ? ordered : logged, study);
  const ResolvedConstraints& constraints = study.policy().constraints();
  const Pulls remaining = constraints.most_pulls(question.horizon - study.spent());
  observe(ordered, question.scale, reports);
  if (estimates == Estimates::all) {
    reports.update(constraints.costs_differ() ? std::optional(remaining) : std::nullopt);
  } else {
    reports.update_noise();
  }
  std::vector<Pulls> pending(question.history.arm_names.size());
  for (const PastPull& pull : logged) {
    if (!pull.reward && !pull.lost) ++pending[static_cast<std::size_t>(pull.arm)];
  }
  study.set_unavailable(ascending(question.unavailable_now));
  return {
      .study = std::move(study), .reports = std::move(reports), .remaining = remaining, .pending = std::move(pending)};
}

std::vector<std::optional<Misfit>> misfits_of(const ArmReports& reports, Arm arms) {
  std::vector<std::optional<Misfit>> misfits;
  misfits.reserve(static_cast<std::size_t>(arms));
  for (Arm arm = 0; arm < arms; ++arm) misfits.push_back(reports.misfit(arm));
  return misfits;
}

/// Returns the rewards that do not count any more, by arm: those until the end of a clear misfit.
std::vector<Pulls> contradicted(const std::vector<std::optional<Misfit>>& misfits) {
  std::vector<Pulls> rewards;
  rewards.reserve(misfits.size());
  for (const std::optional<Misfit>& misfit : misfits)
    rewards.push_back(misfit && misfit->clarity >= kClearMisfit ? misfit->to : 0);
  return rewards;
}

/// Marks the first known rewards of every arm as lost, as many as `rewards` says.
void lose(std::vector<Pulls> rewards, History& history) {
  for (PastPull& pull : history.pulls) {
    Pulls& left = rewards[static_cast<std::size_t>(pull.arm)];
    if (!pull.reward || left == 0) continue;
    --left;
    pull.reward.reset();
    pull.lost = true;
  }
}

/// Observes a history without outliers; of arms that clearly contradict the assumption, what came after.
Standing since_misfits(Question question, ObservedOrder order, Estimates estimates) {
  constexpr int kMostTimes = 4;  // that the rewards that are left contradict it again
  const Arm arms = question.history.arms();
  Standing standing = observed(question, order, estimates);
  std::vector<std::optional<Misfit>> first = misfits_of(standing.reports, arms);
  const bool restarts = order == ObservedOrder::by_arm && PolicyChoice(question.policy).entry().traits.estimates_arms;
  std::vector<std::optional<Misfit>> misfits = first;
  for (int time = 0; restarts && time < kMostTimes; ++time) {
    const std::vector<Pulls> lost = contradicted(misfits);
    if (std::all_of(lost.begin(), lost.end(), [](Pulls rewards) { return rewards == 0; })) break;
    lose(lost, question.history);
    standing = observed(question, order, estimates);
    for (std::size_t arm = 0; arm < lost.size(); ++arm) {
      if (lost[arm] == 0) continue;
      if (!first[arm]) first[arm] = misfits[arm];  // the noise was estimated again, without the jump of another arm
      first[arm]->counted = standing.reports.rewards(static_cast<Arm>(arm));
    }
    misfits = misfits_of(standing.reports, arms);
  }
  standing.misfits = std::move(first);
  standing.counted = std::move(question.history);
  return standing;
}

/// Observes a history: finds its outliers and misfits.
Standing judged(const Question& question, ObservedOrder order, Estimates estimates) {
  if (question.keep_outliers) return since_misfits(question, order, estimates);
  FarRewards far = find_far_rewards(question.history, question.scale, question.noise);
  Standing standing =
      since_misfits(far.outliers.empty() ? question : cleaned(question, far.outliers), order, estimates);
  standing.outliers = std::move(far.outliers);
  standing.doubtful = std::move(far.doubtful);
  return standing;
}

}  // namespace

std::vector<PastPull> pulls_by_arm(const History& history) {
  std::vector<Arm> arms(history.arm_names.size());
  std::iota(arms.begin(), arms.end(), Arm{0});
  std::sort(arms.begin(), arms.end(),
            [&](Arm a, Arm b) { return label_of(history.arm_names, a) < label_of(history.arm_names, b); });
  std::vector<std::size_t> rank(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) rank[static_cast<std::size_t>(arms[i])] = i;
  struct Place {
    std::size_t of_arm;  // number of the pull among those of its arm
    std::size_t rank;
    std::size_t pull;
  };
  std::vector<Place> places;
  places.reserve(history.pulls.size());
  std::vector<std::size_t> made(arms.size());
  for (std::size_t pull = 0; pull < history.pulls.size(); ++pull) {
    const auto arm = static_cast<std::size_t>(history.pulls[pull].arm);
    places.push_back({.of_arm = made[arm]++, .rank = rank[arm], .pull = pull});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.of_arm != b.of_arm ? a.of_arm < b.of_arm : a.rank < b.rank;
  });
  std::vector<PastPull> pulls;
  pulls.reserve(places.size());
  for (const Place& place : places) pulls.push_back(history.pulls[place.pull]);
  return pulls;
}

Standing standing_of(const Question& question, ObservedOrder order) {
  check(question);
  return judged(question, order, Estimates::all);
}

ConstrainedPolicy state_of(const Question& question) {
  return judged(question, ObservedOrder::by_arm, Estimates::noise).study.policy();
}

std::vector<std::optional<Misfit>> find_misfits(const Question& question) {
  check(question);
  return judged(question, ObservedOrder::by_arm, Estimates::noise).misfits;
}

ArmReports reports_without(Question question, const Standing& standing, Arm arm, Pulls rewards, ObservedOrder order) {
  question.history = standing.counted;
  std::vector<Pulls> first(question.history.arm_names.size());
  first[static_cast<std::size_t>(arm)] = rewards;
  lose(std::move(first), question.history);
  return observed(question, order, Estimates::all).reports;
}

}  // namespace longrun
