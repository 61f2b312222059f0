#include "python/src/questions.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include "longrun/base/read_file.h"
#include "longrun/data/csv_history.h"
#include "longrun/data/round_warnings.h"

namespace longrun {

namespace {

History read_history(std::vector<std::string> arm_names, const PastPulls& past) {
  if (const auto* path = std::get_if<std::string>(&past)) {
    std::istringstream text(read_file(*path, "history"));
    return read_csv_history(*path, text, {.names = std::move(arm_names)});
  }
  const auto& [arms, rewards, lost, rounds] = std::get<0>(past);
  History history{.arm_names = std::move(arm_names), .pulls = {}};
  history.pulls.reserve(arms.size());
  for (std::size_t row = 0; row < arms.size(); ++row) {
    const double reward = rewards.data()[row];
    history.pulls.push_back({arms.data()[row], std::isnan(reward) ? std::nullopt : std::optional(reward)});
  }
  for (const std::int64_t row : lost) history.pulls.at(static_cast<std::size_t>(row)).lost = true;
  for (const auto& [round, first, end] : rounds) history.rounds.push_back({round, first, end});
  return history;
}

}  // namespace

History history_from(std::vector<std::string> arm_names, const PastPulls& past, const Constraints& constraints) {
  History history = read_history(std::move(arm_names), past);
  const auto* path = std::get_if<std::string>(&past);
  for (std::string& warning : round_warnings(path != nullptr ? *path : "history", history, constraints))
    history.warnings.push_back(std::move(warning));
  if (history.warnings.empty()) return history;
  const nb::object warn = nb::module_::import_("longrun._past").attr("warn");
  for (const std::string& warning : history.warnings) warn(warning);
  return history;
}

namespace {

/// Returns the text in quotes, as a cell of a CSV file.
std::string quoted(std::string_view text) {
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + '"';
}

/// Returns the reward as Python writes it: 1.0, not 1. What is not finite is an error later, and empty here.
std::string text_of_reward(double reward) {
  if (!std::isfinite(reward)) return "";
  std::string text = fmt::format("{}", reward);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Returns the rows of a data frame as a CSV file; arms are texts of `cells`, by their numbers.
std::string csv_of_rows(const ArmNumbers& arms, const Numbers& rewards, const RowPlaces& lost,
                        const TextColumns& others, const std::vector<std::string>& cells) {
  std::string csv = "arm,reward";
  for (const auto& [name, texts] : others) csv += "," + quoted(name);
  csv += '\n';
  auto next_lost = lost.begin();
  for (std::size_t row = 0; row < arms.size(); ++row) {
    csv += cells.at(static_cast<std::size_t>(arms.data()[row]));
    csv += ',';
    if (next_lost != lost.end() && *next_lost == static_cast<std::int64_t>(row)) {
      csv += name(OutcomeKind::lost);
      ++next_lost;
    } else {
      csv += text_of_reward(rewards.data()[row]);
    }
    for (const auto& [name, texts] : others) csv += "," + quoted(texts.at(row));
    csv += '\n';
  }
  return csv;
}

}  // namespace

OrderedHistoryText read_history_rows(const ArmNumbers& arms, const Numbers& rewards, const RowPlaces& lost,
                                     const TextColumns& others, std::vector<std::string> labels, bool are_all_names) {
  std::vector<std::string> cells;
  for (std::size_t arm = 0; arm < labels.size(); ++arm) {
    cells.push_back(are_all_names ? std::to_string(arm) : quoted(labels[arm]));
  }
  std::istringstream text(csv_of_rows(arms, rewards, lost, others, cells));
  const ArmsGiven given{.names = are_all_names ? std::move(labels) : std::vector<std::string>{},
                        .positions = are_all_names};
  History history = read_csv_history("history", text, given, {}, RowNames::frame_rows);
  RoundFields rounds;
  for (const LoggedRound& round : history.rounds) rounds.emplace_back(round.round, round.first_pull, round.end_pull);
  RowPlaces lost_rows;
  for (std::size_t row = 0; row < history.pulls.size(); ++row) {
    if (history.pulls[row].lost) lost_rows.push_back(static_cast<std::int64_t>(row));
  }
  return {std::move(history.arm_names), std::move(history.warnings), history.order_confirmed, std::move(rounds),
          std::move(lost_rows)};
}

HistoryText arms_of_file(const std::string& path) {
  const std::string csv = read_file(path, "history");
  std::istringstream text(csv);
  History found = read_csv_history(path, text, {});
  std::istringstream again(csv);
  const History known = read_csv_history(path, again, {.names = found.arm_names});
  std::erase_if(found.warnings, [&](const std::string& warning) {
    return std::find(known.warnings.begin(), known.warnings.end(), warning) != known.warnings.end();
  });
  return {std::move(found.arm_names), std::move(found.warnings)};
}

Question question_from(const QuestionArguments& arguments) {
  const auto& [arm_names, past, horizon, noise, policy, unavailable_now, constraints, scale, keep_outliers, seed] =
      arguments;
  Question question;
  question.horizon = horizon;
  question.noise = noise_from(noise);
  question.policy = policy;
  question.constraints = constraints_from(constraints);
  question.history = history_from(arm_names, past, question.constraints);
  question.unavailable_now = unavailable_now;
  question.scale = {.minimum = std::get<0>(scale), .maximum = std::get<1>(scale)};
  question.keep_outliers = keep_outliers;
  question.seed = seed;
  return question;
}

}  // namespace longrun
