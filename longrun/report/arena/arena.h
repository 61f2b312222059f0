#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/report/results.h"

namespace longrun {

/// A cell of the arena: one bandit of a family with one noise and one horizon.
struct ArenaCell {
  std::string bandit;
  Noise noise;
  Pulls horizon = 0;
  bool longest = false;                      ///< the horizon is the longest of the family
  bool held_out = false;                     ///< tuning never sees the family
  std::vector<std::vector<double>> regrets;  ///< [policy][seed], per step
};

/// The regret of a policy divided by that of the yardstick policy (SPO), over many cells. The regret of a cell is the
/// mean regret per step over seeds. The 2e-4 let regrets that are much smaller hardly count.
struct ArenaScore {
  Estimate g;  ///< geometric mean over cells of (regret + 2e-4) / (the yardstick's regret + 2e-4)
  Estimate m;  ///< mean regret over cells / the yardstick's mean regret
};

/// The scores of one policy.
struct ArenaRow {
  std::string policy;
  std::vector<ArenaScore> families;  ///< one for each of ArenaScores::families
  ArenaScore overall;                ///< every family has the same weight, whatever its number of cells
  std::string worst_cell;            ///< the cell with the largest ratio: "bandit, noise, T = 2000"
  double worst_ratio = 0;            ///< (regret + 2e-4) / (the yardstick's regret + 2e-4) of that cell
};

/// The selection of the cells of families that are held out.
inline constexpr std::string_view kUnseenFamilies = "families that tuning never saw";

/// The scores of all policies over a selection of cells.
struct ArenaScores {
  std::string cells;  ///< the selection: "all cells", "longest horizons", "bernoulli noise", kUnseenFamilies
  std::vector<std::string> families;  ///< the families with such cells, in the order in which they were added
  std::vector<ArenaRow> rows;         ///< best first, by overall G; includes the yardstick, whose scores are 1
  std::string seeds;                  ///< of these families: "seeds 1001 to 1030"; "no seeds" if there are none
};

/// Returns the definition of G and M as text of at most 100 columns, without a line break at the end.
std::string arena_meaning();

/// Scores of policies over families of bandits, each of which is an experiment. Intervals are 95 % bootstrap intervals
/// over seeds.
class Arena {
 public:
  /// Adds an experiment as a family. Ignores experiments without the yardstick policy and incomplete ones. Only
  /// policies that every family has are scored; the reference policy is not scored. The name of a family is the part
  /// of the experiment's name after the first '.'.
  void add(const Results& results);

  /// Returns the scores over the cells for which `counts` returns true; `cells` is the name of this selection.
  ArenaScores scores(const std::string& cells, const std::function<bool(const ArenaCell&)>& counts) const;
  /// Returns the scores over all cells of the families for tuning, then those over the families that are held out,
  /// over the longest horizons, and over each kind of noise, if there are several. Families that are held out count
  /// only in the second of these, so that the others are comparable whatever is held out. If all families are held
  /// out, they are the first and only view.
  std::vector<ArenaScores> views() const;

 private:
  struct Family {
    std::string name;
    std::string seeds;  // "1001 to 1030"
    std::vector<std::string> policies;
    std::vector<ArenaCell> cells;

    /// Returns the number of a policy, or policies.size() if the family does not have it.
    std::size_t number(const std::string& policy) const;
  };
  std::vector<std::string> scored_policies() const;

  std::vector<Family> families_;  // complete experiments with the yardstick policy
};

/// Returns the scores, overall and by family, as text for a terminal.
std::string arena_text(const ArenaScores& scores);
/// Returns a Markdown document with one table for each view.
std::string arena_markdown(const std::vector<ArenaScores>& views);

}  // namespace longrun
