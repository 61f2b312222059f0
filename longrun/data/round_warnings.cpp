#include "longrun/data/round_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Appends a warning if rounds of the file have other sizes than the constraints state.
void append_other_sizes(const std::string& path, const History& history, const Constraints& constraints,
                        std::vector<std::string>& warnings) {
  // A round of arms that cost several units, or one that kept units, may spend less, and then a later one more.
  const bool exact = constraints.costs == PerArm<Pulls>{.every = power_of_ten(constraints.unit_decimals)};
  std::size_t different = 0;
  std::string first;
  Pulls kept = 0;
  for (std::size_t i = 0; i < history.rounds.size(); ++i) {
    const LoggedRound& round = history.rounds[i];
    Pulls spent = 0;
    for (Pulls pull = round.first_pull; pull < round.end_pull; ++pull)
      spent += constraints.costs.at(history.pulls[static_cast<std::size_t>(pull)].arm);
    const bool last = i + 1 == history.rounds.size();
    const bool too_many = spent > constraints.units_per_round + kept;
    const bool too_few = spent < constraints.units_per_round && exact && !last;
    if (!exact && !constraints.units_lapse) kept = std::max<Pulls>(0, kept + constraints.units_per_round - spent);
    if (!too_many && !too_few) continue;
    if (different++ > 0) continue;
    first = fmt::format("round {} has {} {}", round.round, constraints.units_text(spent), exact ? "pulls" : "units");
  }
  if (different == 0) return;
  const std::string others = different == 1 ? "" : fmt::format(" ({} rounds differ)", different);
  warnings.push_back(fmt::format(
      "{}: {}, but the number of units per round is {}{}; rows fill one round of that size after the other, so the "
      "rounds of the history are not those of the answer",
      path, first, constraints.units_text(constraints.units_per_round), others));
}

/// Appends a warning if the rounds of the file are not numbered 1, 2, 3, ...
void append_other_numbers(const std::string& path, const std::vector<LoggedRound>& rounds,
                          std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto counted = static_cast<Pulls>(i) + 1;
    if (rounds[i].round == counted) continue;
    const std::string found = i == 0 ? fmt::format("the first round is {}", rounds[i].round)
                                     : fmt::format("round {} follows round {}", rounds[i].round, rounds[i - 1].round);
    warnings.push_back(
        fmt::format("{}: {}, but rounds are counted from 1 without gaps: round {} of the history is round {} of the "
                    "constraints and of the answer",
                    path, found, rounds.back().round, rounds.size()));
    return;
  }
}

/// Appends a warning for each arm that is pulled in a round in which the constraints make it unavailable.
void append_contradicted_absences(const std::string& path, const History& history, const Constraints& constraints,
                                  std::vector<std::string>& warnings) {
  const RoundBudget budget{.units = std::numeric_limits<Pulls>::max(), .units_per_round = constraints.units_per_round};
  std::map<Arm, std::pair<Pulls, Pulls>> first;  // round of the first such pull, and their number
  Pulls spent = 0;
  for (const PastPull& pull : history.pulls) {
    const Pulls round = budget.round_of(spent + 1);
    spent += constraints.costs.at(pull.arm);
    const auto ranges = constraints.unavailable.find(pull.arm);
    if (ranges == constraints.unavailable.end() || available(ranges->second, round)) continue;
    ++first.try_emplace(pull.arm, round, 0).first->second.second;
  }
  for (const auto& [arm, pulls] : first) {
    warnings.push_back(
        fmt::format("{}: arm '{}' is unavailable in round {} by the constraints, but the history has a pull of it "
                    "there{}; rounds are counted from 1",
                    path, label_of(history.arm_names, arm), pulls.first,
                    pulls.second == 1 ? "" : fmt::format(" ({} such pulls in all)", pulls.second)));
  }
}

}  // namespace

std::vector<std::string> round_warnings(const std::string& path, const History& history,
                                        const Constraints& constraints) {
  const bool rounds_matter =
      constraints.units_per_round != power_of_ten(constraints.unit_decimals) || !constraints.unavailable.empty();
  if (!rounds_matter) return {};
  std::vector<std::string> warnings;
  if (!history.rounds.empty()) {
    append_other_sizes(path, history, constraints, warnings);
    append_other_numbers(path, history.rounds, warnings);
  }
  append_contradicted_absences(path, history, constraints, warnings);
  return warnings;
}

}  // namespace longrun
