#pragma once

#include "longrun/base/input_error.h"
#include "longrun/experiment/internal/database.h"

namespace longrun {

/// The database has tables that this version of longrun cannot use.
class UnknownLayout : public InputError {
 public:
  using InputError::InputError;
};

/// The version of the tables, kept in the file as SQLite's user_version. Raise it with every change of the tables, and
/// teach set_up_schema() the step from the version before.
inline constexpr int kSchemaVersion = 1;

/// Prepares a file for writing: makes the tables of an empty one, and raises one without version, from before there
/// were versions, to version 1. Throws UnknownLayout for any other.
void set_up_schema(const Database& database);

/// Returns whether the file is empty: made, but killed before it had tables. Throws UnknownLayout for tables that
/// cannot be read. Files without version can.
bool is_empty_schema(const Database& database);

}  // namespace longrun
