// Tests of the interface: observations with ids, as lists and as tables; dry runs; keys; times of outcomes.

#include <gtest/gtest.h>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// Requests about observations of the study "s".
class ApiObservations : public Api {
 protected:
  ServiceClient::Answer observe(const std::string& id, double reward, const std::string& arm = "shops") {
    return client_->post("/v1/studies/s/observations", {{"arm", arm}, {"reward", reward}, {"id", id}});
  }
  ServiceClient::Answer observe_all(const Json& rows, const std::string& key = "", const std::string& query = "") {
    return client_->post("/v1/studies/s/observations" + query, {{"observations", rows}}, key);
  }
  ServiceClient::Answer observe_table(const std::string& table, const std::string& key = "",
                                      const std::string& query = "") {
    return client_->send("POST", "/v1/studies/s/observations" + query, table, key, "text/csv");
  }
  ServiceClient::Answer correct(const std::string& id, Json outcome, const std::string& key) {
    outcome["observation"] = id;
    outcome["reason"] = "x";
    return client_->post("/v1/studies/s/corrections", outcome, key);
  }
  std::int64_t last_entry() { return client_->get("/v1/studies/s").json["seq"]; }
};

TEST_F(ApiObservations, TheCurrentValueOfACorrectedObservationIsKnownAndTheOldOneIsAConflict) {
  create();
  const auto first = observe("contract 17", 0.9);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(correct("contract 17", {{"reward", 0.09}}, "a").status, 201);
  const auto check_reposts = [&] {
    const auto right = observe("contract 17", 0.09);
    EXPECT_EQ(right.status, 201) << right.body;
    EXPECT_TRUE(right.is_repeated);
    EXPECT_EQ(right.body, first.body) << "the same answer";
    const auto old = observe("contract 17", 0.9);
    EXPECT_EQ(old.status, 409);
    EXPECT_EQ(old.detail(),
              "observation 'contract 17' (entry 1) was corrected to the reward 0.09 since; correct it again if that is "
              "wrong");
    EXPECT_EQ(old.field(), "/id");
    EXPECT_EQ(observe("contract 17", 0.5).status, 422) << "never its value";
    EXPECT_EQ(observe("contract 17", 0.09, "farms").status, 422) << "another arm";
    EXPECT_EQ(observe_all({{{"arm", "shops"}, {"reward", 0.09}, {"id", "contract 17"}}}).json["already_known"], 1);
    EXPECT_EQ(last_entry(), 2);
  };
  check_reposts();
  service_->forget_all();
  check_reposts();
  EXPECT_EQ(correct("contract 17", {{"kind", "void"}}, "b").status, 201);
  EXPECT_EQ(observe("contract 17", 0.9).status, 409) << "it is void";
  EXPECT_EQ(observe("contract 17", 0.09).status, 422);
}

TEST_F(ApiObservations, AListOrTableWithIdsIsRecordedOnce) {
  create();
  const Json rows{{{"arm", "shops"}, {"reward", 0.5}, {"id", "a"}}, {{"arm", "farms"}, {"reward", 0.25}, {"id", "b"}}};
  const auto first = observe_all(rows);
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(first.json["recorded"], 2);
  const auto again = observe_all(rows);
  EXPECT_EQ(again.json["recorded"], 0);
  EXPECT_EQ(again.json["already_known"], 2);
  EXPECT_TRUE(again.is_repeated);
  const auto more = observe_table("arm;reward;id\nfarms;0.25;b\nhomes;0.75;c\nhomes;0.75;c\n");
  EXPECT_EQ(more.status, 201) << more.body;
  EXPECT_EQ(more.json["recorded"], 1);
  EXPECT_EQ(more.json["already_known"], 2);
  EXPECT_TRUE(observe("c", 0.75, "homes").is_repeated) << "one by one";
  EXPECT_EQ(correct("c", {{"reward", 0.5}}, "k").json["observation"], 3);
  const std::string lines = client_->get("/v1/studies/s/export").body;
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=copy", lines, "").status, 201) << "with its ids";
  EXPECT_EQ(client_->post("/v1/studies/copy/observations", {{"observations", rows}}).json["already_known"], 2);
}

