#include "longrun/experiment/merge.h"

#include <gtest/gtest.h>

#include "longrun/base/system_error.h"
#include "longrun/sqlite/database.h"
#include "tests/small_experiment.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

/// Runs one shard and returns its folder.
std::string shard_of(const std::string& name, const Config& config, Shard shard) {
  std::string folder = fresh_folder(name);
  Store store(folder, Store::Access::write);
  run_experiment(config, store, {.threads = 1, .shard = shard});
  return folder;
}

/// Runs all shards of small_config(), in no particular order.
std::vector<std::string> all_shards(const std::string& name) {
  std::vector<std::string> folders;
  for (const std::uint32_t index : {3U, 1U, 2U}) {
    folders.push_back(shard_of(fmt::format("{}{}", name, index), small_config(), {index, 3}));
  }
  return folders;
}

TEST(Merge, ShardsGiveTheRecordsOfOneProcess) {
  const std::vector<std::string> folders = all_shards("shard");
  const std::string out = fresh_folder("merged");
  const MergeResult result = merge_shards(folders, out);
  EXPECT_EQ(result.merged, std::vector<std::string>{"small"});
  EXPECT_TRUE(result.unchanged.empty());
  EXPECT_EQ(exported(out), run_whole(small_config(), fresh_folder("unsharded"), 2));
}

TEST(Merge, RepeatedItChangesNothing) {
  const std::vector<std::string> folders = all_shards("again");
  const std::string out = fresh_folder("merged_again");
  merge_shards(folders, out);
  const std::string before = exported(out);
  const MergeResult result = merge_shards(folders, out);
  EXPECT_TRUE(result.merged.empty());
  EXPECT_EQ(result.unchanged, std::vector<std::string>{"small"});
  EXPECT_EQ(exported(out), before);
}

TEST(Merge, RefusesToReplaceOtherRecordsOfTheSameExperiment) {
  const std::vector<std::string> folders = all_shards("other");
  const std::string out = fresh_folder("merged_other");
  merge_shards(folders, out);
  const std::string expected =
      out + "/records.sqlite: already holds other records of experiment 'small'; merge into another folder";
  for (const char* change : {"UPDATE run SET earned = earned + 1e-9 WHERE rowid = 77",
                             "DELETE FROM run WHERE rowid = 77", "UPDATE experiment SET version = 'another'",
                             "DELETE FROM unit WHERE number = 3", "UPDATE experiment SET shard = '1/2'"}) {
    const std::string changed = fresh_folder("merged_changed");
    fs::copy(out, changed);
    Database(Store::file_in(changed), Database::Mode::open).run(change);
    const std::string before = error_of([&] { merge_shards(folders, changed); });
    EXPECT_EQ(before, changed + expected.substr(out.size())) << change;
  }
}

TEST(Merge, NamesMissingShardsAndRefusesShardsThatDoNotFit) {
  const Config config = small_config();
  const std::string first = shard_of("m1", config, {1, 3});
  const std::string second = shard_of("m2", config, {2, 3});
  const std::string other = shard_of("m3", changed_config("seed = 11", "seed = 12"), {3, 3});
  const std::string out = fresh_folder("m");
  const auto merging = [&](const std::vector<std::string>& folders) {
    std::string error = error_of([&] { merge_shards(folders, out); });
    EXPECT_FALSE(fs::exists(out)) << "a failed merge leaves no store behind";
    return error;
  };
  EXPECT_EQ(merging({first, second}), "experiment 'small': shard 3/3 is missing; name the folders of all shards");
  EXPECT_EQ(merging({first}), "experiment 'small': shards 2/3, 3/3 are missing; name the folders of all shards");
  EXPECT_EQ(merging({first, second, other}),
            fmt::format("{} and {}: experiment 'small' has different configs", first, other));
  EXPECT_EQ(merging({first, first, second}),
            fmt::format("{} and {}: experiment 'small' has the same shard, 1/3", first, first));
  const std::string half = shard_of("m_half", config, {2, 2});
  EXPECT_EQ(merging({first, half}),
            fmt::format("{} and {}: experiment 'small' has different numbers of shards (3 and 2)", first, half));
  EXPECT_EQ(merging({first, "nowhere"}), "nowhere: no records here (no file records.sqlite)");

  const std::string unfinished = fresh_folder("m4");
  Store(unfinished, Store::Access::write).begin(config, {3, 3}, false);
  EXPECT_EQ(merging({first, second, unfinished}),
            unfinished + ": shard 3/3 of experiment 'small' is not finished: 12 units are missing");
  const std::string empty = fresh_folder("m5");
  { const Store store(empty, Store::Access::write); }
  EXPECT_EQ(merging({empty}), empty + ": no experiments to merge");
}

TEST(Merge, AfterAFailureWhileCopyingANewStoreIsRemovedAndAnOldOneKept) {
  const std::vector<std::string> folders = all_shards("copying");
  Database(Store::file_in(folders[2]), Database::Mode::open).run("UPDATE run SET pulls = NULL WHERE rowid = 9");
  const std::string fresh = fresh_folder("copied");
  EXPECT_NE(error_of<SystemError>([&] { merge_shards(folders, fresh); }), "no error");
  EXPECT_FALSE(fs::exists(fresh));

  const std::string old = fresh_folder("copied_old");
  const Config other = parse_config("bandits = ['inc_1']\npolicies = ['spo']\nhorizons = [10]\n", "other.toml");
  const std::string before = run_whole(other, old, 1);
  EXPECT_NE(error_of<SystemError>([&] { merge_shards(folders, old); }), "no error");
  EXPECT_EQ(exported(old), before);
}

}  // namespace
}  // namespace longrun
