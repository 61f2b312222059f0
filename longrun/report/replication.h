#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longrun/report/results.h"
#include "longrun/report/verdict.h"

namespace longrun {

/// The claims of experiments as a Markdown document: each with what was measured and a verdict, for the policies as the
/// paper describes them and, where they were run, as the authors' released code has them.
class Replication {
 public:
  void add(const Results& results);
  bool empty() const { return experiments_.empty(); }
  std::string text() const;

 private:
  struct Judged {
    Verdict paper;
    Verdict released;
    bool differs = false;  ///< whether any policy of the check was run as released
  };
  /// Mean regrets per step of one bandit with one noise, over all horizons and at the longest.
  struct Ranking {
    std::string bandit;
    std::string noise;
    struct Entry {
      std::string policy;
      Estimate over_all;
      Estimate at_end;
      double median_at_end = 0;
    };
    std::vector<Entry> entries;  ///< in the order of the config

    /// Best first, without optimal; variants only if asked for.
    std::vector<Entry> ranked(bool variants) const;
  };
  struct Experiment {
    std::string name;
    std::string title;
    std::string claim;
    Pulls longest = 0;
    std::size_t horizons = 0;
    std::uint32_t seeds = 0;
    std::uint64_t recorded = 0;
    std::uint64_t runs = 0;
    std::vector<Judged> judged;
    std::vector<Ranking> rankings;
  };
  static Ranking rank(const Results& results, std::size_t bandit, std::size_t noise);
  static std::string details(const Experiment& experiment);
  std::string introduction() const;
  std::string in_short() const;
  std::string all_claims() const;
  std::string released_table() const;

  std::vector<Experiment> experiments_;
};

}  // namespace longrun
