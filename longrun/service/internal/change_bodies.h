#pragma once

#include "longrun/service/http_server.h"
#include "longrun/service/study_service.h"

namespace longrun {

// The bodies of requests: what they ask for. All functions throw RequestError.

ChangeRequest creation_in(const HttpRequest& request);
Change decisions_in(const HttpRequest& request);
Change outcome_in(const HttpRequest& request, DecisionId decision);
ReportOutcomes outcomes_in(const HttpRequest& request);
Change correction_in(const HttpRequest& request);
AddObservations observations_in(const HttpRequest& request);
Change conditions_in(const HttpRequest& request);
/// Returns the change. The body must be empty, or an empty object.
Change close_in(const HttpRequest& request);

}  // namespace longrun
