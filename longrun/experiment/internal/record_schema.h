#pragma once

#include "longrun/base/input_error.h"
#include "longrun/sqlite/database.h"

namespace longrun {

/// The error for a database with tables that this version of longrun cannot use.
class UnknownLayout : public InputError {
 public:
  using InputError::InputError;
};

/// The version of the tables, kept in the file as SQLite's user_version. With every change of the tables, raise it and
/// add the conversion from the previous version to set_up_schema().
inline constexpr int kSchemaVersion = 1;

/// Prepares a file for writing: creates the tables in an empty file, and sets the version of a file that has the tables
/// but no version, as early files do. Throws UnknownLayout for other tables or a newer version.
void set_up_schema(const Database& database);

/// Returns whether the file has no tables: the process that created it was killed early. Throws UnknownLayout as
/// set_up_schema() does.
bool is_empty_schema(const Database& database);

}  // namespace longrun
