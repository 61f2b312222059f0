#include "longrun/data/repeated_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>

namespace longrun {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0xBF58476D1CE4E5B9;
  return hash ^ (hash >> 31U);
}

std::uint64_t hash_of(std::string_view cell) { return std::hash<std::string_view>()(cell); }

/// Returns whether an id occurs twice. Empty ones do not count.
bool any_twice(const std::vector<std::uint64_t>& ids) {
  const std::size_t size = std::bit_ceil(2 * ids.size() + 1);
  std::vector<std::uint64_t> table(size);  // open addressing; 0 is a free place
  for (const std::uint64_t id : ids) {
    if (id == 0) continue;
    std::size_t at = mixed(id, 0) & (size - 1);
    while (table[at] != 0 && table[at] != id) at = (at + 1) & (size - 1);
    if (table[at] == id) return true;
    table[at] = id;
  }
  return false;
}

/// Two rows of one id.
struct Pair {
  std::size_t first = 0;
  std::size_t again = 0;
};

/// The ids of a column: how many there are, and which occur in two rows.
struct Repeats {
  std::size_t rows = 0;        // with an id
  std::size_t ids = 0;         // different ones
  std::size_t more_often = 0;  // ids that occur in more than two rows
  std::vector<Pair> pairs;     // ascending by their first rows
};

Repeats repeats_of(const std::vector<std::uint64_t>& ids) {
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (ids[row] != 0) sorted.emplace_back(ids[row], row);
  }
  std::sort(sorted.begin(), sorted.end());
  Repeats repeats{.rows = sorted.size(), .pairs = {}};
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && sorted[end].first == sorted[i].first) ++end;
    ++repeats.ids;
    if (end - i > 2) ++repeats.more_often;
    if (end - i == 2) repeats.pairs.push_back({sorted[i].second, sorted[i + 1].second});
    i = end;
  }
  std::sort(repeats.pairs.begin(), repeats.pairs.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
  return repeats;
}

/// How probable it is that two rows of an arm are equal by chance, in their rewards and, if `cells` is not empty, in
/// other cells.
class EqualByChance {
 public:
  EqualByChance(const std::vector<PastPull>& pulls, const std::vector<std::uint64_t>& cells)
      : pulls_(pulls), cells_(cells) {
    std::unordered_map<std::uint64_t, double> rows;
    std::unordered_map<Arm, double> of_arm;
    for (std::size_t row = 0; row < pulls.size(); ++row) {
      rows[hash(row)] += 1;
      of_arm[pulls[row].arm] += 1;
    }
    std::unordered_map<std::uint64_t, bool> seen;
    for (std::size_t row = 0; row < pulls.size(); ++row) {
      if (!seen.emplace(hash(row), true).second) continue;
      const double share = rows[hash(row)] / of_arm[pulls[row].arm];
      chances_[pulls[row].arm] += share * share;
    }
  }

  /// Returns how many bits of evidence two rows of one id are that they are copies; below 0 if they differ.
  double bits(const Pair& pair) const {
    constexpr double kErrors = 0.01;  // share of copies that differ
    constexpr double kMostBits = 10;  // of one pair
    constexpr double kRarely = 1e-6;
    constexpr double kUsually = 0.98;  // an arm that has not paid yet may pay
    const PastPull& one = pulls_[pair.first];
    const PastPull& other = pulls_[pair.again];
    if (one.arm != other.arm) return std::log2(kErrors);
    const bool updated = one.reward.has_value() != other.reward.has_value();
    if (updated && cells_.empty()) return 0;  // exported before and after its reward was known
    const double chance = std::clamp(chances_.at(one.arm), kRarely, kUsually);
    const bool equal = hash(pair.first) == hash(pair.again);
    return equal ? std::min(std::log2((1 - kErrors) / chance), kMostBits) : std::log2(kErrors / (1 - chance));
  }

 private:
  std::uint64_t hash(std::size_t row) const {
    const double reward = pulls_[row].reward.value_or(std::numeric_limits<double>::infinity()) + 0.0;
    const std::uint64_t of_reward =
        mixed(std::bit_cast<std::uint64_t>(reward), static_cast<std::uint64_t>(pulls_[row].arm));
    return cells_.empty() ? of_reward : mixed(of_reward, cells_[row]);
  }

  const std::vector<PastPull>& pulls_;
  const std::vector<std::uint64_t>& cells_;
  std::unordered_map<Arm, double> chances_;
};

