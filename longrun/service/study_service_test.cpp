#include "longrun/service/study_service.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "longrun/service/sqlite_store.h"

namespace longrun {
namespace {

/// Decides in eight studies in turn, and returns the events of all of them.
std::vector<std::string> events_with_memory(std::size_t memory, std::size_t* most_in_memory) {
  const std::string folder = testing::TempDir() + "longrun_study_service";
  std::filesystem::remove_all(folder);
  SqliteStore store(folder);
  StudyService service(store, [] { return std::int64_t{0}; }, {.memory = memory});
  const auto change = [&](const ChangeRequest& request) {
    EXPECT_FALSE(service.change({&request, 1})[0].error);
    *most_in_memory = std::max(*most_in_memory, service.studies_in_memory());
  };
  const auto name = [](int study) { return "s" + std::to_string(study); };
  for (int study = 0; study < 8; ++study) {
    CreateStudy create;
    create.spec.arms = {"farms", "shops"};
    create.spec.budget = 50;
    change({.study = name(study), .change = create});
  }
  for (int i = 0; i < 20; ++i) {
    for (int study = 0; study < 8; ++study) {
      change({.study = name(study), .key = std::to_string(i), .change = Change(AskDecisions{})});
      const double reward = i % 3 == study % 3 ? 0.8 : 0.2;
      change({.study = name(study), .change = Change(ReportOutcome{i + 1, Outcome::observed(reward)})});
      EXPECT_EQ(service.study(name((study + 3) % 8)).study().spec().budget, 50);
    }
  }
  std::vector<std::string> events;
  for (int study = 0; study < 8; ++study) {
    for (const LogEntry& entry : service.entries(name(study), -1, 1000)) events.push_back(entry.event);
  }
  return events;
}

TEST(StudyService, StudiesThatDoNotFitIntoMemoryAreReadAgain) {
  std::size_t all = 0;
  std::size_t few = 0;
  EXPECT_EQ(events_with_memory(1'000'000'000, &all), events_with_memory(50'000, &few));
  EXPECT_EQ(all, 8U);
  EXPECT_LE(few, 3U);
}

}  // namespace
}  // namespace longrun
