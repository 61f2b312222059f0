#include "longrun/decide/advice/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "longrun/base/text.h"
#include "longrun/decide/advice/expectation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

std::string pull_count(Pulls count) { return fmt::format("{} {}", count, count == 1 ? "pull" : "pulls"); }

std::string reward_count(Pulls count) { return fmt::format("{} {}", count, count == 1 ? "reward" : "rewards"); }

std::string trend_sentence(const CurveTrend& trend) {
  const Trend stated = trend.stated();
  if (stated != Trend::undecided) return fmt::format("it is {}", trend_text(trend));
  const bool hidden = trend.steady >= CurveTrend::kStated;  // and not stated, because a change would not show
  return fmt::format("its trend is undecided (rising {}, falling {}, steady {}{})", share_text(trend.rising),
                     share_text(trend.falling), share_text(trend.steady),
                     hidden ? ", but a change by a quarter would not show yet" : "");
}

/// The sentences that explain the answer to a question.
class Explanation {
 public:
  Explanation(const Question& question, const Recommendation& answer)
      : question_(question), answer_(answer), policy_(answer.policy), costs_(answer.costs_differ) {}

  std::string arm(Arm arm) const { return arm_label(question_.history.arm_names, arm); }
  std::string reward(double value) const { return reward_text(question_.scale, value); }
  std::string difference(double value) const { return reward_difference_text(question_.scale, value); }
  const ArmReport& report(Arm arm) const { return answer_.arms[static_cast<std::size_t>(arm)]; }
  bool exact() const { return answer_.sd == 0 && !answer_.sd_estimated; }

  /// Returns why the round begins with its first pull.
  std::string reason() const {
    const Arm first = answer_.next.first;
    if (answer_.next.first_cause == PullCause::share) {
      return fmt::format("{} is pulled for its minimum share: of all shares, its next pull has the earliest deadline.",
                         capitalised(arm(first)));
    }
    if (answer_.next.first_cause == PullCause::minimum) {
      return fmt::format(
          "{} has fewer pulls than its minimum. Minimum pulls come first, because their rewards inform all later "
          "choices.",
          capitalised(arm(first)));
    }
    if (!policy_.entry().traits.estimates_arms) {
      return fmt::format("{} is the choice of policy '{}': {}.", capitalised(arm(first)), policy_.text(),
                         policy_.entry().summary);
    }
    if (report(first).rewards == 0 && report(first).pulls > 0) return without_reward(first);
    return report(first).lacks_initial_pull ? initial_pulls(first) : comparison(first);
  }

  /// Returns the present reward and trend of an arm that has been pulled.
  std::string reward_now(Arm chosen) const {
    const RewardNow& now = *report(chosen).reward_now;
    // The mean of several rewards of an arm that rises or falls is behind what the next pull pays.
    const Trend trend = report(chosen).trend->stated();
    const bool moves = now.pulls > 1 && (trend == Trend::rising || trend == Trend::falling);
    constexpr double kDrawn = 0.25;  // standard errors by which other arms change the mean; less is not worth a word
    const bool drawn = std::abs(now.estimate - now.mean) > kDrawn * now.standard_error;
    const RewardScale& scale = question_.scale;
    const bool outside =
        std::clamp(now.mean, scale.minimum, scale.maximum) != now.mean && reward(now.mean) != reward(now.estimate);
    std::string text = fmt::format("{} {} {}{}", capitalised(arm(chosen)), moves ? "has lately paid" : "now pays",
                                   exact() ? "" : "about ", reward(drawn || outside ? now.estimate : now.mean));
    if (!exact()) {
      const std::string last =
          now.pulls == 1 ? "its last reward" : fmt::format("the mean of its last {} rewards", now.pulls);
      text += fmt::format(
          " ({}; {} to {} with a probability of 80 %)",
          outside ? fmt::format("{} is {}, which is outside the scale", last, reward(now.mean))
          : drawn ? fmt::format("{} is {}, and counts together with those of the other arms", last, reward(now.mean))
                  : last,
          reward(now.low), reward(now.high));
    }
    return text + fmt::format("; {}.", trend_sentence(*report(chosen).trend));
  }

  /// Returns whether no reward is known.
  bool nothing_known() const {
    return std::all_of(answer_.arms.begin(), answer_.arms.end(), [](const ArmReport& arm) { return arm.rewards == 0; });
  }

