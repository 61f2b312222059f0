#include "longrun/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "longrun/base/characters.h"
#include "longrun/base/text.h"

namespace longrun {
namespace {

constexpr std::size_t kLongestCompared = 100;  // characters: comparing takes the product of both lengths
constexpr std::size_t kMostCompared = 1000;    // candidates, about a microsecond each

/// Returns the restricted Damerau-Levenshtein distance: no character is edited twice.
std::size_t edit_distance(std::u32string_view from, std::u32string_view to) {
  std::vector<std::size_t> before(to.size() + 1);  // the row of `from` without its last two characters
  std::vector<std::size_t> last(to.size() + 1);    // without its last character
  std::vector<std::size_t> row(to.size() + 1);     // distances of a beginning of `from` to each beginning of `to`
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string nearest;
  const std::u32string wanted = characters_of(name);
  if (wanted.size() > kLongestCompared) return nearest;
  std::size_t smallest = std::max<std::size_t>(2, wanted.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::u32string characters = characters_of(candidate);
    if (characters.size() > kLongestCompared) continue;
    const std::size_t distance = edit_distance(wanted, characters);
    // Texts without a common letter are not similar, unless only upper and lower case differ.
    const bool nothing_in_common = distance >= std::max(wanted.size(), characters.size());
    if (nothing_in_common && lower_case(std::string(name)) != lower_case(candidate)) continue;
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates.first(std::min(candidates.size(), kMostCompared)));
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace longrun
