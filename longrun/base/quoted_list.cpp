#include "longrun/base/quoted_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

constexpr std::string_view kBlanksInLists = " \t";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanksInLists);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanksInLists) - first + 1);
}

/// An item: the name in quotes, if it begins with one, and the rest of its text without blanks.
struct Item {
  std::optional<std::string> quoted;
  std::string_view rest;
};

/// Reads the text in quotes at the beginning of `rest`, and removes it from there.
std::string take_quoted(std::string_view& rest, std::string_view list) {
  std::string name;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      name += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      name += rest[i++];
    } else {
      rest.remove_prefix(i + 1);
      return name;
    }
  }
  throw InputError(fmt::format("'{}' has no closing quote", list));
}

std::vector<Item> items_of(std::string_view list) {
  std::vector<Item> items;
  for (std::string_view rest = list;;) {
    Item item;
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanksInLists), rest.size()));
    if (rest.starts_with('"')) item.quoted = take_quoted(rest, list);
    const std::size_t comma = rest.find(',');
    item.rest = without_blanks(rest.substr(0, comma));
    items.push_back(std::move(item));
    if (comma == std::string_view::npos) return items;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (Item& item : items_of(text)) {
    if (item.quoted && !item.rest.empty()) {
      throw InputError(fmt::format("'{}' has text after a closing quote; a quote inside quotes is doubled", text));
    }
    names.push_back(item.quoted ? std::move(*item.quoted) : std::string(item.rest));
  }
  return names;
}

std::vector<NamedValue> split_named_values(std::string_view text) {
  std::vector<NamedValue> values;
  for (Item& item : items_of(text)) {
    if (item.quoted) {
      if (!item.rest.starts_with(':')) {
        throw InputError(fmt::format("'{}' has a name in quotes without a value; write \"NAME\":VALUE", text));
      }
      values.push_back({std::move(item.quoted), std::string(without_blanks(item.rest.substr(1)))});
      continue;
    }
    const std::size_t colon = item.rest.rfind(':');
    if (colon == std::string_view::npos) {
      values.push_back({.value = std::string(item.rest)});
    } else {
      values.push_back({std::string(without_blanks(item.rest.substr(0, colon))),
                        std::string(without_blanks(item.rest.substr(colon + 1)))});
    }
  }
  return values;
}

std::string list_name(std::string_view name) {
  const bool plain = name.find_first_of(",\":") == std::string_view::npos && without_blanks(name) == name;
  if (plain) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace longrun