  /// Returns how the pulls of a round of several pulls are decided on.
  std::string how_a_round_is_decided() const {
    std::string text = "All pulls of a round are decided before any of its rewards is known";
    const bool has_choices = std::any_of(answer_.next.arms.begin(), answer_.next.arms.end(),
                                         [](const NextPulls& next) { return next.pulls(PullCause::choice) > 0; });
    if (!has_choices) return text + ".";
    if (nothing_known())
      return text + "; until the first reward is known, the arm that was chosen least often is next.";
    if (!imagines_rewards()) return text + ".";
    return text +
           fmt::format(", each as if those before it had {}.",
                       exact() ? "continued the last step of their arms"
                               : "paid the mean reward of their arms, as far back as noise explains the differences");
  }

 private:
  /// Returns the pulls of an arm in the next round that are the choice of the policy.
  Pulls chosen_pulls(Arm arm) const {
    for (const NextPulls& next : answer_.next.arms) {
      if (next.arm == arm) return next.pulls(PullCause::choice);
    }
    return 0;
  }
  /// Returns whether every choice of the round is made as if those before it had paid what is expected (LivePolicy).
  bool imagines_rewards() const {
    return !policy_.entry().traits.draws_every_choice &&
           std::all_of(answer_.arms.begin(), answer_.arms.end(), [](const ArmReport& arm) { return arm.rewards > 0; });
  }

  /// Returns the reason of a pull before arms are compared, and how many pulls of the round it is the reason of.
  std::string initial_pulls(Arm chosen) const {
    const Pulls lost = report(chosen).lost();
    const Pulls counted = report(chosen).pulls - lost;
    const Pulls lacking = answer_.initial_pulls - counted;
    const Pulls others = chosen_pulls(chosen) - lacking;
    std::string text =
        fmt::format("Every arm gets {} before arms are compared; {} has {} so far", pull_count(answer_.initial_pulls),
                    arm(chosen), counted == 0 ? "none" : std::to_string(counted));
    text += lost == 0 ? "."
                      : fmt::format(", in addition to {} whose {}: an initial pull without a reward is repeated.", lost,
                                    lost == 1 ? "reward is lost" : "rewards are lost");
    if (others > 0 && imagines_rewards()) {
      text += fmt::format(
          " That is the reason of {} of its {}; the other {} {} the choice of the policy if {} what is "
          "expected after {}.",
          lacking, pull_count(chosen_pulls(chosen)), others, others == 1 ? "is" : "are",
          lacking == 1 ? "the first pays" : "the first pay", reward_count(report(chosen).rewards));
    }
    return text;
  }

  /// Returns the reason of a pull of an arm that has been pulled and has no known reward (LivePolicy).
  std::string without_reward(Arm chosen) const {
    const std::string pulls = pull_count(report(chosen).pulls);
    if (nothing_known()) {
      return fmt::format("Until the first reward is known, the arm that was chosen least often is next: {} has {}.",
                         arm(chosen), pulls);
    }
    if (answer_.last_decision) {
      return fmt::format(
          "No reward of {} is known after {}. The policy tries such an arm again from time to time, also now, when no "
          "decision is left that could use its reward.",
          arm(chosen), pulls);
    }
    return fmt::format("No reward of {} is known after {}. Such an arm is tried again from time to time.", arm(chosen),
                       pulls);
  }

  double compared(Arm arm) const { return compared_index(question_, answer_, arm); }
  std::string index_text(Arm arm) const { return longrun::index_text(question_, answer_, arm); }

  /// Returns why the arm is chosen although `larger`, which could be pulled instead, has a larger index.
  std::string why_not(Arm larger, Arm chosen, const std::string& quantity) const {
    std::string text =
        fmt::format("{} is chosen although {} has a larger {}, {} instead of {}: ", capitalised(arm(chosen)),
                    arm(larger), quantity, index_text(larger), index_text(chosen));
    if (report(larger).rewards == 0) {
      return text + fmt::format(
                        "no reward of {} is known after {}, and such an arm is tried again only from time to "
                        "time.",
                        arm(larger), pull_count(report(larger).pulls));
    }
    std::vector<std::string> reasons;
    if (!exact()) {
      reasons.push_back(fmt::format(
          "the study recomputes an {} only from time to time, so that a trial of an arm lasts for a while", quantity));
    }
    if (answer_.pending > 0) reasons.emplace_back("a reward waits for those of earlier pulls of its arm");
    if (reasons.empty()) reasons.emplace_back("the study has kept a state from before its settings were changed");
    return text + fmt::format("{}.", fmt::join(reasons, ", and "));
  }

