#include "longrun/decide/advice/recommendation.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "longrun/base/cancellation.h"
#include "longrun/base/parallel.h"
#include "longrun/decide/advice/expectation.h"
#include "longrun/decide/advice/standing.h"

namespace longrun {
namespace {

FutureRange on_scale(const FutureRange& expected, const RewardScale& scale) {
  return {scale.from_unit(expected.mean), scale.from_unit(expected.low), scale.from_unit(expected.high)};
}

/// Converts all rewards of the answer from the scale from 0 to 1 to `scale`.
void to_scale(Recommendation& answer, const RewardScale& scale) {
  const auto difference = [&](double value) { return value * scale.range(); };
  answer.sd = difference(answer.sd);
  answer.stated_sd = difference(answer.stated_sd);
  if (answer.sd_of_rewards) answer.sd_of_rewards = difference(*answer.sd_of_rewards);
  for (ArmReport& arm : answer.arms) {
    if (arm.reward_now) {
      arm.reward_now->mean = scale.from_unit(arm.reward_now->mean);
      arm.reward_now->standard_error = difference(arm.reward_now->standard_error);
      arm.reward_now->estimate = scale.from_unit(arm.reward_now->estimate);
      arm.reward_now->low = scale.from_unit(arm.reward_now->low);
      arm.reward_now->high = scale.from_unit(arm.reward_now->high);
    }
    arm.noise_sd = difference(arm.noise_sd);
    if (arm.pending > 0) arm.pending_counted_as = scale.from_unit(arm.pending_counted_as);
    if (arm.expected) arm.expected = on_scale(*arm.expected, scale);
    for (ExpectedPull& pull : arm.expected_course) pull.reward = on_scale(pull.reward, scale);
    arm.index = scale.from_unit(arm.index);
    if (arm.value_of_learning) arm.value_of_learning = difference(*arm.value_of_learning);
    arm.upper_bound_total = static_cast<double>(arm.remaining) * scale.minimum + difference(arm.upper_bound_total);
    for (FuturePull& point : arm.upper_bound) point.reward = scale.from_unit(point.reward);
  }
  if (!answer.what_if) return;
  for (Consequence& consequence : answer.what_if->consequences) {
    consequence.from = scale.from_unit(consequence.from);
    consequence.to = scale.from_unit(consequence.to);
  }
}

/// The comparison of the first arm of a round with the others by what they are expected to pay.
class Alternatives {
 public:
  /// `answer` has the next round, and its reports are on the scale of the question.
  Alternatives(const Question& question, const Standing& standing, const Recommendation& answer)
      : question_(question),
        reports_(standing.reports),
        constraints_(standing.study.policy().constraints()),
        answer_(answer) {}

  /// Returns Recommendation::better.
  std::optional<Arm> better() const {
    const Arm first = answer_.next.first;
    if (!is_by_index() || !report(first).expected) return std::nullopt;
    Arm best = first;
    const double rounding = kIndexRounding * question_.scale.range();  // equal arms may differ by it
    for (Arm arm = 0; arm < question_.history.arms(); ++arm) {
      const auto& gone = question_.unavailable_now;
      if (!report(arm).expected || std::find(gone.begin(), gone.end(), arm) != gone.end()) continue;
      if (!constraints_.available(arm, answer_.next.number)) continue;
      if (per_part(arm, report(arm).expected->mean) > per_part(best, report(best).expected->mean) + rounding)
        best = arm;
    }
    return best == first ? std::nullopt : std::optional(best);
  }

  /// Returns Recommendation::larger. `before` is the state before the round.
  LargerIndex larger(ConstrainedPolicy before) const {
    const double least = compared_index(question_, answer_, answer_.next.first) + kIndexRounding;
    std::vector<Arm> larger;
    for (Arm arm = 0; arm < question_.history.arms() && is_by_index(); ++arm) {
      if (compared_index(question_, answer_, arm) > least) larger.push_back(arm);
    }
    LargerIndex result;
    if (larger.empty()) return result;
    const std::vector<Arm> allowed = allowed_at_choice(std::move(before));
    for (const Arm arm : larger) {
      std::optional<Arm>& best =
          std::binary_search(allowed.begin(), allowed.end(), arm) ? result.of_allowed : result.of_others;
      if (!best || compared_index(question_, answer_, arm) > compared_index(question_, answer_, *best)) best = arm;
    }
    return result;
  }

