#include "longrun/service/outcome_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv.h"
#include "longrun/service/request_error.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

constexpr const char* kColumns = "decision, reward, and perhaps kind and observed_at";

struct Columns {
  std::size_t decision = 0;
  std::optional<std::size_t> reward;
  std::optional<std::size_t> kind;
  std::optional<std::size_t> observed_at;
};

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

Columns columns_in(const CsvReader& csv) {
  Columns columns;
  bool has_decision = false;
  for (std::size_t i = 0; i < csv.names().size(); ++i) {
    const std::string name = lower(csv.names()[i]);
    const auto set = [&](std::optional<std::size_t>& column) {
      if (column) throw InputError(fmt::format("body: line 1: column '{}' is given twice", name));
      column = i;
    };
    if (name == "decision") {
      if (has_decision) throw InputError("body: line 1: column 'decision' is given twice");
      has_decision = true;
      columns.decision = i;
    } else if (name == "reward") {
      set(columns.reward);
    } else if (name == "kind") {
      set(columns.kind);
    } else if (name == "observed_at") {
      set(columns.observed_at);
    } else {
      throw InputError(fmt::format("body: line 1: column '{}' is unknown; columns: {}", csv.names()[i], kColumns));
    }
  }
  if (!has_decision || (!columns.reward && !columns.kind)) {
    throw InputError(fmt::format("body: line 1: columns are missing; columns: {}", kColumns));
  }
  return columns;
}

ReportOutcome row_in(const CsvReader& csv, const Columns& columns) {
  ReportOutcome report;
  const auto decision = parse_number<DecisionId>(csv.cell(columns.decision));
  if (!decision) {
    throw InputError(fmt::format("{}: '{}' is not the number of a decision", csv.where(columns.decision),
                                 csv.cell(columns.decision)));
  }
  report.decision = *decision;
  if (columns.kind && !csv.cell(*columns.kind).empty()) {
    try {
      report.outcome.kind = outcome_kind(csv.cell(*columns.kind));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", csv.where(*columns.kind), error.what()));
    }
  }
  const bool has_reward = columns.reward && !csv.cell(*columns.reward).empty();
  const bool needs_reward = report.outcome.kind == OutcomeKind::observed;
  if (needs_reward != has_reward) {
    const std::size_t column = columns.reward.value_or(columns.decision);
    throw InputError(fmt::format("{}: {}", csv.where(column),
                                 needs_reward ? "the reward is missing; leave out rows without an outcome"
                                              : "an outcome that is lost or void has no reward"));
  }
  if (has_reward) report.outcome.reward = csv.number(*columns.reward);
  if (columns.observed_at && !csv.cell(*columns.observed_at).empty()) {
    report.observed_at = utc_text(parse_utc(csv.cell(*columns.observed_at)));
  }
  return report;
}

}  // namespace

std::vector<ReportOutcome> outcomes_from_csv(const std::string& text) {
  try {
    std::istringstream stream(text);
    CsvReader csv("body", stream, kColumns);
    const Columns columns = columns_in(csv);
    std::vector<ReportOutcome> rows;
    while (csv.next()) rows.push_back(row_in(csv, columns));
    csv.check_has_rows();
    return rows;
  } catch (const InputError& error) {
    throw RequestError(RequestError::Kind::malformed, error.what());
  }
}

}  // namespace longrun
