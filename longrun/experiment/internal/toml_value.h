#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {

/// A value of a TOML file that knows its place in it, so that an error about it is one line:
/// "FILE: line L: KEY: VALUE is not ...; allowed: ...". Every function that finds another type than it returns throws
/// that line. Only toml_value.cpp sees the TOML library.
class TomlValue {
 public:
  /// Returns the table that `text` holds. Throws InputError with the line of the first syntax error. `file` is for
  /// messages.
  static TomlValue parse(std::string_view text, const std::string& file);

  /// Returns this table with a fallback: find() takes a missing key from `top`, a table of the same file.
  TomlValue with_defaults(const TomlValue& top) const;

  bool is_text() const;
  bool is_number() const;
  bool is_table() const;
  bool is_list() const;

  /// `allowed` completes the message with what the value should be.
  std::string text(std::string_view allowed) const;
  double number() const;  ///< finite
  bool truth() const;
  /// Accepts whole numbers written as floats, too: 2e4.
  std::int64_t whole_number(std::int64_t least, std::int64_t most) const;
  std::vector<TomlValue> list(std::string_view allowed) const;  ///< not empty

  /// Throws InputError unless this is a table all of whose keys are `known`. The functions below are for tables.
  void check_keys(std::span<const std::string> known) const;
  std::vector<std::string> keys() const;          ///< sorted
  std::vector<std::string> keys_in_file() const;  ///< in the order of the file
  std::optional<TomlValue> find(std::string_view key) const;
  TomlValue at(std::string_view key, std::string_view allowed) const;

  /// Returns the error "FILE: line L: KEY: " + message.
  InputError error(std::string_view message) const;
  /// Returns the error "FILE: line L: KEY: VALUE " + why + "; allowed: " + allowed.
  InputError refused(std::string_view why, std::string_view allowed) const;
  /// Returns what `make` returns. Adds file, line and key to an InputError that it throws.
  template <class Make>
  auto located(Make make) const {
    try {
      return make();
    } catch (const InputError& problem) {
      throw error(problem.what());
    }
  }

 private:
  TomlValue(const TomlValue& parent, std::string key, const void* node);
  TomlValue(std::string file, std::shared_ptr<const void> document);
  std::string path_to(std::string_view key) const;
  std::string shown() const;

  std::string file_;
  std::string key_;                       // dotted, from the top of the file; empty for the whole file
  std::shared_ptr<const void> document_;  // the parsed file, which every value of it keeps alive
  const void* node_ = nullptr;            // a toml::node in *document_
  const void* defaults_ = nullptr;        // a table in *document_, or null
};

/// Returns `text` as a TOML string, between quotes.
std::string toml_quoted(std::string_view text);

}  // namespace longrun
