#include "longrun/service/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>
#include <set>
#include <sstream>
#include <utility>

#include "longrun/base/system_error.h"
#include "longrun/service/internal/added_entries.h"

namespace longrun {
namespace {

constexpr std::int64_t kLocks = 0x6c6f6e6772756e;  // "longrun": of PostgreSQL's advisory locks, and seed of their names

/// The statements that make each layout from the one before; layout 1 from nothing.
constexpr std::array kMigrations{
    R"(
  CREATE SCHEMA IF NOT EXISTS longrun;
  CREATE TABLE longrun.version(version integer NOT NULL);
  CREATE TABLE longrun.study(
    id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, last_seq bigint NOT NULL);
  CREATE TABLE longrun.entry(
    study bigint NOT NULL REFERENCES longrun.study, seq bigint NOT NULL, at text NOT NULL, key text,
    request text NOT NULL, decision bigint, event text NOT NULL, details text NOT NULL, PRIMARY KEY(study, seq));
  CREATE UNIQUE INDEX entry_by_key ON longrun.entry(study, key) WHERE key IS NOT NULL;
  CREATE INDEX entry_by_decision ON longrun.entry(study, decision, seq) WHERE decision IS NOT NULL;
)",
    // The reference to longrun.study was looked up for every entry, of studies that the transaction has locked.
    "ALTER TABLE longrun.entry DROP CONSTRAINT IF EXISTS entry_study_fkey"};
constexpr int kPostgresSchemaVersion = static_cast<int>(kMigrations.size());
constexpr const char* kEntryColumns = "seq, at, coalesce(key, ''), request, coalesce(decision, 0), event, details";

/// Returns the entry whose columns begin at `first`.
LogEntry entry_in_row(const pqxx::row& row, pqxx::row::size_type first) {
  return {.seq = row[first].as<std::int64_t>(),
          .at = row[first + 1].as<std::string>(),
          .key = row[first + 2].as<std::string>(),
          .request = row[first + 3].as<std::string>(),
          .decision = row[first + 4].as<DecisionId>(),
          .event = row[first + 5].as<std::string>(),
          .details = row[first + 6].as<std::string>()};
}

/// Returns the message of a failure, on one line.
std::string message_of(const std::exception& failure) {
  std::string message = "database:";
  std::istringstream lines(failure.what());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    const char* separator = message.ends_with(':') ? " " : "; ";
    for (std::string word; words >> word; separator = " ") message += separator + word;
  }
  return message;
}

/// Calls a function; errors of the database become SystemError.
template <class Call>
auto with_system_errors(Call call) {
  try {
    return call();
  } catch (const pqxx::sql_error& error) {
    if (error.sqlstate().starts_with("22")) throw UnstorableError(message_of(error));  // "data exception"
    throw SystemError(message_of(error));
  } catch (const SystemError&) {
    throw;
  } catch (const std::exception& error) {  // such as a column with another type than longrun wrote
    throw SystemError(message_of(error));
  }
}

}  // namespace

class PostgresStore::Connection {
 public:
  Connection(const std::string& database, std::chrono::milliseconds lock_time) : connection_(database) {
    set_up_session(lock_time);
    set_up_tables();
    prepare_transactions();
    connection_.prepare("find_study", "SELECT id, last_seq FROM longrun.study WHERE name = $1");
    connection_.prepare("add_study",
                        "INSERT INTO longrun.study(name, last_seq) VALUES ($1, 0) ON CONFLICT DO NOTHING RETURNING id");
    const auto select = [&](const char* name, const char* condition) {
      connection_.prepare(name,
                          fmt::format("SELECT {} FROM longrun.entry WHERE study = (SELECT id FROM longrun.study WHERE "
                                      "name = $1) AND {}",
                                      kEntryColumns, condition));
    };
    select("find_entries", "seq > $2 ORDER BY seq LIMIT $3");
    select("find_key", "key = $2");
    select("find_outcomes", "decision = $2 ORDER BY seq");
  }

  // Reading. What an open transaction has added is seen.

