#include "longrun/report/record_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "longrun/data/csv.h"

namespace longrun {
namespace {

using json = nlohmann::ordered_json;

}  // namespace

std::string record_csv_row(const RunRecord& r) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}", csv_cell(r.experiment), csv_cell(r.bandit), csv_cell(r.noise),
                     csv_cell(r.policy), csv_cell(r.parameters), r.horizon, r.seed, fmt::join(r.pulls, " "), r.earned,
                     r.optimum, r.regret);
}

std::string record_json(const RunRecord& r) {
  const json row{{"experiment", r.experiment}, {"bandit", r.bandit},   {"noise", r.noise},  {"policy", r.policy},
                 {"parameters", r.parameters}, {"horizon", r.horizon}, {"seed", r.seed},    {"pulls", r.pulls},
                 {"return", r.earned},         {"optimum", r.optimum}, {"regret", r.regret}};
  // JSON must be UTF-8, but a bandit may have the name of a file, which need not be.
  return row.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace longrun
