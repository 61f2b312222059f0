#include "longrun/service/postgres_store.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <pqxx/pqxx>
#include <utility>

#include "longrun/base/system_error.h"

namespace longrun {
namespace {

constexpr int kPostgresSchemaVersion = 1;
constexpr std::int64_t kSetUpLock = 0x6c6f6e6772756e;  // of PostgreSQL's advisory locks: "longrun"

constexpr const char* kTables = R"(
  CREATE TABLE longrun.version(version integer NOT NULL);
  CREATE TABLE longrun.study(
    id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, last_seq bigint NOT NULL);
  CREATE TABLE longrun.entry(
    study bigint NOT NULL REFERENCES longrun.study, seq bigint NOT NULL, at text NOT NULL, key text,
    request text NOT NULL, decision bigint, event text NOT NULL, details text NOT NULL, PRIMARY KEY(study, seq));
  CREATE UNIQUE INDEX entry_by_key ON longrun.entry(study, key) WHERE key IS NOT NULL;
  CREATE INDEX entry_by_decision ON longrun.entry(study, decision, seq) WHERE decision IS NOT NULL;
)";
constexpr const char* kEntryColumns = "seq, at, coalesce(key, ''), request, coalesce(decision, 0), event, details";

LogEntry entry_in_row(const pqxx::row& row) {
  return {.seq = row[0].as<std::int64_t>(),
          .at = row[1].as<std::string>(),
          .key = row[2].as<std::string>(),
          .request = row[3].as<std::string>(),
          .decision = row[4].as<DecisionId>(),
          .event = row[5].as<std::string>(),
          .details = row[6].as<std::string>()};
}

std::vector<LogEntry> entries_in(const pqxx::result& rows) {
  std::vector<LogEntry> entries;
  entries.reserve(rows.size());
  for (const pqxx::row& row : rows) entries.push_back(entry_in_row(row));
  return entries;
}

/// Calls a function; errors of the database become SystemError.
template <class Call>
auto with_system_errors(Call call) {
  try {
    return call();
  } catch (const pqxx::failure& failure) {
    std::string message = failure.what();
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
    for (char& c : message) c = c == '\n' ? ' ' : c;
    throw SystemError("database: " + message);
  }
}

}  // namespace

class PostgresStore::Connection {
 public:
  explicit Connection(const std::string& database) : connection_(database) {
    set_up_tables();
    connection_.prepare("find_study", "SELECT id, last_seq FROM longrun.study WHERE name = $1");
    connection_.prepare("lock_study", "SELECT id, last_seq FROM longrun.study WHERE name = $1 FOR UPDATE");
    connection_.prepare("add_study",
                        "INSERT INTO longrun.study(name, last_seq) VALUES ($1, 0) ON CONFLICT DO NOTHING RETURNING id");
    connection_.prepare("set_last", "UPDATE longrun.study SET last_seq = $2 WHERE id = $1");
    const auto select = [&](const char* name, const char* condition) {
      connection_.prepare(name,
                          fmt::format("SELECT {} FROM longrun.entry WHERE study = (SELECT id FROM longrun.study WHERE "
                                      "name = $1) AND {}",
                                      kEntryColumns, condition));
    };
    select("find_entries", "seq > $2 ORDER BY seq LIMIT $3");
    select("find_key", "key = $2");
    select("find_outcomes", "decision = $2 ORDER BY seq");
    connection_.prepare("add_entry",
                        "INSERT INTO longrun.entry(study, seq, at, key, request, decision, event, details) VALUES "
                        "($1, $2, $3, nullif($4, ''), $5, nullif($6, 0), $7, $8)");
  }

  /// Runs a prepared statement: in the transaction if there is one.
  template <class... Values>
  pqxx::result run(const char* statement, Values&&... values) {
    if (work_) return work_->exec_prepared(statement, std::forward<Values>(values)...);
    pqxx::nontransaction single(connection_);
    return single.exec_prepared(statement, std::forward<Values>(values)...);
  }
  pqxx::result run_text(const std::string& sql) {
    if (work_) return work_->exec(sql);
    pqxx::nontransaction single(connection_);
    return single.exec(sql);
  }

  void begin() { work_ = std::make_unique<pqxx::work>(connection_); }
  void commit() {
    for (const auto& [id, last] : last_) run("set_last", id, last);
    last_.clear();
    work_->commit();
    work_.reset();
  }

