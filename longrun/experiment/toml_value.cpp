#include "longrun/experiment/toml_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/nearest_name.h"

namespace longrun {
namespace {

constexpr std::size_t kLongestShown = 60;
constexpr double kWholeDoubles = 9007199254740992;  // 2^53: beyond it not every whole number is a double

/// An error is one line, whatever stands in keys and names.
InputError one_line(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  InputError error(message);
  return error;
}

std::string line_of(const toml::source_region& source) { return fmt::format("line {}", source.begin.line); }

}  // namespace

std::string TomlValue::shown() const {
  if (const auto* text = node_->as_string()) {
    const std::string& value = text->get();
    return toml_quoted(value.size() <= kLongestShown ? value : value.substr(0, kLongestShown) + "...");
  }
  if (const auto* number = node_->as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node_->as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node_->as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* list = node_->as_array()) return list->empty() ? "[]" : "a list";
  return node_->is_table() ? "a table" : "a date or time";
}

InputError TomlValue::error(std::string_view message) const {
  const std::string place = key_.empty() ? "" : fmt::format(": {}: {}", line_of(node_->source()), key_);
  return one_line(fmt::format("{}{}: {}", file_, place, message));
}

InputError TomlValue::refused(std::string_view why, std::string_view allowed) const {
  return error(fmt::format("{} {}; allowed: {}", shown(), why, allowed));
}

std::string TomlValue::text(std::string_view allowed) const {
  const auto* text = node_->as_string();
  if (text == nullptr) throw refused("is not a text", allowed);
  return text->get();
}

double TomlValue::number() const {
  const auto value = node_->value<double>();
  if (!node_->is_number() || !value || !std::isfinite(*value)) throw refused("is not a number", "a finite number");
  return *value;
}

bool TomlValue::truth() const {
  const auto* flag = node_->as_boolean();
  if (flag == nullptr) throw refused("is neither true nor false", "true, false");
  return flag->get();
}

std::int64_t TomlValue::whole_number(std::int64_t least, std::int64_t most) const {
  const std::string allowed = fmt::format("{} to {}", least, most);
  std::int64_t whole = 0;
  if (const auto* value = node_->as_integer()) {
    whole = value->get();
  } else {
    const auto* real = node_->as_floating_point();
    // Whatever is not below 2^53 in size, such as nan, is not taken for whole.
    if (real == nullptr || !(std::abs(real->get()) <= kWholeDoubles) || real->get() != std::floor(real->get())) {
      throw refused("is not a whole number", allowed);
    }
    whole = static_cast<std::int64_t>(real->get());
  }
  if (whole < least || whole > most) throw refused("is not in range", allowed);
  return whole;
}

std::vector<TomlValue> TomlValue::list(std::string_view allowed) const {
  const toml::array* array = node_->as_array();
  if (array == nullptr) throw refused("is not a list", allowed);
  if (array->empty()) throw refused("is empty", allowed);
  std::vector<TomlValue> values;
  values.reserve(array->size());
  for (const toml::node& node : *array) values.emplace_back(file_, fmt::format("{}[{}]", key_, values.size()), node);
  return values;
}

std::string TomlValue::path_to(std::string_view key) const {
  return key_.empty() ? std::string(key) : fmt::format("{}.{}", key_, key);
}

void TomlValue::check_keys(std::span<const std::string> known) const {
  const std::string allowed = fmt::format("{}", fmt::join(known, ", "));
  if (!node_->is_table()) throw refused("is not a table", "a table of " + allowed);
  for (const auto& [key, value] : *node_->as_table()) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    throw one_line(fmt::format("{}: {}: {}: is not a key here; allowed: {}{}", file_, line_of(key.source()),
                               path_to(key.str()), allowed, did_you_mean(key.str(), known)));
  }
}

std::vector<std::string> TomlValue::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : *node_->as_table()) names.emplace_back(key.str());
  return names;
}

std::optional<TomlValue> TomlValue::find(std::string_view key) const {
  if (const toml::node* node = node_->as_table()->get(key)) return TomlValue(file_, path_to(key), *node);
  const toml::node* node = defaults_ == nullptr ? nullptr : defaults_->as_table()->get(key);
  if (node == nullptr) return std::nullopt;
  return TomlValue(file_, std::string(key), *node);
}

TomlValue TomlValue::at(std::string_view key, std::string_view allowed) const {
  auto value = find(key);
  if (!value) throw error(fmt::format("{} is missing; allowed: {}", key, allowed));
  return *std::move(value);
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& problem) {
    throw one_line(fmt::format("{}: {}: not valid TOML: {}", file, line_of(problem.source()), problem.description()));
  }
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
