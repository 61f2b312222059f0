#include "longrun/report/lp_illustration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "longrun/experiment/paper.h"

namespace longrun {
namespace {

Config figure_2() {
  const auto files = paper_experiments();
  const auto file = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "figure_2.toml"; });
  EXPECT_NE(file, files.end());
  return parse_config(file->text, "experiments/figure_2.toml");
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void expect_bands_hold_the_truth(const LpIllustration& shown) {
  ASSERT_EQ(shown.bands.size(), shown.observations.size());
  for (std::size_t pull = 0; pull < shown.bands.size(); ++pull) {
    EXPECT_LE(shown.bands[pull].lower, shown.means[pull]) << pull;
    EXPECT_GE(shown.bands[pull].upper, shown.means[pull]) << pull;
    EXPECT_DOUBLE_EQ((shown.bands[pull].lower + shown.bands[pull].upper) / 2, shown.observations[pull]);
    EXPECT_DOUBLE_EQ(shown.bands[pull].upper - shown.bands[pull].lower, 0.2) << "twice the bound of the noise";
  }
}

TEST(LpIllustration, OfFigure2HasOneThatFitsAndOneThatDoesNot) {
  const Config config = figure_2();
  ASSERT_EQ(config.illustrations.size(), 2U);
  for (std::size_t number = 0; number < 2; ++number) {
    const LpIllustration shown = illustrate(config, number);
    EXPECT_EQ(shown.title, config.illustrations[number].title);
    EXPECT_EQ(shown.observations.size(), 5U);
    EXPECT_EQ(shown.means.size(), 12U);
    EXPECT_EQ(shown.future_bound.size(), 7U);
    for (Pulls pull = 1; pull <= 12; ++pull) {
      EXPECT_EQ(shown.means[static_cast<std::size_t>(pull - 1)], config.illustrations[number].curve.reward(pull));
    }
    EXPECT_EQ(shown.bound.empty(), number == 1);
    expect_bands_hold_the_truth(shown);
  }
}

TEST(LpIllustration, WhereACurveFitsItsFutureIsTheLinearPrograms) {
  const LpIllustration shown = illustrate(figure_2(), 0);
  const std::optional<double> largest = optimistic_future(shown.bands, 7);
  ASSERT_TRUE(largest);
  EXPECT_NEAR(sum(shown.future_bound), *largest, 1e-12);
  // The curve that attains it is one of those the program allows.
  ASSERT_EQ(shown.bound.size(), 12U);
  for (std::size_t pull = 0; pull < 12; ++pull) {
    EXPECT_GE(shown.bound[pull], 0);
    EXPECT_LE(shown.bound[pull], 1);
    if (pull < 5) {
      EXPECT_GE(shown.bound[pull], shown.bands[pull].lower - 1e-12);
      EXPECT_LE(shown.bound[pull], shown.bands[pull].upper + 1e-12);
    } else {
      EXPECT_EQ(shown.bound[pull], shown.future_bound[pull - 5]);
    }
    if (pull >= 1) {
      EXPECT_GE(shown.bound[pull], shown.bound[pull - 1] - 1e-12) << "rising";
    }
    if (pull >= 2) {
      EXPECT_LE(shown.bound[pull] - shown.bound[pull - 1], shown.bound[pull - 1] - shown.bound[pull - 2] + 1e-12)
          << "concave";
    }
  }
}

TEST(LpIllustration, WhereNoneFitsTheLastUpperEndBoundsTheFuture) {
  const LpIllustration shown = illustrate(figure_2(), 1);
  EXPECT_FALSE(optimistic_future(shown.bands, 7));
  const double last = std::min(1.0, shown.bands.back().upper);
  for (const double bound : shown.future_bound) EXPECT_EQ(bound, last);
  EXPECT_NEAR(sum(shown.future_bound), 7 * last, 1e-12);
}

TEST(LpIllustration, TheTrueFutureIsNotAboveTheBound) {
  const Config config = figure_2();
  for (std::size_t number = 0; number < 2; ++number) {
    const LpIllustration shown = illustrate(config, number);
    EXPECT_LE(sum({shown.means.begin() + 5, shown.means.end()}), sum(shown.future_bound));
    for (std::size_t k = 0; k < 7; ++k) EXPECT_LE(shown.means[5 + k], shown.future_bound[k]);
  }
}

TEST(LpIllustration, MayLieBelowTheTruthInThePast) {
  // What the caption of Figure 2 says of it; else the example would not show it.
  const LpIllustration shown = illustrate(figure_2(), 0);
  bool below = false;
  for (std::size_t pull = 0; pull < 5; ++pull) below = below || shown.bound[pull] < shown.means[pull] - 0.01;
  EXPECT_TRUE(below);
}

TEST(LpIllustration, BoundsNeverExceedOneNorBandsBreakWithoutNoise) {
  const Config config = parse_config(R"(
[[lp]]
title = "exact"
arm = {formula = "constant", level = 1}
noise = "none"
observed = 3
future = 2
[[lp]]
title = "falling from 1"
arm = {rewards = [1, 0.95, 0.9, 0.9]}
noise = "none"
observed = 2
future = 2
[[lp]]
title = "one observation"
arm = {formula = "constant", level = 0.2}
noise = "uniform:0.1"
observed = 1
future = 3
)",
                                     "x.toml");
  const LpIllustration exact = illustrate(config, 0);
  EXPECT_EQ(exact.observations, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(exact.future_bound, (std::vector<double>{1, 1}));
  const LpIllustration falling = illustrate(config, 1);
  EXPECT_TRUE(falling.bound.empty());
  EXPECT_EQ(falling.future_bound, (std::vector<double>{0.95, 0.95}));
  EXPECT_EQ(illustrate(config, 2).future_bound, (std::vector<double>{1, 1, 1})) << "one band says nothing of the slope";
}

TEST(LpIllustration, WhereNoneFitsTheBoundIsStillAtMostOne) {
  // A jump upwards is no concave curve either, and the last interval reaches beyond 1.
  const Config config = parse_config(R"(
[[lp]]
title = "jump"
arm = {rewards = [0, 0, 0, 0, 1, 1, 1]}
noise = "uniform:0.1"
observed = 5
future = 2
)",
                                     "x.toml");
  const LpIllustration shown = illustrate(config, 0);
  EXPECT_TRUE(shown.bound.empty());
  EXPECT_GT(shown.bands.back().upper, 1);
  EXPECT_EQ(shown.future_bound, (std::vector<double>{1, 1}));
}

TEST(LpIllustration, TheSeedDecidesTheNoiseAndEachHasItsOwn) {
  const std::string two = R"(
[[lp]]
title = "first"
arm = {formula = "constant", level = 0.5}
noise = "uniform:0.1"
observed = 4
future = 2
[[lp]]
title = "second"
arm = {formula = "constant", level = 0.5}
noise = "uniform:0.1"
observed = 4
future = 2
)";
  const auto observations = [&](int seed, std::size_t number) {
    return illustrate(parse_config("seed = " + std::to_string(seed) + "\n" + two, "x.toml"), number).observations;
  };
  EXPECT_EQ(observations(1, 0), observations(1, 0));
  EXPECT_NE(observations(1, 0), observations(2, 0));
  EXPECT_NE(observations(1, 0), observations(1, 1));
}

}  // namespace
}  // namespace longrun
