#include "longrun/experiment/store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "longrun/base/system_error.h"
#include "longrun/sqlite/database.h"
#include "tests/small_experiment.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

/// An experiment of three units with two policies and two horizons: 12 rows in `run`.
const Config& tiny_config() {
  static const Config config = parse_config(
      "bandits = ['inc_dec_3']\nnoise = ['none']\npolicies = ['greedy', 'optimal']\nhorizons = [5, 9]\nseeds = 3\n",
      "tiny.toml");
  return config;
}

/// Returns a folder with the tiny experiment, whose file was then changed by these SQL statements.
std::string changed_store(const std::string& name, const std::string& sql) {
  std::string folder = fresh_folder(name);
  run_whole(tiny_config(), folder, 1);
  Database(Store::file_in(folder), Database::Mode::open).run(sql);
  return folder;
}

void write_text(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(Store, CanBeReadWithoutPermissionToWrite) {
  const std::string folder = fresh_folder("readonly");
  const std::string before = run_whole(small_config(), folder, 2);
  using fs::perms;
  fs::remove(folder + "/records.lock");
  fs::permissions(folder + "/records.sqlite", perms::owner_read);
  fs::permissions(folder, perms::owner_read | perms::owner_exec);
  const std::string read = exported(folder);
  fs::permissions(folder, perms::owner_all);
  EXPECT_EQ(read, before);
}

TEST(Store, RefusesAnotherConfigOrShardUnlessRestarted) {
  const std::string folder = fresh_folder("changed");
  run_whole(small_config(), folder, 2);
  const Config other = changed_config("seeds = 4", "seeds = 3");
  Store store(folder, Store::Access::write);
  EXPECT_EQ(error_of([&] { run_experiment(other, store, {}); }),
            folder +
                "/records.sqlite: experiment 'small' was begun with another config; use another folder, or restart "
                "it to drop its records");
  EXPECT_EQ(error_of([&] {
              run_experiment(small_config(), store, {.shard = {1, 2}});
            }),
            folder +
                "/records.sqlite: experiment 'small' was begun with another shard (1/1, now 1/2); use another "
                "folder, or restart it to drop its records");
  EXPECT_EQ(run_experiment(other, store, {.restart = true}).runs_before, 0U);
  EXPECT_EQ(run_experiment(other, store, {}).runs_before, other.runs());
}

TEST(Store, KeepsASecondWriterOutAndNamesTheFirst) {
  const std::string folder = fresh_folder("locked");
  const Store store(folder, Store::Access::write);
  const std::string error = error_of([&] { Store second(folder, Store::Access::write); });
  EXPECT_TRUE(error.starts_with(fmt::format("{}: another run is writing here (process {} on ", folder, getpid())))
      << error;
  EXPECT_EQ(error_of([&] { Store second(folder, Store::Access::replace); }), error) << "a restart waits for it, too";
  EXPECT_NO_THROW(Store(folder, Store::Access::read));
}

// ---- versions of the tables

TEST(StoreLayout, AFileWithoutVersionIsReadAndRaisedToVersion1WhenWritten) {
  const std::string folder = changed_store(
      "unversioned", "PRAGMA user_version = 0; DROP VIEW record; CREATE VIEW record AS SELECT 1 AS regret FROM run;");
  const auto version = [&] {
    return Database(Store::file_in(folder), Database::Mode::open).query_integer("PRAGMA user_version");
  };
  const std::string before = exported(folder);
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 12);
  EXPECT_EQ(version(), 0) << "reading changes nothing";
  EXPECT_EQ(exported(Store(folder, Store::Access::write)), before);
  EXPECT_EQ(version(), 1);
  const Database raised(Store::file_in(folder), Database::Mode::open);
  EXPECT_EQ(raised.query_integer("SELECT count(*) FROM record WHERE bandit = 'inc_dec_3'"), 12);
}

TEST(StoreLayout, ANewerFileIsRefusedWithAdvice) {
  const std::string folder = changed_store("newer", "PRAGMA user_version = 2");
  const std::string expected =
      folder +
      "/records.sqlite: written by a newer longrun (layout 2; this one knows layouts up to 1); use that "
      "longrun, or another folder";
  EXPECT_EQ(error_of([&] { Store(folder, Store::Access::read); }), expected);
  EXPECT_EQ(error_of([&] { Store(folder, Store::Access::write); }), expected);
}

