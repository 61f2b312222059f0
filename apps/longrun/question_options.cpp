#include "apps/longrun/question_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/quoted_list.h"
#include "longrun/base/split.h"
#include "longrun/data/csv.h"
#include "longrun/data/csv_history.h"
#include "longrun/data/round_warnings.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

constexpr const char* kNoColumn = "none";  // the value of --round-column and --time-column for no check

ArmsGiven arms_given(const HistoryOptions& options) {
  ArmsGiven given{.positions = options.positions};
  if (options.arms) {
    given.count = parse_number<Arm>(*options.arms);
    if (!given.count || *given.count < 1 || *given.count > kMostArms) {
      throw InputError(fmt::format("--arms {}: must be a whole number from 1 to {}{}", *options.arms, kMostArms,
                                   separator_hint(*options.arms)));
    }
  }
  if (!options.names) return given;
  try {
    given.names = split_names(*options.names);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--names: {}", error.what()));
  }
  return given;
}

HistoryColumns columns_given(const HistoryOptions& options) {
  HistoryColumns columns;
  if (options.arm_column) columns.arm = *options.arm_column;
  if (options.reward_column) columns.reward = *options.reward_column;
  const auto order = [](const std::optional<std::string>& name) { return name == kNoColumn ? std::string() : name; };
  columns.round = order(options.round_column);
  columns.time = order(options.time_column);
  return columns;
}

std::string source_of(const HistoryOptions& options) {
  return options.history == "-" ? kStandardInput : options.history.value_or("history");
}

/// Reads the history and, if `bytes` is not null, copies the file into it.
History read_file_history(const HistoryOptions& options, const ArmsGiven& given, std::string* bytes) {
  const HistoryColumns columns = columns_given(options);
  if (bytes != nullptr) {
    std::ifstream file;
    if (options.history != "-") file = open_text(*options.history);
    std::ostringstream copy;
    copy << (options.history == "-" ? std::cin.rdbuf() : file.rdbuf());
    *bytes = copy.str();
    std::istringstream text(*bytes);
    return read_csv_history(source_of(options), text, given, columns);
  }
  if (options.history == "-") return read_csv_history(kStandardInput, std::cin, given, columns);
  std::ifstream file = open_text(*options.history);
  return read_csv_history(*options.history, file, given, columns);
}

