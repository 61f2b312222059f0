#include <gtest/gtest.h>

#include "longrun/base/input_error.h"
#include "longrun/experiment/paper.h"

namespace longrun {
namespace {

std::vector<std::string> names_of(const std::vector<Config>& configs) {
  std::vector<std::string> names;
  names.reserve(configs.size());
  for (const Config& config : configs) names.push_back(config.name);
  return names;
}

TEST(PaperFigures, WithoutNamesAreAllInTheOrderOfThePaper) {
  const std::vector<std::string> names = paper_experiment_names();
  EXPECT_EQ(names_of(paper_configs({})), names);
  EXPECT_EQ(names.front(), "figure_1");
  EXPECT_EQ(names.back(), "recommender_C");
}

TEST(PaperFigures, WithNamesAreOnlyThoseInTheOrderOfThePaper) {
  EXPECT_EQ(names_of(paper_configs({"inc_1", "figure_2", "inc_1"})), (std::vector<std::string>{"figure_2", "inc_1"}));
}

TEST(PaperFigures, AnUnknownNameGetsASuggestionAndTheList) {
  try {
    paper_configs({"figure_1", "figre_2"});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(
        message.starts_with("unknown figure 'figre_2'; did you mean 'figure_2'? (allowed: figure_1, figure_2, "))
        << message;
    EXPECT_TRUE(message.ends_with("recommender_C)")) << message;
  }
}

TEST(ShortenedExperiment, KeepsEveryFifthHorizonFromTheLongestAndASixthOfTheSeeds) {
  Config config = paper_configs({"inc_1"}).at(0);
  config.horizons = {1, 2, 3, 4, 5, 6, 7};
  config.seeds = 30;
  const Config shorter = shortened(config);
  EXPECT_EQ(shorter.horizons, (std::vector<Pulls>{2, 7}));
  EXPECT_EQ(shorter.seeds, 5U);
  config.seeds = 3;
  EXPECT_EQ(shortened(config).seeds, 1U);
}

TEST(ShortenedExperiment, AnIllustrationHasNothingToShorten) {
  const Config config = paper_configs({"figure_2"}).at(0);
  EXPECT_TRUE(shortened(config).horizons.empty());
  EXPECT_EQ(shortened(config).illustrations.size(), config.illustrations.size());
}

}  // namespace
}  // namespace longrun
