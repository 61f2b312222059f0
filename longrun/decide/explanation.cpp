#include "longrun/decide/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

std::string count_of(Pulls count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// A question with its answer, and the words for both.
class Words {
 public:
  Words(const Question& question, const Recommendation& answer)
      : question_(question), answer_(answer), policy_(answer.policy) {}

  std::string arm(Arm arm) const { return label(question_.history, arm); }
  std::string reward(double value) const { return reward_text(question_.scale, value); }
  const ArmReport& report(Arm arm) const { return answer_.arms[static_cast<std::size_t>(arm)]; }
  bool exact() const { return answer_.sd == 0 && !answer_.sd_estimated; }
  bool by_foresight() const { return policy_.entry().name == "foresight"; }

  std::string cause(const NextPull& pull) const {
    if (pull.cause == PullCause::share)
      return fmt::format("{} has a share, and its next pull is due.", capitalised(arm(pull.arm)));
    if (pull.cause == PullCause::minimum) {
      return fmt::format("{} lacks minimum pulls; what must be done is done first, where it teaches most.",
                         capitalised(arm(pull.arm)));
    }
    if (!by_foresight()) {
      return fmt::format("{} is the choice of '{}': {}.", capitalised(arm(pull.arm)), policy_.text(),
                         policy_.entry().summary);
    }
    return report(pull.arm).pulls < answer_.initial_pulls ? first_pulls(pull.arm) : comparison(pull.arm);
  }

  std::string first_pulls(Arm chosen) const {
    return fmt::format("Every arm gets {} before any are compared, and {} has had {}.",
                       count_of(answer_.initial_pulls, "pull", "pulls"), arm(chosen),
                       report(chosen).pulls == 0 ? "none" : std::to_string(report(chosen).pulls));
  }

  /// Worth per unit of cost, where costs differ, as index policies compare it.
  double value(Arm arm) const {
    const double worth = report(arm).worth;
    const auto cost = static_cast<double>(question_.constraints.costs.at(arm));
    return question_.scale.to_unit(worth) > 0 ? question_.scale.to_unit(worth) / cost : question_.scale.to_unit(worth);
  }

  std::string comparison(Arm chosen) const {
    std::vector<Arm> others;  // best first
    for (Arm other = 0; other < question_.history.arms(); ++other) {
      if (other != chosen) others.push_back(other);
    }
    std::stable_sort(others.begin(), others.end(), [this](Arm a, Arm b) { return value(a) > value(b); });
    const auto worse = std::find_if(others.begin(), others.end(), [&](Arm arm) { return value(arm) <= value(chosen); });
    std::string text = fmt::format("{} {} {} per pull over the {} that {}", capitalised(arm(chosen)),
                                   exact() ? "can still pay most:" : "is worth most:", reward(report(chosen).worth),
                                   answer_.remaining, answer_.remaining == 1 ? "remains" : "remain");
    const bool free = question_.constraints.none() && question_.away.empty();
    if (worse != others.begin() && !free) {
      text = fmt::format("{} is worth {} per pull; {} would be worth more ({}), but may not be pulled now",
                         capitalised(arm(chosen)), reward(report(chosen).worth), arm(others.front()),
                         reward(report(others.front()).worth));
    }
    if (worse != others.end()) text += fmt::format("; next is {} with {}", arm(*worse), reward(report(*worse).worth));
    const bool costs = !(question_.constraints.costs == PerArm<Pulls>{.every = 1});
    return text + (costs ? ". What counts is the worth per unit of cost." : ".");
  }

  std::string state(Arm chosen) const {
    const ArmReport& report = this->report(chosen);
    std::string text =
        fmt::format("{} now pays {}{}", capitalised(arm(chosen)), exact() ? "" : "about ", reward(report.level->value));
    if (!exact()) text += fmt::format(" (standard error {})", reward_difference(report.level->standard_error));
    if (report.trend == Trend::undecided) return text + "; whether it rises or falls can't be told.";
    text += report.trend == Trend::rising ? " and rises" : " and falls";
    const bool agrees = report.slope && (report.slope->value > 0) == (report.trend == Trend::rising);
    return text + (agrees ? fmt::format(" by {:.2g} per pull.", std::abs(report.slope->value)) : ".");
  }

  std::string reward_difference(double value) const {
    return reward_text({.minimum = 0, .maximum = question_.scale.range()}, value);
  }

  const Question& question() const { return question_; }
  const Recommendation& answer() const { return answer_; }

 private:
  const Question& question_;
  const Recommendation& answer_;
  PolicyChoice policy_;
};

/// "arm 2 (coffee), 3 times; then arm 0" for a round.
std::string in_order(const Words& words, const std::vector<NextPull>& pulls) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; begin < pulls.size(); begin = end) {
    while (end < pulls.size() && pulls[end].arm == pulls[begin].arm) ++end;
    const std::size_t times = end - begin;
    parts.push_back(words.arm(pulls[begin].arm) + (times == 1 ? "" : fmt::format(", {} times", times)));
  }
  return fmt::format("{}", fmt::join(parts, "; then "));
}

