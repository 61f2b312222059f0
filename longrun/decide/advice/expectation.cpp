#include "longrun/decide/advice/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "longrun/base/decimal.h"
#include "longrun/base/text.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

constexpr double kMayBeFalling = 0.2;  // probability of an undecided trend that is named as a reason

/// Returns a sum of rewards with about four digits.
std::string total_text(double total) {
  constexpr int kDigits = 4;
  const int magnitude = total == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(total))));
  return fmt::format("{:.{}f}", total, std::clamp(kDigits - 1 - magnitude, 0, 12));
}

/// The words for what arms are expected to pay.
class ExpectationWords {
 public:
  ExpectationWords(const Question& question, const Recommendation& answer)
      : question_(question), answer_(answer), first_(answer.next.first) {}

  std::vector<std::string> sentences() const {
    const auto& expected = report(first_).expected;
    if (!expected) return {};
    std::vector<std::string> sentences{
        fmt::format("Over {} it is expected to pay {} per pull ({} to {} with a probability of 80 %).",
                    its_remaining_pulls(), reward(expected->mean), reward(expected->low), reward(expected->high))};
    if (std::string reason = why_index_is_outside(); !reason.empty()) sentences.push_back(std::move(reason));
    if (std::string reason = why_less_than_now(); !reason.empty()) sentences.push_back(std::move(reason));
    if (!answer_.better) return sentences;
    const auto& learn = answer_.to_learn;
    if (answer_.costs_differ) {
      append_comparison_at_costs(sentences);
    } else if (learn && learn->probability > 0 && learning_decides()) {
      sentences.push_back(what_it_teaches(*learn));
    } else {
      append_comparison_without_learning(sentences);
    }
    return sentences;
  }

 private:
  std::string arm(Arm arm) const { return arm_label(question_.history.arm_names, arm); }
  std::string reward(double value) const { return reward_text(question_.scale, value); }
  std::string difference(double value) const { return reward_difference_text(question_.scale, value); }
  const ArmReport& report(Arm arm) const { return answer_.arms[static_cast<std::size_t>(arm)]; }
  bool exact() const { return answer_.sd == 0 && !answer_.sd_estimated; }

  /// Returns what the better arm is expected to pay more per pull.
  double expected_more() const { return report(*answer_.better).expected->mean - report(first_).expected->mean; }

  /// Returns whether what the rewards of the first arm leave open is enough to choose it: its index is above its
  /// expected reward, and above that of the better arm.
  bool learning_decides() const {
    const double expected = std::max(report(first_).expected->mean, report(*answer_.better).expected->mean);
    return report(first_).index > expected + kIndexRounding * question_.scale.range();
  }

  /// Returns the pulls that the first arm's expected reward is a mean of.
  std::string its_remaining_pulls() const {
    if (!answer_.costs_differ) return "all remaining pulls";
    const Pulls pulls = report(first_).remaining;
    return fmt::format("the {} {} that the remaining {} {} for", pulls, pulls == 1 ? "pull" : "pulls",
                       question_.constraints.units_phrase(answer_.units_left),
                       question_.constraints.is_one(answer_.units_left) ? "pays" : "pay");
  }

  /// Returns why the index of an arm that was chosen by it is above the range of what is expected; empty if it is not.
  std::string why_index_is_outside() const {
    const ArmReport& first = report(first_);
    const bool by_index = PolicyChoice(question_.policy).entry().traits.estimates_arms &&
                          answer_.next.first_cause == PullCause::choice && !first.lacks_initial_pull;
    const bool compared_over_same = !answer_.costs_differ || first.remaining == answer_.index_pulls;
    if (!by_index || !compared_over_same || exact() || answer_.last_decision || first.classified_falling) return "";
    if (first.index <= first.expected->high + kIndexRounding * question_.scale.range()) return "";
    return "Its index is above this range: the policy gives growth that the rewards do not exclude more weight, "
           "because "
           "an arm that disappoints can be left.";
  }

