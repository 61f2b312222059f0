#include "longrun/data/similar_labels.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/data/same_look.h"

namespace longrun {
namespace {

/// Two labels that may stand for the same arm, the earlier one first.
using LabelPair = std::pair<std::string, std::string>;
/// The number of rows of each label.
using RowsOfLabels = std::map<std::string, Pulls>;

/// Returns "'North' (2 rows)".
std::string with_rows(const std::string& label, const RowsOfLabels& rows) {
  const Pulls count = rows.at(label);
  return fmt::format("'{}' ({} {})", label, count, count == 1 ? "row" : "rows");
}

/// Returns whether two labels differ only in their last word, which is II or III in one and 11 or 111 in the
/// other: Phase II and Phase 11. Phase I and Phase 1 may be the same.
bool differ_in_roman_number(const std::string& one, const std::string& other) {
  const std::size_t stem = one.find_last_of(" -_") + 1;
  const auto consists_of = [&](const std::string& label, char digit) {
    return label.size() > stem + 1 && label.find_first_not_of(digit, stem) == std::string::npos;
  };
  const bool differ =
      (consists_of(one, 'I') && consists_of(other, '1')) || (consists_of(one, '1') && consists_of(other, 'I'));
  return stem > 0 && differ && one.substr(0, stem) == other.substr(0, stem);
}

/// Returns a warning for each pair of labels that look the same or alike, differ only in case, or are spellings of one
/// word. Adds the pairs to `named`.
std::vector<std::string> spellings(const std::string& path, const std::vector<std::string>& labels,
                                   const RowsOfLabels& rows, std::set<LabelPair>& named) {
  constexpr std::size_t kMostPairs = 10;
  constexpr std::size_t kShortest = 3;  // characters; shorter labels that are not the same differ on purpose
  std::vector<std::string> warnings;
  std::map<std::string, std::string> looks;  // the first label by its look
  std::map<std::string, std::string> plain;  // by its plain spelling
  std::map<std::string, std::string> alike;  // and by its glyphs
  std::size_t pairs = 0;
  const auto add = [&](const std::string& other, const std::string& label, const char* difference, const char* merged) {
    named.insert({other, label});
    if (++pairs <= kMostPairs)
      warnings.push_back(fmt::format("{}: arms {} and {} {}; they count as two arms{}", path, with_rows(other, rows),
                                     with_rows(label, rows), difference, merged));
  };
  for (const std::string& label : labels) {
    const auto [same, is_new] = looks.emplace(same_look(label), label);
    if (!is_new) {
      add(same->second, label,
          lower_case(same->second) == lower_case(label)
              ? "differ only in upper and lower case"
              : "look the same, but differ in blanks, invisible characters, full-width letters or the encoding of "
                "accents",
          "");
      continue;
    }
    constexpr const char* kMerged = " until all rows have one of them";
    const std::string spelling = plain_spelling(label);
    if (spelling.size() < kShortest) continue;
    const auto [other, is_first] = plain.emplace(spelling, label);
    const auto [like, is_alone] = alike.emplace(like_glyphs(label), label);
    if (!is_alone && differ_in_roman_number(like->second, label)) continue;
    if (!is_first) {
      add(other->second, label, "may be two spellings of the same label", kMerged);
    } else if (!is_alone) {
      add(like->second, label, "look alike, but one has another of the characters I, l and 1, or O and 0", kMerged);
    }
  }
  if (pairs > kMostPairs)
    warnings.push_back(
        fmt::format("{}: {} more arms look like others, differ only in case, or may be spellings of others", path,
                    pairs - kMostPairs));
  return warnings;
}

/// Returns a warning for each label with few rows that is nearly that of an arm with many: a typo of the nearest one.
/// Labels that differ in digits are not similar.
std::vector<std::string> probable_typos(const std::string& path, const std::vector<std::string>& names,
                                        const RowsOfLabels& rows, const std::set<LabelPair>& named) {
  constexpr std::size_t kMostLabels = 200;  // that are compared with each other
  constexpr std::size_t kShortest = 4;      // letters
  constexpr Pulls kManyTimes = 10;
  if (names.size() > kMostLabels) return {};
  const auto letters = [](const std::string& label) {
    std::string kept;
    for (const char c : label) kept += is_digit(c) ? "" : std::string(1, c);
    return kept;
  };
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    const std::string rare = letters(name);
    if (rare.size() < kShortest || rows.at(name) == 0) continue;
    std::vector<std::string> similar;  // labels with many rows
    for (const std::string& other : names) {
      const std::vector<std::string> common{letters(other)};
      if (rows.at(other) < kManyTimes * rows.at(name) || rare == common[0] || nearest_name(rare, common).empty())
        continue;
      similar.push_back(other);
    }
    if (similar.empty()) continue;
    std::string meant = nearest_name(name, similar);
    if (meant.empty()) meant = similar[0];  // the letters are similar, the digits are not
    if (named.contains({meant, name}) || named.contains({name, meant})) continue;
    warnings.push_back(fmt::format("{}: arm {} may be a typo of {}; they count as two arms", path,
                                   with_rows(name, rows), with_rows(meant, rows)));
  }
  return warnings;
}

}  // namespace

std::vector<std::string> similar_label_warnings(const std::string& path, const History& history) {
  RowsOfLabels rows;
  for (const std::string& name : history.arm_names) rows[name] = 0;
  for (const PastPull& pull : history.pulls) ++rows[history.arm_names[static_cast<std::size_t>(pull.arm)]];
  std::set<LabelPair> named;
  std::vector<std::string> warnings = spellings(path, history.arm_names, rows, named);
  for (std::string& warning : probable_typos(path, history.arm_names, rows, named))
    warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace longrun