  /// Returns what the first pull can teach if `better` is expected to pay more.
  ToLearn to_learn(Arm better) const {
    const Arm first = answer_.next.first;
    const auto next_pull = [&](Arm arm) {
      const double reward = question_.scale.from_unit(expected_reward(reports_.futures(arm).spread(), 1).mean);
      return answer_.costs_differ ? reward / units(constraints_.cost(arm)) : reward;
    };
    ToLearn learned{.instead = better, .cost = next_pull(better) - next_pull(first)};
    const std::vector<FutureCurve> curves = reports_.futures(first).spread();
    const double to_exceed = per_part(better, report(better).expected->mean);
    double gains = 0;
    double exceeding = 0;
    for (const FutureCurve& curve : curves) {
      const double mean = question_.scale.from_unit(curve.mean(report(first).remaining));
      const double gain = per_part(first, mean) - to_exceed;
      if (gain <= 0) continue;
      gains += gain;
      exceeding += 1;
    }
    learned.probability = exceeding / static_cast<double>(curves.size());
    learned.gain = exceeding > 0 ? gains / exceeding : 0;
    return learned;
  }

 private:
  const ArmReport& report(Arm arm) const { return answer_.arms[static_cast<std::size_t>(arm)]; }
  /// Returns whether the first arm was chosen by its index.
  bool is_by_index() const {
    const ArmReport& first = report(answer_.next.first);
    return answer_.next.first_cause == PullCause::choice && first.rewards > 0 && !first.lacks_initial_pull &&
           PolicyChoice(question_.policy).entry().traits.estimates_arms;
  }
  /// Returns the arms that the first arm of the round was chosen from. Units may be saved for it over several rounds.
  std::vector<Arm> allowed_at_choice(ConstrainedPolicy before) const {
    const auto goes_by = [&](ConstrainedPolicy& state) {
      return state.round() + 1 < answer_.next.number && state.next_round().empty() && state.committed() == 0;
    };
    ConstrainedPolicy ahead = before;
    Pulls without_choice = 0;
    if (before.committed() == 0) {
      while (goes_by(ahead)) ++without_choice;
    }
    for (Pulls round = 0; round < without_choice; ++round) before.next_round();
    return before.allowed_next();
  }
  /// Returns units as people count them.
  double units(Pulls count) const {
    return static_cast<double>(count) / static_cast<double>(power_of_ten(question_.constraints.unit_decimals));
  }
  /// Returns what an arm with the mean reward `mean` pays per pull; where costs differ, per unit of the rest of the
  /// budget.
  double per_part(Arm arm, double mean) const {
    if (!answer_.costs_differ) return mean;
    return mean * static_cast<double>(report(arm).remaining) / units(answer_.units_left);
  }

