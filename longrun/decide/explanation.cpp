#include "longrun/decide/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "longrun/base/text.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

std::string pull_count(Pulls count) { return fmt::format("{} {}", count, count == 1 ? "pull" : "pulls"); }

std::string trend_sentence(const CurveTrend& trend) {
  const Trend stated = trend.stated();
  if (stated != Trend::undecided) return fmt::format("it is {}", trend_text(trend));
  return fmt::format("its trend is undecided (rising {}, falling {}, steady {})", share_text(trend.rising),
                     share_text(trend.falling), share_text(trend.steady));
}

/// The sentences that explain the answer to a question.
class Explanation {
 public:
  Explanation(const Question& question, const Recommendation& answer)
      : question_(question),
        answer_(answer),
        policy_(answer.policy),
        costs_(!question.constraints.costs.named.empty()) {}

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
    return report(first).pulls < answer_.initial_pulls ? initial_pulls(first) : comparison(first);
  }

  /// Returns the present reward and trend of an arm that has been pulled.
  std::string reward_now(Arm chosen) const {
    const RewardNow& now = *report(chosen).reward_now;
    std::string text =
        fmt::format("{} now pays {}{}", capitalised(arm(chosen)), exact() ? "" : "about ", reward(now.mean));
    if (!exact()) {
      text +=
          fmt::format(" ({}, standard error {})",
                      now.pulls == 1 ? "its last reward" : fmt::format("the mean of its last {} rewards", now.pulls),
                      difference(now.standard_error));
    }
    return text + fmt::format("; {}.", trend_sentence(*report(chosen).trend));
  }

  /// Returns what the first arm is expected to pay, and what it is pulled for if another one is expected to pay more.
  std::vector<std::string> expectation() const {
    const auto& expected = report(answer_.next.first).expected;
    if (!expected) return {};
    std::vector<std::string> sentences{
        fmt::format("Over all remaining pulls it is expected to pay {} per pull ({} to {} with a probability of 80 %).",
                    reward(expected->mean), reward(expected->low), reward(expected->high))};
    if (const std::string reason = why_less_than_now(); !reason.empty()) sentences.push_back(reason);
    const auto& learn = answer_.to_learn;
    if (learn && learn->probability == 0) {
      if (compared(learn->instead) > compared(answer_.next.first)) return sentences;  // a trial that a study continues
      sentences.push_back(fmt::format(
          "{} is expected to pay {} more per remaining pull. The index of {} is larger because the policy also counts "
          "growth that the rewards do not exclude.",
          capitalised(arm(learn->instead)), difference(report(learn->instead).expected->mean - expected->mean),
          arm(answer_.next.first)));
    } else if (learn) {
      sentences.push_back(fmt::format(
          "It is pulled to learn: {} is expected to pay {} more per remaining pull{}. But with a probability "
          "of {} {} pays more than that, on average {} more per remaining pull, and its next pulls show "
          "whether it does.",
          arm(learn->instead), difference(report(learn->instead).expected->mean - expected->mean),
          learn->cost > 0 ? fmt::format(", and {} more at the next pull", difference(learn->cost)) : "",
          share_text(learn->probability), arm(answer_.next.first), difference(learn->gain)));
    }
    return sentences;
  }

  /// Returns the reason of an empty round.
  std::string nothing_to_pull() const {
    if (answer_.remaining <= 0) {
      if (question_.constraints.none()) return fmt::format("All {} have been made.", pull_count(question_.horizon));
      return "The rest of the budget does not pay for any pull.";
    }
    const std::set<Arm> unavailable(question_.unavailable_now.begin(), question_.unavailable_now.end());
    if (std::ssize(unavailable) >= question_.history.arms()) return "All arms are unavailable now.";
    return "No available arm can be paid for, or the rest of the budget is reserved for the minimum pulls of arms that "
           "are unavailable, or the next pull is more rounds ahead than are searched.";
  }

 private:
  /// Returns why a rising arm is expected to pay less later than now; empty if it is not.
  std::string why_less_than_now() const {
    const ArmReport& first = report(answer_.next.first);
    const double least = first.reward_now->mean - first.reward_now->standard_error;
    if (first.trend->stated() != Trend::rising || first.expected->mean >= least) return "";
    std::ptrdiff_t fallen = 0;
    for (const ArmReport& other : answer_.arms)
      fallen += other.trend && other.trend->stated() == Trend::falling ? 1 : 0;
    const std::string others = fallen == 0   ? "arms can fall after a while"
                               : fallen == 1 ? "another arm has begun to fall"
                                             : fmt::format("{} other arms have begun to fall", fallen);
    return fmt::format("That is less than it pays now, although it is rising: {}, so this one may fall as well.",
                       others);
  }

  std::string initial_pulls(Arm chosen) const {
    return fmt::format("Every arm gets {} before arms are compared; {} has {} so far.",
                       pull_count(answer_.initial_pulls), arm(chosen),
                       report(chosen).pulls == 0 ? "none" : std::to_string(report(chosen).pulls));
  }

  /// Returns the number by which index policies compare arms: the index, per unit of cost if it is positive.
  double compared(Arm arm) const {
    const double index = question_.scale.to_unit(report(arm).index);
    return index > 0 ? index / static_cast<double>(question_.constraints.costs.at(arm)) : index;
  }

  std::string index_text(Arm arm) const {
    const std::string index = reward(report(arm).index);
    if (!costs_) return index;
    return fmt::format("{} at cost {}", index, question_.constraints.units_text(question_.constraints.costs.at(arm)));
  }

  std::string comparison(Arm chosen) const {
    std::vector<Arm> others;  // largest index first
    for (Arm other = 0; other < question_.history.arms(); ++other) {
      if (other != chosen) others.push_back(other);
    }
    std::stable_sort(others.begin(), others.end(), [this](Arm a, Arm b) { return compared(a) > compared(b); });
    const auto next =
        std::find_if(others.begin(), others.end(), [&](Arm arm) { return compared(arm) <= compared(chosen); });
    const char* quantity = costs_ ? "index per unit of cost" : "index";
    std::string text = fmt::format("{} has the largest {}: {}", capitalised(arm(chosen)), quantity, index_text(chosen));
    const bool unrestricted = question_.constraints.none() && question_.unavailable_now.empty();
    if (next != others.begin() && answer_.of_study) {
      return fmt::format(
          "{} is chosen although {} has a larger {}, {} instead of {}: {}the study recomputes an {} only from time to "
          "time, so that a trial of an arm lasts for a while{}.",
          capitalised(arm(chosen)), arm(others.front()), quantity, index_text(others.front()), index_text(chosen),
          unrestricted ? "" : "that arm cannot be pulled now, or ", quantity,
          answer_.pending > 0 ? ", and it counts pending pulls as if they had paid what is expected of them" : "");
    }
    if (next != others.begin() && unrestricted) {  // only pending pulls can be the reason
      text = fmt::format(
          "{} is chosen because the policy counts pending pulls as if they had paid what is expected of them. Without "
          "them, its {} is {}, and {} has a larger one ({})",
          capitalised(arm(chosen)), quantity, index_text(chosen), arm(others.front()), index_text(others.front()));
    } else if (next != others.begin()) {
      text = fmt::format("{} has the largest {} of the arms that can be pulled now: {}; {} has a larger one ({})",
                         capitalised(arm(chosen)), quantity, index_text(chosen), arm(others.front()),
                         index_text(others.front()));
    }
    if (next != others.end()) text += fmt::format("; next is {} with {}", arm(*next), index_text(*next));
    return text + ".";
  }

  const Question& question_;
  const Recommendation& answer_;
  PolicyChoice policy_;
  bool costs_;  // whether pulls of different arms can cost different units
};

