#include "longrun/data/similar_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "longrun/base/characters.h"
#include "longrun/base/text.h"
#include "longrun/data/label_typo.h"
#include "longrun/data/missing_labels.h"
#include "longrun/data/same_look.h"

namespace longrun {
namespace {

/// Two labels that may stand for the same arm, the earlier one first.
using LabelPair = std::pair<std::string, std::string>;
/// The number of rows of each label.
using RowsOfLabels = std::unordered_map<std::string, Pulls>;

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
  constexpr std::size_t kShortest = 3;      // characters; shorter labels that are not the same differ on purpose
  constexpr std::size_t kShortestBare = 4;  // the same for accents that are left out: Bar and Bär
  const auto has_accents = [](const std::string& label) { return without_marks(label) != same_look(label); };
  std::vector<std::string> warnings;
  std::unordered_map<std::string, std::string> looks;  // the first label by its look
  std::unordered_map<std::string, std::string> plain;  // by its plain spelling
  std::unordered_map<std::string, std::string> alike;  // by its glyphs
  std::unordered_map<std::string, std::string> bare;   // and by its spelling without accents
  std::size_t pairs = 0;
  const auto add = [&](const std::string& other, const std::string& label, const char* difference, const char* merged) {
    named.insert({other, label});
    if (is_missing_label(other) && is_missing_label(label)) return;  // missing_label_warnings() lists them
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
    constexpr const char* kSpellings = "may be two spellings of the same label";
    constexpr const char* kMerged = " until all rows have one of them";
    const std::string spelling = plain_spelling(label);
    if (spelling.size() < kShortest) continue;
    const auto [other, is_first] = plain.emplace(spelling, label);
    const auto [like, is_alone] = alike.emplace(like_glyphs(label), label);
    if (!is_alone && differ_in_roman_number(like->second, label)) continue;
    if (!is_first) {
      add(other->second, label, kSpellings, kMerged);
    } else if (!is_alone) {
      add(like->second, label, "look alike, but one has another of the characters I, l and 1, or O and 0", kMerged);
    }
    const std::string without_accents = bare_spelling(label);
    if (without_accents.size() < kShortestBare) continue;
    const auto [accented, is_only] = bare.emplace(without_accents, label);
    const bool left_out = !is_only && has_accents(accented->second) != has_accents(label);
    if (left_out && is_first && is_alone) add(accented->second, label, kSpellings, kMerged);
  }
  if (pairs > kMostPairs)
    warnings.push_back(
        fmt::format("{}: {} more arms look like others, differ only in case, or may be spellings of others", path,
                    pairs - kMostPairs));
  return warnings;
}

/// Labels with many rows, found by labels that differ from them in one letter. A label and its typo are the same after
/// a letter is removed from one or from both, so only labels that share such a text are compared: the time is
/// proportional to the number of letters of all labels.
class LabelsByOneEdit {
 public:
  void add(const std::u32string& label, std::size_t number) {
    for_each_key(label, [&](std::u32string_view key) { keys_.emplace_back(hash(key), number); });
  }
  void finish() { std::sort(keys_.begin(), keys_.end()); }

  /// Calls `visit` with the number of each label that may be one edit away.
  template <class Visit>
  void visit_near(const std::u32string& label, const Visit& visit) const {
    constexpr std::ptrdiff_t kMostAlike =
        50;  // labels that share a text; a typo of one of more cannot be attributed to it
    for_each_key(label, [&](std::u32string_view key) {
      const auto [begin, end] = std::equal_range(keys_.begin(), keys_.end(), std::pair(hash(key), std::size_t{0}),
                                                 [](const auto& a, const auto& b) { return a.first < b.first; });
      if (end - begin > kMostAlike) return;
      for (auto it = begin; it != end; ++it) visit(it->second);
    });
  }

 private:
  static std::size_t hash(std::u32string_view text) { return std::hash<std::u32string_view>()(text); }
  /// Calls `visit` with the text, and with the text without each of its letters.
  template <class Visit>
  static void for_each_key(const std::u32string& text, const Visit& visit) {
    constexpr std::size_t kLongest = 60;  // characters; the time grows with their square
    if (text.size() > kLongest) return;
    visit(text);
    std::u32string key;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!is_alphabetic(text[i]) || (i > 0 && text[i] == text[i - 1])) continue;
      key.assign(text, 0, i).append(text, i + 1);
      visit(key);
    }
  }

  std::vector<std::pair<std::size_t, std::size_t>> keys_;  // hash of a text, number of its label; sorted by finish()
};

/// Appends the words of a text that are long enough to be typos of others.
void append_words(const std::u32string& text, std::vector<std::u32string>& words) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_alphabetic(text[end])) ++end;
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Returns a warning for each label with few rows that is nearly that of an arm with many: a typo of it.
std::vector<std::string> probable_typos(const std::string& path, const std::vector<std::string>& names,
                                        const RowsOfLabels& rows, const std::set<LabelPair>& named) {
  constexpr Pulls kFewRows = 10;    // of a typo
  constexpr Pulls kManyTimes = 10;  // the rows of the label that is meant
  std::vector<std::u32string> texts;
  std::vector<Pulls> counts;
  std::set<std::u32string> known_words;  // of labels with more rows than a typo has
  LabelsByOneEdit common;
  const bool any_rare = std::any_of(rows.begin(), rows.end(),
                                    [](const auto& each) { return each.second > 0 && each.second <= kFewRows; });
  if (!any_rare) return {};
  for (const std::string& name : names) {
    texts.push_back(characters_of(without_marks(name)));
    counts.push_back(rows.at(name));
    if (counts.back() >= kManyTimes) common.add(texts.back(), texts.size() - 1);
    if (counts.back() <= kFewRows) continue;
    std::vector<std::u32string> words;
    append_words(texts.back(), words);
    known_words.insert(words.begin(), words.end());
  }
  common.finish();
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (counts[i] == 0 || counts[i] > kFewRows) continue;
    std::vector<std::u32string> words;
    append_words(texts[i], words);
    if (std::all_of(words.begin(), words.end(), [&](const auto& word) { return known_words.contains(word); })) continue;
    std::optional<std::size_t> meant;  // of several the one with the most rows, or the first
    common.visit_near(texts[i], [&](std::size_t other) {
      const bool is_better =
          !meant || counts[other] > counts[*meant] || (counts[other] == counts[*meant] && other < *meant);
      if (is_better && counts[other] >= kManyTimes * counts[i] && is_probable_typo(texts[i], texts[other]))
        meant = other;
    });
    if (!meant) continue;
    const std::string& one = names[i];
    const std::string& other = names[*meant];
    if (is_missing_label(one) && is_missing_label(other)) continue;
    if (named.contains({other, one}) || named.contains({one, other})) continue;
    warnings.push_back(fmt::format("{}: arm {} may be a typo of {}; they count as two arms", path, with_rows(one, rows),
                                   with_rows(other, rows)));
  }
  return warnings;
}

}  // namespace

std::vector<std::string> similar_label_warnings(const std::string& path, const History& history) {
  std::vector<Pulls> counts(history.arm_names.size());
  for (const PastPull& pull : history.pulls) ++counts[static_cast<std::size_t>(pull.arm)];
  RowsOfLabels rows;
  for (std::size_t arm = 0; arm < counts.size(); ++arm) rows[history.arm_names[arm]] = counts[arm];
  std::set<LabelPair> named;
  std::vector<std::string> warnings = spellings(path, history.arm_names, rows, named);
  for (std::string& warning : probable_typos(path, history.arm_names, rows, named))
    warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace longrun
