#pragma once

#include "longrun/decide/advice/recommendation.h"
#include "longrun/report/advice/advice_page.h"

namespace longrun {

/// Returns the page of a recommendation: the advice and its reasons, cautions, one chart per arm (at most kMostPanels),
/// the table of arms, the question, the data, and what is needed to make the page again.
AdvicePage recommendation_page(const Question& question, const Recommendation& answer, PageOrigin origin);

}  // namespace longrun
