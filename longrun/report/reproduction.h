#pragma once

#include <string>
#include <vector>

#include "longrun/report/results.h"
#include "longrun/report/verdict.h"

namespace longrun {

/// The claims of experiments as a Markdown document. Each claim has a verdict and the measurements that it rests on:
/// for the policies as the paper describes them and, if they were run, for the variants of the authors' released code.
class Reproduction {
 public:
  /// Adds an experiment. Ignores one without checks or without records.
  void add(const Results& results);
  /// Adds the experiments of another document.
  void add(Reproduction&& other);
  bool empty() const { return experiments_.empty(); }
  std::string text() const;

 private:
  /// A check with its verdicts for the policies as described and for their variants as released.
  struct Judged {
    Verdict described;
    Verdict released;
    bool differs = false;  ///< a variant of a policy of the check was run
  };
  /// The regrets per step of all policies on one bandit with one noise.
  struct Ranking {
    std::string bandit;
    std::string noise;
    struct Entry {
      std::string policy;
      Estimate over_all;  ///< mean over all horizons
      Estimate at_end;    ///< at the longest horizon
      double median_at_end = 0;
    };
    std::vector<Entry> entries;  ///< in the order of the config

    /// Returns the entries without the reference policy, best first; with variants only if `variants`.
    std::vector<Entry> ranked(bool variants) const;
  };
  struct Experiment {
    std::string name;
    std::string title;
    std::string claim;
    std::string constraints;  ///< empty if there are none
    Pulls longest = 0;
    std::size_t horizons = 0;
    std::uint32_t seeds = 0;
    std::uint64_t recorded = 0;
    std::uint64_t runs = 0;
    std::vector<Judged> judged;
    std::vector<Ranking> rankings;
  };
  static Ranking rank(const Results& results, std::size_t bandit, std::size_t noise);
  static std::string measurements(const Judged& judged);
  static std::string details(const Experiment& experiment);
  std::string what_was_run() const;
  std::string introduction() const;
  std::string better_than_yardstick() const;
  std::string summary() const;
  std::string all_claims() const;
  std::string effect_of_release() const;

  std::vector<Experiment> experiments_;
};

}  // namespace longrun
