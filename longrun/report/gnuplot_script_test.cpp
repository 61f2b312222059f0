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
