#include "longrun/base/text_table.h"

#include <gtest/gtest.h>

namespace longrun {
namespace {

TEST(TextTable, AlignsColumnsByTheirWidestCell) {
  EXPECT_EQ(text_table({{"arm", "pulls", "name"}, {"a", "7", "x"}, {"Łódź", "12345", ""}}, "lrl"),
            "arm   pulls  name\n"
            "a         7  x\n"
            "Łódź  12345\n");
  EXPECT_EQ(text_table({{"a very long label", "1"}, {"b", "2"}}, "lr", 4),
            "a very long label  1\n"
            "b     2\n");
}

}  // namespace
}  // namespace longrun
