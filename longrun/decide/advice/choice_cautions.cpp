#include "longrun/decide/advice/choice_cautions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "longrun/base/text.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Returns a warning if the policy gives most of a round to an arm of which little is known, or an empty text.
std::string few_rewards_caution(const Question& question, const Recommendation& answer) {
  constexpr Pulls kFew = 10;   // rewards; fewer than these say little about an arm
  constexpr Pulls kMany = 10;  // pulls; of fewer, smaller rounds would hardly be decided better
  const auto report = [&](Arm arm) -> const ArmReport& { return answer.arms[static_cast<std::size_t>(arm)]; };
  const bool something_known =
      std::any_of(answer.arms.begin(), answer.arms.end(), [](const ArmReport& arm) { return arm.rewards > 0; });
  if (!something_known || answer.arms.size() == 1) return "";
  const Pulls all = answer.next.pulls();
  for (const NextPulls& next : answer.next.arms) {
    const Pulls pulls = next.pulls(PullCause::choice);
    const Pulls rewards = report(next.arm).rewards;
    if (pulls < kMany || 2 * pulls <= all || rewards >= kFew) continue;
    return fmt::format(
        "{} pulls of the round go to {}, of which only {} known. Smaller rounds would learn more: there, the first "
        "rewards of these pulls would help to decide on the others.",
        pulls == all ? fmt::format("All {}", all) : fmt::format("{} of the {}", pulls, all),
        arm_label(question.history.arm_names, next.arm),
        rewards == 1 ? "1 reward is" : fmt::format("{} rewards are", rewards));
  }
  return "";
}

/// Returns a warning if the newest rewards of an arm are clearly outside the scale, or an empty text.
std::string outside_scale_caution(const Question& question, const Recommendation& answer) {
  constexpr double kClearly = 1.2815516;  // standard errors: the 90 % quantile of the standard normal distribution
  constexpr Pulls kFewest = 3;            // rewards of unknown noise: a few amounts, which are skewed, say little
  for (std::size_t arm = 0; arm < answer.arms.size(); ++arm) {
    const auto& now = answer.arms[arm].reward_now;
    if (!now || (!question.noise && now->pulls < kFewest)) continue;
    const double error = kClearly * now->standard_error;
    if (now->mean - error <= question.scale.maximum && now->mean + error >= question.scale.minimum) continue;
    const bool is_one = now->pulls == 1;
    return fmt::format(
        "The newest {} of {}, about {}, {} outside the scale from {:g} to {:g} and {} as its nearest end. If {} "
        "correct, "
        "state a wider scale: it must contain the mean reward of every arm.",
        is_one ? "reward" : fmt::format("{} rewards", now->pulls),
        arm_label(question.history.arm_names, static_cast<Arm>(arm)), reward_text(question.scale, now->mean),
        is_one ? "is" : "are", question.scale.minimum, question.scale.maximum, is_one ? "counts" : "count",
        is_one ? "it is" : "they are");
  }
  return "";
}

/// Returns a warning if the policy leaves an arm because it classified it as falling, although its rewards do not show
/// a fall and are now above all that is expected of the choice; or an empty text. Of several arms, the best one is
/// named.
std::string doubtful_fall_caution(const Question& question, const Recommendation& answer) {
  if (answer.next.pulls() == 0 || answer.last_decision || answer.costs_differ) return "";
  const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
  if (!first.expected) return "";
  const auto is_left_in_doubt = [&](const ArmReport& arm) {
    return arm.classified_falling && arm.index < first.index && arm.trend && arm.trend->stated() != Trend::falling &&
           arm.reward_now && arm.reward_now->low > first.expected->high;
  };
  const ArmReport* best = nullptr;
  for (const ArmReport& arm : answer.arms) {
    if (is_left_in_doubt(arm) && (!best || arm.reward_now->estimate > best->reward_now->estimate)) best = &arm;
  }
  if (!best) return "";
  const auto text = [&](double value) { return reward_text(question.scale, value); };
  const std::string label = arm_label(question.history.arm_names, static_cast<Arm>(best - answer.arms.data()));
  return fmt::format(
      "{} now pays about {}, more than {} is expected to pay ({} to {}), and its rewards do not show that it falls; "
      "but "
      "the policy classified it as falling, which may be chance. If you know no reason why it should fall, pull {}.",
      capitalised(label), text(best->reward_now->estimate), arm_label(question.history.arm_names, answer.next.first),
      text(first.expected->low), text(first.expected->high), label);
}

/// Returns a warning if the arm that is expected to pay most is not the choice, and rewards of it count that contradict
/// the assumption: whether they are the reason; or an empty text.
std::string misfit_choice_caution(const Question& question, const Recommendation& answer) {
  if (!answer.without_misfit) return "";
  const auto& [rewards, index, index_of_first] = *answer.without_misfit;
  const ArmReport& better = answer.arms[static_cast<std::size_t>(*answer.better)];
  const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
  const auto text = [&](double value) { return reward_text(question.scale, value); };
  const std::string label = arm_label(question.history.arm_names, *answer.better);
  const std::string chosen = arm_label(question.history.arm_names, answer.next.first);
  const bool decides = index > index_of_first;
  return fmt::format(
      "{} is expected to pay {} more per remaining pull than {}, but has a smaller index, {} instead of {}. {} counts "
      "its first {} rewards, which contradict the assumption; without them its index would be {}, {} that of {}, {}.",
      capitalised(label), reward_difference_text(question.scale, better.expected->mean - first.expected->mean), chosen,
      text(better.index), text(first.index), decides ? "That is because it" : "It", rewards, text(index),
      decides ? "above" : "still not above", chosen, text(index_of_first));
}

}  // namespace

std::vector<std::string> choice_cautions(const Question& question, const Recommendation& answer) {
  std::vector<std::string> sentences;
  for (std::string caution : {misfit_choice_caution(question, answer), doubtful_fall_caution(question, answer),
                              outside_scale_caution(question, answer), few_rewards_caution(question, answer)}) {
    if (!caution.empty()) sentences.push_back(std::move(caution));
  }
  return sentences;
}

}  // namespace longrun