/// Returns numbers of pulls as text: "arm 0 (tea) 3 times and arm 2 (coffee) once".
std::string counted(const std::vector<std::pair<std::string, Pulls>>& arms) {
  std::vector<std::string> parts;
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
  if (round.pulls() > 1) sentences.emplace_back("All pulls of a round are decided before any of its rewards is known.");
}

/// Returns a warning if all rewards lie in a small part of the scale, or an empty text.
std::string scale_caution(const Question& question) {
  constexpr double kSmallPart = 0.02;
  constexpr int kFewestSeen = 10;  // rewards
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  int count = 0;
  for (const PastPull& pull : question.history.pulls) {
    if (!pull.reward) continue;
    low = std::min(low, *pull.reward);
    high = std::max(high, *pull.reward);
    ++count;
  }
  if (count < kFewestSeen || high - low >= kSmallPart * question.scale.range()) return "";
  return fmt::format(
      "All rewards lie between {} and {}, a small part of the scale from {} to {}. The estimates count with any reward "
      "of "
      "the scale: if no arm can reach its ends, state a narrower scale.",
      low, high, question.scale.minimum, question.scale.maximum);
}

/// Returns a range of rewards as text: "below 0.43", "above 0.43" or "between 0.2 and 0.43".
std::string range_text(const RewardScale& scale, const Consequence& consequence) {
  if (consequence.from <= scale.minimum) return "below " + reward_text(scale, consequence.to);
  if (consequence.to >= scale.maximum) return "above " + reward_text(scale, consequence.from);
  return fmt::format("between {} and {}", reward_text(scale, consequence.from), reward_text(scale, consequence.to));
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

std::string what_to_do(const Question& question, const Recommendation& answer) {
  const std::vector<NextPulls>& arms = answer.next.arms;
  if (arms.empty()) return "No arm can be pulled.";
  const Explanation explanation(question, answer);
  if (question.constraints.none()) return fmt::format("Pull {} next.", explanation.arm(answer.next.first));
  std::vector<std::pair<std::string, Pulls>> counts;
  for (const NextPulls& next : arms) counts.emplace_back(explanation.arm(next.arm), next.pulls());
  return fmt::format("In round {}, pull {}.", answer.next.number, counted(counts));
}

std::vector<std::string> why(const Question& question, const Recommendation& answer) {
  const Explanation explanation(question, answer);
  if (answer.next.arms.empty()) return {explanation.nothing_to_pull()};
  std::vector<std::string> sentences;
  if (answer.made == answer.pending) sentences.emplace_back("No rewards have been observed yet.");
  sentences.push_back(explanation.reason());
  const Arm first = answer.next.first;
  if (explanation.report(first).reward_now) sentences.push_back(explanation.reward_now(first));
  for (std::string& sentence : explanation.expectation()) sentences.push_back(std::move(sentence));
  append_causes(explanation, answer.next, sentences);
  return sentences;
}

std::vector<std::string> cautions(const Question& question, const Recommendation& answer) {
  std::vector<std::optional<Misfit>> misfits;
  for (const ArmReport& arm : answer.arms) misfits.push_back(arm.misfit);
  return cautions(question, answer.outliers, misfits);
}

std::vector<std::string> cautions(const Question& question, const std::vector<Outlier>& outliers,
                                  const std::vector<std::optional<Misfit>>& misfits) {
  const auto label = [&](Arm arm) { return arm_label(question.history.arm_names, arm); };
  std::vector<std::string> sentences;
  if (std::string caution = scale_caution(question); !caution.empty()) sentences.push_back(std::move(caution));
  for (const Outlier& outlier : outliers) {
    const PastPull& pull = question.history.pulls[outlier.pull];
    const std::string place =
        pull.line > 0 ? fmt::format("line {}", pull.line) : fmt::format("pull {} of the history", outlier.pull + 1);
    sentences.push_back(fmt::format(
        "The reward {} of {} ({}) is far from the arm's rewards before and after it, as a mistake would be. "
        "It is counted as {}, which is typical there.",
        reward_text(question.scale, outlier.reward), label(pull.arm), place,
        reward_text(question.scale, outlier.typical)));
  }
  for (std::size_t arm = 0; arm < misfits.size(); ++arm) {
    if (!misfits[arm]) continue;
    const auto& [kind, from, to] = *misfits[arm];
    sentences.push_back(fmt::format(
        "{} {} (its rewards {} to {} are too small for those before and after them). The method assumes that growth "
        "slows down and that an arm that falls does not rise again: the upper bound of this arm may not hold, and the "
        "arm may be better than its estimates.",
        capitalised(label(static_cast<Arm>(arm))),
        kind == MisfitKind::speeds_up ? "grows faster later than before" : "falls and rises again", from, to));
  }
  return sentences;
}

std::vector<std::string> what_would_change(const Question& question, const Recommendation& answer) {
  if (!answer.what_if) return {"Nothing: no decision is left."};
  const auto& [arm, pulls, consequences] = *answer.what_if;
  const std::string pulled = arm_label(question.history.arm_names, arm);
  if (consequences.size() == 1) {
    const Arm only = consequences.front().arm;
    return {fmt::format("Nothing: for any {} of {}, {} {}.",
                        pulls == 1 ? "next reward" : fmt::format("mean of the next {} rewards", pulls), pulled,
                        arm_label(question.history.arm_names, only),
                        only == arm ? "stays the choice" : "is the next choice")};
  }
  const std::string supposed = pulls == 1 ? fmt::format("the next reward of {} is", pulled)
                                          : fmt::format("the next {} rewards of {} average", pulls, pulled);
  std::vector<std::string> sentences;
  for (const Consequence& consequence : consequences) {
    if (consequence.arm == arm) continue;
    sentences.push_back(fmt::format("If {} {}, the next choice is {}.", supposed,
                                    range_text(question.scale, consequence),
                                    arm_label(question.history.arm_names, consequence.arm)));
  }
  return sentences;
}

}  // namespace longrun