std::optional<Noise> noise_given(const QuestionOptions& options, const RewardScale& scale) {
  if (options.noise && options.sd)
    throw InputError("--noise and --sd cannot be combined; give one of them, or neither");
  if (options.sd) {
    const auto sd = parse_number(*options.sd);
    if (!sd || !std::isfinite(*sd) || *sd < 0)
      throw InputError(fmt::format("--sd {}: must be a number >= 0{}", *options.sd, number_hint(*options.sd)));
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

std::vector<Arm> parse_arms(const std::string& text, const ArmLabels& labels) {
  std::vector<Arm> arms;
  try {
    for (const std::string& name : split_names(text)) arms.push_back(labels.at(name));
  } catch (const InputError& error) {
    throw InputError(fmt::format("--unavailable-now {}: {}", text, error.what()));
  }
  return arms;
}

/// Reads the horizon, in units of so many decimals.
Pulls parse_budget(const std::string& text, int decimals) {
  if (decimals == 0) {
    if (decimals_of(text) > 0) {
      throw InputError(
          fmt::format("--horizon {}: must be a whole number, unless costs or units per round have decimals", text));
    }
    return parse_horizon(text);
  }
  const auto units = parse_decimal(text, decimals);
  if (units && *units >= 1 && *units <= kLongestHorizon) return *units;
  throw InputError(fmt::format("--horizon {}: must be a number > 0, at most {}, with at most {} decimals{}", text,
                               decimal_text(kLongestHorizon, decimals), decimals, number_hint(text)));
}

}  // namespace

History HistoryOptions::read_history(std::string* bytes) const {
  const ArmsGiven given = arms_given(*this);
  if (!history) {
    for (const auto& column : {arm_column, reward_column, round_column, time_column}) {
      if (column) throw InputError(fmt::format("column '{}' needs a history; give --history FILE.csv", *column));
    }
    if (!given.count && given.names.empty()) {
      throw InputError("the number of arms is missing; give --arms N, --names A,B,... or --history FILE.csv");
    }
    return empty_history(given);
  }
  try {
    return read_file_history(*this, given, bytes);
  } catch (const MissingColumnError& error) {
    const HistoryColumns usual;
    const bool is_arm = !arm_column && error.column() == usual.arm;
    if (!is_arm && (reward_column || error.column() != usual.reward)) throw;
    throw InputError(fmt::format("{} (--{}-column NAME names another one)", error.what(), error.column()));
  } catch (const RowOrderError& error) {
    throw InputError(fmt::format("{} (--round-column none and --time-column none omit this check)", error.what()));
  } catch (const ArmCountError& error) {
    throw InputError(fmt::format(
        "{}; name all arms with --names A,B,..., or give --positions if arms are positions from 0", error.what()));
  }
}

RewardScale HistoryOptions::read_scale() const {
  if (!scale) return {};
  const auto parts = split(*scale, ':');
  const auto minimum = parse_number(parts.front());
  const auto maximum = parts.size() == 2 ? parse_number(parts.back()) : std::nullopt;
  if (!minimum || !maximum || !std::isfinite(*maximum - *minimum) || *minimum >= *maximum) {
    const auto ends = split(*scale, ',');
    const bool has_comma = parts.size() == 1 && ends.size() == 2 && parse_number(ends[0]) && parse_number(ends[1]);
    throw InputError(fmt::format("--scale {}: must be MIN:MAX, two finite numbers, the first smaller than the second{}",
                                 *scale,
                                 has_comma ? fmt::format("; write {}:{}", ends[0], ends[1])
                                           : number_hint(minimum ? parts.back() : parts.front())));
  }
  return {.minimum = *minimum, .maximum = *maximum};
}

void HistoryOptions::check(const Question& question) const {
  try {
    check_rewards(question);
    check_means(question);
  } catch (const InputError& error) {  // about a row of the history
    throw InputError(fmt::format("{}: {}", source_of(*this), error.what()));
  }
}

void HistoryOptions::add_to(CLI::App& parser) {
  add_value(parser, "--history", "FILE.csv", history,
            "past pulls: the header arm,reward, then one row per pull;\n"
            "an empty reward is not known yet");
  add_value(parser, "--arm-column", "NAME", arm_column, "column of the arms (default: arm)");
  add_value(parser, "--reward-column", "NAME", reward_column, "column of the rewards (default: reward)");
  add_value(parser, "--round-column", "NAME", round_column,
            "column of rounds, in which rows must ascend (default:\n"
            "round, if the file has it); 'none' for no check");
  add_value(parser, "--time-column", "NAME", time_column,
            "the same for times: numbers, dates (2024-01-31, 31.01.2024),\nmonths, quarters or weeks (2024-W05) "
            "(default: time)");
  add_value(parser, "--arms", "N", arms,
            "number of arms (default: the number of --names, or of\n"
            "arms in the history)");
  add_value(parser, "--names", "A,B,...", names,
            "labels of all arms, in order (default: those in the\n"
            "history; whole numbers ascending, others as they appear)");
  add_flag(parser, "--positions", positions,
           "arms are given by their positions, from 0, in the history\n"
           "and in other options");
  add_value(parser, "--scale", "MIN:MAX", scale,
            "mean rewards lie in [MIN, MAX] (default: 0:1); all\n"
            "output is in the same unit");
  add_flag(parser, "--keep-outliers", keep_outliers, "count rewards that look like mistakes as they are");
}

void QuestionOptions::add_to(CLI::App& parser) {
  add_value(parser, "--horizon", "T", horizon, "total number of pulls, past ones included; required");
  HistoryOptions::add_to(parser);
  add_value(parser, "--noise", "KIND", noise,
            "noise of the rewards, as in 'longrun play'; 'none' means\n"
            "exact rewards (default: estimated from the rewards)");
  add_value(parser, "--sd", "X", sd, "standard deviation of the noise, instead of --noise");
  add_value(parser, "--policy", "NAME", policy,
            fmt::format("policy that decides, see 'longrun policies' (default: {})", kDefaultPolicy));
  add_value(parser, "--unavailable-now", "ARM,...", unavailable_now, "arms that cannot be pulled now");
  constraints.add_to(parser);
}

bool QuestionOptions::any() const {
  const auto given = [](const auto& text) { return text.has_value(); };
  const std::array values{horizon, history, arm_column, reward_column, round_column, time_column,    arms,
                          names,   noise,   sd,         scale,         policy,       unavailable_now};
  return positions || keep_outliers || std::any_of(values.begin(), values.end(), given) ||
         std::any_of(constraints.texts.begin(), constraints.texts.end(), given);
}

Question QuestionOptions::read(std::string* history_bytes) const {
  if (!horizon)
    throw InputError("the horizon is missing; give --horizon T, the total number of pulls, past ones included");
  Question question;
  int decimals = constraints.unit_decimals();
  if (decimals > 0) decimals = std::max(decimals, std::min(decimals_of(*horizon), kMostDecimals));
  question.horizon = parse_budget(*horizon, decimals);
  question.scale = read_scale();
  question.noise = noise_given(*this, question.scale);
  if (policy) question.policy = *policy;
  question.keep_outliers = keep_outliers;
  check_rewards(question);  // without a history yet: only the scale and the noise
  question.history = read_history(history_bytes);
  check(question);
  const ArmLabels labels(question.history.arm_names, positions ? ArmLabels::By::position : ArmLabels::By::label);
  question.constraints = constraints.read({.arms = &labels, .arms_are_ordered = arms_are_ordered()}, decimals);
  if (unavailable_now) question.unavailable_now = parse_arms(*unavailable_now, labels);
  for (std::string& warning : round_warnings(source_of(*this), question.history, question.constraints))
    question.history.warnings.push_back(std::move(warning));
  for (const std::string& warning : question.history.warnings) say(warning);
  return question;
}

}  // namespace longrun