/// Why a round has other arms than its first, cause by cause.
void append_others(const Words& words, const std::vector<NextPull>& pulls, std::vector<std::string>& sentences) {
  std::vector<Arm> explained{pulls.front().arm};
  std::map<PullCause, std::vector<std::string>> arms;
  for (const auto& [arm, cause] : pulls) {
    if (std::find(explained.begin(), explained.end(), arm) != explained.end()) continue;
    explained.push_back(arm);
    arms[cause].push_back(words.arm(arm));
  }
  const auto say = [&](PullCause cause, const char* what) {
    if (!arms[cause].empty()) sentences.push_back(fmt::format("{}: {}.", what, fmt::join(arms[cause], ", ")));
  };
  say(PullCause::share, "Shares are due of");
  say(PullCause::minimum, "Minimum pulls are lacking of");
  say(PullCause::choice, "Chosen with the pulls before in flight");
  if (pulls.size() > 1) sentences.emplace_back("A round is decided before any of its rewards is seen.");
}

/// "below 0.43", "above 0.43" or "from 0.2 to 0.43".
std::string between(const Words& words, const Consequence& consequence) {
  const RewardScale& scale = words.question().scale;
  if (consequence.from <= scale.minimum) return "below " + words.reward(consequence.to);
  if (consequence.to >= scale.maximum) return "above " + words.reward(consequence.from);
  return fmt::format("between {} and {}", words.reward(consequence.from), words.reward(consequence.to));
}

}  // namespace

std::string reward_text(const RewardScale& scale, double reward) {
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(scale.range()))), 0, 12);
  return fmt::format("{:.{}f}", reward, decimals);
}

std::string what_to_do(const Question& question, const Recommendation& answer) {
  const Words words(question, answer);
  if (answer.next.empty()) return "There is nothing to pull.";
  const std::string pulls = in_order(words, answer.next);
  if (question.constraints.none()) return fmt::format("Pull {} next.", pulls);
  return fmt::format("In round {}, pull {}.", answer.round, pulls);
}

std::vector<std::string> why(const Question& question, const Recommendation& answer) {
  const Words words(question, answer);
  if (answer.next.empty()) {
    if (answer.remaining <= 0) return {"All pulls have been made."};
    if (std::ssize(question.away) >= question.history.arms()) return {"All arms are away."};
    return {
        "What is left of the budget can't be spent on any arm that is there, or has to be kept for the minima of arms "
        "that are not, or only after more rounds than are looked at."};
  }
  std::vector<std::string> sentences;
  if (answer.made == 0) sentences.emplace_back("Nothing has been observed yet.");
  const NextPull& first = answer.next.front();
  sentences.push_back(words.cause(first));
  if (words.report(first.arm).level) sentences.push_back(words.state(first.arm));
  append_others(words, answer.next, sentences);
  return sentences;
}

std::vector<std::string> what_would_change(const Question& question, const Recommendation& answer) {
  const Words words(question, answer);
  if (!answer.what_if) return {"No choice is left after it."};
  const auto& [arm, pulls, consequences] = *answer.what_if;
  const std::string supposed = pulls == 1 ? fmt::format("the next reward of {} is", words.arm(arm))
                                          : fmt::format("the next {} rewards of {} average", pulls, words.arm(arm));
  if (consequences.size() == 1) {
    const Arm only = consequences.front().arm;
    if (only == arm) return {fmt::format("Nothing: whatever {}, it stays the choice.", supposed)};
    return {fmt::format("Nothing: whatever {}, {} comes after.", supposed, words.arm(only))};
  }
  std::vector<std::string> sentences;
  for (const Consequence& consequence : consequences) {
    if (consequence.arm == arm) continue;
    sentences.push_back(
        fmt::format("If {} {}, {} is the choice.", supposed, between(words, consequence), words.arm(consequence.arm)));
  }
  return sentences;
}

}  // namespace longrun
