#include "longrun/decide/advice/change_cautions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "longrun/base/text.h"
#include "longrun/decide/advice/common_change.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/unit_change.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Returns which arms have a common step: "all 4 arms" or "4 of the 5 arms that have enough rewards there".
std::string stepping_arms(const CommonStep& step, Arm arms) {
  const std::string judged = step.judged == arms ? "" : " that have enough rewards there";
  if (step.arms < step.judged) return fmt::format("{} of the {} arms{}", step.arms, step.judged, judged);
  return step.arms == 2 ? "both arms" + judged : fmt::format("all {} arms{}", step.arms, judged);
}

}  // namespace

std::vector<std::string> misfit_cautions(const Question& question, const std::vector<std::optional<Misfit>>& misfits) {
  const bool some_restart = std::any_of(misfits.begin(), misfits.end(), [](const std::optional<Misfit>& misfit) {
    return misfit && misfit->counted > 0;
  });
  std::vector<std::string> sentences;
  for (std::size_t arm = 0; arm < misfits.size(); ++arm) {
    if (!misfits[arm]) continue;
    const auto& [kind, from, to, clarity, counted] = *misfits[arm];
    sentences.push_back(fmt::format(
        "{} {} ({} too small for those before and after). The method assumes that growth "
        "slows down and that an arm that falls does not rise again: {} the upper bound of this arm may not hold, and "
        "the arm may be better or worse than its estimates.",
        capitalised(arm_label(question.history.arm_names, static_cast<Arm>(arm))),
        kind == MisfitKind::speeds_up ? "grows faster later than before" : "falls and rises again",
        from == to ? fmt::format("its reward {} is", from) : fmt::format("its rewards {} to {} are", from, to),
        counted > 0 ? fmt::format("so only its last {} rewards count here. Still,", counted) : "so"));
    if (some_restart && counted == 0 && clarity > 0 && clarity < kClearMisfit) {
      sentences.back() += fmt::format(
          " Unlike those of an arm whose change is clearer, all of its rewards count: they contradict the assumption "
          "by "
          "{:.1f} standard errors, and it takes {:g} to leave earlier ones out.",
          clarity, kClearMisfit);
    }
  }
  return sentences;
}

std::vector<std::string> unit_cautions(const Question& question, const std::vector<Outlier>& outliers) {
  const History& history = question.history;
  std::vector<std::string> sentences;
  for (const UnitChange& change : find_unit_changes(outliers.empty() ? history : cleaned(history, outliers))) {
    const std::string label = arm_label(history.arm_names, change.arm);
    if (change.pull) {
      sentences.push_back(fmt::format(
          "The rewards of {} change by a factor of {:g} at {}, and their noise as well, as in another unit. If the "
          "unit changed there, convert the rewards of one part.",
          label, change.factor, place_of(history, *change.pull)));
    } else {
      sentences.push_back(fmt::format(
          "The rewards of {} are about {:g} times those of all other arms, and so is their noise, as in another unit. "
          "If they are in another unit, convert them.",
          label, change.factor));
    }
  }
  return sentences;
}

std::string common_change_caution(const Question& question, const std::vector<Outlier>& outliers) {
  const auto change = find_common_change(outliers.empty() ? question.history : cleaned(question.history, outliers));
  if (!change) return "";
  const auto text = [&](double sd) { return reward_difference_text(question.scale, sd); };
  return fmt::format(
      "The rewards of different arms rise and fall together from row to row: by a standard deviation of about {}, next "
      "to noise of {}. No single-peaked curves of their own pulls explain that: a season or another change in time, or "
      "arms that grow slowly first and faster later, may be the reason. The method assumes neither, so what it expects "
      "of later pulls does not hold then.",
      text(change->sd), text(change->noise_sd));
}

std::string common_step_caution(const Question& question, const CommonStep& step, const std::string& choice) {
  const History& history = question.history;
  const bool rises = step.after > step.before;
  const std::string levels = fmt::format("from about {} to {} on average", reward_text(question.scale, step.before),
                                         reward_text(question.scale, step.after));
  std::string factor;
  if (step.factor) {
    factor = fmt::format(" They change by a factor of about {:g}, as in another unit.",
                         rises ? *step.factor : 1 / *step.factor);
  }
  const std::string text = fmt::format("The rewards of {} {} together at about {}", stepping_arms(step, history.arms()),
                                       rises ? "rise" : "fall", place_of(history, step.pull));
  const PartOfHistory part = pulls_in_question(step);
  const std::size_t rows = part.end - part.begin;
  const std::string result = choice.empty() ? "." : fmt::format(": the choice is then {}.", choice);
  const std::string chance =
      step.judged == 2 ? " Two arms that change suddenly by their own pulls, at about the same row, look the same."
                       : "";
  if (step.end) {
    return text + fmt::format(
                      ", {}, and {} again before {}.{}{} If the rewards between are wrong, correct them. If that "
                      "is not possible, delete their {} rows, and reduce the horizon by {}{}",
                      levels, rises ? "fall" : "rise", place_of(history, *step.end), factor, chance, rows, rows,
                      result);
  }
  return text + fmt::format(
                    ", {}.{}{} The method assumes that arms change by their own pulls only. It mistakes this "
                    "step for such a change, so what it expects of later pulls does not hold. If the unit of the "
                    "rewards changed, convert those of one part. If something else changed all arms, delete the "
                    "{} earlier rows, and reduce the horizon by {}{}",
                    levels, factor, chance, rows, rows, result);
}

}  // namespace longrun
