#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/base/types.h"
#include "longrun/experiment/store.h"
#include "longrun/model/constraints.h"

namespace longrun {

/// The policy regrets per step of one bandit with one noise: one row per policy, one column per horizon.
struct SummaryTable {
  struct Cell {
    Estimate regret;        ///< the mean over seeds with its 95 % interval
    std::size_t seeds = 0;  ///< at least 1
    bool best = false;      ///< no policy has a lower mean here; always false for a reference policy
  };
  struct Row {
    std::string policy;
    std::vector<std::optional<Cell>> cells;  ///< one per horizon; empty where nothing is recorded
  };

  std::string experiment;
  std::string bandit;
  std::string noise;
  Constraints constraints;
  std::size_t recorded_seeds = 0;
  std::size_t seeds = 0;  ///< of the complete experiment
  std::vector<Pulls> horizons;
  std::vector<Row> rows;  ///< in the order of the experiment
};

/// The horizons of a summary: those listed, all (`every`), or three of each experiment: those at a tenth and at three
/// tenths of its list, and the longest.
struct SummaryHorizons {
  bool every = false;
  std::vector<Pulls> listed{};  ///< ascending; if not empty, the columns of all tables
};

/// Returns a table for every bandit and noise of every experiment. Throws InputError if nothing is recorded, or if a
/// listed horizon is in none of the experiments.
std::vector<SummaryTable> summarize(const Store& store, const SummaryHorizons& horizons);

/// Returns the tables as aligned text. The title of an unfinished table has the number of its recorded seeds. If
/// `bold`, terminal escapes set the best policies in bold.
std::string summary_text(const std::vector<SummaryTable>& tables, bool bold);
/// Returns CSV: a header line, then one row per cell that is recorded.
std::string summary_csv(const std::vector<SummaryTable>& tables);
/// Returns a JSON list with one object per table.
std::string summary_json(const std::vector<SummaryTable>& tables);
/// Returns one LaTeX tabular per table; the document needs the package booktabs.
std::string summary_latex(const std::vector<SummaryTable>& tables);

/// Returns the constraints on one line, "costs 2,1; minimum_pulls 0:100", or an empty text if there are none.
std::string constraints_text(const Constraints& constraints);

/// An experiment of which some units are not recorded yet.
struct UnfinishedExperiment {
  std::string name;
  std::size_t recorded = 0;  ///< units
  std::size_t units = 0;
};
/// Returns the unfinished experiments, in the order of the store.
std::vector<UnfinishedExperiment> unfinished_experiments(const Store& store);

}  // namespace longrun
