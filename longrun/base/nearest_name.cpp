#include "longrun/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "longrun/base/text.h"

namespace longrun {
namespace {

constexpr std::size_t kLongestCompared = 100;  // bytes: comparing takes the product of both lengths

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string nearest;
  if (name.size() > kLongestCompared) return nearest;
  std::size_t smallest = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestCompared) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // Texts without a common letter are not similar, unless only upper and lower case differ.
    const bool nothing_in_common = distance >= std::max(name.size(), candidate.size());
    if (nothing_in_common && lower_case(std::string(name)) != lower_case(candidate)) continue;
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace longrun
