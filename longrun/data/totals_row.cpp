#include "longrun/data/totals_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/data/same_look.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// The names of totals, as same_look() gives them.
constexpr std::array<std::string_view, 38> kTotalWords{"total",         "totals",
                                                       "subtotal",      "sub-total",
                                                       "sub total",     "grand total",
                                                       "sum",           "average",
                                                       "mean",          "median",
                                                       "avg",           "avg.",
                                                       "total sum",     "grand mean",
                                                       "overall total", "overall mean",  // English
                                                       "summe",         "zwischensumme",
                                                       "teilsumme",     "gesamtsumme",
                                                       "gesamt",        "gesamtergebnis",
                                                       "teilergebnis",  "durchschnitt",
                                                       "mittelwert",    "gesamtmittelwert",  // German
                                                       "suma",          "suma total",
                                                       "promedio",      "total general",
                                                       "soma",          "total geral",
                                                       "totale",        "totale complessivo",
                                                       "somma",         "somme",
                                                       "sous-total",    "moyenne"};
/// Names of totals that are also ways to summarise, which can be arms of a study: mean beside median.
constexpr std::array<std::string_view, 15> kMethodWords{"sum",     "mean",       "average",      "avg",     "avg.",
                                                        "median",  "mode",       "min",          "max",     "minimum",
                                                        "maximum", "mittelwert", "durchschnitt", "moyenne", "promedio"};
/// Words that are names of totals only if the rewards confirm it.
constexpr std::array<std::string_view, 8> kOtherWords{"all",      "(all)", "overall", "alle",
                                                      "ergebnis", "media", "tous",    "todos"};

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// What the label of an arm says about its rows.
enum class Name {
  of_an_arm,
  may_be_of_totals,   ///< it has a word for totals
  of_part_of_totals,  ///< it is one with the label of another arm or a number
  of_totals           ///< it is one
};

/// Returns a label without the word for totals at its beginning or end; an empty text if it has none.
std::string without_total_word(const std::string& look) {
  for (const std::string_view word : kTotalWords) {
    const bool is_longer = look.size() > word.size() + 1;
    if (is_longer && look.starts_with(word) && look[word.size()] == ' ') return look.substr(word.size() + 1);
    if (is_longer && look.ends_with(word) && look[look.size() - word.size() - 1] == ' ')
      return look.substr(0, look.size() - word.size() - 1);
  }
  return {};
}

/// Returns the label of an arm as the words for totals are written.
std::string look_of(const std::string& label) {
  std::string look = same_look(label);
  if (look.ends_with(':')) look.pop_back();
  return look;
}

std::vector<Name> names_of(const std::vector<std::string>& labels) {
  std::vector<std::string> looks;
  std::vector<std::string> rests;
  std::unordered_set<std::string> known;
  looks.reserve(labels.size());
  for (const std::string& label : labels) {
    looks.push_back(look_of(label));
    rests.push_back(without_total_word(looks.back()));
    known.insert(looks.back());
  }
  std::vector<Name> names(labels.size(), Name::of_an_arm);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string& rest = rests[i];
    const bool has_number = std::any_of(rest.begin(), rest.end(), [](char c) { return is_digit(c); });
    const bool has_part = !rest.empty() && (has_number || known.contains(rest) || rest == "of" || rest == "all");
    if (is_one_of(looks[i], kTotalWords)) {
      names[i] = Name::of_totals;
    } else if (has_part) {
      names[i] = Name::of_part_of_totals;
    } else if (!rest.empty() || is_one_of(looks[i], kOtherWords) || is_one_of(looks[i], kMethodWords)) {
      names[i] = Name::may_be_of_totals;
    }
  }
  return names;
}

/// A row that may be a total, and what its reward is of which rows; empty if it is nothing of them.
struct TotalRow {
  std::size_t place = 0;
  std::string_view kind{};   // "the sum"
  std::string_view where{};  // "above it"
};

