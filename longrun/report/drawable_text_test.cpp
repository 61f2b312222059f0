#include "longrun/report/drawable_text.h"

#include <gtest/gtest.h>

#include "longrun/report/gnuplot_script.h"

namespace longrun {
namespace {

std::string without_fonts(std::string_view text) {
  return drawable_text(text, [](char32_t) { return false; });
}

TEST(DrawableText, LettersOfEveryFontStay) {
  for (const std::string text : {"", "plain, 7 %", "Zürich — naïve", "Ελλάδα", "Москва", "10 €", "two\nlines"}) {
    EXPECT_EQ(without_fonts(text), text);
  }
}

TEST(DrawableText, AFlagIsTheLettersOfItsCountry) { EXPECT_EQ(without_fonts("🇩🇪 and 🇯🇵"), "DE and JP"); }

TEST(DrawableText, WhatNoFontHasIsOneSquare) {
  EXPECT_EQ(without_fonts("🍕!"), "□!");
  EXPECT_EQ(without_fonts("👨‍👩‍👧 family"), "□ family") << "three emoji and two joiners are one character";
  EXPECT_EQ(without_fonts("👍🏽 👍"), "□ □") << "a colour of skin";
  EXPECT_EQ(without_fonts("日本"), "□□");
  EXPECT_EQ(without_fonts("❤️"), "□") << "with a variation selector";
}

TEST(DrawableText, WhatAFontHasStays) {
  const auto cjk = [](char32_t character) { return character >= 0x4E00 && character <= 0x9FFF; };
  EXPECT_EQ(drawable_text("日本 🍕", cjk), "日本 □");
}

TEST(DrawableText, BytesThatAreNotUtf8AreQuestionMarks) {
  EXPECT_EQ(without_fonts("a\xff"
                          "b"),
            "a?b");
  EXPECT_EQ(without_fonts("\xe2\x82"), "??") << "cut off";
  EXPECT_EQ(without_fonts("\xc0\x80 \xed\xa0\x80"), "?? ???") << "too long; a surrogate";
}

TEST(DrawableText, IsTheTextOfEveryTitleAndLabel) {
  EXPECT_EQ(quoted_title("🇩🇪 it's"), "'DE it''s'");
  EXPECT_EQ(shortened("🇩🇪🇩🇪 Deutschland"), "DEDE Deutschland") << "29 bytes, but 16 letters in the picture";
  DataFile data({"label", "value"});
  data.add("🇫🇷", {1});
  EXPECT_EQ(data.text(), "# label\tvalue\nFR\t1\n");
  EXPECT_EQ(quoted("🇩🇪.tsv"), "'🇩🇪.tsv'") << "the name of a file";
}

TEST(DrawableText, NoInstalledFontHasACharacterThatIsNotAssigned) {
  EXPECT_EQ(drawable_text("\xF4\x8F\xBF\xBF"), "□") << "U+10FFFF";
}

}  // namespace
}  // namespace longrun
