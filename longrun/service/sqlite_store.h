#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "longrun/base/file_lock.h"
#include "longrun/service/study_store.h"

namespace longrun {

/// A store in one SQLite file that no other process may open. A commit is on the disk when it returns (WAL,
/// synchronous=FULL).
class SqliteStore : public StudyStore {
 public:
  /// The options by which the file is opened; other values than the defaults are for tests.
  struct Options {
    const char* vfs = nullptr;  ///< SQLite's name of a file system; nullptr: the machine's
    const char* synchronous = "FULL";
  };

  /// Opens or creates the file `studies.sqlite` in a folder. Throws InputError if another process uses it, and
  /// SystemError if it cannot be opened or was written by a newer version.
  explicit SqliteStore(const std::string& folder);
  SqliteStore(std::string file, const Options& options);
  ~SqliteStore() override;

  std::vector<StudyRow> studies() override;
  std::optional<std::int64_t> last_seq(const std::string& study) override;
  std::vector<LogEntry> entries(const std::string& study, std::int64_t after, std::size_t most) override;
  std::optional<LogEntry> with_key(const std::string& study, const std::string& key) override;
  std::vector<LogEntry> outcomes_of(const std::string& study, DecisionId decision) override;
  void begin(const std::vector<Need>& needs) override;
  std::optional<std::int64_t> lock(const std::string& study) override { return last_seq(study); }
  bool create(const std::string& study, const LogEntry& created) override;
  void append(const std::string& study, const std::vector<LogEntry>& entries) override;
  void commit() override;
  void check_writing(std::size_t bytes) override;
  void rollback() noexcept override;

 private:
  /// The open file with its statements; made again after a failure.
  struct Connection;

  Connection& connection();
  std::optional<std::int64_t> id_of(const std::string& study);

  std::optional<FileLock> lock_;
  std::string file_;
  Options options_;
  std::unique_ptr<Connection> connection_;             // nullptr after a failure
  std::unordered_map<std::string, std::int64_t> ids_;  // of studies that are committed or created in this transaction
};

}  // namespace longrun