  struct Study {
    std::int64_t id = 0;
    std::int64_t last_seq = 0;
  };
  std::optional<Study> study(const char* statement, const std::string& name) {
    const pqxx::result rows = run(statement, name);
    if (rows.empty()) return std::nullopt;
    Study found{rows[0][0].as<std::int64_t>(), rows[0][1].as<std::int64_t>()};
    // Numbers of entries that this transaction added are written to the study when it ends.
    if (const auto added = last_.find(found.id); added != last_.end()) found.last_seq = added->second;
    return found;
  }
  void add(std::int64_t id, const LogEntry& entry) {
    run("add_entry", id, entry.seq, entry.at, entry.key, entry.request, entry.decision, entry.event, entry.details);
    last_[id] = entry.seq;
  }

 private:
  void set_up_tables() {
    pqxx::work work(connection_);
    work.exec(fmt::format("SELECT pg_advisory_xact_lock({})", kSetUpLock));  // two processes may start at once
    work.exec("CREATE SCHEMA IF NOT EXISTS longrun");
    if (work.exec1("SELECT to_regclass('longrun.version') IS NULL")[0].as<bool>()) {
      work.exec(kTables);
      work.exec(fmt::format("INSERT INTO longrun.version VALUES ({})", kPostgresSchemaVersion));
    }
    const int version = work.exec1("SELECT max(version) FROM longrun.version")[0].as<int>();
    if (version != kPostgresSchemaVersion) {
      throw SystemError(fmt::format("the database has layout {}; this version of longrun knows 1 to {}", version,
                                    kPostgresSchemaVersion));
    }
    work.commit();
  }

  pqxx::connection connection_;
  std::unique_ptr<pqxx::work> work_;           // the open transaction
  std::map<std::int64_t, std::int64_t> last_;  // last entries of the studies that it changes, by id
};

PostgresStore::PostgresStore(const std::string& database) : database_(database) { connection(); }

PostgresStore::~PostgresStore() = default;

PostgresStore::Connection& PostgresStore::connection() {
  if (!connection_) {
    connection_ = with_system_errors([&] { return std::make_unique<Connection>(database_); });
  }
  return *connection_;
}

std::vector<StudyStore::StudyRow> PostgresStore::studies() {
  return with_system_errors([&] {
    std::vector<StudyRow> studies;
    for (const pqxx::row& row :
         connection().run_text("SELECT name, last_seq FROM longrun.study ORDER BY name COLLATE \"C\"")) {
      studies.push_back({row[0].as<std::string>(), row[1].as<std::int64_t>()});
    }
    return studies;
  });
}

std::optional<std::int64_t> PostgresStore::last_seq(const std::string& study) {
  return with_system_errors([&]() -> std::optional<std::int64_t> {
    const auto found = connection().study("find_study", study);
    return found ? std::optional(found->last_seq) : std::nullopt;
  });
}

std::vector<LogEntry> PostgresStore::entries(const std::string& study, std::int64_t after, std::size_t most) {
  const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most, std::numeric_limits<std::int64_t>::max()));
  return with_system_errors([&] { return entries_in(connection().run("find_entries", study, after, limit)); });
}

std::optional<LogEntry> PostgresStore::with_key(const std::string& study, const std::string& key) {
  return with_system_errors([&]() -> std::optional<LogEntry> {
    const pqxx::result rows = connection().run("find_key", study, key);
    return rows.empty() ? std::nullopt : std::optional(entry_in_row(rows[0]));
  });
}

std::vector<LogEntry> PostgresStore::outcomes_of(const std::string& study, DecisionId decision) {
  return with_system_errors([&] { return entries_in(connection().run("find_outcomes", study, decision)); });
}

void PostgresStore::begin() {
  with_system_errors([&] { connection().begin(); });
}

std::optional<std::int64_t> PostgresStore::lock(const std::string& study) {
  return with_system_errors([&]() -> std::optional<std::int64_t> {
    const auto found = connection().study("lock_study", study);
    return found ? std::optional(found->last_seq) : std::nullopt;
  });
}

bool PostgresStore::create(const std::string& study, const LogEntry& created) {
  return with_system_errors([&] {
    const pqxx::result rows = connection().run("add_study", study);
    if (rows.empty()) return false;
    connection().add(rows[0][0].as<std::int64_t>(), created);
    return true;
  });
}

void PostgresStore::append(const std::string& study, const std::vector<LogEntry>& entries) {
  with_system_errors([&] {
    const auto found = connection().study("find_study", study);
    if (!found) throw SystemError(fmt::format("database: study '{}' is not found", study));
    for (const LogEntry& entry : entries) connection().add(found->id, entry);
  });
}

void PostgresStore::commit() {
  with_system_errors([&] { connection().commit(); });
}

void PostgresStore::rollback() noexcept {
  connection_.reset();  // the next call connects again, and sees what was really committed
}

}  // namespace longrun
