#include "longrun/report/advice/recommendation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

std::string reward_now_text(const Question& question, const Recommendation& answer, const ArmReport& arm) {
  if (!arm.reward_now) return "-";
  std::string text = reward_text(question.scale, arm.reward_now->mean);
  if (answer.sd == 0) return text;
  return fmt::format("{} +- {}", text, reward_difference_text(question.scale, arm.reward_now->standard_error));
}

std::string expected_text(const Question& question, const ArmReport& arm) {
  if (!arm.expected) return "-";
  return fmt::format("{} ({} to {})", reward_text(question.scale, arm.expected->mean),
                     reward_text(question.scale, arm.expected->low), reward_text(question.scale, arm.expected->high));
}

std::string upper_bound_text(const Question& question, const ArmReport& arm) {
  const auto per_pull = arm.upper_bound_per_pull();
  return per_pull ? reward_text(question.scale, *per_pull) + (arm.misfit ? "?" : "") : "-";
}

std::string learning_text(const Question& question, const ArmReport& arm) {
  return arm.value_of_learning ? reward_difference_text(question.scale, *arm.value_of_learning) : "-";
}

/// Returns the meaning of the column 'learning'.
std::string learning_meaning(const Recommendation& answer) {
  if (answer.last_decision) {
    return "Learning is the value of finding out early whether the arm is better than expected. It is 0, because no "
           "decision is left after the next pulls.";
  }
  return fmt::format(
      "Learning is the value of finding out early whether the arm is better than expected: how far the index, by which "
      "the policy compares arms{}, is above the {}, or 0 if it is below.",
      answer.costs_differ ? " per unit of cost" : "",
      answer.costs_differ
          ? fmt::format("reward expected over as many pulls as the index is for, {}", answer.index_pulls)
          : "expected reward");
}

/// Returns what pending pulls count as in decisions and indices.
std::string counted_as_text(const Question& question, const Recommendation& answer) {
  constexpr std::size_t kMost = 4;  // arms that are named
  if (answer.sd == 0) return "Decisions and indices count them as if the last step of each arm went on.";
  std::vector<std::string> arms;
  std::size_t others = 0;
  for (std::size_t arm = 0; arm < answer.arms.size(); ++arm) {
    if (answer.arms[arm].pending == 0) continue;
    if (arms.size() == kMost) {
      ++others;
      continue;
    }
    arms.push_back(fmt::format("{} for {}{}", reward_text(question.scale, answer.arms[arm].pending_counted_as),
                               arm_label(question.history.arm_names, static_cast<Arm>(arm)),
                               answer.arms[arm].rewards == 0 ? " (none of its rewards is known)" : ""));
  }
  return fmt::format(
      "Decisions and indices count each as the mean reward of its arm, as far back as noise explains the differences: "
      "{}{}.",
      fmt::join(arms, ", "), others == 0 ? "" : fmt::format(", and so on for {} more", others));
}

}  // namespace

std::string pending_text(const Question& question, const Recommendation& answer) {
  return pending_sentence(answer.pending, answer.made) + " " + counted_as_text(question, answer);
}

ArmRow arm_row(const Question& question, const Recommendation& answer, Arm arm) {
  const ArmReport& report = answer.arms[static_cast<std::size_t>(arm)];
  return {.label = label_of(question.history.arm_names, arm),
          .pulls = std::to_string(report.pulls),
          .remaining = std::to_string(report.remaining),
          .reward_now = reward_now_text(question, answer, report),
          .of_last = report.reward_now ? std::to_string(report.reward_now->pulls) : "-",
          .trend = report.trend ? trend_text(*report.trend) : "-",
          .expected = expected_text(question, report),
          .learning = learning_text(question, report),
          .upper_bound = upper_bound_text(question, report)};
}

std::vector<Arm> arms_in_table(const Recommendation& answer, std::size_t most) {
  std::vector<Arm> arms(answer.arms.size());
  std::iota(arms.begin(), arms.end(), Arm{0});
  if (arms.size() <= most) return arms;
  std::vector<Pulls> next(arms.size());  // pulls in the next round
  for (const NextPulls& each : answer.next.arms) next[static_cast<std::size_t>(each.arm)] = each.pulls();
  const auto before = [&](Arm a, Arm b) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    if (next[i] != next[j]) return next[i] > next[j];
    if (answer.arms[i].index != answer.arms[j].index) return answer.arms[i].index > answer.arms[j].index;
    return a < b;
  };
  std::partial_sort(arms.begin(), arms.begin() + static_cast<std::ptrdiff_t>(most), arms.end(), before);
  arms.resize(most);
  return arms;
}

std::vector<std::string> table_meaning(const Question& question, const Recommendation& answer) {
  std::vector<std::string> sentences;
  if (answer.costs_differ) {
    sentences.push_back(fmt::format(
        "The expected reward and the upper bound are per pull, if {} to "
        "the arm: the column 'left' has the pulls that this pays for.",
        question.constraints.is_one(answer.units_left)
            ? fmt::format("the remaining 1 of {} goes", question.constraints.units_phrase(question.horizon))
            : fmt::format("the remaining {} of {} all go", question.constraints.units_text(answer.units_left),
                          question.constraints.units_phrase(question.horizon))));
  } else {
    sentences.push_back(fmt::format(
        "The expected reward and the upper bound are per pull, if the remaining {} of {} pulls {} to the arm.",
        answer.remaining, answer.made + answer.remaining, answer.remaining == 1 ? "goes" : "all go"));
  }
  sentences.push_back(learning_meaning(answer));
  const bool all_inside = std::all_of(answer.arms.begin(), answer.arms.end(), [](const ArmReport& arm) {
    return !arm.expected || arm.expected->mean_is_inside();
  });
  if (!all_inside) {
    sentences.emplace_back(
        "An expected reward outside its range is due to a few possible futures far from the others.");
  }
  for (std::size_t arm = 0; arm < answer.arms.size(); ++arm) {
    const ArmReport& report = answer.arms[arm];
    const auto bound = report.upper_bound_per_pull();
    if (!report.expected || !bound || report.misfit || report.expected->mean <= *bound) continue;
    sentences.push_back(fmt::format(
        "The expected reward of {} is above its upper bound: they are computed in different ways, and the bound does "
        "not hold in 1 of {} cases.",
        arm_label(question.history.arm_names, static_cast<Arm>(arm)), report.classified_falling ? 10 : 20));
    break;  // one sentence is enough, also for thousands of arms
  }
  return sentences;
}

std::string noise_text(const Question& question, const Recommendation& answer) {
  if (answer.sd == 0) return "Rewards are treated as exact.";
  if (answer.yes_or_no) return "Rewards are yes or no; the noise of each arm is that of its rate.";
  const std::string sd = reward_difference_text(question.scale, answer.sd);
  if (!answer.sd_estimated) return fmt::format("The noise has standard deviation {}.", sd);
  if (!answer.sd_of_rewards)
    return fmt::format("The noise has standard deviation {}, an initial value until more rewards are observed.", sd);
  const std::string estimate = fmt::format("The noise has standard deviation {}, estimated from the rewards",
                                           reward_difference_text(question.scale, *answer.sd_of_rewards));
  if (answer.stated_sd == *answer.sd_of_rewards) return estimate + ".";
  return fmt::format("{}; the policy uses {}, because a first guess of a tenth of the scale counts as well.", estimate,
                     sd);
}

}  // namespace longrun
