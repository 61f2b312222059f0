#pragma once

#include <string>

#include "longrun/report/picture.h"
#include "longrun/simulate/backtest/backtest.h"

namespace longrun {

/// Writes DIR/NAME.gp and its data, DIR/data/NAME.*.tsv, for gnuplot. There is one panel per arm, all on the same axes:
/// the logged rewards, their means over up to 20 intervals, and the fitted curve, dashed beyond the data. At most 12
/// arms have a panel, those that the best policy pulls most. The last panel has the reward of each policy with its
/// interval.
void write_backtest_figure(const BacktestSpec& spec, const Backtest& result, const std::string& name,
                           const std::string& directory);

/// Draws the figure into this file, see draw_picture().
void draw_backtest(const BacktestSpec& spec, const Backtest& result, const std::string& path);

}  // namespace longrun
