#include "longrun/report/gnuplot_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace longrun {
namespace {

/// Returns left, right, bottom and top of a panel, as shares of the page.
std::vector<double> edges_of(const std::string& commands) {
  const std::regex number("[0-9]+\\.[0-9]+");
  std::vector<double> edges;
  for (std::sregex_iterator match(commands.begin(), commands.end(), number), end; match != end; ++match) {
    edges.push_back(std::stod(match->str()));
  }
  return edges;
}

TEST(NumberTics, AreFewRoundNumbersInAReadableUnit) {
  EXPECT_EQ(number_tics(0, 130'000).list, "'0' 0, '50' 50000, '100' 100000");
  EXPECT_EQ(number_tics(0, 130'000).in_unit, ", in thousands");
  EXPECT_EQ(number_tics(2.1e7, 7.4e7).list, "'40' 40000000, '60' 60000000");
  EXPECT_EQ(number_tics(2.1e7, 7.4e7).in_unit, ", in millions");
  EXPECT_EQ(number_tics(0, 100).list, "'0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100");
  EXPECT_EQ(number_tics(0, 1).in_unit, "");
  EXPECT_EQ(number_tics(-580'000, 1'580'000).list, "'-0.5' -500000, '0' 0, '0.5' 500000, '1' 1000000, '1.5' 1500000");
  EXPECT_EQ(number_tics(3, 3).list, "'3' 3");
  for (const double high : {0.013, 0.7, 4.0, 36.0, 999.0, 123'456.0, 9.87e8}) {
    for (const double low : {-high, 0.0, 0.4 * high}) {
      const std::string list = number_tics(low, high).list;
      const auto count = 1 + std::count(list.begin(), list.end(), ',');
      EXPECT_GE(count, 2) << list;
      EXPECT_LE(count, 6) << list;
      EXPECT_LE(list.find('\'', 1), 8U) << "short labels: " << list;
    }
  }
}

TEST(PanelGrid, PanelsHaveTheirSizeAndDoNotOverlap) {
  const PanelInches inches{.width = 2, .height = 1, .left = 0.5, .right = 0.25, .above = 0.25, .below = 0.5};
  constexpr double kBelow = 0.75;
  constexpr double kRounding = 2e-4;  // of the page
  for (std::size_t panels = 1; panels <= 12; ++panels) {
    const PanelGrid grid(panels, inches, kBelow);
    std::vector<std::vector<double>> all;
    for (std::size_t panel = 0; panel < panels; ++panel) {
      all.push_back(edges_of(grid.place_panel(panel)));
      const std::vector<double>& edges = all.back();
      ASSERT_EQ(edges.size(), 4U);
      EXPECT_NEAR((edges[1] - edges[0]) * grid.width(), inches.width, kRounding * grid.width());
      EXPECT_NEAR((edges[3] - edges[2]) * grid.height(), inches.height, kRounding * grid.height());
      EXPECT_LE(edges[1], 1 - inches.right / grid.width() + kRounding);
      EXPECT_LE(edges[3], 1 - inches.above / grid.height() + kRounding);
      EXPECT_GE(edges[2], (kBelow + inches.below) / grid.height() - kRounding) << "the page below the panels is free";
      for (std::size_t other = 0; other < panel; ++other) {
        const bool beside = edges[0] > all[other][1] || edges[1] < all[other][0];
        const bool below = edges[3] < all[other][2];
        EXPECT_TRUE(beside || below) << other << " and " << panel << " of " << panels;
      }
    }
  }
}

TEST(PanelGrid, APageHasRoomForTheFewestColumns) {
  const PanelInches inches{.width = 2, .height = 1, .left = 0.5, .right = 0.5};
  EXPECT_EQ(PanelGrid(1, inches, 0).width(), 3);
  EXPECT_EQ(PanelGrid(1, inches, 0, 2).width(), 6);
  EXPECT_EQ(PanelGrid(3, inches, 0, 2).width(), 9);
}

}  // namespace
}  // namespace longrun