  struct Study {
    std::int64_t id = 0;
    std::int64_t last_seq = 0;
  };
  std::optional<Study> study(const std::string& name) {
    if (const Known* known = known_study(name)) return known->study;
    const pqxx::result rows = run("find_study", name);
    if (rows.empty()) return std::nullopt;
    return Study{rows[0][0].as<std::int64_t>(), rows[0][1].as<std::int64_t>()};
  }
  std::vector<StudyRow> studies() {
    std::vector<StudyRow> result;
    const std::string sql = "SELECT name, last_seq FROM longrun.study ORDER BY name COLLATE \"C\"";
    for (const pqxx::row& row : pqxx::nontransaction(connection_).exec(sql)) {
      result.push_back({row[0].as<std::string>(), row[1].as<std::int64_t>()});
    }
    return result;
  }
  /// Returns the entries that a prepared statement selects.
  template <class... Values>
  std::vector<LogEntry> entries(const char* statement, const std::string& study, const Values&... values) {
    write_entries();
    std::vector<LogEntry> found;
    for (const pqxx::row& row : run(statement, study, values...)) found.push_back(entry_in_row(row, 0));
    return found;
  }
  std::vector<LogEntry> entries_after(const std::string& study, std::int64_t after, std::size_t most) {
    if (const Known* known = known_study(study);
        known != nullptr && known->study && !known->is_changed && known->after >= 0 && known->after <= after) {
      std::vector<LogEntry> found;
      for (auto next = known->newer.upper_bound(after); next != known->newer.end() && found.size() < most; ++next) {
        found.push_back(next->second);
      }
      const bool is_complete = known->after + std::ssize(known->newer) == known->study->last_seq;
      if (is_complete && !found.empty()) return found;
    }
    const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most, std::numeric_limits<std::int64_t>::max()));
    return entries("find_entries", study, after, limit);
  }
  std::optional<LogEntry> with_key(const std::string& study, const std::string& key) {
    if (const Known* known = known_study(study)) {
      const auto read = known->keys.find(key);
      if (read != known->keys.end()) return read->second;
    }
    const std::vector<LogEntry> found = entries("find_key", study, key);
    return found.empty() ? std::nullopt : std::optional(found[0]);
  }

  // A transaction. Entries are collected, and written together before something is read that they could change.

  void begin(const std::vector<Need>& needs) {
    transaction_ = std::make_unique<pqxx::nontransaction>(connection_);
    sql_ = "BEGIN;";
    lock(needs);
  }
  /// Looks for keys in studies that are locked, in one round trip.
  void read_ahead(const std::vector<Need>& needs) {
    std::map<std::string, Json> keys;  // by study
    for (const Need& need : needs) {
      Known& known = known_.at(need.study);
      if (need.key.empty() || !known.study || !known.keys.try_emplace(need.key).second) continue;
      keys.try_emplace(need.study, Json::array()).first->second.push_back(need.key);
    }
    if (keys.empty()) return;
    Json wanted = Json::array();
    for (auto& [study, looked_for] : keys) wanted.push_back({study, -1, std::move(looked_for)});
    collect_added();
    sql_ += fmt::format("EXECUTE read_needs({})", connection_.quote(wanted.dump()));
    note_read(write_entries());
  }
  std::optional<Study> lock(const std::string& name) {
    if (known_study(name) == nullptr) lock({Need{.study = name, .key = ""}});
    return known_.at(name).study;
  }
  bool create(const std::string& name, const LogEntry& created) {
    const pqxx::result rows = run("add_study", name);
    if (rows.empty()) {  // another process may have added it since begin()
      if (const Known* known = known_study(name); known != nullptr && !known->study) known_.erase(name);
      return false;
    }
    known_[name].study = Study{rows[0][0].as<std::int64_t>(), 0};
    append(name, {created});
    return true;
  }
  void append(const std::string& name, const std::vector<LogEntry>& entries) {
    Known& known = known_.at(name);
    for (const LogEntry& entry : entries) {
      added_.add(known.study->id, entry);
      if (const auto key = known.keys.find(entry.key); key != known.keys.end()) key->second = entry;
      known.study->last_seq = entry.seq;
      if (added_.size() >= kMostCollected || added_.bytes() >= kMostBytesCollected) write_entries();
    }
    if (!entries.empty()) known.is_changed = true;
  }
  void commit() {
    collect_added();
    for (const auto& [name, known] : known_) {
      if (known.is_changed) sql_ += fmt::format("EXECUTE set_last({}, {});", known.study->id, known.study->last_seq);
    }
    transaction_->exec(sql_ + "COMMIT");
    sql_.clear();
    transaction_.reset();
    known_.clear();
  }

  /// Writes bytes to a table that is dropped in the same transaction, whose commit is written. The table is in the
  /// store's own schema: a role may have no right to make temporary tables.
  void check_writing(std::size_t bytes) {
    pqxx::work work(connection_);
    work.exec("CREATE TABLE longrun.written(bytes text)");
    work.exec("ALTER TABLE longrun.written ALTER bytes SET STORAGE EXTERNAL");  // is not compressed
    work.exec(fmt::format("INSERT INTO longrun.written SELECT repeat('0', {})", bytes));
    work.exec("DROP TABLE longrun.written");
    work.commit();
  }

 private:
  using Json = nlohmann::json;
  static constexpr std::size_t kMostCollected = 1000;  // entries
  static constexpr std::size_t kMostBytesCollected = std::size_t{4} << 20;

  /// The rows of a study that an open transaction has read.
  struct Known {
    std::optional<Study> study;                           // locked; nullopt if there is none
    std::map<std::string, std::optional<LogEntry>> keys;  // that were looked for; nullopt if there is no entry
    std::int64_t after = -1;                              // of the need; -1 if nothing was read
    std::map<std::int64_t, LogEntry> newer;               // entries after `after` that were read, by number
    bool is_changed = false;
  };

  Known* known_study(const std::string& name) {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : &found->second;
  }
  /// Locks studies and reads what is needed of them, in one round trip.
  void lock(const std::vector<Need>& needs) {
    for (const Need& need : needs) {
      Known& known = known_[need.study];
      known.after = std::max(known.after, need.after);
      if (!need.key.empty()) known.keys[need.key] = std::nullopt;
    }
    if (needs.empty()) {
      write_entries();
      return;
    }
    Json names = Json::array();
    Json wanted = Json::array();
    std::set<std::string> seen;
    for (const Need& need : needs) {
      if (!seen.insert(need.study).second) continue;
      const Known& known = known_.at(need.study);
      Json keys = Json::array();
      for (const auto& [key, entry] : known.keys) keys.push_back(key);
      names.push_back(need.study);
      wanted.push_back({need.study, known.after, std::move(keys)});
    }
    collect_added();
    // Statements of their own, because each sees what was committed before it began.
    sql_ += fmt::format("EXECUTE lock_names({}); EXECUTE read_needs({})", connection_.quote(names.dump()),
                        connection_.quote(wanted.dump()));
    note_read(write_entries());
  }
  /// Keeps what the statement read_needs has returned.
  void note_read(const pqxx::result& rows) {
    for (const pqxx::row& row : rows) {
      Known& known = known_.at(row[0].as<std::string>());
      known.study = Study{row[1].as<std::int64_t>(), row[2].as<std::int64_t>()};
      if (row[3].is_null()) continue;
      LogEntry entry = entry_in_row(row, 3);
      if (const auto key = known.keys.find(entry.key); key != known.keys.end()) key->second = entry;
      if (known.after >= 0 && entry.seq > known.after) known.newer.insert_or_assign(entry.seq, std::move(entry));
    }
  }
  /// Makes the entries that were added the last statement that is to be sent.
  void collect_added() {
    if (added_.size() == 0) return;
    sql_ += added_.take([this](const std::string& text) { return connection_.quote(text); });
  }
  /// Sends what is collected. Returns the rows of its last statement.
  pqxx::result write_entries() {
    collect_added();
    if (sql_.empty()) return {};
    return transaction_->exec(std::exchange(sql_, ""));
  }
  /// Runs a prepared statement: in the transaction if there is one.
  template <class... Values>
  pqxx::result run(const char* statement, const Values&... values) {
    if (transaction_) return transaction_->exec_prepared(statement, values...);
    pqxx::nontransaction single(connection_);
    return single.exec_prepared(statement, values...);
  }

  /// A process that hangs in a transaction keeps others waiting only for a while. A commit is on the disk when it
  /// returns, whatever the default of the database is.
  void set_up_session(std::chrono::milliseconds lock_time) {
    pqxx::nontransaction session(connection_);
    // Each statement sees what was committed before it began, such as by a process that held the lock before.
    session.exec("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED");
    session.exec(fmt::format("SET lock_timeout = {}", lock_time.count()));
    session.exec("SET statement_timeout = '60s'");
    session.exec("SET idle_in_transaction_session_timeout = '30s'");
    // Every statement finds few rows by an index. Statistics of a table that has grown since must not lead to a plan
    // that reads all entries of a study.
    for (const char* plan : {"seqscan", "bitmapscan", "hashjoin", "mergejoin"}) {
      session.exec(fmt::format("SET enable_{} = off", plan));
    }
    session.exec(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'");
  }
  /// Prepares the statements that begin and end a transaction, in the session itself: if the connection is lost, they
  /// are lost too, so that no transaction can go on in another session.
  void prepare_transactions() {
    pqxx::nontransaction session(connection_);
    // Locks of names instead of rows: processes get them in the order in which they wait. A row that every transaction
    // updates is locked again by the process that has just released it. All processes lock in the same order, so they
    // do not wait in a circle.
    session.exec(
        fmt::format("PREPARE lock_names(json) AS SELECT pg_advisory_xact_lock(lock) FROM (SELECT DISTINCT "
                    "hashtextextended(name, {}) AS lock FROM json_array_elements_text($1) AS name ORDER BY lock) locks",
                    kLocks));
    // A key is looked for by itself (LIMIT 1), so that its index is used, however few entries the table had when the
    // statement was planned.
    session.exec(fmt::format(
        "PREPARE read_needs(json) AS SELECT s.name, s.id, s.last_seq, found.* FROM json_array_elements($1) need JOIN "
        "longrun.study s ON s.name = need->>0 LEFT JOIN LATERAL ((SELECT {0} FROM longrun.entry WHERE study = s.id AND "
        "(need->>1)::bigint >= 0 AND seq > (need->>1)::bigint ORDER BY seq LIMIT {1}) UNION ALL (SELECT with_key.* "
        "FROM "
        "json_array_elements_text(need->2) wanted CROSS JOIN LATERAL (SELECT {0} FROM longrun.entry WHERE study = s.id "
        "AND key = wanted LIMIT 1) with_key)) found ON true",
        kEntryColumns, kMostCollected));
    session.exec(AddedEntries::kPrepare);
    session.exec("PREPARE set_last(bigint, bigint) AS UPDATE longrun.study SET last_seq = $2 WHERE id = $1");
  }
  void set_up_tables() {
    pqxx::work work(connection_);
    work.exec(fmt::format("SELECT pg_advisory_xact_lock({})", kLocks));  // two processes may start at once
    int version = 0;
    if (!work.exec1("SELECT to_regclass('longrun.version') IS NULL")[0].as<bool>()) {
      version = work.exec1("SELECT coalesce(max(version), 0) FROM longrun.version")[0].as<int>();
    }
    if (version > kPostgresSchemaVersion) {
      throw SystemError(fmt::format("the database has layout {}; this version of longrun knows 1 to {}", version,
                                    kPostgresSchemaVersion));
    }
    for (; version < kPostgresSchemaVersion; ++version) {
      work.exec(kMigrations[static_cast<std::size_t>(version)]);
      work.exec(fmt::format("INSERT INTO longrun.version VALUES ({})", version + 1));
    }
    work.commit();
  }

  pqxx::connection connection_;
  std::unique_ptr<pqxx::nontransaction> transaction_;  // the open one: nontransaction leaves BEGIN and COMMIT to us
  std::map<std::string, Known> known_;                 // studies of the open transaction
  std::string sql_;                                    // statements of the open transaction that are not sent yet
  AddedEntries added_;                                 // entries that follow them
};

