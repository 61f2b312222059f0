#include "longrun/report/arena/arena_page.h"

#include <gtest/gtest.h>

#include "longrun/base/palette.h"
#include "longrun/policy/line_style.h"
#include "tests/made_scores.h"
#include "tests/page_data.h"

namespace longrun {
namespace {

TEST(ArenaPage, IsOnePageThatNeedsNothingElse) {
  const std::string page = make_arena_page({made_scores({"spo", "greedy"}, {"one", "two"})}, true);
  expect_self_contained(page);
  expect_whole(page);
}

TEST(ArenaPage, HoldsTheScoresOfEveryView) {
  ArenaScores other = made_scores({"</script><!--", "spo"}, {"two"});
  other.cells = "longest horizons";
  const PageData data(make_arena_page({made_scores({"spo", "greedy"}, {"one", "two"}), other}, true));
  ASSERT_EQ(data.size("/views"), 2U);
  EXPECT_EQ(data.texts("/views/0/families"), (std::vector<std::string>{"one", "two"}));
  const std::string greedy = "/views/0/rows/1";
  EXPECT_EQ(data.text(greedy + "/policy"), "greedy");
  EXPECT_EQ(data.text(greedy + "/colour"), line_style("greedy").colour);
  EXPECT_EQ(data.json(greedy + "/overall/g"), R"({"colour":"#ffffff","high":1.5,"low":0.75,"mean":1.0})");
  EXPECT_EQ(data.number(greedy + "/families/1/m/mean"), 1.25);
  EXPECT_EQ(data.text(greedy + "/families/1/m/colour"), ratio_colour(1.25));
  EXPECT_EQ(data.number(greedy + "/worst/ratio"), 3.0);
  EXPECT_EQ(data.text(greedy + "/worst/cell"), "bandit of greedy, no noise, T = 9");
  EXPECT_EQ(data.text("/views/1/cells"), "longest horizons");
  EXPECT_EQ(data.text("/views/1/rows/0/policy"), "</script><!--") << "names are not parsed as HTML";
}

TEST(ArenaPage, NamesTheYardstickOfTheCatalog) {
  EXPECT_EQ(PageData(make_arena_page({made_scores({"spo"}, {"one"})}, false)).text("/yardstick"), "SPO");
}

TEST(ArenaPage, LinksToPicturesOnlyIfTheyWereDrawn) {
  const std::vector<ArenaScores> views{made_scores({"spo"}, {"one"})};
  EXPECT_EQ(PageData(make_arena_page(views, false)).texts("/files"),
            (std::vector<std::string>{"arena.md", "arena.gp"}));
  EXPECT_EQ(PageData(make_arena_page(views, true)).size("/files"), 5U);
}

}  // namespace
}  // namespace longrun
