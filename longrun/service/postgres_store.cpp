#include "longrun/service/postgres_store.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>
#include <utility>

#include "longrun/base/system_error.h"

namespace longrun {
namespace {

constexpr int kPostgresSchemaVersion = 1;
constexpr std::int64_t kLocks = 0x6c6f6e6772756e;  // "longrun": of PostgreSQL's advisory locks, and seed of their names

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
    set_up_session();
    set_up_tables();
    connection_.prepare("find_study", "SELECT id, last_seq FROM longrun.study WHERE name = $1");
    // Locks of names instead of rows: processes get them in the order in which they wait. A row that every transaction
    // updates is locked again by the process that has just released it. All processes lock in the same order, so they
    // do not wait in a circle.
    connection_.prepare(
        "lock_names",
        "SELECT pg_advisory_xact_lock(lock) FROM (SELECT DISTINCT hashtextextended(name, $2) AS lock FROM "
        "json_array_elements_text($1::json) AS name ORDER BY lock) AS locks");
    connection_.prepare("find_studies",
                        "SELECT name, id, last_seq FROM longrun.study WHERE name IN (SELECT "
                        "json_array_elements_text($1::json))");
    connection_.prepare("add_study",
                        "INSERT INTO longrun.study(name, last_seq) VALUES ($1, 0) ON CONFLICT DO NOTHING RETURNING id");
    connection_.prepare("set_last",
                        "UPDATE longrun.study SET last_seq = (row->>1)::bigint FROM json_array_elements($1::json) row "
                        "WHERE id = (row->>0)::bigint");
    const auto select = [&](const char* name, const char* condition) {
      connection_.prepare(name,
                          fmt::format("SELECT {} FROM longrun.entry WHERE study = (SELECT id FROM longrun.study WHERE "
                                      "name = $1) AND {}",
                                      kEntryColumns, condition));
    };
    select("find_entries", "seq > $2 ORDER BY seq LIMIT $3");
    select("find_keys", "key IN (SELECT json_array_elements_text($2::json))");
    select("find_outcomes", "decision = $2 ORDER BY seq");
    connection_.prepare("add_entries",
                        "INSERT INTO longrun.entry(study, seq, at, key, request, decision, event, details) SELECT "
                        "(row->>0)::bigint, (row->>1)::bigint, row->>2, row->>3, row->>4, (row->>5)::bigint, row->>6, "
                        "row->>7 FROM json_array_elements($1::json) row");
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
    for (const pqxx::row& row : run(statement, study, values...)) found.push_back(entry_in_row(row));
    return found;
  }
  std::optional<LogEntry> with_key(const std::string& study, const std::string& key) {
    if (const Known* known = known_study(study)) {
      const auto read = known->keys.find(key);
      if (read != known->keys.end()) return read->second;
    }
    const std::vector<LogEntry> found = entries("find_keys", study, Json::array({key}).dump());
    return found.empty() ? std::nullopt : std::optional(found[0]);
  }

  // A transaction. Entries are collected, and written together before something is read that they could change.

