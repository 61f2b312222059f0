#include "longrun/data/repeated_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace longrun {
namespace {

/// Rows that may be duplicates: rows of the same arm and reward and, if `others` is not empty, with the same other
/// cells.
class DuplicateRows {
 public:
  DuplicateRows(const std::vector<PastPull>& pulls, const std::vector<std::size_t>& others, RowNames names)
      : pulls_(pulls), others_(others), names_(names) {
    surprise_ = bits_of([&](std::size_t i) { return hash_of_reward(i); });
    if (!others.empty()) all_columns_ = bits_of([&](std::size_t i) { return hash_of(i); });
  }

  /// Returns a warning if the last rows repeat those before them: the same file, or a part of it, twice.
  std::vector<std::string> repeated_end(const std::string& path) const {
    const std::size_t last = longest_repeated();
    if (last == 0) return {};
    const std::size_t begin = pulls_.size() - last;
    return {fmt::format("{}: from {} on, the rows repeat those from {} on exactly; every row counts as a pull", path,
                        row(begin), row(begin - last))};
  }

  /// Returns a warning if every row occurs twice, one after the other.
  std::vector<std::string> doubled_rows(const std::string& path) const {
    if (pulls_.size() % 2 == 1 || !is_surprising(0, pulls_.size())) return {};
    for (std::size_t i = 0; i < pulls_.size(); i += 2) {
      if (!same(i, i + 1)) return {};
    }
    return {fmt::format("{}: every row occurs twice, the first in {} and {}; every row counts as a pull", path, row(0),
                        row(1))};
  }

  /// Returns a warning if a block of rows occurs exactly twice.
  std::vector<std::string> repeated_block(const std::string& path) const {
    struct Block {
      std::size_t first = 0;
      std::size_t again = 0;
      std::size_t rows = 0;
    };
    constexpr int kMostTried = 100;  // blocks, each of which may be compared with as many rows as the file has
    const double least = least_of_many();
    const double least_of_rewards = others_.empty() ? least : least_of_equal_others();
    std::vector<Block> blocks;
    int tried = 0;
    bool all = true;  // whether no block was left out
    for (const auto& [first, again] : equal_windows()) {
      if (!blocks.empty() && again < blocks.back().again + blocks.back().rows) continue;  // a part of that one
      std::size_t rows = 0;
      while (again + rows < pulls_.size() && first + rows < again && same(first + rows, again + rows)) ++rows;
      if (rows < kWindow || surprise(again, again + rows) < least_of_rewards) continue;
      if (!others_.empty() && (all_columns_[again + rows] - all_columns_[again] < least || !vary_near(again, rows)))
        continue;
      all = ++tried <= kMostTried;
      if (!all) break;
      if (is_pattern(first, again)) continue;
      blocks.push_back({.first = first, .again = again, .rows = rows});
    }
    if (blocks.empty()) return {};
    const auto& [first, again, rows] = blocks.front();
    const std::size_t more = blocks.size() - 1;
    return {fmt::format("{}: from {} to {}, the rows repeat those from {} on exactly{}{}; every row counts as a pull",
                        path, row(again), row(again + rows - 1), row(first),
                        others_.empty() ? "" : ", in other columns too",
                        more == 0 ? ""
                                  : fmt::format(" ({}{} more {})", all ? "and " : "and at least ", more,
                                                more == 1 ? "block does" : "blocks do"))};
  }

  /// Returns a warning if each of some successive rows occurs twice, one after the other. Rewards that only grow, or
  /// only fall, may be the same twice because they are rounded.
  std::vector<std::string> doubled_part(const std::string& path) const {
    for (std::size_t begin = 0; begin + kFewest <= pulls_.size();) {
      std::size_t end = begin;
      std::map<Arm, Changes> changes;
      for (; end + 1 < pulls_.size() && same(end, end + 1); end += 2) changes[pulls_[end].arm].add(pulls_[end].reward);
      if (end - begin >= kFewest && vary(changes) && surprise(begin, end) / 2 >= least_of_many()) {
        return {fmt::format("{}: from {} to {}, every row occurs twice; every row counts as a pull", path, row(begin),
                            row(end - 1))};
      }
      begin = end > begin ? end - 1 : begin + 1;
    }
    return {};
  }

 private:
  static constexpr std::size_t kWindow = 8;      // rows
  static constexpr std::size_t kFewest = 20;     // rows; fewer can be equal by chance
  static constexpr double kSurprising = 40;      // bits, for one half: a chance of 1 in 10^12
  static constexpr double kSurprisingHalf = 20;  // bits, if it is the whole file: only one length is tried
  static constexpr double kMoreThanTried = 20;   // bits more than the places tried have: a chance of 1 in a million