/// Rows that may be totals, and the sums of the rows between them.
class Totals {
 public:
  /// `candidates` has whether each row may be a total. If `by_name`, the labels say so, and less certain sums count.
  /// `rounded` has whether the label of a row alone makes it a total, whose reward may be rounded; none if it is empty.
  Totals(std::span<const PastPull> pulls, std::vector<bool> candidates, bool by_name, std::vector<bool> rounded = {})
      : pulls_(pulls),
        candidates_(std::move(candidates)),
        rounded_(std::move(rounded)),
        by_name_(by_name),
        unit_(unit_of(pulls, candidates_)) {
    for (std::size_t i = 0; i < pulls.size(); ++i) {
      if (!candidates_[i] && pulls[i].reward) rewards_.insert(*pulls[i].reward);
    }
  }

  /// Returns the candidates, each with what its reward is.
  std::vector<TotalRow> rows() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      if (candidates_[i]) places.push_back(i);
    }
    const Block all = block(0, pulls_.size());
    std::vector<TotalRow> found;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t place = places[i];
      const std::size_t begin = i == 0 ? 0 : places[i - 1] + 1;
      const std::size_t end = i + 1 == places.size() ? pulls_.size() : places[i + 1];
      TotalRow row{.place = place};
      const auto look_at = [&](const Block& rewards, std::string_view where) {
        if (!row.kind.empty() || !pulls_[place].reward) return;
        const double reward = *pulls_[place].reward;
        row.kind = kind_of(reward, rewards, !rounded_.empty() && rounded_[place] ? rounding_of(reward) : 0);
        if (!row.kind.empty()) row.where = where;
      };
      look_at(block(begin, place), "above it");
      look_at(block(place + 1, end), "below it");
      if (places.size() > 1 || (begin < place && place + 1 < end)) look_at(all, "of the other arms");
      found.push_back(row);
    }
    return found;
  }

 private:
  /// Rewards of rows that are no candidates.
  struct Block {
    double sum = 0;
    double size = 0;   // sum of the absolute rewards
    double least = 0;  // the smallest reward
    double most = 0;   // the largest reward
    Pulls count = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Returns the decimal place of all rewards that are no totals, such as 0.01; 0 if they have more than 6 decimals.
  static double unit_of(std::span<const PastPull> pulls, const std::vector<bool>& candidates) {
    constexpr double kFinest = 1e6;
    double places = 1;
    for (std::size_t i = 0; i < pulls.size(); ++i) {
      if (candidates[i] || !pulls[i].reward) continue;
      while (!is_multiple(*pulls[i].reward, 1 / places)) {
        places *= 10;
        if (places > kFinest) return 0;
      }
    }
    return 1 / places;
  }
  /// Returns half of the last decimal place of a reward: 0.005 of 0.33. A reward has at most 6 decimals.
  static double rounding_of(double reward) {
    constexpr int kMostDecimals = 6;
    double unit = 1;
    for (int decimals = 0; decimals < kMostDecimals && !is_multiple(reward, unit); ++decimals) unit /= 10;
    return unit / 2;
  }
  static bool is_multiple(double reward, double unit) {
    constexpr double kRounding = 1e-6;
    const double multiple = reward / unit;
    return std::abs(multiple - std::round(multiple)) <= kRounding;
  }
  Block block(std::size_t begin, std::size_t end) const {
    Block block{.begin = begin, .end = end};
    for (std::size_t i = begin; i < end; ++i) {
      if (candidates_[i] || !pulls_[i].reward) continue;
      const double reward = *pulls_[i].reward;
      block.least = block.count == 0 ? reward : std::min(block.least, reward);
      block.most = block.count == 0 ? reward : std::max(block.most, reward);
      block.sum += reward;
      block.size += std::abs(reward);
      ++block.count;
    }
    return block;
  }
  /// Returns whether a row of the block, and no candidate, has the reward. O(1) unless such a row is in a smaller block
  /// than that of all rows; a row is in two of these.
  bool contains(const Block& block, double reward) const {
    if (!rewards_.contains(reward)) return false;
    if (block.begin == 0 && block.end == pulls_.size()) return true;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (!candidates_[i] && pulls_[i].reward == reward) return true;
    }
    return false;
  }
  /// Returns what the reward is of those of a block; an empty text if it is nothing of them, or if that can be chance.
  /// A sum or mean may differ by `rounding` from the reward.
  std::string_view kind_of(double reward, const Block& rewards, double rounding) const {
    constexpr Pulls kFewest = 5;         // rewards; the sum of fewer can be another reward by chance
    constexpr Pulls kFewestOfNamed = 2;  // if the label says that it is a total
    constexpr double kRounding = 1e-9;   // of the sum of the absolute rewards
    constexpr double kRounded = 1e-4;    // the same for totals by name, whose rewards may be rounded
    if (rewards.count < (by_name_ ? kFewestOfNamed : kFewest) || rewards.least == rewards.most) return {};
    const double mean = rewards.sum / static_cast<double>(rewards.count);
    const double error = by_name_ ? kRounded : kRounding;
    const double slack = rounding * (1 + kRounding);  // 0.125 may be 0.12 or 0.13
    const bool is_sum = std::abs(reward - rewards.sum) <= std::max(error * rewards.size, slack);
    const bool is_mean =
        std::abs(reward - mean) <= std::max(error * rewards.size / static_cast<double>(rewards.count), slack);
    if ((!is_sum && !is_mean) || contains(rewards, reward)) return {};
    if (by_name_) return is_sum ? "the sum" : "the mean";
    // A sum in the range of the rewards, or one that few other numbers could be instead, may be chance.
    constexpr double kFewNumbers = 128;  // decimal places
    constexpr double kFar = 5;           // times the largest reward
    const double largest = std::max(std::abs(rewards.least), std::abs(rewards.most));
    const bool is_far = std::abs(reward) > largest;
    const bool is_rare = std::abs(reward) >= kFewNumbers * unit_ || std::abs(reward) >= kFar * largest;
    if (is_sum && is_far && is_rare) return "the sum";
    // A mean has more decimals than the rewards.
    return is_mean && (unit_ == 0 || !is_multiple(reward, unit_)) ? "the mean" : "";
  }

  std::span<const PastPull> pulls_;
  std::vector<bool> candidates_;
  std::vector<bool> rounded_;
  bool by_name_;
  double unit_;
  std::unordered_set<double> rewards_;  // of all rows that are no candidates
};

