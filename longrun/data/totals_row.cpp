#include "longrun/data/totals_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "longrun/base/text.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

constexpr std::array<std::string_view, 12> kTotalWords{"total", "totals", "grand total",  "subtotal",
                                                       "sum",   "summe",  "gesamt",       "average",
                                                       "mean",  "median", "durchschnitt", "mittelwert"};

/// Returns what the reward of the last row is of the rewards above it; an empty text if it is nothing of them.
std::string_view total_of(double reward, std::span<const PastPull> above) {
  constexpr Pulls kFewest = 5;        // rewards; the sum of fewer can be another reward by chance
  constexpr double kRounding = 1e-9;  // of the sum of the absolute rewards
  double sum = 0;
  double size = 0;
  Pulls count = 0;
  for (const PastPull& pull : above) {
    if (!pull.reward) continue;
    if (*pull.reward == reward) return {};
    sum += *pull.reward;
    size += std::abs(*pull.reward);
    ++count;
  }
  if (count < kFewest) return {};
  if (std::abs(reward - sum) <= kRounding * size) return "the sum";
  if (std::abs(reward - sum / static_cast<double>(count)) <= kRounding * size) return "the mean";
  return {};
}

}  // namespace

std::vector<std::string> totals_row_warnings(const std::string& path, const History& history, RowNames rows) {
  if (history.pulls.size() < 2) return {};
  const PastPull& last = history.pulls.back();
  const std::span above(history.pulls.data(), history.pulls.size() - 1);
  if (std::any_of(above.begin(), above.end(), [&](const PastPull& pull) { return pull.arm == last.arm; })) return {};
  const std::string label = label_of(history.arm_names, last.arm);
  const bool is_word = std::find(kTotalWords.begin(), kTotalWords.end(), lower_case(label)) != kTotalWords.end();
  const std::string_view total = last.reward ? total_of(*last.reward, above) : "";
  if (!is_word && total.empty()) return {};
  return {
      fmt::format("{}: {}, the only row of arm '{}', may be a total of the rows above it{}; every row counts as a pull",
                  path, row_name(static_cast<std::size_t>(last.line), rows), label,
                  total.empty() ? "" : fmt::format(": its reward is {} of theirs", total))};
}

}  // namespace longrun
