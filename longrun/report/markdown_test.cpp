#include "longrun/report/markdown.h"

#include <gtest/gtest.h>

#include <sstream>

namespace longrun {
namespace {

TEST(MarkdownCell, HoldsNothingThatEndsTheCell) { EXPECT_EQ(markdown_cell("a | b\nc"), "a / b c"); }

TEST(MarkdownAnchor, IsTheOneThatGithubGivesTheHeading) {
  EXPECT_EQ(markdown_anchor("recommender_A"), "recommender_a");
  EXPECT_EQ(markdown_anchor("My own: no. 1"), "my-own-no-1");
}

TEST(MarkdownLines, HaveAtMost100ColumnsAndKeepEveryWord) {
  std::string text = "- first";
  for (int i = 0; i < 100; ++i) text += " ±" + std::string(static_cast<std::size_t>(i % 13), 'x');
  std::istringstream lines(markdown_lines(text, "  "));
  std::string words;
  for (std::string line; std::getline(lines, line);) {
    std::size_t columns = 0;
    for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1U : 0U;
    EXPECT_LE(columns, 100U) << line;
    EXPECT_TRUE(words.empty() || line.starts_with("  ")) << line;
    words += words.empty() ? line : line.substr(1);
  }
  EXPECT_EQ(words, text);
}

TEST(MarkdownLines, AWordThatIsTooLongHasALineOfItsOwn) {
  const std::string word(120, 'x');
  EXPECT_EQ(markdown_lines("a " + word + " b", "> "), "a\n> " + word + "\n> b\n");
}

}  // namespace
}  // namespace longrun
