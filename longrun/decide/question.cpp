#include "longrun/decide/question.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"

namespace longrun {

void check_rewards(const Question& question) {
  check(question.scale, question.noise);
  const History& history = question.history;
  ScaleCheck scale(question.scale, question.noise, history.arms());
  for (const auto& [arm, reward] : history.pulls) {
    if (arm < 0 || arm >= history.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, history.arms() - 1));
    }
    scale.add(arm, reward, history.arm_names);
  }
}

}  // namespace longrun