  const Question& question_;
  const ArmReports& reports_;
  const ResolvedConstraints& constraints_;
  const Recommendation& answer_;
};

/// Returns whether no decision follows the round that `state` has decided on last, whatever its rewards are. Arms that
/// are unavailable now may be available again later.
bool nothing_follows(ConstrainedPolicy& state, const Question& question) {
  const DecidedRound later = take_next_round(state);
  if (!later.arms.empty() || later.obstacle == PullObstacle::search_limit) return false;
  return question.unavailable_now.empty() || later.obstacle == PullObstacle::budget;
}

/// Returns what would change the choice of `arm` after a history.
std::optional<WhatIf> what_if_of(const Question& question, const Standing& standing, Arm arm, Pulls pulls_so_far) {
  const ConstrainedPolicy& state = standing.study.policy();
  const Pulls pulls = supposed_pulls(state, arm, pulls_so_far, standing.reports.exact());
  if (pulls == 0 || question.history.arms() > kMostArmsOfWhatIf) return std::nullopt;
  const auto pulls_now = std::ssize(question.history.pulls);
  if (!is_judged_again(pulls_now, question.history.arms())) {
    return what_if(arm, pulls, [&](double reward) {
      ConstrainedPolicy after = state;
      for (Pulls pull = 0; pull < pulls; ++pull) after.add(arm, reward);
      return after;
    });
  }
  // The answer is that for a history with the supposed pulls as its last rows.
  Question later = question;
  later.history.pulls.resize(static_cast<std::size_t>(pulls_now + pulls), {.arm = arm});
  return what_if(arm, pulls, [&](double reward) {
    for (Pulls pull = 0; pull < pulls; ++pull)
      later.history.pulls[static_cast<std::size_t>(pulls_now + pull)].reward = question.scale.from_unit(reward);
    return state_of(later);
  });
}

/// Returns Recommendation::without_misfit. `answer` is complete but for that.
std::optional<WithoutMisfit> without_misfit(const Question& question, const Standing& standing,
                                            const Recommendation& answer, ObservedOrder order) {
  if (!answer.better || answer.costs_differ) return std::nullopt;
  const auto report = [&](Arm arm) -> const ArmReport& { return answer.arms[static_cast<std::size_t>(arm)]; };
  const std::optional<Misfit>& misfit = report(*answer.better).misfit;
  if (!misfit || misfit->counted > 0 || report(*answer.better).index >= report(answer.next.first).index)
    return std::nullopt;
  const ArmReports reports = reports_without(order == ObservedOrder::by_arm ? question : without_minima(question),
                                             standing, *answer.better, misfit->to, order);
  const auto index = [&](Arm arm) {
    const Pulls remaining = report(arm).remaining;
    return question.scale.from_unit(
        reports.report(arm, {.of_arm = remaining, .of_index = remaining}, ArmReports::Course::without).index);
  };
  return WithoutMisfit{
      .rewards = misfit->to, .index = index(*answer.better), .index_of_first = index(answer.next.first)};
}

/// Returns the answer. A study is asked itself what would change its choice: it has observed `of_history`.
Recommendation answer_of(const Question& question, const Standing& standing, ObservedOrder order) {
  const ArmReports& reports = standing.reports;
  const ConstrainedPolicy& state = standing.study.policy();
  Recommendation answer{.policy = standing.study.policy_text(), .next = {}, .arms = {}};
  answer.made = std::ssize(question.history.pulls);
  answer.units_left = standing.study.left();
  answer.remaining = standing.remaining;
  answer.costs_differ = state.constraints().costs_differ();
  answer.index_pulls = reports.pulls_of_index();
  answer.sd = reports.sd();
  answer.yes_or_no = reports.yes_or_no();
  answer.sd_estimated = reports.sd_is_estimate();
  answer.sd_of_rewards = reports.sd_of_rewards();
  answer.stated_sd = reports.stated_sd();
  answer.unmet = unmet_minima(state);
  answer.initial_pulls = reports.initial_pulls();
  answer.step = find_common_step(question.history, standing.outliers);
  const FarRewards far{standing.outliers, standing.doubtful};
  const auto [outliers, doubtful] = answer.step ? without_changed_part(far, *answer.step, question.history) : far;
  answer.outliers = outliers;
  answer.doubtful = doubtful;
  answer.pending = std::accumulate(standing.pending.begin(), standing.pending.end(), Pulls{0});
  answer.arms.resize(standing.pending.size());
  const auto course = std::ssize(answer.arms) <= kMostCourses ? ArmReports::Course::with : ArmReports::Course::without;
  // Other threads are worth their start only for many arms. This thread is one of them, so the others stop with it.
  in_parallel(answer.arms.size() < ArmReports::kFewestForThreads ? 1 : 0, answer.arms.size(), [&](std::size_t arm) {
    throw_if_cancelled();
    const Pulls of_arm = answer.units_left / state.constraints().cost(static_cast<Arm>(arm));
    const Pulls of_index = answer.costs_differ ? answer.index_pulls : of_arm;
    answer.arms[arm] = reports.report(static_cast<Arm>(arm), {.of_arm = of_arm, .of_index = of_index}, course);
    answer.arms[arm].misfit = standing.misfits[arm];
  });

  ConstrainedPolicy later = state;
  answer.next = take_next_round(later);
  answer.last_decision = !answer.next.arms.empty() && nothing_follows(later, question);
  if (answer.last_decision) {
    for (ArmReport& arm : answer.arms) {
      if (arm.value_of_learning) arm.value_of_learning = 0;
    }
  } else if (!answer.next.arms.empty()) {
    const Arm arm = answer.next.first;
    const Pulls pulls = answer.arms[static_cast<std::size_t>(arm)].pulls;
    answer.what_if = order == ObservedOrder::of_history ? what_if(standing.study, arm, pulls, reports.exact())
                                                        : what_if_of(question, standing, arm, pulls);
  }
  to_scale(answer, question.scale);
  std::vector<double> sds;
  for (const ArmReport& arm : answer.arms) {
    if (answer.sd_estimated && !answer.yes_or_no) sds.push_back(arm.noise_sd);
  }
  answer.noise = noise_by_arm(standing.counted, answer.stated_sd, sds);
  if (answer.next.arms.empty()) return answer;
  const Alternatives alternatives(question, standing, answer);
  answer.better = alternatives.better();
  answer.larger = alternatives.larger(state);
  // Exact rewards leave no noise to learn through: the policy compares upper bounds.
  const bool learns = answer.better && !answer.last_decision && !reports.exact();
  if (learns) answer.to_learn = alternatives.to_learn(*answer.better);
  answer.without_misfit = without_misfit(question, standing, answer, order);
  return answer;
}

/// Returns the first arm of the next round if these rewards count as typical; nullopt if no arm can be pulled.
std::optional<Arm> first_if_typical(const std::vector<Outlier>& outliers, Question question) {
  question.history = cleaned(std::move(question.history), outliers);
  const DecidedRound round = next_round(standing_of(question).study.policy());
  return round.arms.empty() ? std::nullopt : std::optional(round.first);
}

/// Returns the first arm of the next round if the rows of these pulls are deleted and the horizon is as much shorter;
/// nullopt if no arm can be pulled, an arm has no other rows, or constraints refer to all pulls.
std::optional<Arm> first_if_deleted(const PartOfHistory& part, Question question) {
  if (!question.constraints.none()) return std::nullopt;
  std::vector<PastPull>& pulls = question.history.pulls;
  pulls.erase(pulls.begin() + static_cast<std::ptrdiff_t>(part.begin),
              pulls.begin() + static_cast<std::ptrdiff_t>(part.end));
  question.horizon -= static_cast<Pulls>(part.end - part.begin);
  std::vector<bool> has_rows(question.history.arm_names.size());
  for (const PastPull& pull : pulls) has_rows[static_cast<std::size_t>(pull.arm)] = true;
  if (std::find(has_rows.begin(), has_rows.end(), false) != has_rows.end()) return std::nullopt;
  return first_if_typical({}, std::move(question));
}

}  // namespace

Recommendation recommend(const Question& question) {
  const Standing standing = standing_of(question);
  check_means(question);
  Recommendation answer = answer_of(question, standing, ObservedOrder::by_arm);
  if (!answer.outliers.empty()) {
    Question as_they_are = question;
    as_they_are.keep_outliers = true;
    answer.first_with_outliers = first_if_typical({}, std::move(as_they_are));
  }
  if (!answer.doubtful.empty()) {
    std::vector<Outlier> all = answer.outliers;
    all.insert(all.end(), answer.doubtful.begin(), answer.doubtful.end());
    // As after their correction: with less noise, other rewards may turn out to be far from their neighbours.
    answer.first_without_doubtful = first_if_typical(all, question);
  }
  if (answer.step) answer.first_without_step = first_if_deleted(pulls_in_question(*answer.step), question);
  return answer;
}

Recommendation recommend(const Question& question, const Study& study) {
  Standing standing = standing_of(without_minima(question), ObservedOrder::of_history);
  standing.study = study;
  standing.remaining = study.policy().constraints().most_pulls(study.left());
  Recommendation answer = answer_of(question, standing, ObservedOrder::of_history);
  answer.of_study = true;
  return answer;
}

}  // namespace longrun
