#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "longrun/base/text.h"
#include "longrun/decide/advice/change_cautions.h"
#include "longrun/decide/advice/choice_cautions.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/newest_zeros.h"
#include "longrun/decide/advice/rating_codes.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Returns a warning if all rewards but very few, or but one number outside the scale, are at its ends; or an empty
/// text.
std::string nearly_yes_or_no_caution(const Question& question) {
  constexpr std::size_t kEnough = 50;    // rewards
  constexpr std::size_t kOneOther = 50;  // at most one other reward in so many
  std::array<std::size_t, 2> ends{};     // rewards at the lower and the upper end
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < question.history.pulls.size(); ++i) {
    const auto& reward = question.history.pulls[i].reward;
    if (!reward) continue;
    if (question.scale.is_end(*reward)) {
      ++ends[*reward == question.scale.maximum ? 1 : 0];
    } else {
      others.push_back(i);
    }
  }
  const std::size_t all = ends[0] + ends[1] + others.size();
  const bool both = ends[0] > 0 && ends[1] > others.size();
  if (others.empty() || all < kEnough || !both) return "";
  const PastPull& first = question.history.pulls[others[0]];
  const double unit = question.scale.to_unit(*first.reward);
  const bool is_code = (unit < 0 || unit > 1) && std::all_of(others.begin(), others.end(), [&](std::size_t i) {
                         return *question.history.pulls[i].reward == *first.reward;
                       });
  if (is_code && others.size() > 1) {
    return fmt::format(
        "{} of {} rewards are {:g} or {:g}; the other {} are {:g}, first that of {} ({}), and count as rewards. If "
        "this number means that a reward is missing, leave it out.",
        all - others.size(), all, question.scale.minimum, question.scale.maximum, others.size(), *first.reward,
        arm_label(question.history.arm_names, first.arm), place_of(question.history, others[0]));
  }
  if (others.size() * kOneOther > all) return "";
  return fmt::format(
      "{} of {} rewards are {:g} or {:g}, but the reward {:g} of {} ({}){}. If the rewards are yes or no, correct it: "
      "the noise of each arm is then known from its rate.",
      all - others.size(), all, question.scale.minimum, question.scale.maximum, *first.reward,
      arm_label(question.history.arm_names, first.arm), place_of(question.history, others[0]),
      others.size() == 1 ? " is not" : fmt::format(" and {} more are not", others.size() - 1));
}

/// Returns a warning for each arm with yes/no rewards whose known rewards are all the same since its first pending
/// pull, which is improbable by those before: then rewards of one kind become known later.
std::vector<std::string> selective_pending_cautions(const Question& question) {
  constexpr double kByChance = 0.01;  // probability that the known rewards since then are the same
  if (!rewards_are_yes_or_no(question.history, question.scale)) return {};
  struct Known {
    std::array<Pulls, 2> before{};  // rewards at the lower and the upper end
    std::array<Pulls, 2> since{};
    std::optional<std::size_t> first_pending;
  };
  std::vector<Known> arms(question.history.arm_names.size());
  for (std::size_t i = 0; i < question.history.pulls.size(); ++i) {
    const PastPull& pull = question.history.pulls[i];
    Known& arm = arms[static_cast<std::size_t>(pull.arm)];
    if (pull.reward) {
      ++(arm.first_pending ? arm.since : arm.before)[*pull.reward == question.scale.maximum ? 1 : 0];
    } else if (!pull.lost && !arm.first_pending) {
      arm.first_pending = i;
    }
  }
  std::vector<std::string> sentences;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    const Known& known = arms[arm];
    const std::size_t kind = known.since[1] > 0 ? 1 : 0;
    const Pulls since = known.since[kind];
    if (!known.first_pending || since == 0 || known.since[1 - kind] > 0) continue;
    // If the order did not matter, all since the first pending pull would be of this kind with this probability.
    double chance = 1;
    for (Pulls i = 0; i < since; ++i) {
      chance *= static_cast<double>(known.before[kind] + since - i) /
                static_cast<double>(known.before[0] + known.before[1] + since - i);
    }
    if (chance >= kByChance) continue;
    sentences.push_back(fmt::format(
        "Since the first pending pull of {} ({}), all {} known rewards of the arm are {:g}. If {} become known later "
        "than {}, its rate is {}.",
        arm_label(question.history.arm_names, static_cast<Arm>(arm)), place_of(question.history, *known.first_pending),
        since, kind == 1 ? question.scale.maximum : question.scale.minimum, kind == 1 ? "failures" : "successes",
        kind == 1 ? "successes" : "failures", kind == 1 ? "overestimated" : "underestimated"));
  }
  return sentences;
}

