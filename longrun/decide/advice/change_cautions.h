#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longrun/decide/advice/common_step.h"
#include "longrun/decide/advice/misfit.h"
#include "longrun/decide/advice/outliers.h"
#include "longrun/decide/advice/question.h"

namespace longrun {

/// Returns a sentence for each arm whose rewards contradict the assumption.
std::vector<std::string> misfit_cautions(const Question& question, const std::vector<std::optional<Misfit>>& misfits);

/// Returns a sentence for each arm whose rewards seem to be in another unit, from some row on or all of them. Outliers
/// count as what is typical.
std::vector<std::string> unit_cautions(const Question& question, const std::vector<Outlier>& outliers);

/// Returns a warning if the rewards of different arms change together in time, or an empty text. Outliers count as what
/// is typical.
std::string common_change_caution(const Question& question, const std::vector<Outlier>& outliers);

/// Returns a warning that all arms, or nearly all, step at the same place of the history. `choice` is the arm that is
/// chosen without the rows in question (pulls_in_question()), "the same" or empty if it is not known.
std::string common_step_caution(const Question& question, const CommonStep& step, const std::string& choice);

}  // namespace longrun