TEST(StoreLayout, ADatabaseOfAnotherProgramIsRefusedAndNotChanged) {
  const std::string folder = fresh_folder("foreign");
  fs::create_directories(folder);
  Database(Store::file_in(folder), Database::Mode::create).run("CREATE TABLE run(a INT); INSERT INTO run VALUES(7)");
  const std::string expected =
      folder + "/records.sqlite: is not a file of records; use another folder, or remove the file";
  EXPECT_EQ(error_of([&] { Store(folder, Store::Access::read); }), expected);
  EXPECT_EQ(error_of([&] { Store(folder, Store::Access::write); }), expected);
  EXPECT_EQ(Database(Store::file_in(folder), Database::Mode::open).query_integer("SELECT a FROM run"), 7);
}

TEST(StoreLayout, AFileWithoutTablesHasNoExperiments) {
  const std::string folder = fresh_folder("killed_early");
  write_text(Store::file_in(folder), "");
  const Store store(folder, Store::Access::read);
  EXPECT_TRUE(store.experiments().empty());
  EXPECT_FALSE(store.complete(tiny_config(), {}));
  EXPECT_EQ(exported(store), "");
}

// ---- replaced files

TEST(StoreReplace, RenamesAFileThatIsNoDatabase) {
  const std::string folder = fresh_folder("text");
  for (int time = 1; time <= 2; ++time) {
    write_text(Store::file_in(folder),
               "Some text that is longer than the header of a database. " + std::string(200, '.'));
    EXPECT_EQ(error_of<SystemError>([&] { Store(folder, Store::Access::write); }),
              folder + "/records.sqlite: file is not a database");
    const Store store(folder, Store::Access::replace);
    const std::string renamed = fmt::format("{}/records.sqlite.unusable-{}", folder, time);
    EXPECT_EQ(store.replaced(), fmt::format("{}/records.sqlite: file is not a database; it is now {}, and a new file "
                                            "takes the records",
                                            folder, renamed));
    EXPECT_TRUE(fs::exists(renamed));
    EXPECT_TRUE(store.experiments().empty());
  }
}

TEST(StoreReplace, RenamesForeignNewerAndDamagedFiles) {
  const std::string newer = changed_store("replaced_newer", "PRAGMA user_version = 2");
  EXPECT_NE(Store(newer, Store::Access::replace).replaced().find("written by a newer longrun"), std::string::npos);

  const std::string damaged = fresh_folder("replaced_damaged");
  run_whole(small_config(), damaged, 2);
  const auto size = fs::file_size(Store::file_in(damaged));
  {
    std::fstream file(Store::file_in(damaged), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file << std::string(size / 4, 'x');
  }
  EXPECT_NE(error_of<SystemError>([&] { exported(damaged); }), "no error");
  const Store store(damaged, Store::Access::replace);
  EXPECT_NE(store.replaced(), "");
  EXPECT_TRUE(store.experiments().empty());
}

TEST(StoreReplace, KeepsAFileThatCanBeUsed) {
  const std::string folder = fresh_folder("kept");
  const std::string before = run_whole(tiny_config(), folder, 1);
  const Store store(folder, Store::Access::replace);
  EXPECT_EQ(store.replaced(), "");
  EXPECT_EQ(exported(store), before);
}

// ---- damaged rows

TEST(StoreDamage, ARowThatDoesNotFitIsASystemErrorThatNamesIt) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"pulls = NULL", "pulls is empty, not a text"},
      {"pulls = '3 x'", "pulls '3 x' are not whole numbers >= 0"},
      {"pulls = '3 -1'", "pulls '3 -1' are not whole numbers >= 0"},
      {"pulls = ''", "pulls '' are not whole numbers >= 0"},
      {"pulls = '1 2 3'", "pulls are for 3 arms, but bandit 'inc_dec_3' has 2"},
      {"earned = NULL", "earned is empty, not a number"},
      {"earned = 'much'", "earned is a text, not a number"},
      {"optimum = NULL", "optimum is empty, not a number"},
      {"bandit = 1", "bandit 1 is out of range 0 to 0 of experiment 'tiny'"},
      {"noise = -1", "noise -1 is out of range 0 to 0 of experiment 'tiny'"},
      {"policy = 2", "policy 2 is out of range 0 to 1 of experiment 'tiny'"},
      {"policy = 'spo'", "policy is a text, not a whole number"},
      {"policy = 0.5", "policy is a number, not a whole number"},
      {"pulls = x'00'", "pulls is binary data, not a text"},
      {"horizon = 6", "horizon 6 is not a horizon of experiment 'tiny'"},
      {"seed = 4", "seed 4 is out of range 1 to 3 of experiment 'tiny'"},
      {"experiment = 9", "belongs to no experiment"},
  };
  for (const auto& [change, problem] : cases) {
    const std::string folder = changed_store("damaged", fmt::format("UPDATE run SET {} WHERE rowid = 5", change));
    const std::string expected =
        fmt::format("{}/records.sqlite: table 'run', row 5: {}; the file is damaged", folder, problem);
    EXPECT_EQ(error_of<SystemError>([&] { exported(folder); }), expected) << change;
    if (change.starts_with("experiment")) continue;  // then it is no run of the experiment
    const Store store(folder, Store::Access::read);
    const auto ignore = [](const Unit&, const ContestRun&) {};
    EXPECT_EQ(error_of<SystemError>([&] { store.for_each_run(tiny_config(), ignore); }), expected) << change;
  }
}