std::string outlier_sentence(const Question& question, const Outlier& outlier) {
  return fmt::format(
      "The reward {} of {} ({}) is far from the arm's rewards before and after it, as a mistake would be.",
      reward_text(question.scale, outlier.reward),
      arm_label(question.history.arm_names, question.history.pulls[outlier.pull].arm),
      place_of(question.history, outlier.pull));
}

/// Returns which rewards may be mistakes and count as they are all the same, of which there must be some.
std::string doubtful_sentence(const Question& question, const std::vector<Outlier>& doubtful) {
  constexpr std::size_t kMostNamed = 5;
  const auto text = [&](const Outlier& each) {
    return fmt::format("{} of {} ({})", reward_text(question.scale, each.reward),
                       arm_label(question.history.arm_names, question.history.pulls[each.pull].arm),
                       place_of(question.history, each.pull));
  };
  if (doubtful.size() == 1) {
    return fmt::format(
        "The reward {} is far from the arm's rewards next to it, as a mistake would be, but may be right. It counts as "
        "it is.",
        text(doubtful[0]));
  }
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kMostNamed, doubtful.size()); ++i) named.push_back(text(doubtful[i]));
  return fmt::format(
      "{} rewards are far from those next to them of the same arm, as mistakes would be, but may be right: {}{}. They "
      "count as they are.",
      doubtful.size(), fmt::join(named, ", "),
      doubtful.size() > kMostNamed ? fmt::format(" and {} more", doubtful.size() - kMostNamed) : "");
}

/// Returns what is chosen if doubtful rewards count as typical.
std::string corrected_sentence(const Question& question, const Recommendation& answer) {
  const bool same = !answer.next.arms.empty() && *answer.first_without_doubtful == answer.next.first;
  const bool one = answer.doubtful.size() == 1;
  return fmt::format("If {} mistake{}, correct {}: the choice is then {}.", one ? "it is a" : "they are",
                     one ? "" : "s", one ? "it" : "them",
                     same ? "the same" : arm_label(question.history.arm_names, *answer.first_without_doubtful));
}

/// Returns the arm that is chosen without the rewards that a common step puts in question, or an empty text.
std::string choice_without_step(const Question& question, const Recommendation& answer) {
  if (!answer.first_without_step) return "";
  const bool same = !answer.next.arms.empty() && *answer.first_without_step == answer.next.first;
  return same ? "the same" : arm_label(question.history.arm_names, *answer.first_without_step);
}

/// Returns what is chosen if rewards that look like mistakes count as they are.
std::string kept_outliers_sentence(const Question& question, const Recommendation& answer) {
  const bool same = !answer.next.arms.empty() && *answer.first_with_outliers == answer.next.first;
  const std::string which = answer.outliers.size() == 1 ? "this reward is" : "these rewards are";
  if (same) return fmt::format("If {} right, the choice is the same.", which);
  return fmt::format("If {} right, keep outliers: the choice is then {}.", which,
                     arm_label(question.history.arm_names, *answer.first_with_outliers));
}

void append_unmet_minima(const Question& question, const UnmetMinima& unmet, std::vector<std::string>& sentences) {
  for (const UnmetMinimum& each : unmet.arms) {
    sentences.push_back(
        fmt::format("The minimum of {} cannot be met any more: it requires {} pulls at the end, and at most {} are "
                    "possible, the {} "
                    "so far included.",
                    arm_label(question.history.arm_names, each.arm), each.least, each.possible, each.so_far));
  }
  if (!unmet.arms.empty() || !unmet.together()) return;
  sentences.push_back(fmt::format(
      "The minimum pulls and shares cannot all be met any more: those that are lacking cost {}, and {} {} left.",
      question.constraints.units_phrase(unmet.units_needed), question.constraints.units_text(unmet.units_left),
      question.constraints.is_one(unmet.units_left) ? "is" : "are"));
}

