#pragma once

#include <string>
#include <vector>

#include "longrun/simulate/backtest/backtest_explanation.h"

namespace longrun {

/// Returns, in ascending order, the fitted arms that the best policy pulls most: all, or `most` if there are more.
std::vector<std::size_t> most_pulled_arms(const Backtest& result, std::size_t most);

/// Returns the table of policies and references, and that of fitted arms: rows of cells, the headings first.
std::vector<std::vector<std::string>> backtest_policy_rows(const BacktestSpec& spec, const Backtest& result);
std::vector<std::vector<std::string>> backtest_arm_rows(const BacktestSpec& spec, const Backtest& result);
/// Returns the sentences that say what the numbers of the policies mean, and what the noise is.
std::string backtest_meaning(const BacktestSpec& spec, const Backtest& result);
std::string backtest_noise(const BacktestSpec& spec, const Backtest& result);

/// Returns the conclusions, the table of policies, the fitted arms, the replays and the warnings as text.
std::string backtest_text(const BacktestSpec& spec, const Backtest& result);
/// Returns CSV: a header line, then one row per policy and reference.
std::string backtest_csv(const Backtest& result);
/// Returns the fitted curves as CSV: a header with the names of the arms, then one row per pull up to the horizon. They
/// are on the scale from 0 to 1.
std::string backtest_curves_csv(const Backtest& result);

}  // namespace longrun
