#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

// Lists that users write, separated by commas. Blanks around an item are removed. A name that contains commas, or
// begins with a quote, is written in double quotes, and a quote in it twice, as in CSV files: "tea, black",coffee

/// Returns the names of a list. Throws InputError for a quote without its closing one and for text after it.
std::vector<std::string> split_names(std::string_view text);

/// An item of a list of values: `2`, or `north:2` for one name.
struct NamedValue {
  std::optional<std::string> name{};
  std::string value;
};
/// Returns the items of a list of values. The last colon of an item separates its name from its value, so a name may
/// contain colons. Throws InputError for a quote without its closing one, and for a name in quotes without a value.
std::vector<NamedValue> split_named_values(std::string_view text);

/// Returns the name as it is written in a list.
std::string list_name(std::string_view name);

}  // namespace longrun