  std::string comparison(Arm chosen) const {
    const std::string quantity = costs_ ? "index per unit of cost" : "index";
    const auto& [of_allowed, of_others] = answer_.larger;
    std::vector<Arm> named{chosen};
    std::string text;
    if (of_allowed) {
      text = why_not(*of_allowed, chosen, quantity);
      named.push_back(*of_allowed);
    } else {
      text = fmt::format("{} has the largest {}{}: {}", capitalised(arm(chosen)), quantity,
                         of_others ? " of the arms that can be pulled now" : "", index_text(chosen));
      if (of_others) {
        text += fmt::format("; {} has a larger one, {}", arm(*of_others), index_text(*of_others));
        named.push_back(*of_others);
      }
      if (const auto next = next_after(chosen)) {
        const bool same = compared(*next) >= compared(chosen) - kIndexRounding;
        const bool looks_same = index_text(*next) == index_text(chosen);
        text += same         ? fmt::format(", as has {}", arm(*next))
                : looks_same ? fmt::format("; that of {} is nearly the same", arm(*next))
                             : fmt::format("; next is {} with {}", arm(*next), index_text(*next));
        named.push_back(*next);
      }
      text += '.';
    }
    for (const std::string& sentence : meaning_of_indices(question_, answer_, named)) text += " " + sentence;
    return text;
  }

  /// Returns the arm with the largest index that is not above that of `chosen`; nullopt if there is none.
  std::optional<Arm> next_after(Arm chosen) const {
    std::optional<Arm> next;
    for (Arm other = 0; other < question_.history.arms(); ++other) {
      if (other == chosen || other == answer_.larger.of_others) continue;
      if (compared(other) > compared(chosen) && answer_.larger.of_others) continue;
      if (!next || compared(other) > compared(*next)) next = other;
    }
    return next;
  }

  const Question& question_;
  const Recommendation& answer_;
  PolicyChoice policy_;
  bool costs_;  // whether pulls of different arms can cost different units
};

/// Returns numbers of pulls as text: "arm 0 (tea) 3 times and arm 2 (coffee) once".
std::string counted(const std::vector<std::pair<std::string, Pulls>>& arms) {
  std::vector<std::string> parts;
  parts.reserve(arms.size());
  for (const auto& [arm, pulls] : arms) {
    parts.push_back(pulls == 1 ? arm + " once" : fmt::format("{} {} times", arm, pulls));
  }
  if (parts.size() == 1) return parts[0];
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

/// Appends which arms a round pulls for which cause, unless there is only one arm and one cause.
void append_causes(const Explanation& explanation, const DecidedRound& round, std::vector<std::string>& sentences) {
  std::map<PullCause, std::vector<std::pair<std::string, Pulls>>> arms;
  for (const NextPulls& next : round.arms) {
    for (const auto& [cause, pulls] : next.causes) arms[cause].emplace_back(explanation.arm(next.arm), pulls);
  }
  const auto append = [&](PullCause cause, const char* reason) {
    if (!arms[cause].empty()) sentences.push_back(fmt::format("{}: {}.", reason, counted(arms[cause])));
  };
  if (round.arms.size() > 1 || round.arms[0].causes.size() > 1) {
    append(PullCause::share, "For minimum shares");
    append(PullCause::minimum, "For minimum pulls");
    append(PullCause::choice, "By the choice of the policy");
  }
  if (round.pulls() > 1) sentences.push_back(explanation.how_a_round_is_decided());
}

std::string rounds_text(Pulls first, Pulls last) {
  return first == last ? fmt::format("round {}", first) : fmt::format("rounds {} to {}", first, last);
}

/// Returns sentences about the rounds without pulls before this one, each with a space after it.
std::string rounds_before(const Explanation& explanation, const DecidedRound& round) {
  std::string text;
  const Pulls saving_from = round.number - round.saving;
  if (round.without_choice > 0) {
    text +=
        fmt::format("No arm can be pulled in {}. ", rounds_text(saving_from - round.without_choice, saving_from - 1));
  }
  if (round.saving > 0) {
    text += fmt::format("Nothing is pulled in {}: units are saved for {}. ", rounds_text(saving_from, round.number - 1),
                        explanation.arm(round.first));
  }
  return text;
}

/// Adds what the next decision does if no arm can be pulled: it may end a round.
void append_round_without_pulls(const Question& question, const DecidedRound& last,
                                std::vector<std::string>& sentences) {
  const Pulls ended = last.without_choice + last.saving;
  if (ended == 0) return;
  sentences.push_back(fmt::format("The next decision ends round {} without a pull; units that it leaves {}.",
                                  last.number - ended + 1, question.constraints.units_lapse ? "lapse" : "are kept"));
}

/// Returns a range of rewards as text: "below 0.43", "above 0.43", "between 0.2 and 0.43" or, if only one end of the
/// scale is in it, "0.000".
std::string range_text(const RewardScale& scale, const Consequence& consequence) {
  const std::string from = reward_text(scale, consequence.from);
  const std::string to = reward_text(scale, consequence.to);
  const bool from_end = consequence.from <= scale.minimum;
  const bool to_end = consequence.to >= scale.maximum;
  if (from == to) return from_end || to_end ? from : "about " + from;
  if (from_end) return "below " + to;
  if (to_end) return "above " + from;
  return fmt::format("between {} and {}", from, to);
}

/// Returns what would change the choice if no rewards of the next pulls do.
std::string without_what_if(const Question& question, const Recommendation& answer) {
  if (answer.next.arms.empty() && !question.unavailable_now.empty() && answer.next.obstacle != PullObstacle::budget) {
    return "An arm that is available again can be pulled.";
  }
  if (!answer.next.arms.empty() && !answer.last_decision && !answer.of_study &&
      question.history.arms() > kMostArmsOfWhatIf) {
    return fmt::format("Not computed for more than {} arms.", kMostArmsOfWhatIf);
  }
  if (!answer.next.arms.empty() && !answer.last_decision) {
    const Pulls pending = answer.arms[static_cast<std::size_t>(answer.next.first)].pending;
    if (pending > 0) {
      return fmt::format("Outcomes of {} pending {} of {} come first; what its next reward changes depends on them.",
                         pending, pending == 1 ? "pull" : "pulls",
                         arm_label(question.history.arm_names, answer.next.first));
    }
  }
  return "Nothing: no decision is left.";
}

}  // namespace

