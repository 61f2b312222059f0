#include "longrun/report/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/data/csv.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/results.h"

namespace longrun {
namespace {

using json = nlohmann::ordered_json;
using SummaryCell = SummaryTable::Cell;
using Row = SummaryTable::Row;

/// Returns three horizons of an experiment: those at a tenth and three tenths of the list, and the longest.
std::vector<Pulls> spread(const std::vector<Pulls>& horizons) {
  const std::size_t last = horizons.size() - 1;
  const std::set<Pulls> some{horizons[last / 10], horizons[last * 3 / 10], horizons[last]};
  return {some.begin(), some.end()};
}

std::vector<Pulls> columns_of(const Config& config, const SummaryHorizons& horizons) {
  if (!horizons.listed.empty()) return horizons.listed;
  return horizons.every ? config.horizons : spread(config.horizons);
}

std::optional<SummaryCell> cell_of(const Results& results, std::size_t bandit, std::size_t noise, std::size_t policy,
                                   Pulls horizon) {
  const std::vector<Pulls>& horizons = results.config().horizons;
  const auto found = std::find(horizons.begin(), horizons.end(), horizon);
  if (found == horizons.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(found - horizons.begin());
  const std::vector<double> regrets = results.regrets(bandit, noise, policy, number);
  if (regrets.empty()) return std::nullopt;
  return SummaryCell{.regret = estimate(regrets), .seeds = regrets.size()};
}

void mark_best(SummaryTable& table) {
  for (std::size_t column = 0; column < table.horizons.size(); ++column) {
    std::vector<SummaryCell*> ranked;
    for (Row& row : table.rows) {
      if (row.cells[column] && !traits_of(row.policy).reference) ranked.push_back(&*row.cells[column]);
    }
    for (SummaryCell* cell : ranked) {
      cell->best = std::none_of(ranked.begin(), ranked.end(),
                                [&](const SummaryCell* other) { return other->regret.mean < cell->regret.mean; });
    }
  }
}

SummaryTable table_of(const Results& results, std::size_t bandit, std::size_t noise, const SummaryHorizons& horizons) {
  const Config& config = results.config();
  SummaryTable table{.experiment = config.name,
                     .bandit = config.bandits[bandit].name,
                     .noise = to_text(config.noises[noise]),
                     .constraints = config.constraints,
                     .recorded_seeds = results.seeds(bandit, noise).size(),
                     .seeds = config.seeds,
                     .horizons = columns_of(config, horizons),
                     .rows = {}};
  for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
    Row row{.policy = config.policies[policy].text(), .cells = {}};
    for (const Pulls horizon : table.horizons) row.cells.push_back(cell_of(results, bandit, noise, policy, horizon));
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  return table;
}

void check_listed(const SummaryHorizons& horizons, const std::set<Pulls>& recorded) {
  for (const Pulls horizon : horizons.listed) {
    if (!recorded.contains(horizon))
      throw InputError(
          fmt::format("no experiment has horizon {}; horizons are {}", horizon, fmt::join(recorded, ", ")));
  }
}

std::string title_of(const SummaryTable& table) {
  std::string title = fmt::format("{}: {}, noise {}", table.experiment, table.bandit, table.noise);
  if (!table.constraints.none()) title += ", constraints " + constraints_text(table.constraints);
  if (table.recorded_seeds < table.seeds) {
    title += fmt::format(" (preliminary: {} of {} seeds)", table.recorded_seeds, table.seeds);
  }
  return title;
}

/// Returns whether six decimals show fewer than three significant digits of the mean. Its numbers then have exponents.
bool has_exponents(const SummaryCell& cell) {
  constexpr double kLeast = 1e-4;
  return cell.regret.mean != 0 && std::abs(cell.regret.mean) < kLeast;
}

// ---- text

std::string number_text(const SummaryCell& cell, double number) {
  return has_exponents(cell) && number != 0 ? fmt::format("{:.2e}", number) : fmt::format("{:.6f}", number);
}

std::string text_of(const std::optional<SummaryCell>& cell) {
  if (!cell) return "-  ";
  const auto& [mean, low, high] = cell->regret;
  return fmt::format("{} [{}, {}]{}", number_text(*cell, mean), number_text(*cell, low), number_text(*cell, high),
                     cell->best ? " *" : "  ");
}

void append_text(std::string& text, const SummaryTable& table, bool bold) {
  std::size_t name_width = std::string_view("policy").size();
  for (const Row& row : table.rows) name_width = std::max(name_width, row.policy.size());
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < table.horizons.size(); ++column) {
    std::size_t width = fmt::format("T = {}  ", table.horizons[column]).size();
    for (const Row& row : table.rows) width = std::max(width, text_of(row.cells[column]).size());
    widths.push_back(width);
  }
  const auto append_line = [&](const std::string& name, const auto& cell, const auto& is_bold) {
    std::string line = fmt::format("  {:<{}}", name, name_width);
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const std::string padded = fmt::format("{:>{}}", cell(column), widths[column]);
      line += "  " + (is_bold(column) ? "\x1b[1m" + padded + "\x1b[0m" : padded);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  text += title_of(table) + "\n";
  append_line(
      "policy", [&](std::size_t column) { return fmt::format("T = {}  ", table.horizons[column]); },
      [](std::size_t) { return false; });
  for (const Row& row : table.rows) {
    append_line(
        row.policy, [&](std::size_t column) { return text_of(row.cells[column]); },
        [&](std::size_t column) { return bold && row.cells[column] && row.cells[column]->best; });
  }
  text += '\n';
}

// ---- LaTeX

std::string latex_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '<':
        result += "\\textless{}";
        break;
      case '>':
        result += "\\textgreater{}";
        break;
      case '|':
        result += "\\textbar{}";
        break;
      case '{':
      case '}':
      case '$':
      case '&':
      case '#':
      case '_':
      case '%':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  return result;
}

/// Returns a number of a cell: "0.012345", or "$1.34 \times 10^{-7}$".
std::string latex_number(const SummaryCell& cell, double number, bool bold = false) {
  const std::string text = number_text(cell, number);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return bold ? fmt::format("\\textbf{{{}}}", text) : text;
  const std::string power = fmt::format("{} \\times 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
  return bold ? fmt::format("$\\mathbf{{{}}}$", power) : fmt::format("${}$", power);
}

std::string latex_of(const std::optional<SummaryCell>& cell) {
  if (!cell) return "--";
  const auto& [mean, low, high] = cell->regret;
  return fmt::format("{} [{}, {}]", latex_number(*cell, mean, cell->best), latex_number(*cell, low),
                     latex_number(*cell, high));
}

void append_latex(std::string& text, const SummaryTable& table) {
  text += fmt::format("\\begin{{tabular}}{{l{}}}\n", std::string(table.horizons.size(), 'r'));
  text += fmt::format("  \\multicolumn{{{}}}{{l}}{{{}}} \\\\\n  \\toprule\n  policy", table.horizons.size() + 1,
                      latex_escaped(title_of(table)));
  for (const Pulls horizon : table.horizons) text += fmt::format(" & $T = {}$", horizon);
  text += " \\\\\n  \\midrule\n";
  for (const Row& row : table.rows) {
    text += "  " + latex_escaped(row.policy);
    for (const auto& cell : row.cells) text += " & " + latex_of(cell);
    text += " \\\\\n";
  }
  text += "  \\bottomrule\n\\end{tabular}\n\n";
}

// ---- JSON

json json_of(const std::optional<SummaryCell>& cell, Pulls horizon) {
  if (!cell) return {{"horizon", horizon}, {"seeds", 0}};
  return {{"horizon", horizon},      {"seeds", cell->seeds},      {"mean", cell->regret.mean},
          {"low", cell->regret.low}, {"high", cell->regret.high}, {"best", cell->best}};
}

json json_of(const SummaryTable& table) {
  json policies = json::array();
  for (const Row& row : table.rows) {
    json regrets = json::array();
    for (std::size_t column = 0; column < row.cells.size(); ++column)
      regrets.push_back(json_of(row.cells[column], table.horizons[column]));
    policies.push_back({{"policy", row.policy},
                        {"reference", traits_of(row.policy).reference},
                        {"per_step_regret", std::move(regrets)}});
  }
  json object{{"experiment", table.experiment}, {"bandit", table.bandit}, {"noise", table.noise}};
  for (const auto& [name, text] : constraint_texts(table.constraints)) object["constraints"][name] = text;
  object["policies"] = std::move(policies);
  return object;
}

}  // namespace

std::vector<SummaryTable> summarize(const Store& store, const SummaryHorizons& horizons) {
  std::vector<SummaryTable> tables;
  std::set<Pulls> recorded;
  std::uint64_t runs = 0;
  for (const std::string& name : store.experiments()) {
    const Results results(store, store.config_of(name));
    const Config& config = results.config();
    if (config.runs() == 0) continue;  // only illustrations
    runs += results.recorded();
    recorded.insert(config.horizons.begin(), config.horizons.end());
    for (std::size_t bandit = 0; bandit < config.bandits.size(); ++bandit) {
      for (std::size_t noise = 0; noise < config.noises.size(); ++noise)
        tables.push_back(table_of(results, bandit, noise, horizons));
    }
  }
  if (runs == 0) throw InputError("no run is recorded yet");
  check_listed(horizons, recorded);
  return tables;
}

std::string summary_text(const std::vector<SummaryTable>& tables, bool bold) {
  std::string text = "Policy regret per step: mean over seeds [95 % interval]; * marks the lowest mean of a policy\n\n";
  for (const SummaryTable& table : tables) append_text(text, table, bold);
  return text;
}

std::string summary_csv(const std::vector<SummaryTable>& tables) {
  std::string text = "experiment,bandit,noise,constraints,policy,horizon,seeds,mean,low,high,best\n";
  for (const SummaryTable& table : tables) {
    const std::string where = fmt::format("{},{},{},{}", csv_cell(table.experiment), csv_cell(table.bandit),
                                          csv_cell(table.noise), csv_cell(constraints_text(table.constraints)));
    for (const Row& row : table.rows) {
      for (std::size_t column = 0; column < row.cells.size(); ++column) {
        const auto& cell = row.cells[column];
        if (!cell) continue;
        text += fmt::format("{},{},{},{},{},{},{},{}\n", where, csv_cell(row.policy), table.horizons[column],
                            cell->seeds, cell->regret.mean, cell->regret.low, cell->regret.high, cell->best ? 1 : 0);
      }
    }
  }
  return text;
}

std::string summary_json(const std::vector<SummaryTable>& tables) {
  json list = json::array();
  for (const SummaryTable& table : tables) list.push_back(json_of(table));
  // JSON must be UTF-8, but a bandit may have the name of a file, which need not be.
  return list.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string summary_latex(const std::vector<SummaryTable>& tables) {
  std::string text =
      "% Policy regret per step: mean over seeds [95 % interval]; the lowest mean of a policy is bold.\n"
      "% \\usepackage{booktabs}\n\n";
  for (const SummaryTable& table : tables) append_latex(text, table);
  return text;
}

std::string constraints_text(const Constraints& constraints) {
  std::string result;
  for (const auto& [name, text] : constraint_texts(constraints)) {
    result += fmt::format("{}{} {}", result.empty() ? "" : "; ", name, text);
  }
  return result;
}

std::vector<UnfinishedExperiment> unfinished_experiments(const Store& store) {
  std::vector<UnfinishedExperiment> unfinished;
  for (const std::string& name : store.experiments()) {
    const Config config = store.config_of(name);
    const std::vector<bool> recorded = store.recorded(config);
    const auto count = static_cast<std::size_t>(std::count(recorded.begin(), recorded.end(), true));
    if (count < unit_count(config))
      unfinished.push_back({.name = name, .recorded = count, .units = unit_count(config)});
  }
  return unfinished;
}

}  // namespace longrun
