#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/simulate/backtest/log_fit.h"

namespace longrun {

/// The number of orders of the arms in which a backtest plays every policy. Policies pull the first arm on ties, at
/// their first pulls above all, so that a run can depend on an order that says nothing about the arms. A resampled log
/// has as many replicates: each is played in another order.
inline constexpr std::uint32_t kArmOrders = 10;

/// Returns the positions of `arms` arms in the order of a replicate: random ones, and for every random order those that
/// begin with its second arm, its third arm, and so on, so that up to kArmOrders arms are first about equally often. A
/// pure function of the arguments; replicates kArmOrders apart have the same order.
std::vector<std::size_t> arm_order(std::uint64_t seed, std::uint32_t replicate, std::size_t arms);

/// Returns the bandit with its arms in this order.
Bandit in_order(const Bandit& bandit, const std::vector<std::size_t>& order);

/// Sorts arms by their labels, so that nothing depends on the order in which the log names them.
void sort_by_label(std::vector<LoggedArm>& arms, const std::vector<std::string>& arm_names);

}  // namespace longrun
