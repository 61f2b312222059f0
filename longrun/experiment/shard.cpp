#include "longrun/experiment/shard.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"

namespace longrun {

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto index = parse_number<std::uint32_t>(text.substr(0, slash));
    const auto count = parse_number<std::uint32_t>(text.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count) return {*index, *count};
  }
  throw InputError(fmt::format("shard '{}' is invalid; allowed: i/n with 1 <= i <= n, such as 2/8", text));
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::size_t missing_units(const std::vector<bool>& recorded, const Shard& shard) {
  std::size_t missing = 0;
  for (std::size_t unit = 0; unit < recorded.size(); ++unit) missing += shard.has(unit) && !recorded[unit] ? 1U : 0U;
  return missing;
}

}  // namespace longrun
