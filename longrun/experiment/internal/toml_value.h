#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/unknown_name_error.h"

namespace longrun {

/// A value of a TOML file together with its file, line and key. Every function that returns a value throws InputError
/// if the type is another one: "FILE: line L: KEY: VALUE is not ...; allowed: ...". Only toml_value.cpp includes the
/// TOML library.
class TomlValue {
 public:
  static constexpr std::string_view kText = "a text between quotes";  ///< description of any text

  /// Returns the whole file, whose text is `text`, as a table. Throws InputError with the line of the first syntax
  /// error. `file` is for messages.
  static TomlValue parse(std::string_view text, const std::string& file);

  /// Returns this table with defaults: find() takes a missing key from `top`, a table of the same file.
  TomlValue with_defaults(const TomlValue& top) const;

  bool is_text() const;
  bool is_number() const;
  bool is_table() const;
  bool is_list() const;

  /// Returns the text. `allowed` is for the error: a description of valid values.
  std::string text(std::string_view allowed) const;
  double number() const;  ///< finite
  bool boolean() const;
  /// Returns a whole number from `least` to `most`, which may be written as a float: 2e4.
  std::int64_t whole_number(std::int64_t least, std::int64_t most) const;
  std::vector<TomlValue> list(std::string_view allowed) const;  ///< not empty

  /// Throws InputError unless this is a table and all its keys are in `known`. The functions below require a table.
  void check_keys(std::span<const std::string> known) const;
  std::vector<std::string> keys_in_file() const;  ///< in the order of the file
  std::optional<TomlValue> find(std::string_view key) const;
  TomlValue at(std::string_view key, std::string_view allowed) const;  ///< throws InputError if the key is missing

  /// Returns the error "FILE: line L: KEY: " + message.
  InputError error(std::string_view message) const;
  /// Returns the error "FILE: line L: KEY: VALUE " + why + "; allowed: " + allowed.
  InputError refused(std::string_view why, std::string_view allowed) const;
  /// Returns what `make` returns. Adds file, line and key to an InputError that it throws.
  template <class Make>
  auto located(Make make) const {
    try {
      return make();
    } catch (const UnknownNameError& problem) {
      throw UnknownNameError(problem, error(problem.what()).what());
    } catch (const InputError& problem) {
      throw error(problem.what());
    }
  }

 private:
  TomlValue(const TomlValue& parent, std::string key, const void* node);
  TomlValue(std::string file, std::shared_ptr<const void> document);
  std::string path_to(std::string_view key) const;
  std::string shown() const;  ///< the value as it appears in errors, shortened

  std::string file_;
  std::string key_;                       // dotted, from the top of the file; empty for the whole file
  std::shared_ptr<const void> document_;  // the parsed file, which every value of it keeps alive
  const void* node_ = nullptr;            // a toml::node in *document_
  const void* defaults_ = nullptr;        // a table in *document_, or null
};

/// Returns `text` as a TOML string, between quotes.
std::string toml_quoted(std::string_view text);

}  // namespace longrun
