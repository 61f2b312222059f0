// Tests of the interface: what the texts of a request must be, so that every store keeps them and every reader of
// tables finds them again.

#include <gtest/gtest.h>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

class ApiTexts : public Api {
 protected:
  ServiceClient::Answer observe_csv(const std::string& table, const std::string& query = "") {
    return client_->send("POST", "/v1/studies/s/observations" + query, table, "", "text/csv");
  }
  std::int64_t last_entry() { return client_->get("/v1/studies/s").json["seq"]; }
};

TEST_F(ApiTexts, ATableThatIsNotUtf8IsRefusedWithItsLineBeforeAnythingIsStored) {
  create();
  decide("k");
  for (const char* query : {"", "?dry_run=true"}) {
    for (const char* table :
         {"arm,reward,id\nshops,0.5,J\xF6rg\n", "arm,reward,id\nsh\xF6ps,0.5,x\n", "arm,reward,id\nshops,0.\xA0,x\n"}) {
      const auto refused = observe_csv(table, query);
      EXPECT_EQ(refused.status, 400) << refused.body;
      EXPECT_EQ(refused.detail(), "line 2: not UTF-8; save the file as UTF-8");
    }
    const auto outcomes = client_->send("POST", std::string("/v1/studies/s/outcomes") + query,
                                        "decision,reward,kind\n1,0.5,observed\n1,,l\xF6st\n", "", "text/csv");
    EXPECT_EQ(outcomes.status, 400) << outcomes.body;
    EXPECT_EQ(outcomes.detail(), "line 3: not UTF-8; save the file as UTF-8");
    EXPECT_EQ(observe_csv("\xFF\xFE"
                          "a",
                          query)
                  .detail(),
              "line 1: not UTF-8; save the file as UTF-8");
  }
  EXPECT_EQ(last_entry(), 1);
  EXPECT_EQ(observe_csv("arm,reward,id\nshops,0.5,Jörg\n").status, 201);
  EXPECT_EQ(client_->get("/v1/studies/s/export").status, 200);
  EXPECT_EQ(client_->send("POST", "/v1/studies/s/observations", "{\"arm\":\"shops\",\"reward\":1,\"id\":\"\xF6\"}", "")
                .status,
            400);
}

TEST_F(ApiTexts, NamesAndIdsFollowTheSameRuleInJsonAndTables) {
  create();
  const auto observe = [&](const std::string& id) {
    return client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.5}, {"id", id}});
  };
  const std::string rule = "; ids are UTF-8 on one line, without spaces around them";
  EXPECT_EQ(observe(" a").detail(), "id: ' a' begins or ends with a space" + rule);
  EXPECT_EQ(observe("a\u00A0").detail(), "id: 'a\u00A0' begins or ends with a space" + rule);
  EXPECT_EQ(observe("a\nb").detail(), "id: 'a\\u000ab' has a control character or a line break" + rule);
  EXPECT_EQ(observe("a\u0085").status, 422);
  EXPECT_EQ(observe("a\u2028"
                    "b")
                .status,
            422);
  EXPECT_EQ(observe(std::string("a\0b", 3)).status, 422);
  const auto quoted = observe_csv("arm,reward,id\nshops,0.5,\" a \"\n");
  EXPECT_EQ(quoted.status, 400);
  EXPECT_EQ(quoted.detail(),
            "line 2, column 3 (id): id: ' a ' begins or ends with a space" + rule + "; nothing is recorded");
  EXPECT_EQ(last_entry(), 0);
  EXPECT_EQ(observe_csv("arm,reward,id\nshops,0.5, a \n").status, 201) << "spaces around a cell are no part of it";
  EXPECT_TRUE(observe("a").is_repeated);
  const auto arms = [&](const std::string& name) {
    return client_->post("/v1/studies", {{"name", "t"}, {"arms", {"x", name}}, {"budget", 10}});
  };
  EXPECT_EQ(arms(" y").detail(),
            "arms: ' y' begins or ends with a space; names are UTF-8 on one line, without spaces around them");
  EXPECT_EQ(arms("y\ty").field(), "/arms");
  EXPECT_EQ(arms("y y").status, 201);
  const auto added = client_->post("/v1/studies/s/changes", {{"add_arms", {"new "}}}, "k");
  EXPECT_EQ(added.status, 422);
  EXPECT_EQ(added.field(), "/add_arms");
}

