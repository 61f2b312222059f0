#include "longrun/model/arm_labels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "longrun/base/input_error.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

using Labels = std::vector<std::string>;

TEST(ArmLabels, FindAnArmByItsLabelOnly) {
  const ArmLabels labels(Labels{"tea", "", "0"});
  EXPECT_EQ(labels.find("tea"), 0);
  EXPECT_EQ(labels.find("1"), 1) << "an arm without a label is called by its position";
  EXPECT_EQ(labels.find("0"), 2) << "a label, not the position of tea";
  EXPECT_EQ(labels.find(""), std::nullopt);
  EXPECT_EQ(labels.find("2"), std::nullopt);
  EXPECT_EQ(labels.at("tea"), 0);
  EXPECT_THROW(labels.at("2"), InputError);
}

TEST(ArmLabels, PositionsNameArmsIfTheCallerSaysSo) {
  const ArmLabels positions(Labels{"1", "0"}, ArmLabels::By::position);
  EXPECT_EQ(positions.find("1"), 1);
  EXPECT_EQ(positions.text(1), "1");
  EXPECT_EQ(positions.find("2"), std::nullopt);
  EXPECT_EQ(positions.find("-1"), std::nullopt);
  EXPECT_EQ(error_of([&] { positions.at("2"); }), "'2' is not an arm; arms are positions from 0 to 1");
}

TEST(ArmLabels, AnArmCanBeAdded) {
  ArmLabels labels(Labels{"tea"});
  labels.add("coffee");
  labels.add("");
  EXPECT_EQ(labels.arms(), 3);
  EXPECT_EQ(labels.at("coffee"), 1);
  EXPECT_EQ(labels.at("2"), 2);
  EXPECT_EQ(labels.names(), (Labels{"tea", "coffee", "2"}));
  labels.add("tea");
  EXPECT_EQ(labels.at("tea"), 0) << "the first of two arms with the same label";
}

TEST(ArmLabels, AnErrorListsAtMostTenArms) {
  const auto error_with = [](const Labels& names) { return error_of([&] { ArmLabels(names).at("x-ray"); }); };
  EXPECT_EQ(error_with({"tea", "coffee"}), "'x-ray' is not an arm; arms are tea, coffee");
  EXPECT_EQ(error_with({"", ""}), "'x-ray' is not an arm; arms are 0, 1");
  EXPECT_EQ(error_with(Labels{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "X-ray"}),
            "'x-ray' is not an arm; arms are a, b, c, d, e, f, g, h, i, j, ... (11 in all); did you mean 'X-ray'?");
}

TEST(ArmLabels, SentencesQuoteLabelsThatAreNotNumbers) {
  const Labels names{"tea", "", "12345678901234567890", "-7"};
  EXPECT_EQ(arm_label(names, 0), "arm 'tea'");
  EXPECT_EQ(arm_label(names, 1), "arm 1");
  EXPECT_EQ(arm_label(names, 2), "arm 12345678901234567890");
  EXPECT_EQ(arm_label(names, 3), "arm -7");
}

}  // namespace
}  // namespace longrun
