#include "longrun/data/similar_labels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

namespace longrun {
namespace {

using Labels = std::vector<std::string>;

Labels warnings_of(const Labels& labels) {
  History history{.arm_names = labels, .pulls = {{.arm = 0, .reward = 1}, {.arm = 0, .reward = 1}}};
  for (Arm arm = 1; arm < std::ssize(labels); ++arm) history.pulls.push_back({.arm = arm, .reward = 1});
  return similar_label_warnings("past.csv", history);
}

TEST(SimilarLabels, OfSpellingsOfOneWordAreNamedWithTheWayToMergeThem) {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"Ost", "0st"},
      {"Süd", "Sued"},
      {"Straße", "strasse"},
      {"West", "W\u0435st"},            // a Cyrillic e
      {"PACK", "\u0420\u0410\u0421K"},  // Cyrillic R, A, S
      {"ALPHA", "\u0391LPHA"},          // a Greek Alpha
      {"North East", "North-East"},
      {"north_east", "NorthEast"},
      {"arm 1", "arm1"},
      {"mill", "mi1l"},
      {"Corp.", "Corp"},
      {"Smith, Ltd.", "Smith Ltd"},
      {"O'Neil", "ONeil"},
  };
  for (const auto& [one, other] : pairs) {
    EXPECT_EQ(warnings_of({one, "Nord", other}),
              Labels{fmt::format(
                  "past.csv: arms '{}' (2 rows) and '{}' (1 row) may be two spellings of the same label; they count as "
                  "two arms until all rows "
                  "have one of them",
                  one, other)});
  }
}

TEST(SimilarLabels, InWhichAccentsAreLeftOutAreSpellingsOfOne) {
  for (const auto& [one, other] : {std::pair{"S\u00e3o Paulo", "Sao Paulo"}, std::pair{"Munchen", "M\u00fcnchen"},
                                   std::pair{"\u0141\u00f3d\u017a", "Lodz"}, std::pair{"K\u00f8benhavn", "Kobenhavn"},
                                   std::pair{"\u0110\u00e0 N\u1eb5ng", "Da Nang"}, std::pair{"Jos\u00e9", "JOSE"},
                                   std::pair{"M\u00e9xico-City", "Mexico City"}})
    EXPECT_EQ(warnings_of({one, "Nord", other}).size(), 1U) << one;
  EXPECT_TRUE(warnings_of({"c\u00f4te", "c\u00f4t\u00e9", "B\u00e4r", "Bar"}).empty()) << "other accents, or short";
}

/// Returns the warnings about an arm with many rows and one with few.
Labels warnings_of_rare(const std::string& common, Pulls many, const std::string& rare, Pulls few) {
  History history{.arm_names = {common, rare}, .pulls = {}};
  for (Pulls row = 0; row < many; ++row) history.pulls.push_back({.arm = 0, .reward = 1});
  for (Pulls row = 0; row < few; ++row) history.pulls.push_back({.arm = 1, .reward = 1});
  return similar_label_warnings("past.csv", history);
}

TEST(SimilarLabels, WithFewRowsMayBeTyposOfOthers) {
  EXPECT_EQ(warnings_of_rare("north", 40, "nroth", 3),
            Labels{"past.csv: arm 'nroth' (3 rows) may be a typo of 'north' (40 rows); they count as two arms"});
  EXPECT_EQ(warnings_of_rare("M\u00fcnchen", 40, "M\u00fcncehn", 1).size(), 1U);
  EXPECT_EQ(warnings_of_rare("M\u00fcnchen", 40, "Mumchen", 1).size(), 1U) << "without its accent";
  EXPECT_TRUE(warnings_of_rare("north", 29, "nroth", 3).empty()) << "too few rows of the other";
  EXPECT_TRUE(warnings_of_rare("north", 400, "nroth", 11).empty()) << "too many for a typo";
}

TEST(SimilarLabels, OfDifferentThingsAreNoTypos) {
  for (const auto& [one, other] :
       {std::pair{"south", "north"}, std::pair{"east", "west"}, std::pair{"men", "women"}, std::pair{"male", "female"},
        std::pair{"class A", "class B"}, std::pair{"urban", "suburban"}, std::pair{"online", "offline"},
        std::pair{"tea", "sea"}, std::pair{"control", "treatment"}, std::pair{"email", "mail"},
        std::pair{"variant-x", "variant-y"}, std::pair{"store 12", "store 13"}, std::pair{"inbound", "outbound"},
        std::pair{"summer", "winter"}, std::pair{"left", "right"}, std::pair{"Iceland", "Ireland"}}) {
    EXPECT_TRUE(warnings_of_rare(one, 400, other, 2).empty()) << one;
    EXPECT_TRUE(warnings_of_rare(other, 400, one, 2).empty()) << other;
  }
}

