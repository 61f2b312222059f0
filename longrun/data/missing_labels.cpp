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

}  // namespace

std::vector<std::string> missing_label_warnings(const std::string& path, const History& history) {
  if (history.arm_names.size() < 2) return {};
  std::vector<std::string> warnings;
  for (std::size_t arm = 0; arm < history.arm_names.size(); ++arm) {
    const std::string& label = history.arm_names[arm];
    if (std::find(kMissingLabels.begin(), kMissingLabels.end(), lower_case(label)) == kMissingLabels.end()) continue;
    const auto rows = std::count_if(history.pulls.begin(), history.pulls.end(),
                                    [&](const PastPull& pull) { return pull.arm == static_cast<Arm>(arm); });
    warnings.push_back(fmt::format(
        "{}: '{}' counts as an arm with {} {}, but may stand for a missing label; write the arm in every row", path,
        label, rows, rows == 1 ? "row" : "rows"));
  }
  return warnings;
}

}  // namespace longrun
