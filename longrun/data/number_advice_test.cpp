#include "longrun/data/number_advice.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace longrun {
namespace {

TEST(NumberAdvice, IsTheNumberThatTheTextStates) {
  const std::vector<std::pair<const char*, const char*>> expected{
      {"(167.19)", "; write -167.19, with a minus sign instead of parentheses"},
      {"(1,234.50)", "; write -1234.50, with a minus sign instead of parentheses, without separators of thousands"},
      {"\u2013167.19", "; write -167.19, with the minus sign -"},
      {"167.19-", "; write -167.19, with the minus sign first"},
      {"- 5", "; write -5"},
      {"-167,19 EUR", "; write -167.19, without the currency, with a decimal point"},
      {"-167,19 \u20AC", "; write -167.19, without the currency, with a decimal point"},
      {"-\u20AC167.19", "; write -167.19, without the currency"},
      {"\u20AC -167.19", "; write -167.19, without the currency"},
      {"$1,234.50", "; write 1234.50, without the currency, without separators of thousands"},
      {"-0.167k", "; write -167, without 'k'"},
      {"1.5M", "; write 1500000, without 'M'"},
      {"$2,5k", "; write 2500, without the currency, without 'k', with a decimal point"},
      {"1.234,50", "; write 1234.50, without separators of thousands and with a decimal point"},
      {"1,234,567", "; write 1234567, without separators"},
      {"1.234.567", "; write 1234567, without separators"},
      {"1'234.50", "; write 1234.50, without separators of thousands"},
      {"1 234,50", "; write 1234.50, without separators of thousands and with a decimal point"},
      {"1\u202F234", "; write 1234, without separators"},
      {"12,5", "; the decimal mark must be a point"},
      {"-0,167", "; the decimal mark must be a point"},
      {"1,234", "; write 1.234 if the comma is a decimal mark, or 1234 if it separates thousands"},
      {"-\u20AC1,234",
       "; write -1.234 if the comma is a decimal mark, or -1234 if it separates thousands, without the currency"},
      {"Yes", "; write 1 for yes and 0 for no"},
      {"29.4%", "; write a share, such as 0.25 for 25 %"}};
  for (const auto& [text, advice] : expected) EXPECT_EQ(number_advice(text), advice) << text;
}

TEST(NumberAdvice, IsEmptyIfTheTextStatesNoNumber) {
  for (const char* text : {"", "-", "()", "k", "EUR", "a.b,c", "0,5,1", "1,23,456", "12 34", "--5", "(-5)", "5kk", "5m",
                           "1.2,3", "inf", "nan", "0x10", "1e", "\u20AC"}) {
    EXPECT_EQ(number_advice(text), "") << text;
  }
}

}  // namespace
}  // namespace longrun
