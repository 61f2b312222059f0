#include "longrun/decide/question.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"

namespace longrun {

Question without_minima(Question question) {
  question.constraints.minimum_pulls = {};
  question.constraints.minimum_share = {};
  question.constraints.unavailable = {};
  return question;
}

void check_rewards(const Question& question) {
  check(question.scale, question.noise);
  const History& history = question.history;
  ScaleCheck scale(question.scale, question.noise, history.arms());
  for (const PastPull& pull : history.pulls) {
    if (pull.arm < 0 || pull.arm >= history.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", pull.arm, history.arms() - 1));
    }
    if (!pull.reward) continue;
    try {
      scale.add(pull.arm, *pull.reward, history.arm_names);
    } catch (const InputError& error) {
      if (pull.line == 0) throw;
      throw InputError(fmt::format("line {}: {}", pull.line, error.what()));
    }
  }
}

}  // namespace longrun
