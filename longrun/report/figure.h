#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/base/types.h"
#include "longrun/report/lp_illustration.h"
#include "longrun/report/results.h"
#include "longrun/report/verdict.h"

namespace longrun {

/// What one policy did, at every horizon of the experiment.
struct PolicySeries {
  std::string policy;                       ///< as in the config
  std::vector<Estimate> regret;             ///< per step
  std::vector<Estimate> first_arm;          ///< pulls of arm 1
  std::vector<std::vector<double>> shares;  ///< [horizon][arm]: the arm's mean share of the pulls
  std::vector<double> impact;               ///< [arm]: mean at the longest horizon; empty where unknown
};

/// One bandit with one noise: a row of panels.
struct Scene {
  std::string bandit;
  std::string noise;  ///< "no noise", "Gaussian noise, sd 0.05"
  std::uint32_t seeds = 0;
  std::vector<std::string> arms;
  std::vector<Pulls> curve_pulls;           ///< where the curves below were looked at
  std::vector<std::vector<double>> curves;  ///< [arm][point]: mean rewards; fewer than arms where instances differ
  bool one_of_many = false;                 ///< the curves are those of the first seed, others have their own
  double deviation = 0;                     ///< how far the curves are from single-peaked, see Shape
  std::string impact_unit;                  ///< empty where unknown
  std::vector<PolicySeries> policies;
};

/// All there is to draw and say of one experiment: a pure function of its records.
struct Figure {
  std::string name;
  std::string title;
  std::string group;
  std::string claim;
  std::string toml;  ///< the experiment, as a file that runs it
  std::vector<Pulls> horizons;
  std::uint64_t recorded_runs = 0;
  std::uint64_t runs = 0;  ///< of the whole experiment
  std::vector<Scene> scenes;
  std::vector<Verdict> verdicts;
  std::vector<LpIllustration> illustrations;  ///< where there are any, there is nothing else
};

Figure make_figure(const Results& results);

}  // namespace longrun