  /// Returns the name of a row for messages.
  std::string row(std::size_t i) const { return row_name(static_cast<std::size_t>(pulls_[i].line), names_); }

  /// How often the reward of an arm is larger, and how often smaller, than the one before it of the same arm.
  struct Changes {
    void add(std::optional<double> reward) {
      if (last && reward > *last) ++rises;
      if (last && reward < *last) ++falls;
      last = reward;
    }

    std::optional<std::optional<double>> last;  // nullopt before the first reward
    std::size_t rises = 0;
    std::size_t falls = 0;
  };

  /// Returns whether the rewards rise and fall, each by its own arm.
  static bool vary(const std::map<Arm, Changes>& changes) {
    std::size_t turns = 0;
    for (const auto& [arm, each] : changes) turns += std::min(each.rises, each.falls);
    return turns >= 2;
  }
  /// Returns the same for the rows of a block and those near it.
  bool vary_near(std::size_t begin, std::size_t rows) const {
    std::map<Arm, Changes> changes;
    for (std::size_t i = begin - std::min(begin, kFewest); i < std::min(begin + rows + kFewest, pulls_.size()); ++i)
      changes[pulls_[i].arm].add(pulls_[i].reward);
    return vary(changes);
  }
  /// Returns the bits of the first 0, 1, ... rows, each that of its hash among the rows of its arm.
  template <class HashOfRow>
  std::vector<double> bits_of(const HashOfRow& hash) const {
    std::vector<std::uint64_t> hashes(pulls_.size());
    std::unordered_map<std::uint64_t, double> rows;
    std::unordered_map<Arm, double> of_arm;
    rows.reserve(pulls_.size());
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      hashes[i] = hash(i);
      rows[hashes[i]] += 1;
      of_arm[pulls_[i].arm] += 1;
    }
    std::vector<double> bits{0};
    bits.reserve(pulls_.size() + 1);
    for (std::size_t i = 0; i < pulls_.size(); ++i)
      bits.push_back(bits.back() + std::log2(of_arm[pulls_[i].arm] / rows[hashes[i]]));
    return bits;
  }
  /// Returns the bits of the rewards of the rows from `begin` to `end`.
  double surprise(std::size_t begin, std::size_t end) const { return surprise_[end] - surprise_[begin]; }
  /// Returns the fewest bits of rows that are hardly equal to others by chance, wherever these are.
  double least_of_many() const { return 2 * std::log2(static_cast<double>(pulls_.size())) + kMoreThanTried; }
  /// Returns the same for the rewards of rows that are equal in all columns: only places at which the arms and the
  /// other cells are equal count. It does not hold for rewards that follow from other cells; there, all columns must
  /// have the bits of least_of_many().
  double least_of_equal_others() const {
    const auto windows = windows_by([&](std::size_t i) { return mixed(others_[i], pulls_[i].arm); });
    double places = 1;
    for (std::size_t i = 0; i < windows.size();) {
      const std::size_t end = end_of_equal(windows, i);
      const auto equal = static_cast<double>(end - i);
      places += equal * (equal - 1) / 2;
      i = end;
    }
    return std::log2(places) + kMoreThanTried;
  }
  /// Returns whether rows that are as far apart as these are equal in so many places around them that they follow a
  /// pattern: a copy makes at most as many equal as they are apart, a pattern that occurs three times twice as many.
  bool is_pattern(std::size_t first, std::size_t again) const {
    const std::size_t apart = again - first;
    std::size_t equal = 0;
    for (std::size_t i = first - std::min(first, apart); i < again + apart && i + apart < pulls_.size(); ++i) {
      if (same(i, i + apart)) ++equal;
    }
    return 2 * equal > 3 * apart;
  }
  using Windows = std::vector<std::pair<std::uint64_t, std::size_t>>;

