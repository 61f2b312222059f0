#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "longrun/decide/advice/question.h"

namespace longrun {

/// Returns a question about arms that were pulled in turn and paid these means, with a little noise.
inline Question flat_question(const std::vector<double>& means, Pulls pulls_per_arm, Pulls remaining,
                              double sd = 0.01) {
  Question question{.history = {.arm_names = std::vector<std::string>(means.size()), .pulls = {}},
                    .horizon = std::ssize(means) * pulls_per_arm + remaining,
                    .noise = Gaussian{sd}};
  for (std::size_t arm = 0; arm < means.size(); ++arm) {
    std::vector<double> rewards(static_cast<std::size_t>(pulls_per_arm), means[arm]);
    add_noise(Gaussian{sd}, {.seed = 5, .lane = static_cast<std::uint32_t>(arm)}, 1, rewards);
    for (const double reward : rewards) question.history.pulls.push_back({static_cast<Arm>(arm), reward});
  }
  return question;
}

}  // namespace longrun
