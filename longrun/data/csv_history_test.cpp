#include "longrun/data/csv_history.h"

#include <gtest/gtest.h>

#include <sstream>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

History read(const std::string& csv, const ArmsGiven& given = {}) {
  std::istringstream text(csv);
  return read_csv_history("past.csv", text, given);
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
  for (const char* open : {"\"tea,0.5\n", "tea,\"0.5\n", "\"tea\" black,0.5\n", "\"tea\"\",0.5\n"}) {
    try {
      read(std::string("arm,reward\n") + open);
      ADD_FAILURE() << open;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("past.csv: line 2: the quotes of cell ")) << error.what();
    }
  }
  EXPECT_THROW(read("arm,reward\n\"\",0.5\n"), InputError) << "nobody";
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
  EXPECT_THROW(read("arm,reward\n"), InputError) << "how many arms?";
}

TEST(CsvHistory, AnArmIsFoundByNameOrNumber) {
  const Names names{"tea", "", "0"};
  EXPECT_EQ(find_arm(names, "tea"), 0);
  EXPECT_EQ(find_arm(names, "1"), 1);
  EXPECT_EQ(find_arm(names, "0"), 2);
  EXPECT_THROW(find_arm(names, ""), InputError);
  EXPECT_THROW(find_arm(names, "3"), InputError);
}

TEST(CsvHistory, WithoutPullsItHasTheArmsGiven) {
  EXPECT_EQ(empty_history({.count = 2}).arms(), 2);
  EXPECT_EQ(empty_history({.names = {"a", "b"}}).arm_names, (Names{"a", "b"}));
  EXPECT_THROW(empty_history({}), InputError);
  EXPECT_THROW(empty_history({.count = 3, .names = {"a", "b"}}), InputError);
}

}  // namespace
}  // namespace longrun
