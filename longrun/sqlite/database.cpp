#include "longrun/sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace longrun {
namespace {

constexpr int kLongestWaitForOtherProcesses = 10'000;  // ms; readers hold locks far shorter

/// Returns the URI by which SQLite opens the file without locks.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return uri + "?immutable=1";
}

std::string_view type_name(int type) {
  switch (type) {
    case SQLITE_INTEGER:
      return "a whole number";
    case SQLITE_FLOAT:
      return "a number";
    case SQLITE_TEXT:
      return "a text";
    case SQLITE_BLOB:
      return "binary data";
    default:
      return "empty";
  }
}

}  // namespace

Database::Database(std::string path, Mode mode, const char* vfs) : path_(std::move(path)) {
  std::string name = path_;
  int flags = SQLITE_OPEN_READWRITE;
  if (mode == Mode::create || mode == Mode::exclusive) flags |= SQLITE_OPEN_CREATE;
  if (mode == Mode::immutable) {
    name = immutable_uri(path_);
    flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  if (mode == Mode::in_memory) {
    name = ":memory:";
    flags |= SQLITE_OPEN_CREATE;
  }
  try {
    if (sqlite3_open_v2(name.c_str(), &database_, flags, vfs) != SQLITE_OK) fail();
    sqlite3_busy_timeout(database_, kLongestWaitForOtherProcesses);
    if (mode == Mode::exclusive) run("PRAGMA locking_mode = EXCLUSIVE");  // before anything is read
    query_integer("SELECT count(*) FROM sqlite_master");                  // opening reads nothing; this does
  } catch (const SystemError&) {
    sqlite3_close(database_);
    throw;
  }
}

Database::~Database() { sqlite3_close(database_); }

void Database::run(const std::string& sql) const {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::query_integer(const std::string& sql) const {
  Statement query(*this, sql);
  query.step();
  return query.integer(0);
}

std::string Database::query_text(const std::string& sql) const {
  Statement query(*this, sql);
  query.step();
  const auto* bytes = sqlite3_column_text(query.statement_, 0);
  return bytes == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(bytes));  // NOLINT
}

void Database::fail() const {
  const std::string message = fmt::format("{}: {}", path_, sqlite3_errmsg(database_));
  const int code = sqlite3_errcode(database_);
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) throw DamagedDatabase(message);
  throw SystemError(message);
}

Statement::Statement(const Database& database, const std::string& sql, std::string table)
    : database_(database), table_(std::move(table)) {
  if (sqlite3_prepare_v2(database.database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) database.fail();
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::int64_t value) { return checked(sqlite3_bind_int64(statement_, ++bound_, value)); }

Statement& Statement::bind(double value) { return checked(sqlite3_bind_double(statement_, ++bound_, value)); }

Statement& Statement::bind(const std::string& value) {
  return checked(
      sqlite3_bind_text(statement_, ++bound_, value.c_str(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
}

Statement& Statement::checked(int result) {
  if (result != SQLITE_OK) database_.fail();
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(statement_);
  if (result != SQLITE_ROW && result != SQLITE_DONE) database_.fail();
  return result == SQLITE_ROW;
}

void Statement::execute() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  bound_ = 0;
}

std::optional<std::int64_t> Statement::first_integer() {
  std::optional<std::int64_t> value;
  if (step()) {
    value = integer(0);
    execute();  // a statement that changes rows does so only when it runs to its end
  }
  reset();
  return value;
}

std::int64_t Statement::integer(int column) const {
  check_type(column, SQLITE_INTEGER, "a whole number");
  return sqlite3_column_int64(statement_, column);
}

double Statement::number(int column) const {
  check_type(column, SQLITE_FLOAT, "a number");
  return sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  check_type(column, SQLITE_TEXT, "a text");
  const auto* bytes = sqlite3_column_text(statement_, column);
  return {reinterpret_cast<const char*>(bytes),  // NOLINT
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Statement::check_type(int column, int type, const char* expected) const {
  const int found = sqlite3_column_type(statement_, column);
  if (found == type) return;
  fail_on_row(fmt::format("{} is {}, not {}", sqlite3_column_name(statement_, column), type_name(found), expected));
}

void Statement::fail_on_row(const std::string& problem) const {
  const auto* number = table_.empty() ? nullptr : sqlite3_column_text(statement_, 0);
  const std::string row =
      number == nullptr ? ""
                        : fmt::format("table '{}', row {}: ", table_, reinterpret_cast<const char*>(number));  // NOLINT
  throw SystemError(fmt::format("{}: {}{}; the file is damaged", database_.path(), row, problem));
}

Transaction::Transaction(const Database& database) : database_(database) { database_.run("BEGIN"); }

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace longrun