TEST_F(ApiObservations, ATableWithoutIdsNeedsAKey) {
  create();
  const std::string table = "Reward,Arm\n0.5,shops\n0.5,shops\n";
  EXPECT_EQ(observe_table(table).status, 400);
  const auto first = observe_table(table, "k");
  EXPECT_EQ(first.json["recorded"], 2) << first.body;
  EXPECT_EQ(observe_table(table, "k").body, first.body);
  const Json rows{{{"arm", "shops"}, {"reward", 0.5}}, {{"arm", "shops"}, {"reward", 0.5}}};
  EXPECT_EQ(observe_all(rows, "k").body, first.body) << "the same pulls, as a list";
  EXPECT_EQ(last_entry(), 2);
  EXPECT_EQ(observe_table("arm,reward,id\nshops,0.5,x\n", "k2").detail(),
            "id: given together with an Idempotency-Key; give one of them");
}

TEST_F(ApiObservations, EveryRowThatIsWrongIsNamedAndNothingIsRecorded) {
  create({{"budget", 5}});
  observe("known", 0.5);
  const std::string table =
      "arm,reward,id\nshops,0.5,known\nshop,0.5,b\nfarms,x,c\nfarms,70,d\nfarms,0.5,\nhomes,0.5,known\n"
      "homes,0.5,e\nhomes,0.25,e\nhomes\n";
  const auto dry = observe_table(table, "", "?dry_run=true");
  EXPECT_EQ(dry.status, 200) << dry.body;
  EXPECT_EQ(dry.json["accepted"], false);
  EXPECT_EQ(dry.json["new"], 1) << "line 8";
  EXPECT_EQ(dry.json["already_known"], 1) << "line 2";
  std::vector<int> lines;
  for (const Json& problem : dry.json["problems"]) lines.push_back(problem["line"].get<int>());
  EXPECT_EQ(lines, (std::vector<int>{3, 4, 5, 6, 7, 9, 10}));
  EXPECT_EQ(dry.json["problems"][0]["detail"], "arm 'shop' is not an arm of the study; did you mean 'shops'?");
  EXPECT_EQ(dry.json["problems"][3]["detail"], "column 3 (id): the id is missing; give every row an id, or none");
  const auto refused = observe_table(table);
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.detail(),
            "line 3: arm 'shop' is not an arm of the study; did you mean 'shops'? (and 6 more: lines 4, 5, 6, 7, 9, "
            "10); nothing is recorded");
  const Json rows{{{"arm", "shops"}, {"reward", 0.5}, {"id", "x"}}, {{"arm", "shops"}, {"reward", "0.5"}, {"id", "y"}}};
  EXPECT_EQ(observe_all(rows).field(), "/observations/1/reward");
  EXPECT_EQ(
      observe_all({{{"arm", "shops"}, {"reward", 0.5}, {"id", "x"}}, {{"arm", "shops"}, {"reward", 0.5}}}).detail(),
      "row 2: id: missing; give every row an id, or none; nothing is recorded");
  std::string many = "arm,reward\n";
  for (int i = 0; i < 6; ++i) many += "shops,0.5\n";
  EXPECT_TRUE(observe_table(many, "m").detail().starts_with("line 6: the budget of 5 units has 0 left")) << "4 fit";
  EXPECT_EQ(observe_table("arm,reward,observed_at\nshops,0.5,\n", "n").detail(),
            "body: line 1, column 'observed_at': is unknown; columns: arm, reward, and perhaps id");
  EXPECT_EQ(last_entry(), 1);
}

TEST_F(ApiObservations, ADryRunCountsWhatIsNewAndWhatIsKnown) {
  create();
  client_->post("/v1/studies/s/decisions", {{"count", 4}}, "d");
  settle(1, {{"reward", 0.5}});
  const std::string table = "decision,reward\n1,0.5\n2,0.25\n3,0.25\n3,0.25\n";
  const auto check_table = [&](int added, int known) {
    const auto dry = client_->send("POST", "/v1/studies/s/outcomes?dry_run=true", table, "o", "text/csv");
    EXPECT_EQ(dry.json["accepted"], true) << dry.body;
    EXPECT_EQ(dry.json["new"], added);
    EXPECT_EQ(dry.json["already_known"], known);
  };
  check_table(2, 2);
  EXPECT_EQ(client_->send("POST", "/v1/studies/s/outcomes", table, "o", "text/csv").json["recorded"], 2);
  check_table(0, 4);  // also with the key of the report
  const Json one{{"arm", "shops"}, {"reward", 0.5}, {"id", "a"}};
  EXPECT_EQ(client_->post("/v1/studies/s/observations?dry_run=true", one).json["new"], 1);
  const auto wrong = client_->post("/v1/studies/s/observations?dry_run=true", {{"arm", "shops"}, {"reward", 70}}, "w");
  EXPECT_EQ(wrong.json["problems"][0]["field"], "/reward") << "with a new key, which is not used";
  EXPECT_EQ(client_->post("/v1/studies/s/observations?dry_run=true", {{"arm", "shops"}, {"reward", 0.7}}).status, 400);
  EXPECT_EQ(client_->post("/v1/studies/s/observations", one).status, 201);
  EXPECT_EQ(client_->post("/v1/studies/s/observations?dry_run=true", one).json["already_known"], 1);
  const std::string lines = client_->get("/v1/studies/s/export").body;
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=t&dry_run", lines, "").json["new"], last_entry() + 1);
}

