#include "longrun/data/missing_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "longrun/base/text.h"

namespace longrun {
namespace {

/// In lower case: of SQL, pandas, R, JavaScript and pivot tables, and the errors of spreadsheets.
constexpr std::array<std::string_view, 20> kMissingLabels{
    "null",    "(null)",  "nan",    "nat",   "<na>",    "n/a",     "#n/a",   "#nv",    "#n/d",      "\\n",
    "(blank)", "(empty)", "(leer)", "#ref!", "#bezug!", "#value!", "#wert!", "#name?", "undefined", "(vide)"};

/// Returns the labels as "'a', 'b' and 'c'", or the first three and the number of the others.
std::string listed(const std::vector<std::string>& labels) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t named = std::min(labels.size(), kMostNamed);
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i > 0 && i + 1 == labels.size();
    text += fmt::format("{}'{}'", i == 0 ? "" : is_last ? " and " : ", ", labels[i]);
  }
  const std::size_t others = labels.size() - named;
  if (others > 0) text += fmt::format(" and {} more {}", others, others == 1 ? "label" : "labels");
  return text;
}

}  // namespace

bool is_missing_label(std::string_view label) {
  return std::find(kMissingLabels.begin(), kMissingLabels.end(), lower_case(std::string(label))) !=
         kMissingLabels.end();
}

std::vector<std::string> missing_label_warnings(const std::string& path, const History& history) {
  if (history.arm_names.size() < 2) return {};
  std::vector<std::string> labels;
  std::vector<bool> are_missing;  // [arm]
  for (const std::string& label : history.arm_names) {
    are_missing.push_back(is_missing_label(label));
    if (are_missing.back()) labels.push_back(label);
  }
  if (labels.empty()) return {};
  const auto rows = std::count_if(history.pulls.begin(), history.pulls.end(), [&](const PastPull& pull) {
    return are_missing[static_cast<std::size_t>(pull.arm)];
  });
  const bool is_one = labels.size() == 1;
  return {fmt::format("{}: {} {} with {} {}{}, but may stand for a missing label; write the arm in every row", path,
                      listed(labels), is_one ? "counts as an arm" : "count as arms", rows, rows == 1 ? "row" : "rows",
                      is_one ? "" : " in all")};
}

}  // namespace longrun
