#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/record.h"

struct sqlite3;

namespace longrun {

/// One bandit with one noise and one seed: what is computed, recorded and, after an interruption, redone as a whole.
struct Unit {
  std::size_t bandit = 0;
  std::size_t noise = 0;
  std::uint32_t seed = 1;
};
std::size_t unit_count(const Config& config);
/// Units are numbered from 0: seed by seed, then noise by noise, then bandit by bandit.
Unit unit_at(const Config& config, std::size_t number);

/// The part of the units that a process computes: those whose number is index - 1 modulo count.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
  bool has(std::size_t unit) const { return unit % count == index - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};
/// Reads "2/8".
Shard parse_shard(std::string_view text);
std::string to_text(const Shard& shard);

/// The records of experiments, in one SQLite file. Units are recorded in transactions: whatever kills the process, a
/// unit is there as a whole or not at all.
class Store {
 public:
  enum class Access { write, read };

  /// Opens DIR/records.sqlite; for writing, makes both where they are missing and keeps other writers out.
  Store(const std::string& directory, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Starts or resumes an experiment. Refuses one that was begun with another config, version or shard, unless
  /// `restart` asks to drop what it recorded.
  void begin(const Config& config, const Shard& shard, bool restart);

  /// Which units are recorded.
  std::vector<bool> recorded(const Config& config) const;
  /// Whether all units of the shard are recorded, by this version and with this very config.
  bool complete(const Config& config, const Shard& shard) const;

  /// Records a unit; on disk with the next commit(). Not thread-safe.
  void add(const Config& config, std::size_t unit, const std::vector<ContestRun>& runs);
  void commit();

  std::vector<std::string> experiments() const;
  /// The config an experiment was begun with.
  Config config_of(const std::string& experiment) const;
  Shard shard_of(const std::string& experiment) const;

  /// Hands over every record, ordered by experiment, bandit, noise, policy, horizon, seed: the same for any order in
  /// which they were recorded.
  void for_each(const std::function<void(const RunRecord&)>& visit) const;

  /// Hands over every run of one experiment by numbers, for who knows its config; in no particular order.
  void for_each_run(const Config& config, const std::function<void(const Unit&, const ContestRun&)>& visit) const;

  /// Adds the records of all shards' stores to this one, which must hold none of those experiments: all or, whatever
  /// happens, nothing. Throws InputError that names missing shards, and refuses configs or versions that differ.
  /// `experiments` are the names of those to merge; empty for all.
  void merge(const std::vector<std::string>& directories, const std::set<std::string>& experiments = {});

  /// Whether a process has the store of this folder open for writing.
  static bool being_written(const std::string& directory);

 private:
  class Statement;
  class Transaction;
  struct Merged;
  void open_for_writing();
  void open_for_reading();
  void open_database(const std::string& name, int flags);
  void run(const std::string& sql) const;
  std::int64_t experiment_id(const std::string& name) const;
  void drop(std::int64_t experiment);
  void insert(const Config& config, const std::string& version, const Shard& shard);
  void copy(const Store& other, const std::set<std::string>& experiments);
  void close();

  std::string path_;
  sqlite3* database_ = nullptr;
  int lock_ = -1;
  bool in_transaction_ = false;
  std::unique_ptr<Statement> insert_run_;
  std::unique_ptr<Statement> insert_unit_;
};

}  // namespace longrun
