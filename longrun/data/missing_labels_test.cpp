#include "longrun/data/missing_labels.h"

#include <gtest/gtest.h>

namespace longrun {
namespace {

std::vector<std::string> missing_warnings(const std::vector<std::string>& labels) {
  History history{.arm_names = labels, .pulls = {{.arm = 0, .reward = 1}}};
  for (Arm arm = 0; arm < std::ssize(labels); ++arm) history.pulls.push_back({.arm = arm, .reward = 1});
  return missing_label_warnings("past.csv", history);
}

TEST(MissingLabels, AreNamedWithTheirRows) {
  EXPECT_EQ(missing_warnings({"NULL", "north"}),
            std::vector<std::string>{"past.csv: 'NULL' counts as an arm with 2 rows, but may stand for a missing "
                                     "label; write the arm in every row"});
  for (const char* label : {"nan", "NaN", "#N/A", "\\N", "(blank)", "<NA>", "#REF!"})
    EXPECT_EQ(missing_warnings({"north", label}).size(), 1U) << label;
}

TEST(MissingLabels, AreNoLabelsThatArmsHave) {
  for (const char* label : {"None", "none", "NA", "Nan's", "control", "empty", "0", "-"})
    EXPECT_TRUE(missing_warnings({"north", label}).empty()) << label;
  EXPECT_TRUE(missing_warnings({"null"}).empty()) << "the only arm";
}

}  // namespace
}  // namespace longrun