std::string reward_text(const RewardScale& scale, double reward) {
  constexpr int kDigits = 2;            // that a small reward has at least, without zeros in front
  constexpr double kNegligible = 1e-9;  // of the range; less is 0
  if (std::abs(reward) < kNegligible * scale.range()) reward = 0;
  const auto magnitude = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
  int decimals = 3 - magnitude(scale.range());
  if (reward != 0) decimals = std::max(decimals, kDigits - 1 - magnitude(std::abs(reward)));
  return fmt::format("{:.{}f}", reward, std::clamp(decimals, 0, 12));
}

std::string reward_difference_text(const RewardScale& scale, double difference) {
  return reward_text({.minimum = 0, .maximum = scale.range()}, difference);
}

std::string trend_text(const CurveTrend& trend) {
  if (trend.stated() == Trend::undecided) return std::string(name(Trend::undecided));
  if (trend.probability() == 1) return std::string(name(trend.stated()));
  return fmt::format("{}, {}", name(trend.stated()), share_text(trend.probability()));
}

std::string obstacle_sentence(const Question& question, PullObstacle obstacle, Pulls units_left) {
  const bool some_are_unavailable = !question.unavailable_now.empty();
  switch (obstacle) {
    case PullObstacle::budget:
      if (question.constraints.none()) {
        return question.horizon == 1 ? "The only pull has been made."
                                     : fmt::format("All {} have been made.", pull_count(question.horizon));
      }
      if (units_left == 0) return "No units are left.";
      return "The rest of the budget does not pay for any pull.";
    case PullObstacle::all_unavailable:
      return "All arms are unavailable now.";
    case PullObstacle::costs:
      return fmt::format("The remaining {} {} not pay for a pull of any {}.",
                         question.constraints.units_phrase(units_left),
                         question.constraints.is_one(units_left) ? "does" : "do",
                         some_are_unavailable ? "arm that is available now" : "arm");
    case PullObstacle::rounds:
      return fmt::format("{} be paid for in a remaining round in which it is available.",
                         some_are_unavailable ? "No arm that is available now can" : "No arm can");
    case PullObstacle::minima:
      return "The rest of the budget is reserved for the minimum pulls and shares of arms that are unavailable.";
    case PullObstacle::search_limit:
    case PullObstacle::none:
      break;
  }
  return "No arm can be pulled in the rounds that were searched; a later round may have a pull.";
}

std::string pending_sentence(Pulls pending, Pulls made) {
  const bool one = pending == 1;
  return fmt::format("{} of {} pulls {} pending: {} made, and {} not known yet.", pending, made, one ? "is" : "are",
                     one ? "it is" : "they are", one ? "its reward is" : "their rewards are");
}

std::string lost_sentence(const History& history, Pulls made) {
  const auto lost =
      std::count_if(history.pulls.begin(), history.pulls.end(), [](const PastPull& pull) { return pull.lost; });
  if (lost == 0) return {};
  return lost == 1
             ? fmt::format("1 of {} pulls is lost: it counts as a pull of its arm without a reward.", made)
             : fmt::format("{} of {} pulls are lost: they count as pulls of their arms without a reward.", lost, made);
}

