#pragma once

#include <string>
#include <vector>

#include "longrun/service/change.h"

namespace longrun {

/// Reads outcomes from CSV: the columns `decision` and `reward`, and perhaps `kind` (observed, lost or void),
/// `observed_at` and `arm` (that of the decision, to be checked). `reward` may be missing if there is `kind`. Rows that
/// are not outcomes are `unreadable`. Throws RequestError for a text that is not such a table.
ReportOutcomes outcomes_from_csv(const std::string& text);

/// Reads observations from CSV: the columns `arm` and `reward`, and perhaps `id`. Throws RequestError as above.
AddObservations observations_from_csv(const std::string& text);

/// Throws RequestError unless the text can be the id of an observation.
void check_observation_id(const std::string& id, const std::string& field);

}  // namespace longrun
