#include "longrun/data/missing_labels.h"

#include <gtest/gtest.h>

#include <sstream>

#include "longrun/data/csv_history.h"

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

TEST(MissingLabels, OfOneFileAreOneWarning) {
  EXPECT_EQ(missing_warnings({"null", "north", "Null", "NULL"}),
            std::vector<std::string>{"past.csv: 'null', 'Null' and 'NULL' count as arms with 4 rows in all, but may "
                                     "stand for a missing label; write the arm in every row"});
  EXPECT_EQ(missing_warnings({"nan", "north", "NaN", "NULL", "#N/A", "(blank)"}),
            std::vector<std::string>{"past.csv: 'nan', 'NaN', 'NULL' and 2 more labels count as arms with 6 rows in "
                                     "all, but may stand for a missing label; write the arm in every row"});
  std::istringstream text("arm,reward\nnull,1\nNull,2\nNULL,3\nnorth,1\nsouth,1\n");
  EXPECT_EQ(read_csv_history("past.csv", text, {}).warnings.size(), 1U) << "not also labels that differ in case";
}

TEST(MissingLabels, AreNoLabelsThatArmsHave) {
  for (const char* label : {"None", "none", "NA", "Nan's", "control", "empty", "0", "-"})
    EXPECT_TRUE(missing_warnings({"north", label}).empty()) << label;
  EXPECT_TRUE(missing_warnings({"null"}).empty()) << "the only arm";
}

}  // namespace
}  // namespace longrun
