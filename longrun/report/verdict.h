#pragma once

#include <string>
#include <vector>

#include "longrun/base/estimate.h"
#include "longrun/experiment/check.h"
#include "longrun/report/results.h"

namespace longrun {

enum class Finding {
  holds,
  fails,
  equal,      ///< both sides are the same in every run: less it is not
  too_close,  ///< the seeds are too few to tell
};
std::string to_text(Finding finding);

/// How a check came out for one bandit with one noise. Of several policies to compare with, and of several horizons,
/// the one that comes closest to proving it wrong is named.
struct CheckedScene {
  std::string bandit;
  std::string noise;  ///< as parse_noise() reads it
  Finding finding = Finding::too_close;
  std::string against;  ///< empty where the check names none
  double measured = 0;  ///< left-hand side of the check, mean over seeds
  double allowed = 0;   ///< right-hand side
  Estimate excess;      ///< left less right, paired by seed: below 0 where the check holds
};

/// A check, and what the records say.
struct Verdict {
  Check check;
  std::vector<CheckedScene> scenes;

  std::size_t count(Finding finding) const;
  /// "holds": everywhere. "holds only without noise" (or "with noise"): everywhere there, nowhere else, and fails
  /// somewhere. "holds in 2 of 3". "does not hold": nowhere, and fails somewhere. "not settled": nowhere, but it may.
  /// "no records" without scenes.
  std::string text() const;
};

/// A check holds where the 95 % interval of its excess lies below 0, fails where it lies above. A single seed tells
/// nothing, unless there is no chance in what was run.
Verdict judge(const Check& check, const Results& results);

/// The name of a policy as the authors' released code has it: "d-ucb@released:discount=0.9".
std::string released_name(const std::string& policy);

/// The same check about the policies as the authors' released code has them, where the experiment ran those. Without
/// any of them, the check itself.
Check as_released(const Check& check, const Config& config);

}  // namespace longrun
