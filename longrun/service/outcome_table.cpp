#include "longrun/service/outcome_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/data/csv.h"
#include "longrun/service/request_error.h"
#include "longrun/service/study_store.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

constexpr const char* kBody = "body";  // the name of a table in messages

/// The columns of a table, each known by its name.
class Columns {
 public:
  /// `known` are the names; `described` says what they are, for errors.
  Columns(const CsvReader& csv, std::initializer_list<std::string_view> known, const char* described) {
    for (std::size_t i = 0; i < csv.names().size(); ++i) {
      const std::string name = lower_case(csv.names()[i]);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw csv.header_error(fmt::format("column '{}'", csv.names()[i]),
                               fmt::format("is unknown; columns: {}", described));
      }
      if (!places_.emplace(name, i).second) {
        throw csv.header_error(fmt::format("column '{}'", name), "is given twice");
      }
    }
  }
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }
  bool has(std::string_view name) const { return find(name).has_value(); }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
};

/// Returns a cell; empty if there is no such column.
std::string cell_of(const CsvReader& csv, const std::optional<std::size_t>& column) {
  return column ? std::string(csv.cell(*column)) : "";
}

/// Calls the function; an error of it becomes one about the cell.
template <class Read>
auto at_cell(const CsvReader& csv, std::size_t column, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const InputError& error) {
    throw csv.error(column, error.what());
  } catch (const RequestError& error) {
    throw csv.error(column, error.what());
  }
}

constexpr const char* kOutcomeColumns = "decision, reward, and perhaps kind, observed_at, arm and instead";

/// Reads the reward of a row: that of the decision, or that of the pull in its place, which may not be known yet.
void read_reward(const CsvReader& csv, const Columns& columns, ReportOutcome& report) {
  const auto reward = columns.find("reward");
  const bool has_reward = !cell_of(csv, reward).empty();
  const auto instead = columns.find("instead");
  if (std::string arm = cell_of(csv, instead); !arm.empty()) {
    const bool has_kind = !cell_of(csv, columns.find("kind")).empty();
    if (has_kind && report.outcome.kind != OutcomeKind::voided) {
      throw csv.error(*instead, "only a decision that is void was replaced by another pull; leave the kind empty");
    }
    report.outcome = Outcome::voided();
    report.instead = {.arm = std::move(arm), .reward = std::nullopt};
    if (has_reward) report.instead->reward = csv.number(*reward);
    return;
  }
  const bool needs_reward = report.outcome.kind == OutcomeKind::observed;
  if (needs_reward != has_reward) {
    throw csv.error(reward.value_or(*columns.find("decision")),
                    needs_reward ? "the reward is missing; leave out rows without an outcome"
                                 : "an outcome that is lost or void has no reward");
  }
  if (has_reward) report.outcome.reward = csv.number(*reward);
}

ReportOutcome outcome_row(const CsvReader& csv, const Columns& columns) {
  ReportOutcome report{.place = csv.line()};
  const std::size_t decision_column = *columns.find("decision");
  const auto decision = parse_number<DecisionId>(csv.cell(decision_column));
  if (!decision) {
    throw csv.error(decision_column, fmt::format("'{}' is not the number of a decision", csv.cell(decision_column)));
  }
  report.decision = *decision;
  const auto kind = columns.find("kind");
  if (const std::string text = cell_of(csv, kind); !text.empty()) {
    report.outcome.kind = at_cell(csv, *kind, [&] { return outcome_kind(text); });
  }
  read_reward(csv, columns, report);
  const auto observed_at = columns.find("observed_at");
  if (const std::string text = cell_of(csv, observed_at); !text.empty()) {
    report.observed_at = at_cell(csv, *observed_at, [&] { return utc_text(parse_utc(text)); });
  }
  if (std::string arm = cell_of(csv, columns.find("arm")); !arm.empty()) report.arm = std::move(arm);
  if (report.is_of_arm()) throw csv.error(decision_column, "there is no decision 0");
  return report;
}