/// Returns the rows whose labels say that they are totals, and which may be.
std::vector<TotalRow> totals_by_name(const History& history, const std::vector<Pulls>& counts) {
  constexpr double kNearlyAll = 0.75;  // of the rows of an arm that are totals
  const std::vector<Name> names = names_of(history.arm_names);
  if (std::all_of(names.begin(), names.end(), [](Name name) { return name == Name::of_an_arm; })) return {};
  const bool has_arms =
      std::any_of(names.begin(), names.end(), [](Name name) { return name < Name::of_part_of_totals; });
  std::vector<bool> candidates(history.pulls.size());
  std::vector<bool> rounded(history.pulls.size());
  for (std::size_t i = 0; i < history.pulls.size(); ++i) {
    const Name name = names[static_cast<std::size_t>(history.pulls[i].arm)];
    candidates[i] = name != Name::of_an_arm;
    rounded[i] = name == Name::of_totals;
  }
  std::vector<TotalRow> found = Totals(history.pulls, std::move(candidates), true, std::move(rounded)).rows();
  std::vector<Pulls> confirmed(names.size());
  for (const TotalRow& row : found) {
    if (!row.kind.empty()) ++confirmed[static_cast<std::size_t>(history.pulls[row.place].arm)];
  }
  const auto is_confirmed = [&](std::size_t arm) {
    return static_cast<double>(confirmed[arm]) >= kNearlyAll * static_cast<double>(counts[arm]);
  };
  const bool has_other_repeated = std::any_of(counts.begin(), counts.end(), [](Pulls count) { return count > 1; });
  // In a log of ways to summarise, mean and median are arms.
  std::vector<bool> methods(names.size());
  std::size_t repeated_methods = 0;
  bool are_methods = true;
  bool are_arms = false;
  for (std::size_t arm = 0; arm < names.size(); ++arm) {
    methods[arm] = is_one_of(look_of(history.arm_names[arm]), kMethodWords);
    const bool is_total = names[arm] != Name::of_an_arm;
    if (methods[arm] && (counts[arm] > 1 || !has_other_repeated)) ++repeated_methods;
    if (methods[arm] && is_total && is_confirmed(arm)) are_methods = false;
    are_arms = are_arms || (is_total && counts[arm] > 1 && confirmed[arm] == 0);
  }
  are_methods = are_methods && repeated_methods > 1;
  std::erase_if(found, [&](const TotalRow& row) {
    const auto arm = static_cast<std::size_t>(history.pulls[row.place].arm);
    const bool is_arm = methods[arm] ? are_methods : !has_arms;
    if (names[arm] == Name::of_totals && !is_arm) return false;
    const bool is_last = row.place + 1 == history.pulls.size();
    const bool is_named = names[arm] >= Name::of_part_of_totals && !are_arms && (is_last || has_other_repeated);
    if (counts[arm] == 1 && is_named) return false;
    return counts[arm] == 1 ? row.kind.empty() : !is_confirmed(arm);
  });
  return found;
}