  /// Returns the pairs of places at which windows of rows that occur exactly twice begin, by the second place.
  std::vector<std::pair<std::size_t, std::size_t>> equal_windows() const {
    const Windows windows = windows_by([&](std::size_t i) { return hash_of(i); });
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < windows.size();) {
      const std::size_t end = end_of_equal(windows, i);
      if (end - i == 2) pairs.emplace_back(windows[i].second, windows[i + 1].second);
      i = end;
    }
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return pairs;
  }
  /// Returns the hash and the place of each window of rows, sorted.
  template <class HashOfRow>
  Windows windows_by(const HashOfRow& hash_of) const {
    if (pulls_.size() < 2 * kWindow) return {};
    constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15;  // odd; a polynomial over the rows, modulo 2^64
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < kWindow; ++i) power *= kBase;
    Windows windows;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      hash = hash * kBase + hash_of(i);
      if (i >= kWindow) hash -= power * hash_of(i - kWindow);
      if (i + 1 >= kWindow) windows.emplace_back(hash, i + 1 - kWindow);
    }
    std::sort(windows.begin(), windows.end());
    return windows;
  }
  static std::size_t end_of_equal(const Windows& windows, std::size_t begin) {
    std::size_t end = begin;
    while (end < windows.size() && windows[end].first == windows[begin].first) ++end;
    return end;
  }
  /// Returns the hash of the arm and the reward of a row.
  std::uint64_t hash_of_reward(std::size_t i) const {
    const double reward = pulls_[i].reward.value_or(std::numeric_limits<double>::infinity()) + 0.0;  // 0 has no sign
    return mixed(std::bit_cast<std::uint64_t>(reward), pulls_[i].arm);
  }
  /// Returns the hash of all that same() compares.
  std::uint64_t hash_of(std::size_t i) const { return hash_of_reward(i) + (others_.empty() ? 0 : others_[i]); }
  static std::uint64_t mixed(std::uint64_t bits, Arm arm) {
    bits ^= static_cast<std::uint64_t>(arm) << 1U;
    bits = (bits ^ (bits >> 31U)) * 0xBF58476D1CE4E5B9;
    return bits ^ (bits >> 27U);
  }
  bool same(std::size_t i, std::size_t j) const {
    return pulls_[i].arm == pulls_[j].arm && pulls_[i].reward == pulls_[j].reward &&
           (others_.empty() || others_[i] == others_[j]);
  }
  /// Returns whether the rewards of these rows, which are two equal halves, are hardly so by chance. Rewards that most
  /// rows of their arm have say little.
  bool is_surprising(std::size_t begin, std::size_t end) const {
    const double least = begin == 0 && end == pulls_.size() ? kSurprisingHalf : kSurprising;
    return end - begin >= 2 * kFewest && surprise(begin, end) / 2 >= least;
  }
  /// Returns the largest number of last rows that are equal to as many before them, or 0.
  std::size_t longest_repeated() const {
    // equal[m] is the number of last rows that are equal to those m rows before them (the Z-function from the end).
    const std::size_t rows = pulls_.size();
    std::vector<std::size_t> equal(rows + 1);
    std::size_t longest = 0;
    std::size_t shorter = 0;  // most last rows that are equal to those fewer rows before them
    std::size_t left = 0;
    std::size_t right = 0;
    for (std::size_t m = 1; m < rows; ++m) {
      std::size_t length = m < right ? std::min(right - m, equal[m - left]) : 0;
      while (m + length < rows && same(rows - 1 - length, rows - 1 - m - length)) ++length;
      equal[m] = length;
      if (m + length > right) {
        left = m;
        right = m + length;
      }
      // Rows that repeat with a shorter period follow a pattern.
      if (length >= m && shorter < m && 2 * m <= rows && is_surprising(rows - 2 * m, rows)) longest = m;
      shorter = std::max(shorter, length);
    }
    return longest;
  }

  const std::vector<PastPull>& pulls_;
  const std::vector<std::size_t>& others_;  // [i]: hash of the other cells of row i; empty if they do not count
  RowNames names_;
  std::vector<double> surprise_;     // [i]: bits of the rewards of the first i rows
  std::vector<double> all_columns_;  // [i]: bits of the first i rows; empty if other cells do not count
};

}  // namespace

std::vector<std::string> repeated_row_warnings(const std::string& path, const std::vector<PastPull>& pulls,
                                               const std::vector<std::size_t>& others, RowNames names) {
  const std::vector<std::size_t> none;
  const DuplicateRows rows(pulls, none, names);
  std::vector<std::string> warnings = rows.repeated_end(path);
  for (std::string& warning : rows.doubled_rows(path)) warnings.push_back(std::move(warning));
  if (!warnings.empty()) return warnings;
  warnings = rows.repeated_block(path);
  for (std::string& warning : rows.doubled_part(path)) warnings.push_back(std::move(warning));
  if (!warnings.empty() || others.empty()) return warnings;
  return DuplicateRows(pulls, others, names).repeated_block(path);
}

}  // namespace longrun
