#pragma once

#include <string>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/experiment/check.h"
#include "longrun/report/results.h"

namespace longrun {

/// The result of a check for one bandit with one noise.
enum class Finding {
  holds,
  fails,
  equal,      ///< both sides are the same in every run, so the left is not less than the right
  too_close,  ///< neither: the interval contains 0, or there are too few seeds
};
/// Returns the finding as text: "too close to tell".
std::string to_text(Finding finding);

/// The details of a finding. If there are several policies to compare with, or several horizons, they are those of the
/// comparison that comes closest to a failure.
struct CheckedScene {
  std::string bandit;
  std::string noise;  ///< as parse_noise() reads it
  Finding finding = Finding::too_close;
  std::string against;  ///< the other policy; empty if the check names none
  double measured = 0;  ///< left-hand side of the check: mean over seeds
  double allowed = 0;   ///< right-hand side: mean over seeds
  Estimate excess;      ///< left minus right, paired by seed; below 0 if the check holds
};

/// A check and its results.
struct Verdict {
  Check check;
  std::vector<CheckedScene> scenes;

  /// Returns the number of scenes with this finding.
  std::size_t count(Finding finding) const;
  /// Returns the verdict over all scenes, where `equal` also counts as a failure:
  /// - "holds": in all scenes;
  /// - "holds only without noise" (or "with noise"): in all such scenes and in no other, and it fails in one of those;
  /// - "holds in 2 of 3": otherwise, if it holds in any scene;
  /// - "does not hold": in no scene, and it fails in one;
  /// - "not settled": in no scene, but it fails in none;
  /// - "no records": there are no scenes.
  std::string text() const;
};

/// Judges a check. It holds in a scene if the 95 % interval of its excess lies below 0, and fails if the interval lies
/// above 0. With a single seed it is too close to tell, unless runs do not depend on the seed.
Verdict judge(const Check& check, const Results& results);

/// Returns the same check with every policy replaced by its variant (of the authors' released code), if the experiment
/// has that variant.
Check as_released(const Check& check, const Config& config);

}  // namespace longrun
