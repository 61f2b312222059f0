#pragma once

#include <string>
#include <vector>

#include "longrun/report/estimate.h"
#include "longrun/report/results.h"

namespace longrun {

/// How a policy does against SPO over many cells, a cell being one bandit with one noise and one horizon, by its mean
/// regret per step over seeds.
struct ArenaScore {
  Estimate g;  ///< geometric mean over cells of (regret + 2e-4) / (SPO's regret + 2e-4)
  Estimate m;  ///< mean regret over cells / SPO's
};

struct ArenaRow {
  std::string policy;
  std::vector<ArenaScore> families;  ///< in the order they were added
  ArenaScore overall;                ///< families count alike, whatever their number of cells
  std::string worst_cell;            ///< "family, bandit, noise, T = 2000"
  double worst_ratio = 0;            ///< (regret + 2e-4) / (SPO's + 2e-4) there
};

/// Scores policies over families of bandits, each an experiment. Intervals are 95 % of a bootstrap over seeds.
class Arena {
 public:
  /// Experiments without `spo` are left out, and so are policies that not all families have, and `optimal`.
  void add(const Results& results);

  const std::vector<std::string>& families() const { return names_; }
  /// Best first, by overall G. SPO itself, which is 1 by definition, is among them.
  std::vector<ArenaRow> rows() const;

 private:
  struct Cell {
    std::string name;
    std::vector<std::vector<double>> regrets;  // [policy][seed]
  };
  struct Family {
    std::vector<std::string> policies;
    std::vector<Cell> cells;
  };
  std::vector<std::string> names_;
  std::vector<Family> families_;
};

/// The rows as text for a terminal, or as a Markdown table.
std::string arena_table(const Arena& arena, bool markdown);

}  // namespace longrun
