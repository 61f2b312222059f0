#pragma once

#include <string>
#include <vector>

#include "longrun/simulate/backtest/backtest.h"

namespace longrun {

/// The share of extrapolated pulls from which on a backtest warns.
inline constexpr double kMuchExtrapolated = 0.2;
/// The number of logged pulls of an arm below which a backtest warns.
inline constexpr Pulls kFewLoggedPulls = 30;

/// Returns an estimate with its interval as text, "0.516 (0.503 to 0.530)"; without the interval if it has none.
std::string estimate_text(const BacktestSpec& spec, const LogEstimate& estimate, bool is_difference = false);
/// Returns the sentences that compare the policies.
std::vector<std::string> backtest_conclusions(const BacktestSpec& spec, const Backtest& result);
/// Returns the sentences that say what the log does not support; the most serious first.
std::vector<std::string> backtest_warnings(const BacktestSpec& spec, const Backtest& result);

}  // namespace longrun