std::string what_to_do(const Question& question, const Recommendation& answer) {
  const std::vector<NextPulls>& arms = answer.next.arms;
  if (arms.empty()) return "No arm can be pulled.";
  const Explanation explanation(question, answer);
  // Where a round is one unit and no round is special, its number says no more than the number of units spent.
  const bool has_rounds = question.constraints.units_per_round > power_of_ten(question.constraints.unit_decimals) ||
                          !question.constraints.unavailable.empty();
  const bool is_now = !answer.of_study || answer.next.without_choice + answer.next.saving == 0;
  if (!has_rounds && answer.next.pulls() == 1 && is_now)
    return fmt::format("Pull {} next.", explanation.arm(answer.next.first));
  std::vector<std::pair<std::string, Pulls>> counts;
  counts.reserve(arms.size());
  for (const NextPulls& next : arms) counts.emplace_back(explanation.arm(next.arm), next.pulls());
  return fmt::format("{}In round {}, pull {}.", rounds_before(explanation, answer.next), answer.next.number,
                     counted(counts));
}

std::vector<std::string> why(const Question& question, const Recommendation& answer) {
  const Explanation explanation(question, answer);
  if (answer.next.arms.empty()) {
    std::vector<std::string> reasons{obstacle_sentence(question, answer.next.obstacle, answer.units_left)};
    if (answer.of_study) append_round_without_pulls(question, answer.next, reasons);
    return reasons;
  }
  std::vector<std::string> sentences;
  if (explanation.nothing_known()) sentences.emplace_back("No rewards have been observed yet.");
  sentences.push_back(explanation.reason());
  const Arm first = answer.next.first;
  if (explanation.report(first).reward_now) sentences.push_back(explanation.reward_now(first));
  for (std::string& sentence : expectation(question, answer)) sentences.push_back(std::move(sentence));
  append_causes(explanation, answer.next, sentences);
  return sentences;
}

std::vector<std::string> what_would_change(const Question& question, const Recommendation& answer) {
  if (answer.last_decision && answer.next.pulls() > 1)
    return {"Nothing: all of these pulls are decided together, and no decision is left after them."};
  if (!answer.what_if) return {without_what_if(question, answer)};
  const auto& [arm, pulls, consequences] = *answer.what_if;
  constexpr const char* kAsNow =
      "That holds if the rewards so far count as they do now: whether some look like mistakes, or contradict the "
      "assumption, is not examined again for so large a log.";
  const bool judged_again =
      answer.of_study || is_judged_again(std::ssize(question.history.pulls), question.history.arms());
  const std::string pulled = arm_label(question.history.arm_names, arm);
  // Only the first pull of a round is asked for; the others are chosen as if those before them had paid what is
  // expected.
  const Pulls unit = power_of_ten(question.constraints.unit_decimals);
  const bool in_rounds = answer.next.pulls() > 1 || question.constraints.units_per_round > unit;
  if (consequences.size() == 1) {
    const Arm only = consequences.front().arm;
    const std::string supposed = pulls == 1 ? fmt::format("whatever the next reward of {} is", pulled)
                                            : fmt::format(
                                                  "if the next {} rewards of {} are all the same, whatever "
                                                  "they are",
                                                  pulls, pulled);
    const std::string choice =
        fmt::format("{} {}{}", arm_label(question.history.arm_names, only), only == arm ? "stays the" : "is the next",
                    in_rounds ? " choice for the first pull of the round after them" : " choice");
    std::vector<std::string> sentences{fmt::format("Nothing: {}, {}.", supposed, choice)};
    if (in_rounds) sentences.emplace_back("The other pulls of that round can go to other arms.");
    if (!judged_again) sentences.emplace_back(kAsNow);
    return sentences;
  }
  const std::string supposed = pulls == 1 ? fmt::format("the next reward of {} is", pulled)
                                          : fmt::format("the next {} rewards of {} average", pulls, pulled);
  std::vector<std::string> sentences;
  for (const Consequence& consequence : consequences) {
    if (consequence.arm == arm) continue;
    sentences.push_back(fmt::format(
        "If {} {}, the next choice{} is {}.", supposed, range_text(question.scale, consequence),
        in_rounds ? ", for the first pull of a round," : "", arm_label(question.history.arm_names, consequence.arm)));
  }
  if (!judged_again) sentences.emplace_back(kAsNow);
  return sentences;
}

}  // namespace longrun