TEST_F(ApiTexts, AnOldLogWithOtherNamesIsReadAndUsed) {
  create();
  client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.5}, {"id", "a"}});
  std::string lines = client_->get("/v1/studies/s/export").body;
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = lines.find(from, at)) != std::string::npos; at += to.size()) {
      lines.replace(at, from.size(), to);
    }
  };
  replace_all("shops", " shops ");
  replace_all("observation a", "observation a ");
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=old", lines, "").status, 201);
  EXPECT_EQ(client_->get("/v1/studies/old").json["arms"][1]["arm"], " shops ");
  EXPECT_EQ(client_->post("/v1/studies/old/decisions", {{"among", {" shops "}}}, "k").status, 201);
  const Json correction{{"observation", "a "}, {"reward", 0.25}, {"reason", "x"}};
  EXPECT_EQ(client_->post("/v1/studies/old/corrections", correction, "c").status, 201);
}

TEST_F(ApiTexts, AStudyThatCannotExistIsNotLookedFor) {
  for (const std::string& name : {std::string("a\0b", 3), std::string("\xFF"), std::string(65, 'a')}) {
    const auto state = client_->get("/v1/studies/" + name);
    EXPECT_EQ(state.status, 404) << state.body;
    EXPECT_EQ(client_->post("/v1/studies/" + name + "/decisions", Json::object(), "k").status, 404);
  }
}

TEST_F(ApiTexts, ATextThatNoStoreKeepsIsTheErrorOfItsRequestAlone) {
  create();
  AddObservations add;
  add.rows.push_back({.arm = "shops", .reward = 0.5, .id = "\xFF"});
  add.has_ids = true;
  add.is_list = false;
  const std::vector<ChangeRequest> requests{
      {.study = "s", .key = "before", .fingerprint = "1", .change = Change{AskDecisions{}}},
      {.study = "s", .fingerprint = "2", .change = Change{add}},
      {.study = "s", .key = "after", .fingerprint = "3", .change = Change{AskDecisions{}}}};
  const auto replies = service_->change(requests);
  EXPECT_FALSE(replies[0].error.has_value());
  EXPECT_EQ(replies[1].error->kind(), RequestError::Kind::invalid);
  EXPECT_FALSE(replies[2].error.has_value());
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["seq"], 2);
  EXPECT_EQ(state["spent"], 2);
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(ApiTexts, AKeyIsGivenOnceAndIsOneWhereverItIsSent) {
  create();
  decide("k");
  HttpRequest request{.method = "POST", .path = "/v1/studies/s/decisions"};
  request.headers = {{"idempotency-key", "a"}, {"idempotency-key", "b"}};
  const auto twice = client_->send(request);
  EXPECT_EQ(twice.status, 400);
  EXPECT_EQ(twice.detail(), "the header Idempotency-Key is given twice");
  request = {.method = "PUT", .path = "/v1/studies/s/decisions/1/outcome", .body = R"({"reward":0.5})"};
  request.headers = {{"content-type", "application/json"}, {"idempotency-key", std::string(201, 'k')}};
  EXPECT_EQ(client_->send(request).status, 400);
  request.headers[1].second = "k";
  EXPECT_EQ(client_->send(request).detail(),
            "key 'k' was used for another request (entry 1); use a new key for a new request");
  request.headers[1].second = "l";
  EXPECT_EQ(client_->send(request).status, 200) << "a key is not needed, and counts if it is given";
}

