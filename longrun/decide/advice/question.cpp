#include "longrun/decide/advice/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/decide/advice/reward_summary.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

Question without_minima(Question question) {
  question.constraints.minimum_pulls = {};
  question.constraints.minimum_share = {};
  question.constraints.unavailable = {};
  return question;
}

namespace {

/// All rewards of a log, by which a single one outside the scale is judged.
class WholeLog {
 public:
  explicit WholeLog(const Question& question)
      : check_(question.scale, question.noise, question.history.arms()), spread_(added(question)) {}
  bool may_be_right(const PastPull& pull) const { return check_.may_be_right(pull.arm, *pull.reward, spread_); }

 private:
  /// Adds all rewards to the check, and returns them.
  std::vector<RewardSpread::Reward> added(const Question& question) {
    const History& history = question.history;
    std::vector<RewardSpread::Reward> rewards;
    for (const PastPull& pull : history.pulls) {
      const bool is_known = pull.reward && std::isfinite(*pull.reward) && pull.arm >= 0 && pull.arm < history.arms();
      if (!is_known) continue;
      constexpr bool kEnforced = false;
      rewards.push_back(
          {.unit = check_.add(pull.arm, *pull.reward, history.arm_names, kEnforced), .amount = *pull.reward});
    }
    return rewards;
  }

  ScaleCheck check_;
  RewardSpread spread_;
};

}  // namespace

void check_rewards(const Question& question) {
  check(question.scale, question.noise);
  const History& history = question.history;
  ScaleCheck scale(question.scale, question.noise, history.arms());
  std::optional<WholeLog> whole;  // only if a reward is suspicious by the earlier ones
  for (std::size_t i = 0; i < history.pulls.size(); ++i) {
    const PastPull& pull = history.pulls[i];
    if (pull.arm < 0 || pull.arm >= history.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", pull.arm, history.arms() - 1));
    }
    if (!pull.reward) continue;
    const auto refuse = [&](const std::string& problem) {
      if (pull.line == 0) throw PastRewardError(i, problem);
      throw InputError(fmt::format("line {}: {}", pull.line, problem));
    };
    try {
      scale.add(pull.arm, *pull.reward, history.arm_names);
    } catch (const OutsideScaleError& error) {
      if (!whole) whole.emplace(question);
      constexpr bool kEnforced = false;
      if (whole->may_be_right(pull)) {
        scale.add(pull.arm, *pull.reward, history.arm_names, kEnforced);
        continue;
      }
      // Only here the scale can be another one; a study keeps its scale.
      refuse(fmt::format("{}; set the scale to the range of the rewards, or correct this {} if it is wrong",
                         error.what(), pull.line == 0 ? "reward" : "row"));
    } catch (const InputError& error) {
      refuse(error.what());
    }
  }
}

void check_means(const Question& question) {
  constexpr std::size_t kParts = 4;          // of an arm's rewards
  constexpr std::size_t kFewestOfAPart = 8;  // rewards of a part; fewer hardly tell their noise
  const History& history = question.history;
  std::vector<std::vector<const PastPull*>> arms(history.arm_names.size());
  for (const PastPull& pull : history.pulls) {
    if (pull.reward) arms[static_cast<std::size_t>(pull.arm)].push_back(&pull);
  }
  for (const std::vector<const PastPull*>& pulls : arms) {
    const std::size_t parts = std::clamp<std::size_t>(pulls.size() / kFewestOfAPart, 1, kParts);
    for (std::size_t part = 0; part < parts && pulls.size() >= kFewestOfAPart; ++part) {
      const std::size_t begin = part * pulls.size() / parts;
      const std::size_t end = (part + 1) * pulls.size() / parts;
      RewardSummary rewards;
      for (std::size_t i = begin; i < end; ++i) rewards.add(question.scale.to_unit(*pulls[i]->reward));
      const double sd = question.noise ? standard_deviation(*question.noise) : std::sqrt(rewards.noise_variance());
      const double mean = rewards.all().mean();
      const double error = kScaleErrors * sd / std::sqrt(static_cast<double>(end - begin));
      if (std::max(-mean, mean - 1) <= kScaleSlack + error) continue;
      const PastPull& last = *pulls[end - 1];
      throw InputError(fmt::format(
          "{}rewards {} to {} of {} average {:.4g}, outside the scale {:g} to {:g}; set the scale to the range of the "
          "rewards",
          last.line > 0 ? fmt::format("line {}: ", last.line) : "", begin + 1, end,
          arm_label(history.arm_names, last.arm), question.scale.from_unit(mean), question.scale.minimum,
          question.scale.maximum));
    }
  }
}

}  // namespace longrun