  /// Returns why an arm is expected to pay less than now; empty if it is not.
  std::string why_less_than_now() const {
    const ArmReport& first = report(first_);
    const double least = first.reward_now->mean - first.reward_now->standard_error;
    if (first.expected->mean >= least || reward(first.expected->mean) == reward(first.reward_now->mean)) return "";
    const Trend trend = first.trend->stated();
    if (trend == Trend::falling) return "That is less than the mean of its newest rewards, because it is falling.";
    const char* although = trend == Trend::rising ? ", although it is rising" : "";
    if (!first.expected_course.empty() && first.expected_course.front().reward.mean < least) {
      const bool alone = answer_.arms.size() == 1 || trend == Trend::rising;
      return fmt::format(
          "That is less than the mean of its newest rewards{}: its curve is estimated from all of its rewards{}, and "
          "the newest are above it.",
          although, alone ? "" : " and those of the other arms");
    }
    if (trend == Trend::undecided && first.trend->falling >= kMayBeFalling) {
      return "That is less than it pays now, because it may have begun to fall.";
    }
    std::ptrdiff_t fallen = 0;
    for (const ArmReport& other : answer_.arms)
      fallen += other.trend && other.trend->stated() == Trend::falling ? 1 : 0;
    const std::string others = fallen == 0   ? "arms can fall after a while"
                               : fallen == 1 ? "another arm has begun to fall"
                                             : fmt::format("{} other arms have begun to fall", fallen);
    return fmt::format("That is less than it pays now{}: {}, so this one may fall as well.", although, others);
  }

  /// Returns why the first arm is pulled although `learn.instead` is expected to pay more.
  std::string what_it_teaches(const ToLearn& learn) const {
    const std::string more = fmt::format(
        "{} is expected to pay {} more per remaining pull{}", arm(learn.instead), difference(expected_more()),
        learn.cost > 0 ? fmt::format(", and {} more at the next pull", difference(learn.cost)) : "");
    const std::string chance = fmt::format(
        "ith a probability of {} {} pays more than that, on average {} more per "
        "remaining pull",
        share_text(learn.probability), arm(first_), difference(learn.gain));
    if (learn.probability > 0.5) return fmt::format("{}. But w{}.", capitalised(more), chance);
    const char* pulled = answer_.next.pulls() > 1 ? "The first pull is made" : "It is pulled";
    const double gain = learn.probability * learn.gain * static_cast<double>(answer_.remaining);
    if (gain < learn.cost) {
      return fmt::format(
          "{} to learn, but costs more than it is expected to gain: {}. W{}: the expected gain over all remaining "
          "pulls "
          "is {}.",
          pulled, more, chance, difference(gain));
    }
    return fmt::format("{} to learn: {}. But w{}, and its next pulls show whether it does.", pulled, more, chance);
  }

  /// Appends which arm is expected to earn more with the rest of the budget.
  void append_comparison_at_costs(std::vector<std::string>& sentences) const {
    const auto earns = [&](Arm arm) {
      const ArmReport& each = report(arm);
      return fmt::format("{} with {} {}", total_text(each.expected->mean * static_cast<double>(each.remaining)),
                         each.remaining, each.remaining == 1 ? "pull" : "pulls");
    };
    const Arm better = *answer_.better;
    sentences.push_back(
        fmt::format("If the rest of the budget went to one arm, {} is expected to earn more in total: {}, and {} {}.",
                    arm(better), earns(better), arm(first_), earns(first_)));
    if (answer_.last_decision) {
      sentences.emplace_back(nothing_to_learn());
    } else if (exact()) {
      sentences.push_back(why_index_is_larger());
    } else if (const ToLearn& learn = *answer_.to_learn; learn.probability > 0) {
      sentences.push_back(fmt::format(
          "With a probability of {} {} earns more than that, on average {} more per unit of the budget, and its next "
          "pulls show whether it does.",
          share_text(learn.probability), arm(first_), difference(learn.gain)));
    } else {
      sentences.push_back(fmt::format("No future that is expected of {} earns as much.", arm(first_)));
    }
  }

  void append_comparison_without_learning(std::vector<std::string>& sentences) const {
    const Arm better = *answer_.better;
    sentences.push_back(fmt::format("{} is expected to pay {} more per {}.", capitalised(arm(better)),
                                    difference(expected_more()), answer_.remaining == 1 ? "pull" : "remaining pull"));
    if (answer_.last_decision) sentences.emplace_back(nothing_to_learn());
    // If a study continues a trial, another sentence says so.
    if (answer_.larger.of_allowed) return;
    if (!exact() && compared_index(question_, answer_, better) > compared_index(question_, answer_, first_)) return;
    sentences.push_back(why_index_is_larger());
  }

