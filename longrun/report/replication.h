#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longrun/report/results.h"
#include "longrun/report/verdict.h"

namespace longrun {

/// The replication as a Markdown document: every claim with what was measured and a verdict, for the policies as the
/// paper describes them and as the authors' released code has them, and what the released code's departures change.
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
    };
    std::vector<Entry> entries;  ///< in the order of the config
  };
  struct Experiment {
    std::string name;
    std::string title;
    std::string claim;
    Pulls longest = 0;
    std::vector<Judged> judged;
    std::vector<Ranking> rankings;
  };
  static std::string summary(const std::vector<Experiment>& experiments);
  static std::string details(const Experiment& experiment);
  static std::string released_table(const std::vector<Experiment>& experiments);

  std::vector<Experiment> experiments_;
};

}  // namespace longrun
