#pragma once

#include <string>

#include "longrun/simulate/plan/plan.h"

namespace longrun {

/// Reads other constraints to compare with: "minimum-share 0.1", which changes one of `constraints`, or "none". Names
/// of constraints may be written with '-' or '_'. Throws InputError, which quotes the text.
ComparedConstraints compared_constraints(const std::string& text, const Constraints& constraints,
                                         const ConstraintForm& form);

}  // namespace longrun
