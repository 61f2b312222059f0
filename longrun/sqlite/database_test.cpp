#include "longrun/sqlite/database.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

TEST(Database, ATransactionThatIsNotCommittedLeavesNothing) {
  const Database database("numbers", Database::Mode::in_memory);
  database.run("CREATE TABLE numbers (number INTEGER PRIMARY KEY, value REAL)");
  const auto add = [&](std::int64_t number, bool is_kept) {
    Transaction transaction(database);
    Statement(database, "INSERT INTO numbers VALUES (?, ?)").bind(number).bind(0.5).execute();
    if (is_kept) transaction.commit();
  };
  add(1, true);
  add(2, false);
  EXPECT_EQ(database.query_integer("SELECT count(*) FROM numbers"), 1);
  EXPECT_EQ(database.query_integer("SELECT max(number) FROM numbers"), 1);
}

TEST(Database, AColumnOfAnotherTypeIsAnErrorWithFileTableAndRow) {
  const Database database("numbers", Database::Mode::in_memory);
  database.run("CREATE TABLE numbers (number INTEGER PRIMARY KEY, value)");
  database.run("INSERT INTO numbers VALUES (7, 'many')");
  Statement query(database, "SELECT number, value FROM numbers", "numbers");
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.text(1), "many");
  const std::string message = error_of<SystemError>([&] { query.number(1); });
  EXPECT_TRUE(message.starts_with("numbers: table 'numbers', row 7: ")) << message;
  EXPECT_TRUE(message.ends_with("; the file is damaged")) << message;
}

TEST(Database, AFileOfAnotherKindIsADamagedOne) {
  const std::string path = written("notes.sqlite", std::string(4096, 'x'));
  const std::string message = error_of<DamagedDatabase>([&] { Database(path, Database::Mode::open); });
  EXPECT_TRUE(message.starts_with(path + ": ")) << message;
  EXPECT_THROW(Database(scratch_path("missing.sqlite"), Database::Mode::open), SystemError);
}

}  // namespace
}  // namespace longrun
