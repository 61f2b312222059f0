#include "longrun/data/csv_history.h"

#include <gtest/gtest.h>

#include <sstream>

#include "longrun/base/input_error.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

History read(const std::string& csv, const ArmsGiven& given = {}) {
  std::istringstream text(csv);
  return read_csv_history("past.csv", text, given);
}

std::string error_of_history(const std::string& csv) {
  return error_of([&] { read(csv); });
}

using Names = std::vector<std::string>;

TEST(CsvHistory, NumbersArmsFromZero) {
  const History history = read("arm,reward\n2,0.5\n0,0.25\n");
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{2, 0.5}, {0, 0.25}}));
  EXPECT_EQ(history.arms(), 3);
  EXPECT_EQ(read("arm,reward\n0,0.5\n", {.count = 5}).arms(), 5);
}

TEST(CsvHistory, NamesArmsAsTheyAppear) {
  const History history = read("arm,reward\ntea,0.5\ncoffee,0.25\ntea,1\n", {.count = 3});
  EXPECT_EQ(history.arm_names, (Names{"tea", "coffee", ""}));
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{0, 0.5}, {1, 0.25}, {0, 1}}));
}

TEST(CsvHistory, QuotesMayHoldCommasAndQuotes) {
  const History history = read(
      "\"arm\", \"reward\" \n\"tea, black\",0.5\n \"\"\"strong\"\" coffee\" ,\"0.25\"\n5\" pipe,1\n\"tea, black\",0\n");
  EXPECT_EQ(history.arm_names, (Names{"tea, black", "\"strong\" coffee", "5\" pipe"}));
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{0, 0.5}, {1, 0.25}, {2, 1}, {0, 0}}));
}

TEST(CsvHistory, SaysWhatIsWrongWithQuotes) {
  const std::string open =
      "past.csv: line 2: cell 1 has no closing quote on this line; a cell can't contain line breaks";
  EXPECT_EQ(error_of_history("arm,reward\n\"tea,0.5\n"), open);
  EXPECT_EQ(error_of_history("arm,reward\n\"tea\"\",0.5\n"), open);
  EXPECT_EQ(error_of_history("arm,reward\n\"black\ntea\",0.5\n"), open);
  EXPECT_EQ(error_of_history("arm,reward\ntea,\"0.5\n"),
            "past.csv: line 2: cell 2 has no closing quote on this line; a cell can't contain line breaks");
  EXPECT_EQ(error_of_history("arm,reward\n\"tea\" black,0.5\n"),
            "past.csv: line 2: cell 1 has text after its closing quote; a quote inside quotes is doubled");
  EXPECT_EQ(error_of_history("arm,reward\n\"\",0.5\n"), "past.csv: line 2, column 1 (arm): the arm is missing");
}

TEST(CsvHistory, TheHeaderDecidesTheSeparator) {
  const std::vector<PastPull> expected{{0, 0.5}, {1, 0.25}};
  EXPECT_EQ(read("arm;reward\ntea, black;0.5\ncoffee;0.25\n").pulls, expected);
  EXPECT_EQ(read("arm\treward\ntea; black\t0.5\ncoffee\t0.25\n").pulls, expected);
  EXPECT_EQ(read("arm\tnote\treward\ntea\t\t0.5\ncoffee\tx\t0.25\n").pulls, expected) << "an empty cell";
  EXPECT_EQ(read("arm,\treward\ntea,\t0.5\ncoffee\t,0.25\n").pulls, expected) << "tabs as blanks";
  EXPECT_EQ(read("arm;reward;\"a\"\",b\"\ntea;0.5;x\ncoffee;0.25;y\n").pulls, expected) << "a comma in quotes";
  EXPECT_EQ(error_of_history("arm;reward,note\n"),
            "past.csv: line 1 has commas and semicolons; use one separator, and quote names that contain the other");
  EXPECT_EQ(error_of_history("arm\treward;note\n"),
            "past.csv: line 1 has semicolons and tabs; use one separator, and quote names that contain the other");
  EXPECT_EQ(error_of_history("arm;reward\ntea,0.5\n"), "past.csv: line 2 has 1 columns, the header 2");
}

