#include "longrun/service/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/internal/database.h"

namespace longrun {
namespace {

constexpr int kSchemaVersion = 1;

// Keys and outcomes are found by index, so that a repeated request costs the same in a study of any length.
constexpr const char* kSchema = R"(
  CREATE TABLE study(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE entry(
    study INTEGER NOT NULL REFERENCES study, seq INTEGER NOT NULL, at TEXT NOT NULL, key TEXT, request TEXT NOT NULL,
    decision INTEGER, event TEXT NOT NULL, details TEXT NOT NULL, PRIMARY KEY(study, seq)) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX entry_by_key ON entry(study, key) WHERE key IS NOT NULL;
  CREATE INDEX entry_by_decision ON entry(study, decision, seq) WHERE decision IS NOT NULL;
)";
constexpr const char* kEntryFields = "seq, at, coalesce(key, ''), request, coalesce(decision, 0), event, details";

/// SQLite's planner, without statistics, prefers the primary key to a partial index, and reads the whole study.
std::string select_entries(const char* condition, const char* index = "") {
  return fmt::format("SELECT {} FROM entry {} WHERE study = ? AND {}", kEntryFields, index, condition);
}

LogEntry entry_in(const Statement& row) {
  return {.seq = row.integer(0),
          .at = row.text(1),
          .key = row.text(2),
          .request = row.text(3),
          .decision = row.integer(4),
          .event = row.text(5),
          .details = row.text(6)};
}

/// Takes the rights of others from a file, if there is one. With O_CREAT a file that is missing is made, so that only
/// its owner can read it; SQLite would let all users read it.
void make_private(const std::string& file, int create = 0) {
  constexpr mode_t kOnlyOwner = 0600;
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC | create, kOnlyOwner);  // NOLINT(*-vararg)
  if (descriptor < 0) return;  // SQLite says why it cannot be opened
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    ::fchmod(descriptor, kOnlyOwner);  // fails for a file of another user, who decides who reads it
  }
  ::close(descriptor);
}

std::string folder_lock(const std::string& folder) { return folder + "/studies.lock"; }

}  // namespace

struct SqliteStore::Connection {
  Connection(const std::string& file, const Options& options)
      : database(set_up(std::make_unique<Database>(file, Database::Mode::exclusive, options.vfs), options)),
        find_study(*database, "SELECT id FROM study WHERE name = ?"),
        find_last(*database, "SELECT coalesce(max(seq), -1) FROM entry WHERE study = ?"),
        find_entries(*database, select_entries("seq > ? ORDER BY seq LIMIT ?"), "entry"),
        find_key(*database, select_entries("key = ?", "INDEXED BY entry_by_key"), "entry"),
        find_outcomes(*database, select_entries("decision = ? ORDER BY seq", "INDEXED BY entry_by_decision"), "entry"),
        add_study(*database, "INSERT INTO study(name) VALUES (?) ON CONFLICT DO NOTHING RETURNING id"),
        add_entry(*database,
                  "INSERT INTO entry(study, seq, at, key, request, decision, event, details)"
                  " VALUES (?, ?, ?, nullif(?, ''), ?, nullif(?, 0), ?, ?)") {}