/// Returns the rows of arms without other rows whose rewards are sums or means of other rows.
std::vector<TotalRow> totals_by_reward(const History& history, const std::vector<Pulls>& counts) {
  constexpr std::size_t kMostShare = 4;  // one of so many rows may be the only one of its arm
  std::vector<bool> candidates(history.pulls.size());
  std::size_t rows = 0;
  for (std::size_t i = 0; i < history.pulls.size(); ++i) {
    candidates[i] = counts[static_cast<std::size_t>(history.pulls[i].arm)] == 1;
    if (candidates[i]) ++rows;
  }
  if (rows == 0 || rows * kMostShare > history.pulls.size()) return {};
  std::vector<TotalRow> found = Totals(history.pulls, std::move(candidates), false).rows();
  std::erase_if(found, [](const TotalRow& row) { return row.kind.empty(); });
  return found;
}

}  // namespace

std::vector<std::string> totals_row_warnings(const std::string& path, const History& history, RowNames rows) {
  if (history.pulls.size() < 2) return {};
  std::vector<Pulls> counts(history.arm_names.size());
  for (const PastPull& pull : history.pulls) ++counts[static_cast<std::size_t>(pull.arm)];
  std::vector<TotalRow> found = totals_by_name(history, counts);
  if (found.empty()) found = totals_by_reward(history, counts);
  if (found.empty()) return {};
  const auto line = [&](const TotalRow& row) {
    return row_name(static_cast<std::size_t>(history.pulls[row.place].line), rows);
  };
  const auto label = [&](const TotalRow& row) { return label_of(history.arm_names, history.pulls[row.place].arm); };
  const TotalRow& first = found[0];
  if (found.size() == 1) {
    const bool is_last = first.place + 1 == history.pulls.size();
    return {fmt::format("{}: {}, the only row of arm '{}', may be a total of the rows {}{}; every row counts as a pull",
                        path, line(first), label(first),
                        !first.where.empty() ? first.where
                        : is_last            ? "above it"
                                             : "of the other arms",
                        first.kind.empty() ? "" : fmt::format(": its reward is {} of theirs", first.kind))};
  }
  constexpr std::size_t kMostNamed = 3;
  std::string named;
  for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i)
    named += fmt::format("{}{} (arm '{}')", i == 0 ? "" : ", ", line(found[i]), label(found[i]));
  if (found.size() > kMostNamed) named += fmt::format(" and {} more", found.size() - kMostNamed);
  const auto confirmed =
      std::find_if(found.begin(), found.end(), [](const TotalRow& row) { return !row.kind.empty(); });
  return {fmt::format("{}: {} rows may be totals of other rows: {}{}; every row counts as a pull", path, found.size(),
                      named,
                      confirmed == found.end() ? ""
                                               : fmt::format("; the reward of {} is {} of the rows {}",
                                                             line(*confirmed), confirmed->kind, confirmed->where))};
}

}  // namespace longrun