TEST(CsvHistory, ADecimalCommaIsAnError) {
  for (const char* text : {"arm;reward\ntea;0,5\n", "arm,reward\ntea,\"0,5\"\n"}) {
    EXPECT_EQ(error_of_history(text),
              "past.csv: line 2, column 2 (reward): '0,5' is not a finite number; the decimal mark must be a point");
  }
  EXPECT_EQ(error_of_history("arm;reward\ntea;0,5,1\n"),
            "past.csv: line 2, column 2 (reward): '0,5,1' is not a finite number");
}

TEST(CsvHistory, IdentifiersAreNotPositions) {
  const std::string identifiers = "arm,reward\n58121,0.5\n10234,0.25\n";
  EXPECT_EQ(error_of_history(identifiers),
            "past.csv: arm numbers go up to 58121, but only 2 arms appear; give the number of arms if these are "
            "positions from 0, or the names of all arms");
  EXPECT_EQ(read(identifiers, {.count = 60'000}).arms(), 60'000);
  EXPECT_EQ(read(identifiers, {.names = {"10234", "58121"}}).pulls[0].arm, 1);
  EXPECT_EQ(read("arm,reward\n19,0.5\n").arms(), 20) << "few arms may be skipped";
}

TEST(CsvHistory, DuplicateColumnsAreAnError) {
  EXPECT_EQ(error_of_history("arm,reward,arm\n0,0.5,1\n"), "past.csv: line 1 has duplicate columns 'arm'");
}

TEST(CsvHistory, TakesNamesOrNumbersWhereNamesAreGiven) {
  const History history = read("arm,reward\n1,0.5\ntea,0.25\n", {.names = {"tea", "coffee"}});
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{1, 0.5}, {0, 0.25}}));
  EXPECT_EQ(read("arm,reward\n1,0.5\n", {.names = {"2", "1"}}).pulls[0].arm, 1) << "a name before a number";
}

TEST(CsvHistory, TheFirstRowDecides) {
  EXPECT_THROW(read("arm,reward\n1,0.5\ntea,0.25\n"), InputError);
  EXPECT_EQ(read("arm,reward\ntea,0.5\n1,0.25\n").arm_names, (Names{"tea", "1"}));
}

TEST(CsvHistory, AHeaderAloneIsABeginning) {
  EXPECT_TRUE(read("arm,reward\n", {.count = 2}).pulls.empty());
  EXPECT_TRUE(read("arm,reward\n\n", {.count = 2}).pulls.empty());
  EXPECT_EQ(error_of_history("arm,reward\n"), "past.csv: has no rows; give the number of arms");
}

TEST(CsvHistory, AnArmIsFoundByNameOrNumber) {
  const Names names{"tea", "", "0"};
  EXPECT_EQ(find_arm(names, "tea"), 0);
  EXPECT_EQ(find_arm(names, "1"), 1);
  EXPECT_EQ(find_arm(names, "0"), 2);
  EXPECT_THROW(find_arm(names, ""), InputError);
  EXPECT_THROW(find_arm(names, "3"), InputError);
}

TEST(FindArm, AnErrorListsAtMostTenNames) {
  const auto error_with = [](const Names& names) {
    try {
      find_arm(names, "x-ray");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_with({"tea", "coffee"}), "'x-ray' is not an arm; arms are 0..1 (tea, coffee)");
  EXPECT_EQ(error_with({"", ""}), "'x-ray' is not an arm; arms are 0..1");
  EXPECT_EQ(error_with(Names(11, "a")), "'x-ray' is not an arm; arms are 0..10");
}

TEST(CsvHistory, WithoutPullsItHasTheArmsGiven) {
  EXPECT_EQ(empty_history({.count = 2}).arms(), 2);
  EXPECT_EQ(empty_history({.names = {"a", "b"}}).arm_names, (Names{"a", "b"}));
  EXPECT_THROW(empty_history({}), InputError);
  EXPECT_THROW(empty_history({.count = 3, .names = {"a", "b"}}), InputError);
}

}  // namespace
}  // namespace longrun
