#include "python/src/questions.h"

#include <algorithm>
#include <sstream>

#include "longrun/base/read_file.h"
#include "longrun/data/csv_history.h"
#include "longrun/data/row_order.h"

namespace longrun {

namespace {

History read_history(std::vector<std::string> arm_names, const PastPulls& past) {
  if (const auto* path = std::get_if<std::string>(&past)) {
    std::istringstream text(read_file(*path, "history"));
    return read_csv_history(*path, text, {.names = std::move(arm_names)});
  }
  const auto& [pulls, rounds] = std::get<0>(past);
  History history{.arm_names = std::move(arm_names), .pulls = {}};
  history.pulls.reserve(pulls.size());
  for (const auto& [arm, reward] : pulls) history.pulls.push_back({arm, reward});
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

OrderedHistoryText read_history_text(const std::string& csv, std::vector<std::string> arm_names) {
  std::istringstream text(csv);
  const bool are_known = !arm_names.empty();
  History history = read_csv_history("history", text, {.names = std::move(arm_names), .positions = are_known}, {},
                                     RowNames::frame_rows);
  RoundFields rounds;
  for (const LoggedRound& round : history.rounds) rounds.emplace_back(round.round, round.first_pull, round.end_pull);
  return {std::move(history.arm_names), std::move(history.warnings), history.order_confirmed, std::move(rounds)};
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