constexpr const char* kObservationColumns = "arm, reward, and perhaps id";

AddObservations::Row observation_row(const CsvReader& csv, const Columns& columns) {
  const std::size_t arm = *columns.find("arm");
  const auto id = columns.find("id");
  if (csv.cell(arm).empty()) throw csv.error(arm, "the arm is missing");
  AddObservations::Row row{.arm = std::string(csv.cell(arm)),
                           .reward = csv.number(*columns.find("reward")),
                           .id = cell_of(csv, id),
                           .place = csv.line()};
  if (id && row.id.empty()) {
    throw csv.error(*id, "the id is missing; give every row an id, or none");
  }
  if (id) at_cell(csv, *id, [&] { check_observation_id(row.id, ""); });
  return row;
}

/// Reads the rows of a table. Those that `read` refuses are unreadable.
template <class Report, class Read>
void read_rows(CsvReader& csv, Report& report, Read read) {
  report.is_table = true;
  for (bool has_row = true; has_row;) {
    try {
      has_row = csv.next();
      if (has_row) report.rows.push_back(read());
    } catch (const CsvError& error) {
      report.unreadable.push_back({.place = error.line(),
                                   .error = RequestError(RequestError::Kind::malformed, error.in_line()),
                                   .names_part = error.names_part()});
    }
  }
  if (report.unreadable.empty()) csv.check_has_rows();
}

/// Throws RequestError for a text that is not UTF-8: other encodings would turn different ids into the same one.
void check_encoding(std::string_view text) {
  if (is_utf8(text)) return;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!is_utf8(text.substr(begin, end - begin))) break;
    begin = end + 1;
  }
  const std::string problem = fmt::format("line {}: not UTF-8; save the file as UTF-8", line);
  throw RequestError(RequestError::Kind::malformed, problem).about({kWholeBody}, problem);
}

/// Calls the function; a CsvError, which a text that is not such a table causes, becomes a RequestError.
template <class Read>
auto with_table_errors(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const CsvError& error) {
    throw RequestError(RequestError::Kind::malformed, error.what()).about({kWholeBody}, error.problem());
  }
}

}  // namespace

ReportOutcomes outcomes_from_csv(const std::string& text) {
  check_encoding(text);
  return with_table_errors([&] {
    std::istringstream stream(text);
    CsvReader csv(kBody, stream, kOutcomeColumns);
    const Columns columns(csv, {"decision", "reward", "kind", "observed_at", "arm", "instead"}, kOutcomeColumns);
    if (!columns.has("decision") || (!columns.has("reward") && !columns.has("kind") && !columns.has("instead"))) {
      throw csv.header_error("", fmt::format("lacks columns; columns: {}", kOutcomeColumns));
    }
    ReportOutcomes report;
    read_rows(csv, report, [&] { return outcome_row(csv, columns); });
    return report;
  });
}

AddObservations observations_from_csv(const std::string& text) {
  check_encoding(text);
  return with_table_errors([&] {
    std::istringstream stream(text);
    CsvReader csv(kBody, stream, kObservationColumns);
    const Columns columns(csv, {"arm", "reward", "id"}, kObservationColumns);
    if (!columns.has("arm") || !columns.has("reward")) {
      throw csv.header_error("", fmt::format("lacks columns; columns: {}", kObservationColumns));
    }
    AddObservations add;
    add.has_ids = columns.has("id");
    read_rows(csv, add, [&] { return observation_row(csv, columns); });
    return add;
  });
}

void check_observation_id(const std::string& id, const std::string& field) {
  if (id.empty() || id.size() > kLongestKey) {
    throw RequestError(RequestError::Kind::invalid, fmt::format("id: must have 1 to {} bytes", kLongestKey), field);
  }
  const std::string_view problem = problem_of_name(id);
  if (problem.empty()) return;
  throw RequestError(RequestError::Kind::invalid,
                     fmt::format("id: '{}' {}; ids are UTF-8 on one line, without spaces around them", id, problem),
                     field);
}

}  // namespace longrun
