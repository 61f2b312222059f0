#include "longrun/service/sqlite_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/sqlite/database.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

std::string empty_folder(const char* name) {
  std::string folder = testing::TempDir() + "longrun_store_" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

LogEntry outcome_entry(std::int64_t seq, const char* key, DecisionId decision) {
  LogEntry entry;
  entry.seq = seq;
  entry.at = "2026-11-16T09:30:00.000Z";
  entry.key = key;
  entry.request = key[0] == 0 ? "" : "hash";
  entry.decision = decision;
  entry.event = "{\"seq\":1}";
  return entry;
}

TEST(SqliteStore, TakesTheRightsOfOthersFromAFileThatIsThere) {
  using std::filesystem::perms;
  const std::string folder = empty_folder("private");
  const std::string file = folder + "/studies.sqlite";
  { const SqliteStore first(folder); }
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write | perms::group_read | perms::others_read);
  const SqliteStore store(folder);
  EXPECT_EQ(std::filesystem::status(file).permissions(), perms::owner_read | perms::owner_write);
}

TEST(SqliteStore, TakesTheRightsOfOthersFromALogThatACrashHasLeft) {
  using std::filesystem::perms;
  const std::string folder = empty_folder("private_wal");
  const std::string wal = folder + "/studies.sqlite-wal";
  {
    SqliteStore first(folder);
    first.begin({});
    first.create("s", outcome_entry(0, "", 0));
    first.commit();
    std::filesystem::copy(wal, folder + "/left");  // an orderly end removes it
  }
  std::filesystem::rename(folder + "/left", wal);
  std::filesystem::permissions(wal, perms::owner_read | perms::owner_write | perms::group_read | perms::others_read);
  SqliteStore store(folder);
  EXPECT_EQ(store.last_seq("s"), 0);
  EXPECT_EQ(std::filesystem::status(wal).permissions(), perms::owner_read | perms::owner_write);
}

/// Counts the steps of SQLite's machine in every connection that is opened while it lives.
class CountedSteps {
 public:
  CountedSteps() {
    steps() = 0;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&count_in));  // NOLINT: SQLite's signature
  }
  ~CountedSteps() { sqlite3_reset_auto_extension(); }
  CountedSteps(const CountedSteps&) = delete;
  CountedSteps& operator=(const CountedSteps&) = delete;
  /// Returns the steps since the last call.
  static int taken() { return std::exchange(steps(), 0); }

 private:
  static int& steps() {
    static int count = 0;
    return count;
  }
  static int count_in(sqlite3* database, char** /*error*/, const sqlite3_api_routines* /*api*/) {
    const auto add = [](unsigned, void*, void* statement, void*) {
      steps() += sqlite3_stmt_status(static_cast<sqlite3_stmt*>(statement), SQLITE_STMTSTATUS_VM_STEP, 1);
      return 0;
    };
    return sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, add, nullptr);
  }
};

TEST(SqliteStore, FindsEntriesOfALongStudyWithoutReadingIt) {
  constexpr int kEntries = 20'000;
  constexpr int kMostSteps = 100;  // of a search by index for one entry; a scan takes several for every entry
  const CountedSteps counted;
  SqliteStore store(":memory:", {});
  store.begin({});
  store.create("s", outcome_entry(0, "", 0));
  std::vector<LogEntry> entries;
  for (int i = 1; i <= kEntries; ++i) entries.push_back(outcome_entry(i, ("k" + std::to_string(i)).c_str(), i));
  store.append("s", entries);
  store.commit();
  EXPECT_GT(CountedSteps::taken(), kEntries) << "nothing is counted";
  EXPECT_EQ(store.outcomes_of("s", kEntries), std::vector{entries.back()});
  EXPECT_LT(CountedSteps::taken(), kMostSteps);
  EXPECT_EQ(store.with_key("s", "k20000"), entries.back());
  EXPECT_LT(CountedSteps::taken(), kMostSteps);
  EXPECT_EQ(store.with_key("s", "absent"), std::nullopt);
  EXPECT_LT(CountedSteps::taken(), kMostSteps);
  EXPECT_EQ(store.entries("s", kEntries - 1, 10), std::vector{entries.back()});
  EXPECT_LT(CountedSteps::taken(), kMostSteps);
  EXPECT_EQ(store.last_seq("s"), kEntries);
  EXPECT_LT(CountedSteps::taken(), kMostSteps);
  EXPECT_EQ(store.studies().size(), 1U);
  EXPECT_LT(CountedSteps::taken(), kMostSteps);
}

