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

TEST(StudyService, AStudyWithManyCorrectionsIsReadAsItWas) {
  const std::string folder = testing::TempDir() + "longrun_corrections";
  std::filesystem::remove_all(folder);
  SqliteStore store(folder);
  StudyService service(store, [] { return std::int64_t{0}; });
  const auto change = [&](const ChangeRequest& request) {
    const ChangeReply reply = service.change({&request, 1})[0];
    EXPECT_FALSE(reply.error) << reply.error->what();
  };
  change({.study = "s", .change = CreateStudy{.spec = {.arms = {"a", "b", "c"}, .budget = 500}}});
  for (int i = 1; i <= 120; ++i) {
    change({.study = "s", .key = std::to_string(i), .change = Change(AskDecisions{})});
    change({.study = "s", .change = Change(ReportOutcome{i, Outcome::observed(0.2 + 0.005 * (i % 100))})});
    if (i % 3 == 0) {
      const Outcome outcome = i % 2 == 0 ? Outcome::lost() : Outcome::observed(0.9);
      change({.study = "s", .key = "c" + std::to_string(i), .change = Change(CorrectOutcome{i - 1, outcome, "typo"})});
    }
    if (i == 60) change({.study = "s", .key = "n", .change = Change(ChangeConditions{.noise = NoiseChanged{Gaussian{0.2}}})});
  }
  Writer before;
  service.study("s").study().save(before);
  service.forget_all();
  Writer after;
  service.study("s").study().save(after);
  EXPECT_EQ(before.bytes(), after.bytes());
}

/// A store that is set back to an earlier entry, as by a backup that is restored.
class SetBackStore : public SqliteStore {
 public:
  using SqliteStore::SqliteStore;
  void set_back_to(std::int64_t seq) { last_ = seq; }
  std::optional<std::int64_t> last_seq(const std::string& study) override {
    const auto last = SqliteStore::last_seq(study);
    return last ? std::optional(std::min(*last, last_)) : last;
  }
  std::vector<LogEntry> entries(const std::string& study, std::int64_t after, std::size_t most) override {
    std::vector<LogEntry> found = SqliteStore::entries(study, after, most);
    std::erase_if(found, [&](const LogEntry& entry) { return entry.seq > last_; });
    return found;
  }

 private:
  std::int64_t last_ = INT64_MAX;
};

TEST(StudyService, AStoreThatIsSetBackIsReadAgain) {
  const std::string folder = testing::TempDir() + "longrun_set_back";
  std::filesystem::remove_all(folder);
  SetBackStore store(folder);
  StudyService service(store, [] { return std::int64_t{0}; });
  const ChangeRequest create{.study = "s", .change = CreateStudy{.spec = {.arms = {"a", "b"}, .budget = 50}}};
  service.change({&create, 1});
  for (int i = 0; i < 5; ++i) {
    const ChangeRequest ask{.study = "s", .key = std::to_string(i), .change = Change(AskDecisions{})};
    service.change({&ask, 1});
  }
  EXPECT_EQ(service.study("s").last_seq(), 5);
  store.set_back_to(2);
  EXPECT_EQ(service.study("s").last_seq(), 2);
  EXPECT_EQ(service.study("s").study().last_decision(), 2);
}

}  // namespace
}  // namespace longrun
