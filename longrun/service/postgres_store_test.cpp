// Tests of the store in PostgreSQL. tests/service_postgres_test.py starts a database and runs them.

#include "longrun/service/postgres_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <pqxx/pqxx>
#include <thread>

#include "longrun/base/system_error.h"
#include "longrun/service/study_service.h"
#include "tests/service_client.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

const char* test_database() { return std::getenv("LONGRUN_TEST_DATABASE"); }

LogEntry database_entry(std::int64_t seq, const char* key, DecisionId decision) {
  LogEntry entry;
  entry.seq = seq;
  entry.at = "2026-11-16T09:30:00.000Z";
  entry.key = key;
  entry.request = "hash";
  entry.decision = decision;
  entry.event = "{\"quote\":\"'\\\"\",\"text\":\"Łódź\"}";
  return entry;
}

class Postgres : public testing::Test {
 protected:
  void SetUp() override {
    if (test_database() == nullptr) GTEST_SKIP() << "needs LONGRUN_TEST_DATABASE";
  }
};

TEST_F(Postgres, KeepsEntriesAndFindsThemByKeyAndDecision) {
  const std::vector<LogEntry> entries{database_entry(1, "a", 0), database_entry(2, "", 1), database_entry(3, "b", 1)};
  {
    PostgresStore store(test_database());
    EXPECT_FALSE(store.last_seq("keeps").has_value());
    store.begin({});
    EXPECT_TRUE(store.create("keeps", database_entry(0, "", 0)));
    EXPECT_FALSE(store.create("keeps", database_entry(0, "", 0)));
    EXPECT_EQ(store.lock("keeps"), 0);
    store.append("keeps", entries);
    EXPECT_EQ(store.last_seq("keeps"), 3);
    store.commit();
  }
  PostgresStore store(test_database());
  EXPECT_EQ(store.last_seq("keeps"), 3);
  EXPECT_EQ(store.entries("keeps", 0, 10), entries);
  EXPECT_EQ(store.entries("keeps", 1, 1), std::vector<LogEntry>{entries[1]});
  EXPECT_EQ(store.with_key("keeps", "b"), entries[2]);
  EXPECT_EQ(store.with_key("keeps", ""), std::nullopt);
  EXPECT_EQ(store.outcomes_of("keeps", 1), (std::vector<LogEntry>{entries[1], entries[2]}));
  store.begin({});
  store.lock("keeps");
  store.append("keeps", {database_entry(3, "c", 0)});
  EXPECT_THROW(store.commit(), SystemError);
  store.rollback();
  store.begin({});
  store.lock("keeps");
  store.append("keeps", {database_entry(4, "d", 0)});
  store.rollback();
  EXPECT_EQ(store.last_seq("keeps"), 3);
}

TEST_F(Postgres, WhatIsReadAheadIsWhatATransactionSees) {
  PostgresStore store(test_database());
  store.begin({{"ahead", "a"}, {"ahead", "b"}, {"ahead", ""}, {"never", "a"}});
  EXPECT_EQ(store.lock("ahead"), std::nullopt);
  EXPECT_TRUE(store.create("ahead", database_entry(0, "", 0)));
  EXPECT_EQ(store.lock("ahead"), 0);
  EXPECT_EQ(store.with_key("ahead", "a"), std::nullopt);
  store.append("ahead", {database_entry(1, "a", 0), database_entry(2, "c", 7)});
  EXPECT_EQ(store.with_key("ahead", "a"), database_entry(1, "a", 0));
  EXPECT_EQ(store.with_key("ahead", "b"), std::nullopt);
  EXPECT_EQ(store.with_key("ahead", "c"), database_entry(2, "c", 7));  // not read ahead
  EXPECT_EQ(store.outcomes_of("ahead", 7), std::vector<LogEntry>{database_entry(2, "c", 7)});
  EXPECT_EQ(store.entries("ahead", -1, 10).size(), 3U);
  EXPECT_EQ(store.with_key("never", "a"), std::nullopt);
  EXPECT_EQ(store.lock("never"), std::nullopt);
  store.commit();
  store.begin({{"ahead", "a"}, {"ahead", "b"}});
  EXPECT_EQ(store.lock("ahead"), 2);
  EXPECT_EQ(store.with_key("ahead", "a"), database_entry(1, "a", 0));
  EXPECT_EQ(store.with_key("ahead", "b"), std::nullopt);
  store.commit();
}