TEST_F(ApiTexts, NewNamesHaveNoCharactersThatCannotBeSeen) {
  create();
  // NOLINTNEXTLINE(misc-misleading-bidirectional): what is tested
  for (const char* hidden : {"farms\u202E", "fa\u200Brms", "\uFEFFfarms", "far\u00ADms", "x\u2066y"}) {
    const auto arm = client_->post("/v1/studies", {{"name", "a"}, {"arms", {hidden, "b"}}, {"budget", 9}});
    EXPECT_EQ(arm.status, 422) << hidden;
    EXPECT_EQ(arm.field(), "/arms");
    EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"add_arms", {hidden}}}, "c").field(), "/add_arms");
    const Json titled{{"name", "a"}, {"title", hidden}, {"arms", {"b"}}, {"budget", 9}};
    EXPECT_EQ(client_->post("/v1/studies", titled).field(), "/title") << hidden;
  }
  EXPECT_EQ(client_->post("/v1/studies", {{"name", "a"}, {"title", "x\ny"}, {"arms", {"b"}}, {"budget", 9}}).field(),
            "/title");
  const Json joined{{"name", "a"}, {"arms", {"\u06A9\u062A\u0627\u0628\u200C\u0647\u0627", "b"}}, {"budget", 9}};
  EXPECT_EQ(client_->post("/v1/studies", joined).status, 201) << "scripts need joiners";
}

TEST_F(ApiTexts, ANewArmDoesNotLookTheSameAsAnother) {
  const auto added = [&](const char* name) {
    return client_->post("/v1/studies/s/changes", {{"add_arms", {name}}}, "add");
  };
  create({{"arms", {"caf\u00E9", "homes"}}});
  for (const char* name : {"cafe\u0301", "Caf\u00E9", "homes\u200D", "Homes"}) {
    const auto refused = added(name);
    EXPECT_EQ(refused.status, 422) << name;
    EXPECT_EQ(refused.field(), "/add_arms");
    EXPECT_NE(refused.detail().find("looks the same as"), std::string::npos) << refused.detail();
  }
  EXPECT_EQ(client_->post("/v1/studies", {{"name", "a"}, {"arms", {"x y", "X  y"}}, {"budget", 9}}).field(), "/arms");
  EXPECT_EQ(added("cafe").status, 201);
}

TEST_F(ApiTexts, LogsWithNamesThatLookTheSameAreRead) {
  create({{"arms", {"farms", "shops"}}, {"title", "x"}});
  std::string lines = client_->get("/v1/studies/s/export").body;
  lines.replace(lines.find("shops"), 5, "Farms");
  lines.replace(lines.find(R"("title":"x")"), 11, "\"title\":\"x\u200B\"");
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=old", lines, "").status, 201);
  service_->forget_all();
  EXPECT_EQ(client_->post("/v1/studies/old/decisions", {{"among", {"Farms"}}}, "k").status, 201);
  const Json again{{"name", "old"}, {"arms", {"farms", "Farms"}}, {"budget", 100}, {"title", "x\u200B"}};
  const auto created = client_->post("/v1/studies", again);
  EXPECT_EQ(created.status, 201) << "the same study again: " << created.body;
}

TEST_F(ApiTexts, MessagesShowControlCharactersOfNames) {
  create();
  const std::string name("a\0b\nc", 5);
  const auto refused = client_->post("/v1/studies/s/observations", {{"arm", name}, {"reward", 0.5}, {"id", "x"}});
  EXPECT_TRUE(refused.detail().starts_with("arm 'a\\u0000b\\u000ac' is not an arm of the study")) << refused.detail();
  EXPECT_NE(
      client_->post("/v1/studies/s/changes", {{"add_arms", {name}}}, "c").detail().find("has a control character"),
      std::string::npos);
}

TEST_F(ApiTexts, ACorrectionNeedsAReason) {
  create();
  decide("k");
  settle(1, {{"reward", 0.5}});
  for (const char* reason : {"", "  ", "\n"}) {
    const auto refused =
        client_->post("/v1/studies/s/corrections", {{"decision", 1}, {"reward", 0.4}, {"reason", reason}}, "c");
    EXPECT_EQ(refused.status, 422) << refused.body;
    EXPECT_EQ(refused.field(), "/reason");
  }
}

}  // namespace
}  // namespace longrun
