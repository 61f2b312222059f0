#pragma once

#include <string>

#include "longrun/simulate/backtest/backtest.h"

namespace longrun {

/// Returns the result, its sentences and what it was computed from as one JSON object, with a line break at its end.
std::string backtest_json(const BacktestSpec& spec, const Backtest& result);

}  // namespace longrun