TEST_F(Postgres, ReadsKeysOfRequestsThatJoinATransaction) {
  PostgresStore store(test_database());
  store.begin({});
  EXPECT_TRUE(store.create("joined", database_entry(0, "", 0)));
  store.append("joined", {database_entry(1, "a", 0), database_entry(2, "b", 7)});
  store.commit();
  store.begin({{"joined", "a", 1}, {"absent", "a"}});
  store.read_ahead({{"joined", "b"}, {"joined", "new"}, {"joined", "a"}, {"joined", ""}, {"absent", "b"}});
  EXPECT_EQ(store.lock("joined"), 2);
  EXPECT_EQ(store.with_key("joined", "b"), database_entry(2, "b", 7));
  EXPECT_EQ(store.with_key("joined", "a"), database_entry(1, "a", 0));
  EXPECT_EQ(store.with_key("joined", "new"), std::nullopt);
  EXPECT_EQ(store.with_key("absent", "b"), std::nullopt);
  EXPECT_EQ(store.entries("joined", 1, 10), std::vector<LogEntry>{database_entry(2, "b", 7)});
  store.append("joined", {database_entry(3, "new", 0)});
  EXPECT_EQ(store.with_key("joined", "new"), database_entry(3, "new", 0));
  store.commit();
  EXPECT_EQ(store.entries("joined", 2, 10), std::vector<LogEntry>{database_entry(3, "new", 0)});
}