TEST(SimilarLabels, WhoseWordsAllOccurInOthersAreNoTypos) {
  History history{.arm_names = {"casual shoes", "formal shoes", "causal model", "causal shoes", "cusual shoes"},
                  .pulls = {}};
  for (Pulls row = 0; row < 100; ++row) history.pulls.push_back({.arm = static_cast<Arm>(row % 3), .reward = 1});
  history.pulls.push_back({.arm = 3, .reward = 1});
  EXPECT_TRUE(similar_label_warnings("past.csv", history).empty());
  history.pulls.push_back({.arm = 4, .reward = 1});
  EXPECT_EQ(similar_label_warnings("past.csv", history).size(), 1U);
}

TEST(SimilarLabels, OfCharactersThatLookAlikeAreNamed) {
  for (const auto& [one, other] : {std::pair{"100", "10O"}, std::pair{"Mill", "MiII"}, std::pair{"A10", "A1O"},
                                   std::pair{"Mill 1", "Mill I"}, std::pair{"Milo", "MiIo"}}) {
    EXPECT_EQ(warnings_of({one, "Nord", other}).size(), 1U) << one;
  }
  EXPECT_EQ(
      warnings_of({"Mill", "Nord", "MiII"}),
      Labels{"past.csv: arms 'Mill' (2 rows) and 'MiII' (1 row) look alike, but one has another of the characters "
             "I, l and 1, or O and 0; they count as two arms until all rows have one of them"});
}

TEST(SimilarLabels, OfFullWidthLettersOrDecomposedAccentsLookTheSame) {
  for (const auto& [one, other] : {std::pair{"S\u00fcd", "Su\u0308d"}, std::pair{"Nord", "\uff2e\uff4f\uff52\uff44"},
                                   std::pair{"7", "\uff17"}, std::pair{"A", "\uff21"}, std::pair{"a b", "a\u3000b"}}) {
    EXPECT_EQ(warnings_of({one, "West", other}),
              Labels{fmt::format("past.csv: arms '{}' (2 rows) and '{}' (1 row) look the same, but differ in blanks, "
                                 "invisible characters, full-width letters or the encoding of accents; they count as "
                                 "two arms",
                                 one, other)});
  }
}

TEST(SimilarLabels, RomanNumbersDoNotLookLikeOthers) {
  EXPECT_EQ(warnings_of({"Phase I", "Phase II", "Phase III", "Phase 11", "Phase 111"}), Labels{});
  EXPECT_EQ(warnings_of({"Phase I", "Phase 1"}).size(), 1U) << "the same number";
  EXPECT_EQ(warnings_of({"Phase II", "Phase lI"}).size(), 1U);
}

TEST(SimilarLabels, AreNotSeenInLabelsThatDifferOnPurpose) {
  Labels ids;
  for (const char* stem : {"A", "B", "arm ", "item-", "q0", "x_"}) {
    for (int number = 0; number < 30; ++number) ids.push_back(stem + std::to_string(number));
  }
  for (int number = 0; number < 30; ++number) ids.push_back(std::to_string(number));
  for (const char* label :
       {"1 1",  "1-1", "1_2", "1-2", "2024-01", "2024-10", "a",        "ä",       "b",     "β",    "José", "mail",
        "mall", "tea", "Tee", "AA",  "AB",      "arm 1 2", "Mill 1",   "Mill 2",  "-10 %", "10 %", ".250", "250",
        "v1.2", "v12", "100", "101", "1000",    "Mill",    "price -5", "price 5", "C",     "C++",  "C#",   "item l"}) {
    ids.emplace_back(label);
  }
  EXPECT_EQ(warnings_of(ids),
            (Labels{"past.csv: arms 'item-1' (1 row) and 'item l' (1 row) may be two spellings of the same label; they "
                    "count as two arms until all rows have one of them"}));
  ids.pop_back();
  EXPECT_EQ(warnings_of(ids), Labels{});
}

}  // namespace
}  // namespace longrun
