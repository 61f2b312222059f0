#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// The part of an experiment's units that one process computes: every unit whose number is index - 1 modulo count.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;

  bool has(std::size_t unit) const { return unit % count == index - 1; }
  bool is_whole() const { return count == 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// Reads "2/8". Throws InputError.
Shard parse_shard(std::string_view text);
std::string to_text(const Shard& shard);

/// Returns how many units of the shard are not recorded.
std::size_t missing_units(const std::vector<bool>& recorded, const Shard& shard);

}  // namespace longrun
