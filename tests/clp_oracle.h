#pragma once

// The linear program (*) solved by CLP: an independent answer for tests and benchmarks.
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "longrun/solve/optimistic_future.h"

namespace longrun {

inline std::optional<double> optimistic_future_by_clp(std::span<const Band> bands, Pulls remaining) {
  const int n = static_cast<int>(bands.size());
  const int total = n + static_cast<int>(remaining);
  if (total == 0) return 0;
  std::vector<double> lower(static_cast<std::size_t>(total), 0.0);
  std::vector<double> upper(static_cast<std::size_t>(total), 1.0);
  std::vector<double> cost(static_cast<std::size_t>(total), 0.0);
  for (std::size_t j = 0; j < bands.size(); ++j) {
    lower[j] = std::max(0.0, bands[j].lower);
    upper[j] = std::min(1.0, bands[j].upper);
    if (lower[j] > upper[j]) return std::nullopt;
  }
  for (std::size_t j = bands.size(); j < cost.size(); ++j) cost[j] = -1;  // CLP minimises

  CoinPackedMatrix rows(false, 0, 0);
  rows.setDimensions(0, total);
  for (int j = 0; j + 1 < total; ++j) {  // v_j - v_{j+1} <= 0
    const int columns[] = {j, j + 1};
    const double values[] = {1, -1};
    rows.appendRow(2, columns, values);
  }
  for (int j = 2; j < total; ++j) {  // v_{j-2} - 2 v_{j-1} + v_j <= 0
    const int columns[] = {j - 2, j - 1, j};
    const double values[] = {1, -2, 1};
    rows.appendRow(3, columns, values);
  }
  const auto row_count = static_cast<std::size_t>(rows.getNumRows());
  const std::vector<double> row_lower(row_count, -COIN_DBL_MAX);
  const std::vector<double> row_upper(row_count, 0.0);

  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(rows, lower.data(), upper.data(), cost.data(), row_lower.data(), row_upper.data());
  model.setPrimalTolerance(1e-9);
  model.dual();
  if (model.status() != 0) return std::nullopt;
  return -model.objectiveValue();
}

}  // namespace longrun
