#include "longrun/base/decimal.h"

#include <gtest/gtest.h>

namespace longrun {
namespace {

TEST(Decimal, IsCountedExactly) {
  std::int64_t sum = 0;
  for (int i = 0; i < 10; ++i) sum += parse_decimal("0.1", 1).value_or(0);
  EXPECT_EQ(sum, parse_decimal("1", 1));
  EXPECT_EQ(parse_decimal("2.5", 1), 25);
  EXPECT_EQ(parse_decimal("2.5", 3), 2500);
  EXPECT_EQ(parse_decimal("+2.500", 1), 25) << "zeros at the end need no decimals";
  EXPECT_EQ(parse_decimal(".5", 1), 5);
  EXPECT_EQ(parse_decimal("3.", 0), 3);
  EXPECT_EQ(parse_decimal("007", 0), 7);
  EXPECT_EQ(parse_decimal("9007199254.740993", 6), 9007199254740993) << "beyond the whole numbers of a double";
}

TEST(Decimal, RefusesWhatItWouldHaveToRound) {
  EXPECT_EQ(parse_decimal("2.5", 0), std::nullopt);
  EXPECT_EQ(parse_decimal("0.01", 1), std::nullopt);
  EXPECT_EQ(parse_decimal("99999999999999999999", 0), std::nullopt);
  for (const char* text : {"", ".", "-1", "1e3", "1,5", "1.5.2", "0x10", "inf", "nan", " 1", "1 ", "+", "+-1"}) {
    EXPECT_EQ(parse_decimal(text, 6), std::nullopt) << text;
  }
}

TEST(Decimal, KnowsHowManyDecimalsANumberNeeds) {
  EXPECT_EQ(decimals_of("3"), 0);
  EXPECT_EQ(decimals_of("0.250"), 2);
  EXPECT_EQ(decimals_of("1.000"), 0);
  EXPECT_EQ(decimals_of("0.12345678"), 8);
  EXPECT_EQ(decimals_of("a.b"), 0);
}

TEST(Decimal, IsWrittenAsItIsRead) {
  EXPECT_EQ(decimal_text(25, 1), "2.5");
  EXPECT_EQ(decimal_text(5, 3), "0.005");
  EXPECT_EQ(decimal_text(-5, 1), "-0.5");
  EXPECT_EQ(decimal_text(0, 2), "0");
  EXPECT_EQ(decimal_text(1000, 0), "1000");
  for (std::int64_t value = 0; value < 3000; value += 7) {
    EXPECT_EQ(parse_decimal(decimal_text(value, 3), 3), value);
  }
}

}  // namespace
}  // namespace longrun
