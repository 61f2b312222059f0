#include "longrun/data/similar_labels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

namespace longrun {
namespace {

using Labels = std::vector<std::string>;

Labels warnings_of(const Labels& labels) {
  return similar_label_warnings("past.csv", {.arm_names = labels, .pulls = {}});
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
  };
  for (const auto& [one, other] : pairs) {
    EXPECT_EQ(warnings_of({one, "Nord", other}),
              Labels{fmt::format("past.csv: arms '{}' and '{}' may be two spellings of the same label; they count as "
                                 "two arms until all rows "
                                 "have one of them",
                                 one, other)});
  }
}

TEST(SimilarLabels, AreNotSeenInLabelsThatDifferOnPurpose) {
  Labels ids;
  for (const char* stem : {"A", "B", "arm ", "item-", "q0", "x_"}) {
    for (int number = 0; number < 30; ++number) ids.push_back(stem + std::to_string(number));
  }
  for (int number = 0; number < 30; ++number) ids.push_back(std::to_string(number));
  for (const char* label : {"1 1",  "1-1",  "1_2",  "1-2",  "2024-01", "2024-10", "a",  "ä",  "b",       "β",
                            "José", "Jose", "mail", "mall", "tea",     "Tee",     "AA", "AB", "arm 1 2", "item l"}) {
    ids.emplace_back(label);
  }
  EXPECT_EQ(warnings_of(ids),
            (Labels{"past.csv: arms 'item-1' and 'item l' may be two spellings of the same label; they "
                    "count as two arms until all rows have one of them"}));
  ids.pop_back();
  EXPECT_EQ(warnings_of(ids), Labels{});
}

}  // namespace
}  // namespace longrun