/// Returns the evidence, in bits, that the rows of repeated ids are copies.
double evidence(const Repeats& repeats, IdOf of, const std::vector<PastPull>& pulls,
                const std::vector<std::uint64_t>& cells) {
  constexpr double kOfEvents = 10;           // bits: an order is made once
  constexpr double kNeverThrice = 0.2;       // bits per id: of things that come back, one in eight comes back again
  constexpr double kMostOfNeverThrice = 10;  // bits: in some logs nothing may come back twice
  const EqualByChance chance(pulls, cells);
  double bits = of == IdOf::an_event ? kOfEvents : 0;
  for (const Pair& pair : repeats.pairs) bits += chance.bits(pair);
  const bool are_few = 2 * repeats.pairs.size() <= repeats.ids;
  if (of == IdOf::an_event && are_few && repeats.more_often == 0)
    bits += std::min(kNeverThrice * static_cast<double>(repeats.pairs.size()), kMostOfNeverThrice);
  return bits;
}

/// Returns the pairs whose rows have one arm and one reward, and appends to `updated` those of one arm of which only
/// one reward is known.
std::vector<Pair> equal_pairs(const std::vector<Pair>& pairs, const std::vector<PastPull>& pulls,
                              std::vector<Pair>& updated) {
  std::vector<Pair> equal;
  for (const Pair& pair : pairs) {
    const PastPull& one = pulls[pair.first];
    const PastPull& other = pulls[pair.again];
    if (one.arm != other.arm) continue;
    if (one.reward == other.reward) equal.push_back(pair);
    if (one.reward.has_value() != other.reward.has_value()) updated.push_back(pair);
  }
  return equal;
}

}  // namespace

RepeatedIds::RepeatedIds(const CsvReader& csv, const std::vector<std::size_t>& others) {
  constexpr std::size_t kMostColumns = 3;  // that are looked at
  for (const std::size_t place : others) {
    const std::string& name = csv.names()[place];
    const IdOf of = ids_of(name);
    if (of != IdOf::nothing && columns_.size() < kMostColumns) {
      columns_.push_back({.place = place, .name = name, .of = of, .ids = {}});
    } else {
      rest_.push_back(place);
    }
  }
}

void RepeatedIds::read(const CsvReader& csv) {
  if (columns_.empty()) return;
  for (Column& column : columns_) {
    const std::string_view cell = csv.cell(column.place);
    column.ids.push_back(cell.empty() ? 0 : std::max<std::uint64_t>(hash_of(cell), 1));
  }
  if (rest_.empty()) return;
  std::uint64_t hash = 0;
  for (const std::size_t place : rest_) hash = mixed(hash, hash_of(csv.cell(place)));
  cells_.push_back(hash);
}

std::vector<std::string> RepeatedIds::warnings(const std::string& path, const std::vector<PastPull>& pulls,
                                               RowNames names) const {
  constexpr double kSurprising = 20;       // bits: a chance of 1 in a million
  constexpr double kNearlyAll = 0.95;      // of the ids that occur twice or more often occur twice
  constexpr std::size_t kFewestRows = 20;  // with an id
  constexpr std::size_t kFewestPairs = 3;
  const std::vector<std::uint64_t> none;
  for (const Column& column : columns_) {
    if (!any_twice(column.ids)) continue;
    const Repeats repeats = repeats_of(column.ids);
    const auto pairs = static_cast<double>(repeats.pairs.size());
    if (repeats.rows < kFewestRows || repeats.pairs.size() < kFewestPairs) continue;
    if (pairs < kNearlyAll * (pairs + static_cast<double>(repeats.more_often))) continue;
    double bits = evidence(repeats, column.of, pulls, cells_);
    // An order that was joined with its items has other cells in every row.
    if (column.of == IdOf::an_event && !cells_.empty())
      bits = std::max(bits, evidence(repeats, column.of, pulls, none));
    if (bits < kSurprising) continue;
    std::vector<Pair> updated;
    const std::vector<Pair> equal = equal_pairs(repeats.pairs, pulls, updated);
    const std::vector<Pair>& named = equal.empty() ? updated : equal;
    if (named.empty()) continue;
    const auto line = [&](std::size_t row) { return row_name(static_cast<std::size_t>(pulls[row].line), names); };
    return {
        fmt::format("{}: {} of {} values of column '{}' occur twice, with the same arm and {}: the first in {} and "
                    "{}; if they are ids, these rows are duplicates, and every row counts as a pull",
                    path, named.size(), repeats.ids, column.name, equal.empty() ? "one of two rewards known" : "reward",
                    line(named[0].first), line(named[0].again))};
  }
  return {};
}

}  // namespace longrun
