#include "longrun/decide/bound_question.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "longrun/base/input_error.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

TEST(BoundQuestion, IsAnsweredInOneLine) {
  EXPECT_EQ(bound_answer(R"({"lower":[0.1,0.3],"upper":[0.2,0.4],"remaining":10})"), R"({"bound":9.7})");
  EXPECT_EQ(bound_answer(R"({"upper": [0.6, 0.2], "remaining": 10, "lower": [0.5, 0.1]})"), R"({"bound":null})")
      << "the arm has begun to fall";
  EXPECT_EQ(bound_answer(R"({"lower":[],"upper":[],"remaining":3})"), R"({"bound":3.0})");
}

TEST(BoundQuestion, AnAnswerNamesAnIntervalThatContainsNoMeanReward) {
  EXPECT_EQ(bound_answer(R"({"lower":[1.5],"upper":[1.6],"remaining":3})"),
            R"({"bound":null,"reason":"lower[0]: 1.5 is above 1"})");
  EXPECT_EQ(bound_answer(R"({"lower":[0.1,-0.5],"upper":[0.2,-0.25],"remaining":3})"),
            R"({"bound":null,"reason":"upper[1]: -0.25 is below 0"})");
}

TEST(BoundQuestion, AnErrorNamesTheField) {
  const std::pair<std::string_view, std::string_view> mistakes[] = {
      {"{", "not valid JSON at column 2: "},
      {R"({"lower":[0.1],"upper":[0.2],"remaining":3} more)", "text follows the JSON object; each line has one object"},
      {"0.5", R"(should read {"lower": [...], "upper": [...], "remaining": D})"},
      {"[]", R"(should read {"lower": [...], "upper": [...], "remaining": D})"},
      {R"({"lower":[0.1],"upper":[0.2]})", "field 'remaining' is missing"},
      {R"({"lower":[0.1],"uper":[0.2],"remaining":3})", "unknown field 'uper'; did you mean 'upper'?"},
      {R"({"lower":[0.1],"upper":[0.2],"lower":[0],"remaining":3})", "field 'lower' is given twice"},
      {R"({"lower":[0.1,0.2],"upper":[0.2],"remaining":3})",
       "lower has 2 numbers, upper 1; the two lists must have the same length"},
      {R"({"lower":[0.1,0.3],"upper":[0.2,0.25],"remaining":3})", "lower[1]: 0.3 is above upper[1], 0.25"},
      {R"({"lower":[0.1,null],"upper":[0.2,0.25],"remaining":3})", "lower[1]: null is not a number"},
      {R"({"lower":[0.1,"x"],"upper":[0.2,0.25],"remaining":3})", "lower[1]: \"x\" is not a number"},
      {R"({"lower":[0.1,[1]],"upper":[0.2,0.25],"remaining":3})", "lower[1]: a list is not a number"},
      {R"({"lower":[0.1,0.2],"upper":[0.2,NaN],"remaining":3})", "upper[1]: not valid JSON at column "},
      {R"({"lower":[0.1,0.2],"upper":[0.2,1e999],"remaining":3})", "upper[1]: not a finite number"},
      {R"({"lower":0.1,"upper":[0.2],"remaining":3})", "lower: must be a list of numbers, not 0.1"},
      {R"({"lower":[0.1],"upper":[0.2],"remaining":-3})", "remaining -3: must be a whole number >= 0 and below 2^63"},
      {R"({"lower":[0.1],"upper":[0.2],"remaining":2.5})", "remaining 2.5: must be a whole number >= 0"},
      {R"({"lower":[0.1],"upper":[0.2],"remaining":"3"})", "remaining \"3\": must be a whole number >= 0"},
      {R"({"lower":[0.1],"upper":[0.2],"remaining":1e20})", "remaining 1e+20: must be a whole number >= 0"},
  };
  for (const auto& [text, begin] : mistakes) {
    const std::string message = error_of([&text = text] { bound_answer(text); });
    EXPECT_TRUE(message.starts_with(begin)) << text << ": " << message;
  }
}

}  // namespace
}  // namespace longrun