TEST_F(Postgres, ManyEntriesAreWrittenInTheirOrderWhateverTheirTexts) {
  const std::string texts = R"(NULL {} {"a",'b'} \ " ' ,;)"
                            "\n\t Łódź";
  std::vector<LogEntry> entries;
  for (std::int64_t seq = 1; seq <= 2500; ++seq) {  // more than are collected
    entries.push_back(database_entry(seq, "", seq % 3));
    if (seq % 2 == 0) entries.back().key = "NULL" + std::to_string(seq);
    entries.back().event = texts + std::to_string(seq);
    entries.back().details = seq % 5 == 0 ? texts : "";
  }
  PostgresStore store(test_database());
  store.begin({});
  EXPECT_TRUE(store.create("many", database_entry(0, "", 0)));
  store.append("many", entries);
  store.commit();
  EXPECT_EQ(store.entries("many", 0, 10'000), entries);
}

/// Returns the address of an empty database beside that of the tests.
std::string new_database(const std::string& name) {
  pqxx::connection connection(test_database());
  pqxx::nontransaction work(connection);
  work.exec("DROP DATABASE IF EXISTS " + name);
  work.exec("CREATE DATABASE " + name);
  const std::string url = test_database();
  return url.substr(0, url.rfind('/') + 1) + name;
}

TEST_F(Postgres, TablesOfTheFirstLayoutAreMadeThoseOfToday) {
  const std::string url = new_database("first_layout");
  {
    pqxx::connection connection(url);
    pqxx::nontransaction work(connection);
    work.exec(
        "CREATE SCHEMA longrun; CREATE TABLE longrun.version(version integer NOT NULL); CREATE TABLE "
        "longrun.study(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, last_seq bigint NOT NULL); CREATE TABLE "
        "longrun.entry(study bigint NOT NULL REFERENCES longrun.study, seq bigint NOT NULL, at text NOT NULL, key "
        "text, request text NOT NULL, decision bigint, event text NOT NULL, details text NOT NULL, PRIMARY KEY(study, "
        "seq)); CREATE UNIQUE INDEX entry_by_key ON longrun.entry(study, key) WHERE key IS NOT NULL; CREATE INDEX "
        "entry_by_decision ON longrun.entry(study, decision, seq) WHERE decision IS NOT NULL; INSERT INTO "
        "longrun.version VALUES (1); INSERT INTO longrun.study(name, last_seq) VALUES ('old', 0)");
    const LogEntry first = database_entry(0, "", 0);
    work.exec("INSERT INTO longrun.entry(study, seq, at, request, event, details) VALUES (1, 0, " +
              work.quote(first.at) + ", 'hash', " + work.quote(first.event) + ", '')");
  }
  for (int start = 0; start < 2; ++start) {  // the second one finds nothing to do
    PostgresStore store(url);
    EXPECT_EQ(store.entries("old", -1, 1), std::vector<LogEntry>{database_entry(0, "", 0)});
    store.begin({{"old", ""}});
    store.append("old", {database_entry(1 + start, "", 0)});
    store.commit();
    EXPECT_EQ(store.last_seq("old"), 1 + start);
  }
  pqxx::connection connection(url);
  pqxx::nontransaction work(connection);
  EXPECT_EQ(
      work.exec1("SELECT string_agg(version::text, ' ' ORDER BY version) FROM longrun.version")[0].as<std::string>(),
      "1 2");
  work.exec("INSERT INTO longrun.version VALUES (99)");
  try {
    PostgresStore store(url);
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "the database has layout 99; this version of longrun knows 1 to 2");
  }
}

TEST_F(Postgres, AStudyThatAnotherProcessAddsMeanwhileIsFound) {
  PostgresStore store(test_database());
  store.begin({{"meanwhile", "a"}});
  EXPECT_EQ(store.lock("meanwhile"), std::nullopt);
  {
    PostgresStore other(test_database());
    other.begin({});
    EXPECT_TRUE(other.create("meanwhile", database_entry(0, "", 0)));
    other.append("meanwhile", {database_entry(1, "a", 0)});
    other.commit();
  }
  EXPECT_FALSE(store.create("meanwhile", database_entry(0, "", 0)));
  EXPECT_EQ(store.lock("meanwhile"), 1);
  EXPECT_EQ(store.with_key("meanwhile", "a"), database_entry(1, "a", 0));
  store.commit();
}

TEST_F(Postgres, AStudyThatIsLockedElsewhereDoesNotBlockForEver) {
  PostgresStore first(test_database());
  first.begin({});
  EXPECT_TRUE(first.create("locked", database_entry(0, "", 0)));
  first.commit();
  first.begin({{"locked", ""}});
  PostgresStore second(test_database(), std::chrono::seconds(1));
  EXPECT_THROW(second.begin({{"locked", ""}}), SystemError);
  second.rollback();
  first.commit();
  second.begin({{"locked", ""}});
  EXPECT_EQ(second.lock("locked"), 0);
  second.commit();
}

/// Checks that two processes which decide and report in one study at once make one log.
void expect_one_log_of_two_processes(const std::string& database) {
  PostgresStore first_store(database);
  StudyService first(first_store, [] { return 1; });
  EXPECT_EQ(
      ServiceClient(first).post("/v1/studies", {{"name", "shared"}, {"arms", {"a", "b"}}, {"budget", 1000}}).status,
      201);
  const auto work = [&](const std::string& name) {
    PostgresStore store(database);
    StudyService service(store, [] { return 1; });
    ServiceClient client(service);
    for (int i = 0; i < 100; ++i) {
      const auto decided =
          client.post("/v1/studies/shared/decisions", Json::object(), name + std::to_string(i)).json["decisions"][0];
      const auto settled = client.put("/v1/studies/shared/decisions/" + decided["id"].dump() + "/outcome",
                                      {{"reward", decided["arm"] == "a" ? 0.2 : 0.4}});
      EXPECT_EQ(settled.status, 200) << settled.body;
    }
  };
  std::thread one(work, "one");
  std::thread two(work, "two");
  one.join();
  two.join();
  const Json state = ServiceClient(first).get("/v1/studies/shared").json;
  EXPECT_EQ(state["seq"], 400);
  EXPECT_EQ(state["decisions"], 200);
  EXPECT_EQ(state["pending"], 0);
  const Json audit = ServiceClient(first).get("/v1/studies/shared/audit").json;
  EXPECT_TRUE(audit["state_agrees"].get<bool>());
  EXPECT_EQ(audit["decisions_differ"], 0);
}

TEST_F(Postgres, ProcessesThatShareAStudyMakeOneLog) { expect_one_log_of_two_processes(test_database()); }

TEST_F(Postgres, ProcessesThatShareAStudyMakeOneLogWhateverIsolationTheDatabaseHas) {
  const std::string url = new_database("serializable");
  {
    pqxx::connection connection(url);
    pqxx::nontransaction(connection)
        .exec("ALTER DATABASE serializable SET default_transaction_isolation = 'serializable'");
  }
  expect_one_log_of_two_processes(url);
}

TEST_F(Postgres, AColumnThatHoldsSomethingElseIsAnErrorOfTheDatabase) {
  const std::string url = new_database("changed_by_hand");
  {
    PostgresStore store(url);
    store.begin({});
    store.create("s", database_entry(0, "", 0));
    store.commit();
    pqxx::connection connection(url);
    pqxx::nontransaction(connection).exec("ALTER TABLE longrun.study ALTER last_seq TYPE text USING 'many'");
  }
  PostgresStore store(url);
  try {
    store.last_seq("s");
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("database: ")) << error.what();
  }
}