TEST(SqliteStore, KeepsEntriesAndFindsThemByKeyAndDecision) {
  const std::string folder = empty_folder("keeps");
  const std::vector<LogEntry> entries{outcome_entry(1, "a", 0), outcome_entry(2, "", 1), outcome_entry(3, "b", 1)};
  {
    SqliteStore store(folder);
    EXPECT_FALSE(store.last_seq("s").has_value());
    store.begin({});
    EXPECT_TRUE(store.create("s", outcome_entry(0, "", 0)));
    EXPECT_FALSE(store.create("s", outcome_entry(0, "", 0)));
    EXPECT_TRUE(store.create("t", outcome_entry(0, "", 0)));
    store.append("s", entries);
    store.commit();
  }
  SqliteStore store(folder);
  EXPECT_EQ(store.last_seq("s"), 3);
  EXPECT_EQ(store.last_seq("t"), 0);
  EXPECT_EQ(store.entries("s", 0, 10), entries);
  EXPECT_EQ(store.entries("s", 1, 1), std::vector<LogEntry>{entries[1]});
  EXPECT_EQ(store.entries("s", 3, 10), std::vector<LogEntry>{});
  EXPECT_EQ(store.with_key("s", "b"), entries[2]);
  EXPECT_EQ(store.with_key("t", "b"), std::nullopt);
  EXPECT_EQ(store.with_key("s", ""), std::nullopt);
  EXPECT_EQ(store.outcomes_of("s", 1), (std::vector<LogEntry>{entries[1], entries[2]}));
  EXPECT_EQ(store.outcomes_of("s", 2), std::vector<LogEntry>{});
  ASSERT_EQ(store.studies().size(), 2U);
  EXPECT_EQ(store.studies()[0].name, "s");
  EXPECT_EQ(store.studies()[0].last_seq, 3);
}

TEST(SqliteStore, ForgetsATransactionThatIsNotCommitted) {
  SqliteStore store(empty_folder("rollback"));
  store.begin({});
  store.create("s", outcome_entry(0, "", 0));
  store.rollback();
  EXPECT_FALSE(store.last_seq("s").has_value());
  store.begin({});
  EXPECT_TRUE(store.create("s", outcome_entry(0, "", 0)));
  store.commit();
  EXPECT_EQ(store.last_seq("s"), 0);
}

TEST(SqliteStore, RefusesAnEntryOrAKeyThatExists) {
  SqliteStore store(empty_folder("twice"));
  store.begin({});
  store.create("s", outcome_entry(0, "", 0));
  store.append("s", {outcome_entry(1, "a", 0)});
  EXPECT_THROW(store.append("s", {outcome_entry(1, "b", 0)}), SystemError);
  store.rollback();
  store.begin({});
  store.create("s", outcome_entry(0, "", 0));
  store.append("s", {outcome_entry(1, "a", 0)});
  EXPECT_THROW(store.append("s", {outcome_entry(2, "a", 0)}), SystemError);
  store.rollback();
}

TEST(SqliteStore, RefusesASecondUserOfTheFolder) {
  const std::string folder = empty_folder("second");
  const SqliteStore first(folder);
  const std::string error = error_of([&] { SqliteStore second(folder); });
  EXPECT_NE(error.find("another process serves this folder"), std::string::npos) << error;
}

TEST(SqliteStore, RefusesFilesThatItDoesNotKnow) {
  const std::string folder = empty_folder("unknown");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/studies.sqlite") << "this is not a database, but text of some length";
  EXPECT_THROW(SqliteStore{folder}, SystemError);
  std::filesystem::remove(folder + "/studies.sqlite");
  {
    const Database newer(folder + "/studies.sqlite", Database::Mode::create);
    newer.run("PRAGMA user_version = 99");
  }
  EXPECT_THROW(SqliteStore{folder}, SystemError);
}

}  // namespace
}  // namespace longrun