  static const char* nothing_to_learn() {
    return "No decision is left after the next pulls, so nothing can be learned for later.";
  }

  /// Returns why the first arm has a larger index than the better one, although less is expected of it: of the two
  /// differences between an index and an expected reward, the larger one.
  std::string why_index_is_larger() const {
    const ArmReport& first = report(first_);
    const ArmReport& better = report(*answer_.better);
    const double counted_more = first.index - first.expected->mean;
    const double counted_less = better.expected->mean - better.index;
    if (exact()) {
      const bool same = compared_index(question_, answer_, first_) <=
                        compared_index(question_, answer_, *answer_.better) + kIndexRounding;
      return fmt::format("As the rewards are exact, the policy compares upper bounds on what arms pay{}, and {}.",
                         answer_.costs_differ ? " per unit of cost" : "",
                         same ? "those of both are the same" : fmt::format("that of {} is larger", arm(first_)));
    }
    if (counted_less > counted_more) {
      return fmt::format(
          "The policy counts less for {} than is expected here: its index, {}, is below its expected reward{}.",
          arm(*answer_.better), reward(better.index),
          better.classified_falling ? ", because the policy supposes that an arm that has fallen falls further" : "");
    }
    if (first.classified_falling) {
      return fmt::format(
          "The index of {} is larger because, for an arm that has fallen, it is an upper estimate of the next rewards, "
          "so that the arm is not given up too early.",
          arm(first_));
    }
    return fmt::format(
        "The index of {} is larger because the policy also counts a higher level or growth that the rewards do not "
        "exclude{}.",
        arm(first_), answer_.last_decision ? ", although no later pull uses growth" : "");
  }

  const Question& question_;
  const Recommendation& answer_;
  Arm first_;
};

}  // namespace

std::vector<std::string> expectation(const Question& question, const Recommendation& answer) {
  return ExpectationWords(question, answer).sentences();
}

double compared_index(const Question& question, const Recommendation& answer, Arm arm) {
  const double index = question.scale.to_unit(answer.arms[static_cast<std::size_t>(arm)].index);
  return index > 0 ? index / static_cast<double>(question.constraints.costs.at(arm)) : index;
}

std::string index_text(const Question& question, const Recommendation& answer, Arm arm) {
  std::string index = reward_text(question.scale, answer.arms[static_cast<std::size_t>(arm)].index);
  if (!answer.costs_differ) return index;
  const double compared = compared_index(question, answer, arm) * question.scale.range();
  const auto one = static_cast<double>(power_of_ten(question.constraints.unit_decimals));
  const bool divided = compared > 0;
  return fmt::format("{} ({} per pull, at cost {})",
                     reward_difference_text(question.scale, divided ? compared * one : compared), index,
                     question.constraints.units_text(question.constraints.costs.at(arm)));
}

std::vector<std::string> meaning_of_indices(const Question& question, const Recommendation& answer,
                                            const std::vector<Arm>& arms) {
  if (!answer.costs_differ) return {};
  std::vector<std::string> sentences;
  if (question.scale.minimum != 0) {
    sentences.push_back(fmt::format("Per unit of cost, an index counts from the smallest reward of the scale, {:g}.",
                                    question.scale.minimum));
  }
  std::vector<std::string> counts;
  std::vector<std::string> above;
  for (const Arm arm : arms) {
    const ArmReport& report = answer.arms[static_cast<std::size_t>(arm)];
    const std::string label = arm_label(question.history.arm_names, arm);
    if (report.remaining >= answer.index_pulls) continue;
    counts.push_back(fmt::format("{} of {}", report.remaining, label));
    const auto bound = report.upper_bound_per_pull();
    if (!bound || report.index <= *bound) continue;
    above.push_back(fmt::format("The index of {} is therefore above its upper bound, {} per pull.", label,
                                reward_text(question.scale, *bound)));
  }
  if (!counts.empty()) {
    sentences.push_back(fmt::format(
        "Indices are those of {} further pulls, as many as the budget pays for if all cost the least; it pays for {}.",
        answer.index_pulls, fmt::join(counts, ", ")));
  }
  sentences.insert(sentences.end(), above.begin(), above.end());
  return sentences;
}

}  // namespace longrun
