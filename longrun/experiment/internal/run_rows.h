#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/unit.h"
#include "longrun/sqlite/database.h"

namespace longrun {

/// The recorded runs of one experiment, checked against its config. A row that does not fit is a SystemError that names
/// file and row.
class RunRows {
 public:
  enum class Order {
    sorted,       ///< by bandit, noise, policy, horizon and seed
    as_recorded,  ///< depends on the threads that computed them; quicker to read
  };

  /// Starts before the first run. `database` and `config` must outlive this object.
  RunRows(const Database& database, std::int64_t experiment, const Config& config, Order order = Order::sorted);

  bool next();  ///< Reads the next run. Returns false after the last.
  const Unit& unit() const { return unit_; }
  const ContestRun& run() const { return run_; }

 private:
  std::size_t index(int column, std::size_t count) const;
  std::size_t horizon_index(Pulls horizon) const;
  std::uint32_t seed() const;
  std::vector<Pulls> pulls() const;
  std::size_t arm_count();

  const Config& config_;
  Statement query_;
  Unit unit_;                                                                // of the current row
  ContestRun run_;                                                           // of the current row
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> arm_counts_;  // by bandit and seed, as far as known
};

}  // namespace longrun
