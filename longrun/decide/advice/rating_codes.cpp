#include "longrun/decide/advice/rating_codes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>

#include "longrun/decide/advice/explanation.h"

namespace longrun {
namespace {

/// Limits of what counts as a rating and as a code. Of counts of rare events, larger numbers are rarer and leave no gap
/// of this width below one that occurs three times (rating_codes_test.cpp).
struct RatingTuning {
  std::size_t enough = 50;        ///< whole numbers
  std::size_t fewest_values = 3;  ///< different ones; fewer are yes or no
  std::size_t most_values = 12;   ///< different ones
  double gap = 3;                 ///< from a code to the nearest other number, in largest gaps of the others, at least
  double gap_of_negative = 2;     ///< the same of a negative code if all others are positive
  std::size_t most_codes = 2;     ///< at each end; where more numbers stand apart, that is their grid
  std::size_t repeats = 3;        ///< of a code, at least
  double most_of_code = 0.2;      ///< share of the rewards that a code has at most
  double most_broken = 0.02;      ///< share of the rewards that are no whole numbers, at most
};
constexpr RatingTuning kRatings;

using PullsOfValue = std::map<double, std::vector<std::size_t>>;  // places in the history, by the reward

std::string places_of_pulls(const History& history, const std::vector<std::size_t>& pulls) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kMostNamed, pulls.size()); ++i) named.push_back(place_of(history, pulls[i]));
  const std::string more =
      pulls.size() > kMostNamed ? fmt::format(" and {} more", pulls.size() - kMostNamed) : std::string();
  return fmt::format("{}{}", fmt::join(named, ", "), more);
}

/// Returns the largest distance between two numbers that follow each other.
double largest_gap(PullsOfValue::const_iterator first, PullsOfValue::const_iterator last) {
  double gap = 0;
  for (auto next = std::next(first); next != last; first = next++) gap = std::max(gap, next->first - first->first);
  return gap;
}

/// Takes the codes at one end of the values out of them, and returns them: all beyond the outermost gap. Of numbers on
/// a grid, such as 0, 5, 10, or that become rarer, such as counts, none is far away by the gaps of the others.
PullsOfValue take_codes(PullsOfValue& values, bool at_top, std::size_t all) {
  PullsOfValue codes;
  while (values.size() > kRatings.fewest_values && codes.size() < kRatings.most_codes) {
    const auto end = at_top ? std::prev(values.end()) : values.begin();
    const auto next = at_top ? std::prev(end) : std::next(end);
    const double gap_of_others =
        at_top ? largest_gap(values.begin(), end) : largest_gap(next, PullsOfValue::const_iterator(values.end()));
    const bool is_negative = !at_top && end->first < 0 && next->first > 0;
    const double gaps = is_negative ? kRatings.gap_of_negative : kRatings.gap;
    const bool is_code = std::abs(end->first - next->first) >= gaps * gap_of_others &&
                         end->second.size() >= kRatings.repeats &&
                         static_cast<double>(end->second.size()) <= kRatings.most_of_code * static_cast<double>(all);
    if (!is_code) break;
    codes.insert(values.extract(end));
  }
  return codes;
}

/// Returns one sentence for all codes. `values` are the other whole numbers.
std::string sentence_of_codes(const History& history, const PullsOfValue& codes, const PullsOfValue& values) {
  std::vector<std::string> found;
  std::vector<std::string> names;
  for (const auto& [value, pulls] : codes) {
    const std::string_view noun = found.empty() ? " rewards" : "";
    found.push_back(fmt::format("{}{} are {:g} ({})", pulls.size(), noun, value, places_of_pulls(history, pulls)));
    names.push_back(fmt::format("{:g}", value));
  }
  return fmt::format(
      "{}; all other whole numbers are from {:g} to {:g}. If {} mean{} that there is no answer, leave these rewards "
      "empty.",
      fmt::join(found, ", "), values.begin()->first, values.rbegin()->first, fmt::join(names, " or "),
      codes.size() == 1 ? "s" : "");
}

}  // namespace

std::vector<std::string> rating_cautions(const History& history) {
  PullsOfValue values;  // of whole numbers
  std::vector<std::size_t> broken;
  std::size_t whole = 0;
  for (std::size_t i = 0; i < history.pulls.size(); ++i) {
    const auto& reward = history.pulls[i].reward;
    if (!reward) continue;
    if (*reward == std::round(*reward)) {
      ++whole;
      values[*reward].push_back(i);
    } else {
      broken.push_back(i);
    }
    if (values.size() > 2 * kRatings.most_values) return {};
  }
  const double most_broken = kRatings.most_broken * static_cast<double>(whole + broken.size());
  if (whole < kRatings.enough || static_cast<double>(broken.size()) > most_broken) return {};
  PullsOfValue codes = take_codes(values, true, whole);
  codes.merge(take_codes(values, false, whole));
  if (values.size() < kRatings.fewest_values || values.size() > kRatings.most_values) return {};
  std::vector<std::string> sentences;
  if (!codes.empty()) sentences.push_back(sentence_of_codes(history, codes, values));
  if (!broken.empty()) {
    sentences.push_back(fmt::format(
        "{} of {} rewards {} no whole number{} ({}), unlike all others. If rewards are "
        "ratings or counts, correct {}.",
        broken.size(), whole + broken.size(), broken.size() == 1 ? "is" : "are", broken.size() == 1 ? "" : "s",
        places_of_pulls(history, broken), broken.size() == 1 ? "it" : "them"));
  }
  return sentences;
}

}  // namespace longrun
