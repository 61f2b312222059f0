#include "longrun/base/quoted_list.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace longrun {
namespace {

using Parts = std::vector<std::string>;

TEST(QuotedList, CommasSeparateNamesUnlessTheyAreInQuotes) {
  EXPECT_EQ(split_names("tea,coffee"), (Parts{"tea", "coffee"}));
  EXPECT_EQ(split_names(" tea , Small farms "), (Parts{"tea", "Small farms"}));
  EXPECT_EQ(split_names(R"("tea, black",coffee)"), (Parts{"tea, black", "coffee"}));
  EXPECT_EQ(split_names(R"("the ""best""",5" pipe)"), (Parts{"the \"best\"", "5\" pipe"}));
  EXPECT_EQ(split_names("a,,b"), (Parts{"a", "", "b"}));
}

TEST(QuotedList, TheLastColonSeparatesANameFromItsValue) {
  const auto check = [](const std::string& text, const std::optional<std::string>& name, const std::string& value) {
    const std::vector<NamedValue> items = split_named_values(text);
    ASSERT_EQ(items.size(), 1U) << text;
    EXPECT_EQ(items[0].name, name) << text;
    EXPECT_EQ(items[0].value, value) << text;
  };
  check("2", std::nullopt, "2");
  check("north:2", "north", "2");
  check("a:b:2", "a:b", "2");
  check(R"("a, b: c":2.5)", "a, b: c", "2.5");
  check("Small farms : 0.3", "Small farms", "0.3");
  check("north:", "north", "");
  check(":3", "", "3");
}

TEST(QuotedList, ANameIsReadAsItWasWritten) {
  for (const char* name : {"tea", "tea, black", "a:b", "\"x\"", "5\" pipe", " blank ", "", "7", "x,\"y\":z"}) {
    EXPECT_EQ(split_names(list_name(name)), Parts{name}) << name;
    const std::vector<NamedValue> items = split_named_values(list_name(name) + ":4,1");
    ASSERT_EQ(items.size(), 2U) << name;
    EXPECT_EQ(items[0].name, name);
    EXPECT_EQ(items[0].value, "4");
  }
}

TEST(QuotedList, SaysWhatIsWrongWithQuotes) {
  EXPECT_EQ(error_of([] { split_names("\"tea,coffee"); }), "'\"tea,coffee' has no closing quote");
  EXPECT_EQ(error_of([] { split_names("\"tea\" black"); }),
            "'\"tea\" black' has text after a closing quote; a quote inside quotes is doubled");
  EXPECT_EQ(error_of([] { split_named_values("\"tea\",2"); }),
            "'\"tea\",2' has a name in quotes without a value; write \"NAME\":VALUE");
}

}  // namespace
}  // namespace longrun
