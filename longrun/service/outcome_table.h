#pragma once

#include <string>
#include <vector>

#include "longrun/service/change.h"

namespace longrun {

/// Reads outcomes from CSV: the columns `decision` and `reward`, and perhaps `kind` (observed, lost or void) and
/// `observed_at`. Throws RequestError, which names line and column.
std::vector<ReportOutcome> outcomes_from_csv(const std::string& text);

}  // namespace longrun