TEST_F(ApiObservations, AKeyIsComparedByWhatIsAskedNotByBytes) {
  create();
  const auto same = [&](const std::string& path, const std::string& key, const std::vector<std::string>& bodies) {
    const auto first = client_->send("POST", "/v1/studies/s/" + path, bodies[0], key);
    EXPECT_EQ(first.status, 201) << first.body;
    for (const std::string& body : bodies) {
      const auto again = client_->send("POST", "/v1/studies/s/" + path, body, key);
      EXPECT_EQ(again.body, first.body) << body;
      EXPECT_TRUE(again.is_repeated) << body;
    }
  };
  const auto other = [&](const std::string& path, const std::string& key, const std::string& body) {
    const auto refused = client_->send("POST", "/v1/studies/s/" + path, body, key);
    EXPECT_EQ(refused.status, 422) << body;
    EXPECT_TRUE(refused.detail().starts_with("key '" + key + "' was used for another request")) << refused.detail();
  };
  same("decisions", "d", {"{}", "", R"({"count":1})", R"({ "count" : 1.0 })"});
  other("decisions", "d", R"({"count":2})");
  other("decisions", "d", R"({"among":["farms"]})");
  other("close", "d", "");
  same("decisions", "e", {R"({"among":["farms","homes"]})", R"({"count":1,"among":["homes","farms"]})"});
  settle(1, {{"kind", "lost"}});
  same("corrections", "c",
       {R"({"decision":1,"reward":0.5,"reason":"x"})",
        R"({"reason":"x","kind":"observed","reward":0.50,"decision":1})"});
  other("corrections", "c", R"({"decision":1,"reward":0.25,"reason":"x"})");
  other("corrections", "c", R"({"decision":1,"reward":0.5,"reason":"y"})");
  same("changes", "g",
       {R"({"extend_budget":5,"constraints":{"minimum_pulls":"farms:2","minimum_share":"0.1"}})",
        R"({"constraints":{"minimum_share":0.1,"minimum_pulls":"farms:2"},"extend_budget":5.0})"});
  other("changes", "g", R"({"extend_budget":5,"constraints":{"minimum_pulls":"farms:2","minimum_share":null}})");
  same("close", "z", {"", "{}"});
  service_->forget_all();
  same("close", "z", {"{}", ""});
}

TEST_F(ApiObservations, AnOutcomeFromTheFutureIsRefused) {
  create();
  client_->post("/v1/studies/s/decisions", {{"count", 4}}, "d");
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"observed_at", "2026-11-16T09:35:00Z"}}).status, 200) << "clocks differ";
  const auto later = settle(2, {{"reward", 0.5}, {"observed_at", "2026-11-16T10:35:00.001+01:00"}});
  EXPECT_EQ(later.status, 422);
  EXPECT_EQ(later.detail(),
            "observed_at: 2026-11-16T09:35:00.001Z is in the future; it is 2026-11-16T09:30:00.000Z now");
  EXPECT_EQ(later.field(), "/observed_at");
  const std::string table = "decision,reward,observed_at\n2,0.5,2026-11-16T00:00:00Z\n3,0.5,2027-11-16T00:00:00Z\n";
  const auto dry = client_->send("POST", "/v1/studies/s/outcomes?dry_run=true", table, "", "text/csv");
  ASSERT_EQ(dry.json["problem_count"], 1) << dry.body;
  EXPECT_EQ(dry.json["problems"][0]["line"], 3);
  EXPECT_EQ(client_->send("POST", "/v1/studies/s/outcomes", table, "", "text/csv").status, 422);
  EXPECT_EQ(last_entry(), 2);
  now_ -= 1'000'000;  // a clock that is set back does not change what is recorded
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"observed_at", "2026-11-16T09:35:00Z"}}).status, 200);
}

}  // namespace
}  // namespace longrun
