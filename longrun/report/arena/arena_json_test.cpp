#include "longrun/report/arena/arena_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/made_scores.h"

namespace longrun {
namespace {

using nlohmann::json;

TEST(ArenaJson, HasEveryScoreOfEveryViewWithItsInterval) {
  ArenaScores first = made_scores({"spo", "greedy"}, {"one", "two"});
  first.rows[1].families[1].g = {1.0 / 3, 0.25, 0.75};
  ArenaScores second = made_scores({"greedy"}, {"two"});
  second.cells = "longest horizons";
  second.seeds = "seeds 3 to 4";
  const std::string text = arena_json({first, second});
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const json object = json::parse(text);
  EXPECT_EQ(object["yardstick"], "spo");
  ASSERT_EQ(object["views"].size(), 2U);
  const json& view = object["views"][0];
  EXPECT_EQ(view["cells"], "all cells");
  EXPECT_EQ(view["seeds"], "seeds 1 to 9");
  EXPECT_EQ(view["families"], (std::vector<std::string>{"one", "two"}));
  const json& greedy = view["policies"][1];
  EXPECT_EQ(greedy["policy"], "greedy");
  EXPECT_EQ(greedy["overall"]["g"], (json{{"mean", 1}, {"low", 0.75}, {"high", 1.5}}));
  EXPECT_EQ(greedy["overall"]["m"], (json{{"mean", 1.25}, {"low", 1}, {"high", 2}}));
  EXPECT_EQ(greedy["families"]["one"]["m"]["mean"], 1.25);
  EXPECT_EQ(greedy["families"]["two"]["g"], (json{{"mean", 1.0 / 3}, {"low", 0.25}, {"high", 0.75}})) << "not rounded";
  EXPECT_EQ(greedy["worst"], (json{{"ratio", 3}, {"cell", "bandit of greedy, no noise, T = 9"}}));
  EXPECT_EQ(object["views"][1]["cells"], "longest horizons");
  EXPECT_EQ(object["views"][1]["seeds"], "seeds 3 to 4");
  EXPECT_EQ(object["views"][1]["policies"][0]["families"].size(), 1U);
}

}  // namespace
}  // namespace longrun
