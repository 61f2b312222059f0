#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/file_lock.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/record.h"
#include "longrun/experiment/shard.h"
#include "longrun/experiment/unit.h"

namespace longrun {

class Database;
class Statement;

/// The records of experiments, in one SQLite file. Units are recorded in transactions: whenever the process is killed,
/// a unit is recorded as a whole or not at all. Failures of disk or database, and rows that do not fit their
/// experiment, are SystemErrors.
class Store {
 public:
  enum class Access {
    read,
    write,    ///< creates missing folders and tables, and keeps other writers out
    replace,  ///< as `write`; a file that is damaged or has other tables is renamed, see replaced()
  };

  /// Opens DIR/records.sqlite. Throws InputError if it does not exist (read), if another process writes to it (write,
  /// replace), or if its tables are not those of this version (read, write).
  Store(const std::string& directory, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Returns one line with the file that Access::replace renamed, the reason and the new name; empty if none was
  /// renamed.
  const std::string& replaced() const { return replaced_; }

  /// Starts or resumes an experiment. Throws InputError if it was begun with another config, version or shard; with
  /// `restart`, drops its records instead.
  void begin(const Config& config, const Shard& shard, bool restart);

  /// Returns, for each unit, whether it is recorded.
  std::vector<bool> recorded(const Config& config) const;
  /// Returns whether all units of the shard are recorded, by this version and with a config of the same runs.
  bool complete(const Config& config, const Shard& shard) const;

  /// Records a unit; it is on disk after the next commit(). Not thread-safe. After an exception, units since the last
  /// commit() are not recorded.
  void add(const Config& config, std::size_t unit, const std::vector<ContestRun>& runs);
  void commit();

  std::vector<std::string> experiments() const;
  /// Returns the config an experiment was begun with.
  Config config_of(const std::string& experiment) const;
  Shard shard_of(const std::string& experiment) const;

  /// Calls `visit` with every record, ordered by experiment, bandit, noise, policy, horizon and seed, whatever the
  /// order in which they were recorded.
  void for_each(const std::function<void(const RunRecord&)>& visit) const;

  /// Calls `visit` with every run of one experiment, in any order. Units and runs refer to the lists of `config` by
  /// index.
  void for_each_run(const Config& config, const std::function<void(const Unit&, const ContestRun&)>& visit) const;

  /// Returns whether a process has the store of this folder open for writing.
  static bool being_written(const std::string& directory);
  /// Returns the path of the file in this folder.
  static std::string file_in(const std::string& directory);

 private:
  friend class ShardMerge;
  /// A row of the table `experiment`.
  struct Begun {
    std::int64_t id = 0;
    Config config;
    std::string version;
    Shard shard;
  };

  void open_for_writing();
  void open_for_reading();
  void set_aside(const std::string& reason);
  std::int64_t experiment_id(const std::string& name) const;  ///< 0 if not found
  std::optional<Begun> begun(const std::string& name) const;
  /// Returns begun(name) for a name of experiments(). Throws SystemError if a damaged index does not find it.
  Begun begun_listed(const std::string& name) const;
  void drop(std::int64_t experiment);
  void insert(const Config& config, const std::string& version, const Shard& shard);
  void insert_run(std::int64_t experiment, const Config& config, const Unit& unit, const ContestRun& run);

  std::string path_;              // of the file
  std::string replaced_;          // see replaced()
  std::optional<FileLock> lock_;  // held while open for writing
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statement> insert_run_;   // prepared by the first insert
  std::unique_ptr<Statement> insert_unit_;  // the same
  bool in_transaction_ = false;             // since the first add() after a commit()
};

}  // namespace longrun