  static std::unique_ptr<Database> set_up(std::unique_ptr<Database> database, const Options& options) {
    database->run(
        fmt::format("PRAGMA journal_mode = WAL; PRAGMA synchronous = {}; "
                    "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; PRAGMA foreign_keys = ON;",
                    options.synchronous));
    const std::int64_t version = database->query_integer("PRAGMA user_version");
    if (version == 0) {
      Transaction transaction(*database);
      database->run(kSchema);
      database->run(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
      transaction.commit();
    } else if (version != kSchemaVersion) {
      throw SystemError(fmt::format("{}: has layout {}; this version of longrun knows 1 to {}", database->path(),
                                    version, kSchemaVersion));
    }
    return database;
  }

  std::unique_ptr<Database> database;
  Statement find_study, find_last, find_entries, find_key, find_outcomes, add_study, add_entry;
};

SqliteStore::SqliteStore(const std::string& folder) : file_(folder + "/studies.sqlite") {
  make_folder(folder);
  lock_ = FileLock::try_lock(folder_lock(folder));
  if (!lock_) {
    throw InputError(
        fmt::format("{}: another process serves this folder ({})", folder, FileLock::last_holder(folder_lock(folder))));
  }
  make_private(file_, O_CREAT);
  make_private(file_ + "-wal");  // of a server that was killed; SQLite gives a new one the rights of the file
  connection();
}

SqliteStore::SqliteStore(std::string file, const Options& options) : file_(std::move(file)), options_(options) {
  connection();
}

SqliteStore::~SqliteStore() = default;

SqliteStore::Connection& SqliteStore::connection() {
  if (!connection_) connection_ = std::make_unique<Connection>(file_, options_);
  return *connection_;
}

std::vector<StudyStore::StudyRow> SqliteStore::studies() {
  Statement query(*connection().database,
                  "SELECT name, (SELECT max(seq) FROM entry WHERE entry.study = study.id) FROM study ORDER BY name",
                  "study");
  std::vector<StudyRow> rows;
  while (query.step()) rows.push_back({query.text(0), query.integer(1)});
  return rows;
}

std::optional<std::int64_t> SqliteStore::id_of(const std::string& study) {
  if (const auto known = ids_.find(study); known != ids_.end()) return known->second;
  const auto id = connection().find_study.bind(study).first_integer();
  if (id) ids_.emplace(study, *id);
  return id;
}

std::optional<std::int64_t> SqliteStore::last_seq(const std::string& study) {
  const auto id = id_of(study);
  return id ? connection().find_last.bind(*id).first_integer() : std::nullopt;
}

std::vector<LogEntry> SqliteStore::entries(const std::string& study, std::int64_t after, std::size_t most) {
  std::vector<LogEntry> found;
  const auto id = id_of(study);
  if (!id) return found;
  const auto limit = std::min<std::size_t>(most, std::numeric_limits<std::int64_t>::max());
  Statement& query = connection().find_entries.bind(*id).bind(after).bind(static_cast<std::int64_t>(limit));
  while (query.step()) found.push_back(entry_in(query));
  query.reset();
  return found;
}

std::optional<LogEntry> SqliteStore::with_key(const std::string& study, const std::string& key) {
  const auto id = id_of(study);
  if (!id) return std::nullopt;
  Statement& query = connection().find_key.bind(*id).bind(key);
  std::optional<LogEntry> found;
  if (query.step()) found = entry_in(query);
  query.reset();
  return found;
}

std::vector<LogEntry> SqliteStore::outcomes_of(const std::string& study, DecisionId decision) {
  std::vector<LogEntry> found;
  const auto id = id_of(study);
  if (!id) return found;
  Statement& query = connection().find_outcomes.bind(*id).bind(decision);
  while (query.step()) found.push_back(entry_in(query));
  query.reset();
  return found;
}

void SqliteStore::begin(const std::vector<Need>& /*needs*/) { connection().database->run("BEGIN IMMEDIATE"); }

bool SqliteStore::create(const std::string& study, const LogEntry& created) {
  const auto id = connection().add_study.bind(study).first_integer();
  if (!id) return false;
  ids_[study] = *id;
  append(study, {created});
  return true;
}

void SqliteStore::append(const std::string& study, const std::vector<LogEntry>& entries) {
  const auto id = id_of(study);
  if (!id) throw SystemError(fmt::format("{}: study '{}' is not found", file_, study));
  Statement& add = connection().add_entry;
  for (const LogEntry& entry : entries) {
    add.bind(*id).bind(entry.seq).bind(entry.at).bind(entry.key).bind(entry.request).bind(entry.decision);
    add.bind(entry.event).bind(entry.details).execute();
  }
}

void SqliteStore::commit() { connection().database->run("COMMIT"); }

void SqliteStore::check_writing(std::size_t bytes) {
  // Two transactions: SQLite does not write what is removed before its commit.
  Database& database = *connection().database;
  database.run(
      fmt::format("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS written(bytes BLOB);"
                  "INSERT INTO written VALUES (zeroblob({})); COMMIT; DROP TABLE written;",
                  bytes));
}

void SqliteStore::rollback() noexcept {
  // The file is closed, whatever failed: after a failed write or sync, SQLite's and the system's memory may say what
  // the disk does not. The next call opens it again and reads what is really there.
  connection_.reset();
  ids_.clear();
}

}  // namespace longrun