TEST(StoreDamage, AUnitOrExperimentThatDoesNotFitIsASystemErrorThatNamesIt) {
  const std::string unit = changed_store("damaged_unit", "UPDATE unit SET number = 3 WHERE number = 1");
  EXPECT_EQ(error_of<SystemError>([&] { Store(unit, Store::Access::read).recorded(tiny_config()); }),
            unit + "/records.sqlite: table 'unit', row 3: experiment 'tiny' has units 0 to 2; the file is damaged");
  const std::string experiment = changed_store("damaged_experiment", "UPDATE experiment SET shard = NULL");
  EXPECT_EQ(error_of<SystemError>([&] { Store(experiment, Store::Access::read).shard_of("tiny"); }),
            experiment + "/records.sqlite: table 'experiment', row 1: shard is empty, not a text; the file is damaged");
}

TEST(StoreDamage, ANameThatTheIndexDoesNotHaveIsASystemError) {
  const std::string folder = fresh_folder("damaged_name");
  run_whole(tiny_config(), folder, 1);
  std::stringstream bytes;
  bytes << std::ifstream(Store::file_in(folder), std::ios::binary).rdbuf();
  const std::string intact = bytes.str();
  int not_found = 0;  // by the index, which has a copy of the name
  for (std::size_t at = intact.find("tiny"); at != std::string::npos; at = intact.find("tiny", at + 1)) {
    std::string changed = intact;
    changed[at] = 'T';
    std::ofstream(Store::file_in(folder), std::ios::binary) << changed;
    const std::string error = error_of<SystemError>([&] { exported(folder); });
    not_found += error.ends_with("is listed but not found; the file is damaged") ? 1 : 0;
  }
  EXPECT_GE(not_found, 1);
}

TEST(StoreDamage, AFailedAddRecordsNothing) {
  const std::string folder = fresh_folder("failed_add");
  Store store(folder, Store::Access::write);
  const Config& config = tiny_config();
  store.begin(config, {}, false);
  store.add(config, 0, run_unit(config, unit_at(config, 0)));
  store.commit();
  store.add(config, 1, run_unit(config, unit_at(config, 1)));
  const std::string again = error_of<SystemError>([&] { store.add(config, 0, run_unit(config, unit_at(config, 0))); });
  EXPECT_EQ(again, folder + "/records.sqlite: UNIQUE constraint failed: unit.experiment, unit.number");
  store.commit();
  EXPECT_EQ(store.recorded(config), (std::vector<bool>{true, false, false}));
  const std::string records = exported(store);
  EXPECT_EQ(std::count(records.begin(), records.end(), '\n'), 4) << "none of the failed unit, none of unit 1";
  store.add(config, 1, run_unit(config, unit_at(config, 1)));
  store.commit();
  EXPECT_EQ(store.recorded(config), (std::vector<bool>{true, true, false}));
}

// ---- units and shards

TEST(Unit, NumbersAndUnitsAreInverse) {
  const Config config = changed_config("seeds = 4", "seeds = 4\nfirst_seed = 7");
  ASSERT_EQ(unit_count(config), 36U);
  for (std::size_t number = 0; number < unit_count(config); ++number) {
    EXPECT_EQ(unit_number(config, unit_at(config, number)), number);
  }
  EXPECT_EQ(unit_at(config, 17), (Unit{.bandit = 1, .noise = 1, .seed = 8}));
}

TEST(Shard, IsReadFromItsText) {
  EXPECT_EQ(parse_shard("2/8"), (Shard{2, 8}));
  for (const char* wrong : {"", "2", "0/8", "9/8", "2/0", "a/b", "2/8/9", "-1/2"})
    EXPECT_THROW(parse_shard(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace longrun