PostgresStore::PostgresStore(std::string database, std::chrono::milliseconds lock_time)
    : database_(std::move(database)), lock_time_(lock_time) {
  connection();
}

PostgresStore::~PostgresStore() = default;

PostgresStore::Connection& PostgresStore::connection() {
  if (!connection_) {
    connection_ = with_system_errors([&] { return std::make_unique<Connection>(database_, lock_time_); });
  }
  return *connection_;
}

std::vector<StudyStore::StudyRow> PostgresStore::studies() {
  return with_system_errors([&] { return connection().studies(); });
}

std::optional<std::int64_t> PostgresStore::last_seq(const std::string& study) {
  return with_system_errors([&]() -> std::optional<std::int64_t> {
    const auto found = connection().study(study);
    return found ? std::optional(found->last_seq) : std::nullopt;
  });
}

std::vector<LogEntry> PostgresStore::entries(const std::string& study, std::int64_t after, std::size_t most) {
  return with_system_errors([&] { return connection().entries_after(study, after, most); });
}

std::optional<LogEntry> PostgresStore::with_key(const std::string& study, const std::string& key) {
  return with_system_errors([&] { return connection().with_key(study, key); });
}

std::vector<LogEntry> PostgresStore::outcomes_of(const std::string& study, DecisionId decision) {
  return with_system_errors([&] { return connection().entries("find_outcomes", study, decision); });
}

void PostgresStore::begin(const std::vector<Need>& needs) {
  with_system_errors([&] { connection().begin(needs); });
}

void PostgresStore::read_ahead(const std::vector<Need>& needs) {
  with_system_errors([&] { connection().read_ahead(needs); });
}

std::optional<std::int64_t> PostgresStore::lock(const std::string& study) {
  return with_system_errors([&]() -> std::optional<std::int64_t> {
    const auto found = connection().lock(study);
    return found ? std::optional(found->last_seq) : std::nullopt;
  });
}

bool PostgresStore::create(const std::string& study, const LogEntry& created) {
  return with_system_errors([&] { return connection().create(study, created); });
}

void PostgresStore::append(const std::string& study, const std::vector<LogEntry>& entries) {
  with_system_errors([&] { connection().append(study, entries); });
}

void PostgresStore::commit() {
  with_system_errors([&] { connection().commit(); });
}

void PostgresStore::check_writing(std::size_t bytes) {
  with_system_errors([&] { connection().check_writing(bytes); });
}

void PostgresStore::rollback() noexcept {
  connection_.reset();  // the next call connects again, and sees what was really committed
}

}  // namespace longrun
