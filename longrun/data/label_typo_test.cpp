#include "longrun/data/label_typo.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "longrun/base/characters.h"

namespace longrun {
namespace {

bool is_typo(const std::string& label, const std::string& meant) {
  return is_probable_typo(characters_of(label), characters_of(meant));
}

TEST(LabelTypo, IsOneLetterOrTwoNeighboursInALongWord) {
  for (const auto& [label, meant] :
       {std::pair{"nroth", "north"}, std::pair{"onrth", "north"}, std::pair{"norrth", "north"},
        std::pair{"noth", "north"}, std::pair{"nort", "north"}, std::pair{"northh", "north"},
        std::pair{"nirth", "north"}, std::pair{"small fsrms", "small farms"}, std::pair{"farm 1 suoth", "farm 1 south"},
        std::pair{"\u043c\u043e\u0441\u043a\u0432\u0430", "\u043c\u043e\u0441\u0432\u043a\u0430"}})
    EXPECT_TRUE(is_typo(label, meant)) << label;
}

TEST(LabelTypo, IsNoDifferenceThatTellsWordsApart) {
  for (const auto& [one, other] : {std::pair{"south", "north"},
                                   std::pair{"east", "west"},
                                   std::pair{"men", "women"},
                                   std::pair{"male", "female"},
                                   std::pair{"class a", "class b"},
                                   std::pair{"groupa", "groupb"},
                                   std::pair{"night", "light"},
                                   std::pair{"control", "controls"},
                                   std::pair{"symmetric", "asymmetric"},
                                   std::pair{"macro", "micro"},
                                   std::pair{"county", "country"},
                                   std::pair{"trial", "trail"},
                                   std::pair{"mail", "mall"},
                                   std::pair{"route 1", "route 2"},
                                   std::pair{"north 12", "north 21"},
                                   std::pair{"paid", "unpaid"},
                                   std::pair{"indoor", "outdoor"},
                                   std::pair{"import", "export"},
                                   std::pair{"maria", "marie"},
                                   std::pair{"north", "north"},
                                   std::pair{"", "north"},
                                   std::pair{"premium", "premium+"},
                                   std::pair{"\u5317\u4eac\u5e02\u4e00\u90e8", "\u5317\u4eac\u5e02\u4e8c\u90e8"}}) {
    EXPECT_FALSE(is_typo(one, other)) << one;
    EXPECT_FALSE(is_typo(other, one)) << one;
  }
}

}  // namespace
}  // namespace longrun
