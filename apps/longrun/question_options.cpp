#include "apps/longrun/question_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"
#include "longrun/data/csv.h"
#include "longrun/data/csv_history.h"

namespace longrun {
namespace {

ArmsGiven arms_given(const QuestionOptions& options) {
  ArmsGiven given;
  if (options.arms) {
    given.count = parse_number<Arm>(*options.arms);
    if (!given.count || *given.count < 1 || *given.count > kMostArms) {
      throw InputError(fmt::format("--arms {}: must be a whole number from 1 to {}", *options.arms, kMostArms));
    }
  }
  if (!options.names) return given;
  for (const std::string_view name : split(*options.names, ',')) given.names.emplace_back(name);
  return given;
}

History read_history(const QuestionOptions& options) {
  const ArmsGiven given = arms_given(options);
  if (options.history == "-") return read_csv_history(kStandardInput, std::cin, given);
  if (options.history) {
    std::ifstream file = open_text(*options.history);
    return read_csv_history(*options.history, file, given);
  }
  if (!given.count && given.names.empty()) {
    throw InputError("the number of arms is missing; give --arms N, --names A,B,... or --history FILE.csv");
  }
  return empty_history(given);
}

RewardScale parse_scale(const std::string& text) {
  const auto parts = split(text, ':');
  const auto minimum = parse_number(parts.front());
  const auto maximum = parts.size() == 2 ? parse_number(parts.back()) : std::nullopt;
  if (!minimum || !maximum || !std::isfinite(*maximum - *minimum) || *minimum >= *maximum) {
    throw InputError(
        fmt::format("--scale {}: must be MIN:MAX, two finite numbers, the first smaller than the second", text));
  }
  return {.minimum = *minimum, .maximum = *maximum};
}

std::optional<Noise> noise_given(const QuestionOptions& options, const RewardScale& scale) {
  if (options.noise && options.sd)
    throw InputError("--noise and --sd cannot be combined; give one of them, or neither");
  if (options.sd) {
    const auto sd = parse_number(*options.sd);
    if (!sd || !std::isfinite(*sd) || *sd < 0)
      throw InputError(fmt::format("--sd {}: must be a number >= 0", *options.sd));
    if (*sd == 0) return NoNoise{};
    return Gaussian{.sd = *sd / scale.range()};
  }
  if (!options.noise) return std::nullopt;
  if (options.scale && options.noise->find(':') != std::string::npos) {
    throw InputError(fmt::format("--noise {} cannot be combined with --scale; give --sd, in the unit of the rewards",
                                 *options.noise));
  }
  return parse_noise(*options.noise);
}

std::vector<Arm> parse_arms(const std::string& text, const std::vector<std::string>& names) {
  std::vector<Arm> arms;
  for (const std::string_view part : split(text, ',')) {
    try {
      arms.push_back(find_arm(names, part));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--unavailable-now {}: {}", text, error.what()));
    }
  }
  return arms;
}

}  // namespace

void QuestionOptions::add_to(CLI::App& parser) {
  add_value(parser, "--horizon", "T", horizon, "total number of pulls, past ones included; required");
  add_value(parser, "--history", "FILE.csv", history, "past pulls: the header arm,reward, then one row per pull");
  add_value(parser, "--arms", "N", arms,
            "number of arms (default: the number of --names, or of\n"
            "arms in the history)");
  add_value(parser, "--names", "A,B,...", names,
            "names of the arms, in the order of their numbers\n"
            "(default: the order of first appearance in the history)");
  add_value(parser, "--noise", "KIND", noise,
            "noise of the rewards, as in 'longrun play'; 'none' means\n"
            "exact rewards (default: estimated from the rewards)");
  add_value(parser, "--sd", "X", sd, "standard deviation of the noise, instead of --noise");
  add_value(parser, "--scale", "MIN:MAX", scale,
            "mean rewards lie in [MIN, MAX] (default 0:1); all output\n"
            "is in the same unit");
  add_value(parser, "--policy", "NAME", policy,
            fmt::format("policy that decides, see 'longrun policies' (default: {})", kDefaultPolicy));
  add_value(parser, "--unavailable-now", "ARM,...", unavailable_now, "arms that cannot be pulled now");
  add_flag(parser, "--keep-outliers", keep_outliers, "count rewards that look like mistakes as they are");
  constraints.add_to(parser);
}

bool QuestionOptions::any() const {
  const auto given = [](const auto& text) { return text.has_value(); };
  const std::array values{horizon, history, arms, names, noise, sd, scale, policy, unavailable_now};
  return keep_outliers || std::any_of(values.begin(), values.end(), given) ||
         std::any_of(constraints.texts.begin(), constraints.texts.end(), given);
}

Question QuestionOptions::read() const {
  if (!horizon)
    throw InputError("the horizon is missing; give --horizon T, the total number of pulls, past ones included");
  Question question;
  question.horizon = parse_horizon(*horizon);
  question.constraints = constraints.read();
  if (scale) question.scale = parse_scale(*scale);
  question.noise = noise_given(*this, question.scale);
  if (policy) question.policy = *policy;
  question.keep_outliers = keep_outliers;
  check_rewards(question);  // without a history yet: only the scale and the noise
  question.history = read_history(*this);
  try {
    check_rewards(question);
  } catch (const InputError& error) {  // about a row of the history
    const std::string source = history == "-" ? kStandardInput : history.value_or("history");
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
  if (unavailable_now) {
    question.unavailable_now = parse_arms(*unavailable_now, question.history.arm_names);
  }
  return question;
}

}  // namespace longrun
