#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longrun/base/system_error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace longrun {

/// The error for a file that is not an SQLite database or has damaged pages.
class DamagedDatabase : public SystemError {
 public:
  using SystemError::SystemError;
};

/// An open SQLite file. Every failure is a SystemError that names the file.
class Database {
 public:
  enum class Mode {
    create,     ///< for writing; created if missing
    exclusive,  ///< the same, and no other process can open it; without shared memory
    open,       ///< must exist; SQLite may write to it, to recover after a kill
    immutable,  ///< for reading in a folder without write permission, where no process can write
    in_memory,  ///< empty; `path` is for messages
  };
  /// `vfs` is SQLite's name of the file system; nullptr: that of the machine.
  Database(std::string path, Mode mode, const char* vfs = nullptr);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) const;
  std::int64_t query_integer(const std::string& sql) const;  ///< the first column of the first row
  std::string query_text(const std::string& sql) const;      ///< the same; empty for NULL

  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  friend class Transaction;
  [[noreturn]] void fail() const;  ///< throws the last error

  std::string path_;
  sqlite3* database_ = nullptr;  // open until the end
};

/// A prepared statement: bind, step, read. A column with another type than the function returns means a damaged file: a
/// SystemError that names file, table and row.
class Statement {
 public:
  /// Prepares the statement. `table` is for messages about rows; if it is given, column 0 must be the row's number.
  Statement(const Database& database, const std::string& sql, std::string table = "");
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(const std::string& value);

  bool step();     ///< Returns whether there is a row to read.
  void execute();  ///< Runs the statement to its end, after which it can be bound again.
  void reset();    ///< Ends a query before its last row, after which it can be bound again.
  /// Runs the statement and returns the first column of its first row; nullopt without a row.
  std::optional<std::int64_t> first_integer();

  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;

  /// Throws SystemError "FILE: table 'T', row N: problem; the file is damaged".
  [[noreturn]] void fail_on_row(const std::string& problem) const;

 private:
  friend class Database;
  Statement& checked(int result);
  void check_type(int column, int type, const char* expected) const;

  const Database& database_;
  std::string table_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;  // parameters bound since the last execute()
};

/// A transaction, rolled back unless commit() ends it.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

}  // namespace longrun
