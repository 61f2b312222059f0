#include "longrun/experiment/internal/toml_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

// toml++ 3.3 asserts conditions that some invalid files break (`a = [}]`), and with NDEBUG lets the compiler rely on
// them. Without either it reports such files like any other.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "longrun/base/nearest_name.h"

namespace longrun {
namespace {

constexpr std::size_t kLongestShown = 60;
constexpr double kLargestWholeDouble = 9007199254740992;  // 2^53: beyond it some whole numbers have no double

/// Returns the error as one line, whatever characters its keys and names contain.
InputError one_line(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  InputError error(message);
  return error;
}

std::string line_of(const toml::source_region& source) { return fmt::format("line {}", source.begin.line); }

const toml::node& node_at(const void* node) { return *static_cast<const toml::node*>(node); }
const toml::table& table_at(const void* node) { return *node_at(node).as_table(); }

}  // namespace

TomlValue::TomlValue(const TomlValue& parent, std::string key, const void* node)
    : file_(parent.file_), key_(std::move(key)), document_(parent.document_), node_(node) {}

TomlValue::TomlValue(std::string file, std::shared_ptr<const void> document)
    : file_(std::move(file)), document_(std::move(document)), node_(document_.get()) {}

TomlValue TomlValue::parse(std::string_view text, const std::string& file) {
  try {
    const std::shared_ptr<const toml::node> document = std::make_shared<const toml::table>(toml::parse(text));
    return {file, document};
  } catch (const toml::parse_error& problem) {
    throw one_line(fmt::format("{}: {}: not valid TOML: {}", file, line_of(problem.source()), problem.description()));
  }
}

TomlValue TomlValue::with_defaults(const TomlValue& top) const {
  TomlValue value = *this;
  value.defaults_ = top.node_;
  return value;
}

bool TomlValue::is_text() const { return node_at(node_).is_string(); }
bool TomlValue::is_number() const { return node_at(node_).is_number(); }
bool TomlValue::is_table() const { return node_at(node_).is_table(); }
bool TomlValue::is_list() const { return node_at(node_).is_array(); }

std::string TomlValue::shown() const {
  if (const auto* text = node_at(node_).as_string()) {
    const std::string& value = text->get();
    return toml_quoted(value.size() <= kLongestShown ? value : value.substr(0, kLongestShown) + "...");
  }
  if (const auto* number = node_at(node_).as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node_at(node_).as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node_at(node_).as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* list = node_at(node_).as_array()) return list->empty() ? "[]" : "a list";
  return node_at(node_).is_table() ? "a table" : "a date or time";
}

InputError TomlValue::error(std::string_view message) const {
  const std::string place = key_.empty() ? "" : fmt::format(": {}: {}", line_of(node_at(node_).source()), key_);
  return one_line(fmt::format("{}{}: {}", file_, place, message));
}

InputError TomlValue::refused(std::string_view why, std::string_view allowed) const {
  return error(fmt::format("{} {}; allowed: {}", shown(), why, allowed));
}

std::string TomlValue::text(std::string_view allowed) const {
  const auto* text = node_at(node_).as_string();
  if (text == nullptr) throw refused("is not a text", allowed);
  return text->get();
}

double TomlValue::number() const {
  const auto value = node_at(node_).value<double>();
  if (!node_at(node_).is_number() || !value || !std::isfinite(*value))
    throw refused("is not a number", "a finite number");
  return *value;
}

bool TomlValue::truth() const {
  const auto* flag = node_at(node_).as_boolean();
  if (flag == nullptr) throw refused("is neither true nor false", "true, false");
  return flag->get();
}

std::int64_t TomlValue::whole_number(std::int64_t least, std::int64_t most) const {
  const std::string allowed = fmt::format("{} to {}", least, most);
  std::int64_t whole = 0;
  if (const auto* value = node_at(node_).as_integer()) {
    whole = value->get();
  } else {
    const auto* real = node_at(node_).as_floating_point();
    // Neither nan nor anything beyond 2^53 counts as whole.
    if (real == nullptr || !(std::abs(real->get()) <= kLargestWholeDouble) || real->get() != std::floor(real->get())) {
      throw refused("is not a whole number", allowed);
    }
    whole = static_cast<std::int64_t>(real->get());
  }
  if (whole < least || whole > most) throw refused("is not in range", allowed);
  return whole;
}

std::vector<TomlValue> TomlValue::list(std::string_view allowed) const {
  const toml::array* array = node_at(node_).as_array();
  if (array == nullptr) throw refused("is not a list", allowed);
  if (array->empty()) throw refused("is empty", allowed);
  std::vector<TomlValue> values;
  values.reserve(array->size());
  for (const toml::node& node : *array) values.push_back({*this, fmt::format("{}[{}]", key_, values.size()), &node});
  return values;
}

std::string TomlValue::path_to(std::string_view key) const {
  return key_.empty() ? std::string(key) : fmt::format("{}.{}", key_, key);
}

void TomlValue::check_keys(std::span<const std::string> known) const {
  const std::string allowed = fmt::format("{}", fmt::join(known, ", "));
  if (!node_at(node_).is_table()) throw refused("is not a table", "a table of " + allowed);
  for (const auto& [key, value] : table_at(node_)) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    throw one_line(fmt::format("{}: {}: {}: is not a key here; allowed: {}{}", file_, line_of(key.source()),
                               path_to(key.str()), allowed, did_you_mean(key.str(), known)));
  }
}

std::vector<std::string> TomlValue::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : table_at(node_)) names.emplace_back(key.str());
  return names;
}

std::vector<std::string> TomlValue::keys_in_file() const {
  std::vector<const toml::key*> found;
  for (const auto& [key, value] : table_at(node_)) found.push_back(&key);
  std::sort(found.begin(), found.end(), [](const toml::key* a, const toml::key* b) {
    const toml::source_position& first = a->source().begin;
    const toml::source_position& second = b->source().begin;
    return std::pair(first.line, first.column) < std::pair(second.line, second.column);
  });
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const toml::key* key : found) names.emplace_back(key->str());
  return names;
}

std::optional<TomlValue> TomlValue::find(std::string_view key) const {
  if (const toml::node* node = table_at(node_).get(key)) return TomlValue(*this, path_to(key), node);
  const toml::node* node = defaults_ == nullptr ? nullptr : table_at(defaults_).get(key);
  if (node == nullptr) return std::nullopt;
  return TomlValue(*this, std::string(key), node);
}

TomlValue TomlValue::at(std::string_view key, std::string_view allowed) const {
  auto value = find(key);
  if (!value) throw error(fmt::format("{} is missing; allowed: {}", key, allowed));
  return *std::move(value);
}

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace longrun
