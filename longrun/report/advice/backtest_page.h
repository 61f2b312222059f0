#pragma once

#include "longrun/report/advice/advice_page.h"
#include "longrun/simulate/backtest/backtest.h"

namespace longrun {

/// Returns the page of a backtest: the conclusions, what the log does not support, the rewards of all policies, the
/// fitted curves (of at most 24 arms), and what is needed to make the page again.
AdvicePage backtest_page(const BacktestSpec& spec, const Backtest& result, PageOrigin origin);

}  // namespace longrun
