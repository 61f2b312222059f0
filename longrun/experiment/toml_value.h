#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// toml++ 3.3 asserts what some files that are not TOML break (`a = [}]`), and with NDEBUG lets the compiler rely on it.
// Without either it reports them like any other.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "longrun/base/input_error.h"

namespace longrun {

/// A value of a TOML file that knows where it stands, so that whatever is wrong with it can be said in one line:
/// "FILE: line L: KEY: VALUE is not ...; allowed: ...". Every function that asks for what is not there throws that
/// line. Points into the parsed file, which must outlive it.
class TomlValue {
 public:
  TomlValue(std::string file, std::string key, const toml::node& node)
      : file_(std::move(file)), key_(std::move(key)), node_(&node) {}

  /// A table that has what it lacks from another one, which stands at the top of the same file.
  TomlValue with_defaults(const TomlValue& top) const {
    TomlValue value = *this;
    value.defaults_ = top.node_;
    return value;
  }

  bool is_text() const { return node_->is_string(); }
  bool is_number() const { return node_->is_number(); }
  bool is_table() const { return node_->is_table(); }

  /// `allowed` says in the message what the value should have been.
  std::string text(std::string_view allowed) const;
  double number() const;  ///< finite
  bool truth() const;     ///< true or false
  /// 2e4 counts as whole, too.
  std::int64_t whole_number(std::int64_t least, std::int64_t most) const;
  std::vector<TomlValue> list(std::string_view allowed) const;  ///< not empty

  /// Of a table. Its own type is checked by check_keys(), which also refuses any key that is not `known`.
  void check_keys(std::span<const std::string> known) const;
  std::vector<std::string> keys() const;
  std::optional<TomlValue> find(std::string_view key) const;
  TomlValue at(std::string_view key, std::string_view allowed) const;

  /// "FILE: line L: KEY: " and the message.
  InputError error(std::string_view message) const;
  /// The same with the value: "VALUE why; allowed: ...".
  InputError refused(std::string_view why, std::string_view allowed) const;
  /// What `make` returns; an InputError of its own comes out with file, line and key.
  template <class Make>
  auto located(Make make) const {
    try {
      return make();
    } catch (const InputError& problem) {
      throw error(problem.what());
    }
  }

 private:
  std::string path_to(std::string_view key) const;
  std::string shown() const;

  std::string file_;
  std::string key_;
  const toml::node* node_;
  const toml::node* defaults_ = nullptr;
};

/// The table that `text` holds; throws InputError with the line of what is not TOML. `file` is for messages.
toml::table parse_toml(std::string_view text, const std::string& file);

/// `text` as TOML writes it, between quotes.
std::string toml_quoted(std::string_view text);

}  // namespace longrun