/// A service on the test database, with a clock of its own.
struct SharedService {
  explicit SharedService(std::int64_t& clock)
      : store(test_database()), service(store, [&clock] { return ++clock; }), client(service) {}

  PostgresStore store;
  StudyService service;
  ServiceClient client;
};

TEST_F(Postgres, AServerNoticesThatTheStoreWasSetBackAlsoIfTheLogIsAsLongAsBefore) {
  std::int64_t clock = 1;
  SharedService one(clock);
  SharedService two(clock);
  const std::string path = "/v1/studies/backup";
  const Json created{{"name", "backup"}, {"arms", {"a", "b"}}, {"budget", 100}, {"noise", "gaussian:0.1"}};
  ASSERT_EQ(one.client.post("/v1/studies", created).status, 201);
  for (int i = 0; i < 3; ++i) one.client.post(path + "/decisions", Json::object(), "k" + std::to_string(i));
  const auto outcome = [&](SharedService& to, int decision, const Json& body) {
    const auto answer = to.client.put(path + "/decisions/" + std::to_string(decision) + "/outcome", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
  };
  for (int i = 1; i <= 3; ++i) outcome(one, i, {{"reward", 0.1 * i}});
  EXPECT_EQ(two.client.get(path).json["seq"], 6);
  {
    pqxx::connection database(test_database());
    pqxx::work work(database);
    work.exec(
        "DELETE FROM longrun.entry WHERE seq > 3 AND study = (SELECT id FROM longrun.study WHERE name = 'backup')");
    work.exec("UPDATE longrun.study SET last_seq = 3 WHERE name = 'backup'");
    work.commit();
  }
  two.service.forget_all();  // started again, as the other one is not
  outcome(two, 1, {{"kind", "void"}});
  outcome(two, 2, {{"kind", "lost"}});
  outcome(two, 3, {{"reward", 0.9}});
  const auto check_same = [&] {
    EXPECT_EQ(one.client.get(path).body, two.client.get(path).body);
    const Json audit = one.client.get(path + "/audit").json;
    EXPECT_TRUE(audit["state_agrees"].get<bool>()) << audit;
  };
  const auto old = one.client.put(path + "/decisions/1/outcome", {{"reward", 0.1}});
  EXPECT_EQ(old.status, 409) << "in a change, before anything was read: " << old.body;
  EXPECT_EQ(one.client.get(path).json["spent"], 2);
  check_same();
  EXPECT_EQ(one.client.post(path + "/decisions", Json::object(), "after").status, 201);
  check_same();
}

TEST_F(Postgres, AServerNoticesItWhenItReads) {
  std::int64_t clock = 1;
  SharedService one(clock);
  SharedService two(clock);
  ASSERT_EQ(one.client.post("/v1/studies", {{"name", "again"}, {"arms", {"a"}}, {"budget", 10}}).status, 201);
  {
    pqxx::connection database(test_database());
    pqxx::work work(database);
    work.exec("DELETE FROM longrun.entry WHERE study = (SELECT id FROM longrun.study WHERE name = 'again')");
    work.exec("DELETE FROM longrun.study WHERE name = 'again'");
    work.commit();
  }
  ASSERT_EQ(two.client.post("/v1/studies", {{"name", "again"}, {"arms", {"b", "c"}}, {"budget", 20}}).status, 201);
  EXPECT_EQ(one.client.get("/v1/studies/again").json["budget"], 20);
  EXPECT_EQ(one.client.get("/v1/studies/again").body, two.client.get("/v1/studies/again").body);
}

TEST_F(Postgres, ARequestThatCannotBeStoredIsItsOwnErrorAndNotThatOfOthers) {
  std::int64_t clock = 1;
  SharedService shared(clock);
  ASSERT_EQ(shared.client.post("/v1/studies", {{"name", "bytes"}, {"arms", {"a"}}, {"budget", 10}}).status, 201);
  const auto asked = [](std::string key) {
    return ChangeRequest{.study = "bytes", .key = std::move(key), .fingerprint = "f", .change = Change{AskDecisions{}}};
  };
  const std::vector<ChangeRequest> requests{asked("one"), asked(std::string("a\0b", 3)), asked("two")};
  const auto replies = shared.service.change(requests);
  EXPECT_FALSE(replies[0].error.has_value());
  ASSERT_TRUE(replies[1].error.has_value());
  EXPECT_EQ(replies[1].error->kind(), RequestError::Kind::invalid) << replies[1].error->what();
  EXPECT_FALSE(replies[2].error.has_value());
  EXPECT_EQ(shared.client.get("/v1/studies/bytes").json["decisions"], 2);
  shared.service.check_store();
  EXPECT_NO_THROW(shared.store.check_writing(100'000));
}

TEST_F(Postgres, WritingIsCheckedWithoutTheRightToMakeTemporaryTables) {
  {
    pqxx::connection connection(test_database());
    pqxx::nontransaction work(connection);
    work.exec("CREATE ROLE longrun_plain LOGIN");
    work.exec("CREATE DATABASE longrun_plain");
    work.exec("REVOKE ALL ON DATABASE longrun_plain FROM PUBLIC");
    work.exec("GRANT CONNECT, CREATE ON DATABASE longrun_plain TO longrun_plain");
  }
  const std::string database = std::string(test_database()) + "?user=longrun_plain&dbname=longrun_plain";
  PostgresStore store(database);
  EXPECT_NO_THROW(store.check_writing(100'000));
  EXPECT_NO_THROW(store.check_writing(100'000)) << "the table is gone";
  pqxx::connection connection(database);
  pqxx::nontransaction work(connection);
  EXPECT_TRUE(work.exec1("SELECT to_regclass('longrun.written') IS NULL")[0].as<bool>());
  EXPECT_THROW(work.exec("CREATE TEMPORARY TABLE refused(bytes text)"), pqxx::insufficient_privilege);
}

TEST_F(Postgres, RequestsThatArriveWhileATransactionWaitsAreAnsweredByIt) {
  std::int64_t clock = 1;
  SharedService shared(clock);
  ASSERT_EQ(shared.client.post("/v1/studies", {{"name", "arrive"}, {"arms", {"a"}}, {"budget", 10}}).status, 201);
  const auto asked = [](std::string key) {
    return ChangeRequest{
        .study = "arrive", .key = std::move(key), .fingerprint = "f", .change = Change{AskDecisions{}}};
  };
  std::vector<ChangeRequest> requests{asked("earlier")};
  const auto earlier = shared.service.change(requests);
  const auto seqs_with = [&](const std::vector<std::string>& joining) {
    requests = {asked(joining[0] + " first")};
    const auto replies = shared.service.change(requests, [&](const std::set<std::string>& studies) {
      EXPECT_EQ(studies, std::set<std::string>{"arrive"});
      for (const std::string& key : joining) requests.push_back(asked(key));
      return std::span<const ChangeRequest>(requests);
    });
    std::vector<std::int64_t> seqs;
    seqs.reserve(replies.size());
    for (const ChangeReply& reply : replies) seqs.push_back(reply.error ? -1 : reply.entries.at(0).seq);
    return seqs;
  };
  EXPECT_EQ(seqs_with({"one", "earlier", "one", "two"}), (std::vector<std::int64_t>{2, 3, 1, 3, 4}));
  EXPECT_EQ(seqs_with({"three", std::string("a\0b", 3), "four"}), (std::vector<std::int64_t>{5, 6, -1, 7}));
  EXPECT_EQ(shared.client.get("/v1/studies/arrive").json["decisions"], 7);
  const Json audit = shared.client.get("/v1/studies/arrive/audit").json;
  EXPECT_TRUE(audit["state_agrees"].get<bool>());
}

TEST(PostgresStore, SaysWhyItCannotConnect) {
  try {
    PostgresStore store("postgresql://127.0.0.1:1/none");
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("database: ")) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(PostgresFailures, AMessageOfSeveralLinesIsOneLine) {
  try {
    const PostgresStore store("postgresql://longrun@127.0.0.1:1/none");  // where nothing listens
    FAIL() << "it is connected";
  } catch (const SystemError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("database: ")) << message;
    EXPECT_NE(message.find("refused; Is the server running"), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of("\t\n"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace longrun