/// Returns a warning if the noise of two arms differs clearly, or an empty text.
std::string unequal_noise_caution(const Question& question, const NoiseByArm& noise) {
  constexpr double kMisleading = 1.25;  // ratio of the noise of all arms and that of one, from which it is told
  const auto extremes = clearly_different(noise);
  if (!extremes) return "";
  const auto [least, most] = *extremes;
  const NoiseByArm::Own& low = noise.arms[least];
  const NoiseByArm::Own& high = noise.arms[most];
  const auto label = [&](std::size_t arm) { return arm_label(question.history.arm_names, static_cast<Arm>(arm)); };
  const auto text = [&](double sd) { return reward_difference_text(question.scale, sd); };
  std::vector<std::string> misled;
  if (noise.sd > kMisleading * low.sd)
    misled.push_back(fmt::format("takes longer than necessary to see a change of {}", label(least)));
  if (high.sd > kMisleading * noise.sd)
    misled.push_back(fmt::format("can mistake the noise of {} for a change", label(most)));
  return fmt::format(
      "The rewards of {} have noise of standard deviation {}, those of {} only {}. The policy uses {} for all "
      "arms{}. The errors of the rewards now are those of each arm.",
      label(most), text(high.sd), label(least), text(low.sd), text(noise.sd),
      misled.empty() ? "" : fmt::format(": it {}", fmt::join(misled, ", and ")));
}

/// Returns a warning if the noise that the question states is far from what the rewards show, or an empty text.
std::string stated_noise_caution(const Question& question) {
  if (!question.noise || std::holds_alternative<Bernoulli>(*question.noise)) return "";
  const double stated = standard_deviation(*question.noise) * question.scale.range();
  const auto shown = contradicted_noise(question.history, stated, question.scale.range());
  if (!shown) return "";
  const auto text = [&](double sd) { return reward_difference_text(question.scale, sd); };
  return fmt::format(
      "The noise is stated as {}, but the rewards show about {}. {} If that is not known from elsewhere, leave it out: "
      "the noise is then estimated.",
      stated > 0 ? fmt::format("one of standard deviation {}", text(stated)) : "none", text(*shown),
      *shown > stated ? "The policy mistakes noise for changes of the arms, and its ranges are too narrow."
                      : "The policy sees late that an arm falls.");
}

/// The answers that follow if rewards that look like mistakes count in the other way; empty texts if that is not asked.
struct Otherwise {
  std::string outliers{};  ///< added to the last caution about an outlier
  std::string doubtful{};
  std::string step{};  ///< the arm that is chosen then
};