  void begin(const std::vector<Need>& needs) {
    work_ = std::make_unique<pqxx::work>(connection_);
    std::map<std::string, std::vector<std::string>> keys;
    for (const Need& need : needs) {
      auto& wanted = keys[need.study];
      if (!need.key.empty()) wanted.push_back(need.key);
    }
    std::vector<std::string> names;
    for (const auto& [name, wanted] : keys) names.push_back(name);
    lock(names);
    for (const auto& [name, wanted] : keys) {
      Known& known = known_.at(name);
      for (const std::string& key : wanted) known.keys[key] = std::nullopt;
      if (!known.study || wanted.empty()) continue;
      for (LogEntry& entry : entries("find_keys", name, Json(wanted).dump())) known.keys[entry.key] = std::move(entry);
    }
  }
  std::optional<Study> lock(const std::string& name) {
    if (known_study(name) == nullptr) lock(std::vector<std::string>{name});
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
      const auto or_null = [](const auto& value, bool is_null) { return is_null ? Json() : Json(value); };
      added_.push_back({known.study->id, entry.seq, entry.at, or_null(entry.key, entry.key.empty()), entry.request,
                        or_null(entry.decision, entry.decision == 0), entry.event, entry.details});
      if (const auto key = known.keys.find(entry.key); key != known.keys.end()) key->second = entry;
      known.study->last_seq = entry.seq;
      if (added_.size() >= kMostCollected) write_entries();
    }
    if (!entries.empty()) known.is_changed = true;
  }
  void commit() {
    write_entries();
    Json last = Json::array();
    for (const auto& [name, known] : known_) {
      if (known.is_changed) last.push_back({known.study->id, known.study->last_seq});
    }
    if (!last.empty()) run("set_last", last.dump());
    work_->commit();
    work_.reset();
    known_.clear();
  }

 private:
  using Json = nlohmann::json;
  static constexpr std::size_t kMostCollected = 1000;  // entries

  /// What is known of a study in an open transaction.
  struct Known {
    std::optional<Study> study;                           // locked; nullopt if there is none
    std::map<std::string, std::optional<LogEntry>> keys;  // that were looked for; nullopt if there is no entry
    bool is_changed = false;
  };

  Known* known_study(const std::string& name) {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : &found->second;
  }
  void lock(const std::vector<std::string>& names) {
    for (const std::string& name : names) known_[name];
    if (names.empty()) return;
    const std::string list = Json(names).dump();
    run("lock_names", list, kLocks);
    for (const pqxx::row& row : run("find_studies", list)) {  // a statement of its own sees what others committed
      known_.at(row[0].as<std::string>()).study = Study{row[1].as<std::int64_t>(), row[2].as<std::int64_t>()};
    }
  }
  void write_entries() {
    if (added_.empty()) return;
    run("add_entries", added_.dump());
    added_.clear();
  }
  /// Runs a prepared statement: in the transaction if there is one.
  template <class... Values>
  pqxx::result run(const char* statement, const Values&... values) {
    if (work_) return work_->exec_prepared(statement, values...);
    pqxx::nontransaction single(connection_);
    return single.exec_prepared(statement, values...);
  }

  /// A process that hangs in a transaction keeps others waiting only for a while. A commit is on the disk when it
  /// returns, whatever the default of the database is.
  void set_up_session() {
    pqxx::nontransaction session(connection_);
    session.exec("SET lock_timeout = '5s'");
    session.exec("SET statement_timeout = '60s'");
    session.exec("SET idle_in_transaction_session_timeout = '30s'");
    session.exec(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'");
  }
  void set_up_tables() {
    pqxx::work work(connection_);
    work.exec(fmt::format("SELECT pg_advisory_xact_lock({})", kLocks));  // two processes may start at once
    if (work.exec1("SELECT to_regclass('longrun.version') IS NULL")[0].as<bool>()) {
      work.exec("CREATE SCHEMA IF NOT EXISTS longrun");
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
  std::unique_ptr<pqxx::work> work_;    // the open transaction
  std::map<std::string, Known> known_;  // studies of the open transaction
  Json added_ = Json::array();          // entries that are not written yet, as rows of the table
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
  return with_system_errors([&] { return connection().studies(); });
}

std::optional<std::int64_t> PostgresStore::last_seq(const std::string& study) {
  return with_system_errors([&]() -> std::optional<std::int64_t> {
    const auto found = connection().study(study);
    return found ? std::optional(found->last_seq) : std::nullopt;
  });
}

std::vector<LogEntry> PostgresStore::entries(const std::string& study, std::int64_t after, std::size_t most) {
  const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most, std::numeric_limits<std::int64_t>::max()));
  return with_system_errors([&] { return connection().entries("find_entries", study, after, limit); });
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

void PostgresStore::rollback() noexcept {
  connection_.reset();  // the next call connects again, and sees what was really committed
}

}  // namespace longrun
