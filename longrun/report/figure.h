#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/base/types.h"
#include "longrun/policy/line_style.h"
#include "longrun/report/lp_illustration.h"
#include "longrun/report/results.h"
#include "longrun/report/verdict.h"

namespace longrun {

/// The results of one policy at every horizon of the experiment.
struct PolicySeries {
  std::string policy;                       ///< as in the config
  std::vector<Estimate> regret;             ///< per step
  std::vector<Estimate> first_arm;          ///< number of pulls of the first arm of Scene::arms
  std::vector<std::vector<double>> shares;  ///< [horizon][arm]: the arm's share of all pulls
  std::vector<double> impact;               ///< [arm]: mean at the longest horizon; empty if unknown
};

/// One bandit with one noise, drawn as a row of panels.
struct Scene {
  std::string bandit;
  std::string noise;  ///< "no noise", "Gaussian noise, sd 0.05"
  std::uint32_t seeds = 0;
  std::vector<std::string> arms;            ///< "arm 0 (tea)", or "rank 1" if instances differ
  std::vector<Pulls> curve_pulls;           ///< the pulls at which `curves` are evaluated
  std::vector<std::vector<double>> curves;  ///< [arm][point]: mean rewards; fewer than `arms` if instances differ
  bool one_of_many = false;                 ///< every seed has its own curves; `curves` are those of the first seed
  double deviation = 0;                     ///< distance of the curves from single-peaked ones, see Shape
  std::string impact_unit;                  ///< empty if unknown
  std::vector<PolicySeries> policies;
};

/// The content of a figure: everything about one experiment that pages and pictures show. A pure function of its
/// records.
struct Figure {
  std::string name;
  std::string title;
  std::string group;
  std::string claim;
  std::string constraints;  ///< see constraints_text(); empty if there are none
  std::string toml;         ///< a config file that runs the experiment
  std::vector<Pulls> horizons;
  std::uint64_t recorded_runs = 0;
  std::uint64_t runs = 0;  ///< number of runs of the complete experiment
  std::vector<Scene> scenes;
  std::vector<Verdict> verdicts;
  std::vector<LpIllustration> illustrations;  ///< a figure with illustrations has nothing else
};

/// Returns the figure of an experiment. Bandits and noises without records have no scene.
Figure make_figure(const Results& results);

/// Returns the line of every policy, by its text: the same on pages and in figures for print.
std::map<std::string, FigureLine> policy_lines(const Figure& figure);

/// Returns "preliminary: 3 of 8 runs are recorded", or an empty text if the experiment is complete.
std::string preliminary_note(const Figure& figure);

}  // namespace longrun
