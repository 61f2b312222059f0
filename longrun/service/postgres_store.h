#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "longrun/service/study_store.h"

namespace longrun {

/// A store in a PostgreSQL database, which several processes may share. A study that one process changes is locked for
/// the others until the end of the transaction.
class PostgresStore : public StudyStore {
 public:
  /// Connects to a database ("postgresql://user@host/name") and makes the tables, in the schema `longrun`, if they are
  /// missing. A transaction waits for a study that another process has locked for at most `lock_time`. Throws
  /// SystemError if it cannot connect, or if a newer version made the tables.
  explicit PostgresStore(std::string database, std::chrono::milliseconds lock_time = std::chrono::seconds(5));
  ~PostgresStore() override;

  bool is_shared() const override { return true; }
  std::vector<StudyRow> studies() override;
  std::optional<std::int64_t> last_seq(const std::string& study) override;
  std::vector<LogEntry> entries(const std::string& study, std::int64_t after, std::size_t most) override;
  std::optional<LogEntry> with_key(const std::string& study, const std::string& key) override;
  std::vector<LogEntry> outcomes_of(const std::string& study, DecisionId decision) override;
  void begin(const std::vector<Need>& needs) override;
  void read_ahead(const std::vector<Need>& needs) override;
  std::optional<std::int64_t> lock(const std::string& study) override;
  bool create(const std::string& study, const LogEntry& created) override;
  void append(const std::string& study, const std::vector<LogEntry>& entries) override;
  void commit() override;
  void check_writing(std::size_t bytes) override;
  void rollback() noexcept override;

 private:
  class Connection;  // keeps the headers of libpqxx out of this one

  Connection& connection();

  std::string database_;
  std::chrono::milliseconds lock_time_;
  std::unique_ptr<Connection> connection_;  // nullptr after a failure
};

}  // namespace longrun
