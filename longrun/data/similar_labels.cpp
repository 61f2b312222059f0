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

/// Returns a warning for each pair of labels that look the same, differ only in case, or are spellings of one word.
/// Adds the pairs to `named`.
std::vector<std::string> spellings(const std::string& path, const std::vector<std::string>& labels,
                                   std::set<LabelPair>& named) {
  constexpr std::size_t kMostPairs = 10;
  constexpr std::size_t kShortest = 3;  // characters of a plain spelling
  std::vector<std::string> warnings;
  std::map<std::string, std::string> looks;  // the first label by its look
  std::map<std::string, std::string> plain;  // and by its plain spelling
  std::size_t pairs = 0;
  const auto add = [&](const std::string& other, const std::string& label, const char* difference, const char* merged) {
    named.insert({other, label});
    if (++pairs <= kMostPairs)
      warnings.push_back(
          fmt::format("{}: arms '{}' and '{}' {}; they count as two arms{}", path, other, label, difference, merged));
  };
  for (const std::string& label : labels) {
    const auto [same, is_new] = looks.emplace(same_look(label), label);
    if (!is_new) {
      add(same->second, label,
          lower_case(same->second) == lower_case(label)
              ? "differ only in upper and lower case"
              : "look the same, but differ in blanks, invisible characters or the encoding of accents",
          "");
      continue;
    }
    const std::string spelling = plain_spelling(label);
    if (spelling.size() < kShortest) continue;  // such labels differ on purpose
    const auto [other, is_first] = plain.emplace(spelling, label);
    if (!is_first)
      add(other->second, label, "may be two spellings of the same label", " until all rows have one of them");
  }
  if (pairs > kMostPairs)
    warnings.push_back(
        fmt::format("{}: {} more arms look like others, differ only in case, or may be spellings of others", path,
                    pairs - kMostPairs));
  return warnings;
}

/// Returns a warning for each label with few rows that is nearly that of an arm with many: a typo of the nearest one.
/// Labels that differ in digits are not similar.
std::vector<std::string> probable_typos(const std::string& path, const History& history,
                                        const std::set<LabelPair>& named) {
  constexpr std::size_t kMostLabels = 200;  // that are compared with each other
  constexpr std::size_t kShortest = 4;      // letters
  constexpr Pulls kManyTimes = 10;
  const std::vector<std::string>& names = history.arm_names;
  if (names.size() > kMostLabels) return {};
  std::map<std::string, Pulls> rows;
  for (const PastPull& pull : history.pulls) ++rows[names[static_cast<std::size_t>(pull.arm)]];
  const auto letters = [](const std::string& label) {
    std::string kept;
    for (const char c : label) kept += is_digit(c) ? "" : std::string(1, c);
    return kept;
  };
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    const std::string rare = letters(name);
    if (rare.size() < kShortest || rows[name] == 0) continue;
    std::vector<std::string> similar;  // labels with many rows
    for (const std::string& other : names) {
      const std::vector<std::string> common{letters(other)};
      if (rows[other] < kManyTimes * rows[name] || rare == common[0] || nearest_name(rare, common).empty()) continue;
      similar.push_back(other);
    }
    if (similar.empty()) continue;
    std::string meant = nearest_name(name, similar);
    if (meant.empty()) meant = similar[0];  // the letters are similar, the digits are not
    if (named.contains({meant, name}) || named.contains({name, meant})) continue;
    warnings.push_back(fmt::format("{}: arm '{}' ({} {}) may be a typo of '{}' ({} rows); they count as two arms", path,
                                   name, rows[name], rows[name] == 1 ? "row" : "rows", meant, rows[meant]));
  }
  return warnings;
}

}  // namespace

std::vector<std::string> similar_label_warnings(const std::string& path, const History& history) {
  std::set<LabelPair> named;
  std::vector<std::string> warnings = spellings(path, history.arm_names, named);
  for (std::string& warning : probable_typos(path, history, named)) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace longrun