/// Returns the cautions about the data.
std::vector<std::string> data_cautions(const Question& question, const FarRewards& far,
                                       const std::vector<std::optional<Misfit>>& misfits, const NoiseByArm& noise,
                                       const std::optional<CommonStep>& step, const Otherwise& otherwise) {
  std::vector<std::string> sentences;
  if (std::string caution = scale_caution(question.history, question.scale); !caution.empty())
    sentences.push_back(std::move(caution));
  if (std::string caution = nearly_yes_or_no_caution(question); !caution.empty())
    sentences.push_back(std::move(caution));
  if (std::string caution = newest_zeros_caution(question.history); !caution.empty())
    sentences.push_back(std::move(caution));
  for (std::string& caution : rating_cautions(question.history)) sentences.push_back(std::move(caution));
  for (std::string& caution : selective_pending_cautions(question)) sentences.push_back(std::move(caution));
  for (const Outlier& outlier : far.outliers) {
    sentences.push_back(fmt::format("{} It is counted as {}, which is typical there.",
                                    outlier_sentence(question, outlier), reward_text(question.scale, outlier.typical)));
  }
  if (!far.outliers.empty() && !otherwise.outliers.empty()) sentences.back() += " " + otherwise.outliers;
  if (!far.doubtful.empty()) {
    sentences.push_back(doubtful_sentence(question, far.doubtful));
    if (!otherwise.doubtful.empty()) sentences.back() += " " + otherwise.doubtful;
  }
  for (std::string& caution : misfit_cautions(question, misfits)) sentences.push_back(std::move(caution));
  const auto contradicting = static_cast<std::size_t>(std::count_if(
      misfits.begin(), misfits.end(), [](const std::optional<Misfit>& misfit) { return misfit.has_value(); }));
  if (step) sentences.push_back(common_step_caution(question, *step, otherwise.step));
  if (!step) {
    for (std::string& caution : unit_cautions(question, far.outliers)) sentences.push_back(std::move(caution));
  }
  if (std::string caution = common_change_caution(question, far.outliers); !caution.empty())
    sentences.push_back(std::move(caution));
  if (contradicting >= 2 && 2 * contradicting >= misfits.size()) {
    sentences.push_back(
        fmt::format("{} of {} arms change in a way that their own pulls do not explain. Something else, such as time, "
                    "may change the rewards: expected rewards and plans do not hold then.",
                    contradicting, misfits.size()));
  }
  if (std::string caution = unequal_noise_caution(question, noise); !caution.empty())
    sentences.push_back(std::move(caution));
  if (std::string caution = stated_noise_caution(question); !caution.empty()) sentences.push_back(std::move(caution));
  return sentences;
}

}  // namespace

std::string place_of(const History& history, std::size_t pull) {
  const std::int64_t line = history.pulls[pull].line;
  return line > 0 ? fmt::format("line {}", line) : fmt::format("pull {} of the history", pull + 1);
}

std::string scale_caution(const History& history, const RewardScale& scale) {
  constexpr double kSmallPart = 0.02;
  constexpr int kFewestSeen = 10;       // rewards
  constexpr double kTinyPart = 0.0005;  // a part so small that fewer rewards show it, unless all are the same
  constexpr int kFewestSeenOfTiny = 4;  // rewards
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  int count = 0;
  for (const PastPull& pull : history.pulls) {
    if (!pull.reward) continue;
    low = std::min(low, *pull.reward);
    high = std::max(high, *pull.reward);
    ++count;
  }
  const bool is_small = count >= kFewestSeen && high - low < kSmallPart * scale.range();
  const bool is_tiny = count >= kFewestSeenOfTiny && low < high && high - low < kTinyPart * scale.range();
  if (!is_small && !is_tiny) return "";
  // A rate of which no success has been seen yet does not need another scale.
  if (low == high && scale.is_end(low)) {
    return fmt::format("All {} rewards are {}. If they should differ, check the column of rewards.", count, low);
  }
  return fmt::format(
      "{} of the scale from {} to {}. The estimates assume that every reward of the scale is possible: if no arm can "
      "reach its ends, state a narrower scale.",
      low == high ? fmt::format("All {} rewards are {}, one point", count, low)
                  : fmt::format("All rewards lie between {} and {}, a small part", low, high),
      scale.minimum, scale.maximum);
}

std::vector<std::string> cautions(const Question& question, const Recommendation& answer) {
  std::vector<std::optional<Misfit>> misfits;
  for (const ArmReport& arm : answer.arms) misfits.push_back(arm.misfit);
  std::vector<std::string> sentences =
      data_cautions(question, {answer.outliers, answer.doubtful}, misfits, answer.noise, answer.step,
                    {.outliers = answer.first_with_outliers ? kept_outliers_sentence(question, answer) : "",
                     .doubtful = answer.first_without_doubtful ? corrected_sentence(question, answer) : "",
                     .step = choice_without_step(question, answer)});
  for (std::string& caution : choice_cautions(question, answer)) sentences.push_back(std::move(caution));
  append_unmet_minima(question, answer.unmet, sentences);
  return sentences;
}

std::vector<std::string> cautions(const Question& question, const FarRewards& far,
                                  const std::vector<std::optional<Misfit>>& misfits, const NoiseByArm& noise) {
  const auto step = find_common_step(question.history, far.outliers);
  return data_cautions(question, step ? without_changed_part(far, *step, question.history) : far, misfits, noise, step,
                       {});
}

}  // namespace longrun
