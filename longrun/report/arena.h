#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/report/results.h"

namespace longrun {

/// One bandit of a family with one noise and one horizon.
struct ArenaCell {
  std::string bandit;
  Noise noise;
  Pulls horizon = 0;
  bool longest = false;                      ///< no horizon of its family is longer
  std::vector<std::vector<double>> regrets;  ///< [policy][seed], per step
};

/// How a policy does against SPO over many cells, by its mean regret per step over seeds.
struct ArenaScore {
  Estimate g;  ///< geometric mean over cells of (regret + 2e-4) / (SPO's regret + 2e-4)
  Estimate m;  ///< mean regret over cells / SPO's
};

struct ArenaRow {
  std::string policy;
  std::vector<ArenaScore> families;  ///< as in ArenaScores
  ArenaScore overall;                ///< families count alike, whatever their number of cells
  std::string worst_cell;            ///< "bandit, noise, T = 2000"
  double worst_ratio = 0;            ///< (regret + 2e-4) / (SPO's + 2e-4) there
};

/// What all policies score over some of the cells.
struct ArenaScores {
  std::string cells;                  ///< which: "all cells", "longest horizons", "bernoulli noise"
  std::vector<std::string> families;  ///< those that have such cells, in the order they were added
  std::vector<ArenaRow> rows;         ///< best first, by overall G; SPO itself, which is 1 by definition, is among them
  std::string seeds;                  ///< "seeds 1001 to 1030"
};

/// What G and M are, for those who read them.
inline constexpr std::string_view kArenaMeaning =
    "Regret against SPO's: G is the geometric mean of (regret + 2e-4) / (SPO's + 2e-4) over bandits, noises and\n"
    "horizons, M the ratio of mean regrets; below 1 is better than SPO. Intervals are 95 % of a bootstrap over seeds.";

/// Scores policies over families of bandits, each an experiment. Intervals are 95 % of a bootstrap over seeds.
class Arena {
 public:
  /// Experiments without `spo` are left out, and so are policies that not all families have, and `optimal`. A family of
  /// a file goes by its own name.
  void add(const Results& results);

  /// Over the cells that count; `cells` is what those are called.
  ArenaScores scores(const std::string& cells, const std::function<bool(const ArenaCell&)>& counts) const;
  /// Over all cells first, then over those of the longest horizons and of each kind of noise, where there are several.
  std::vector<ArenaScores> views() const;

 private:
  struct Family {
    std::string name;
    std::vector<std::string> policies;
    std::vector<ArenaCell> cells;

    /// The number of a policy, that of all where it has no such policy.
    std::size_t number(const std::string& policy) const;
  };
  std::vector<std::string> policies() const;  // to be scored

  std::vector<Family> families_;
  std::string seeds_;
};

/// Overall and by family, for a terminal.
std::string arena_text(const ArenaScores& scores);
/// One table for each of the views.
std::string arena_markdown(const std::vector<ArenaScores>& views);

}  // namespace longrun
