#include "longrun/service/api.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

TEST_F(Api, AStudyFromItsCreationToItsEnd) {
  create({{"title", "Lending, spring"}, {"budget", 4}});
  const auto first = client_->post("/v1/studies/s/decisions", {{"count", 2}}, "k1");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.json["decisions"].size(), 2U);
  EXPECT_EQ(first.json["decisions"][0]["id"], 1);
  EXPECT_EQ(first.json["seq"], 1);
  EXPECT_EQ(first.json["at"], "2026-11-16T09:30:00.000Z");
  const auto outcome = settle(1, {{"kind", "observed"}, {"reward", 0.5}});
  EXPECT_EQ(outcome.status, 200);
  EXPECT_EQ(outcome.json["seq"], 2);
  now_ += 1000;
  EXPECT_EQ(settle(2, {{"kind", "void"}}).status, 200);
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["title"], "Lending, spring");
  EXPECT_EQ(state["spent"], 1);
  EXPECT_EQ(state["left"], 3);
  EXPECT_EQ(state["pending"], 0);
  EXPECT_EQ(state["seq"], 3);
  EXPECT_EQ(state["changed_at"], "2026-11-16T09:30:01.000Z");
  EXPECT_EQ(state["arms"][0]["pulls"].get<int>() + state["arms"][1]["pulls"].get<int>() +
                state["arms"][2]["pulls"].get<int>(),
            1);
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", {{"count", 10}}, "k2").json["decisions"].size(), 3U);
  const auto spent = client_->post("/v1/studies/s/decisions", Json::object(), "k3");
  EXPECT_EQ(spent.status, 422);
  EXPECT_EQ(spent.detail(), "the budget of 4 units is spent; extend it to go on");
  EXPECT_EQ(client_->post("/v1/studies/s/close", nullptr, "k4").status, 201);
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"extend_budget", 5}}, "k5").status, 422);
  EXPECT_EQ(settle(3, {{"reward", 1}}).status, 200);  // outcomes may come late
  EXPECT_TRUE(client_->get("/v1/studies/s").json["closed"].get<bool>());
}

TEST_F(Api, TheSameRequestTwiceHasTheSameAnswerAndOneEffect) {
  create();
  const auto once = client_->post("/v1/studies/s/decisions", {{"count", 3}}, "k");
  start();  // the key is remembered by the store, not by the process
  const auto twice = client_->post("/v1/studies/s/decisions", {{"count", 3}}, "k");
  EXPECT_EQ(twice.body, once.body);
  EXPECT_EQ(twice.status, once.status);
  EXPECT_TRUE(twice.is_repeated);
  EXPECT_FALSE(once.is_repeated);
  EXPECT_EQ(client_->get("/v1/studies/s").json["decisions"], 3);
  const auto other = client_->post("/v1/studies/s/decisions", {{"count", 4}}, "k");
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.detail(), "key 'k' was used for another request (entry 1); use a new key for a new request");
  const auto none = client_->post("/v1/studies/s/decisions", {{"count", 4}});
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(
      client_->post("/v1/studies", {{"name", "s"}, {"arms", {"farms", "shops", "homes"}}, {"budget", 100}}).status,
      201);
  EXPECT_EQ(client_->post("/v1/studies", {{"name", "s"}, {"arms", {"farms", "shops"}}, {"budget", 100}}).status, 409);
}

TEST_F(Api, AnOutcomeTwiceIsOneAndAnotherOneIsAConflict) {
  create();
  const std::int64_t decision = decide("k");
  const auto once = settle(decision, {{"reward", 0.25}});
  const auto twice = settle(decision, {{"kind", "observed"}, {"reward", 0.25}});
  EXPECT_EQ(twice.body, once.body);
  EXPECT_EQ(twice.status, 200);
  const auto other = settle(decision, {{"reward", 0.5}});
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.detail(), "decision 1 has another outcome already: observed 0.25; correct it if that is wrong");
  const auto corrected =
      client_->post("/v1/studies/s/corrections", {{"decision", decision}, {"reward", 0.5}, {"reason", "typo"}}, "c");
  EXPECT_EQ(corrected.status, 201);
  EXPECT_EQ(corrected.json["seq"], 3);
  EXPECT_EQ(settle(decision, {{"reward", 0.25}}).status, 409);
  EXPECT_EQ(settle(decision, {{"reward", 0.5}}).json["seq"], 3);
  EXPECT_EQ(settle(decision, {{"reward", 0.75}}).status, 409);
  EXPECT_EQ(settle(99, {{"reward", 0.75}}).status, 404);
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", {{"decision", decision}, {"reward", 0.5}, {"reason", "x"}}, "d")
                .status,
            409);
}

TEST_F(Api, ManyOutcomesAreAllRecordedOrNone) {
  create();
  client_->post("/v1/studies/s/decisions", {{"count", 4}}, "k");
  const Json wrong{
      {"outcomes",
       {{{"decision", 1}, {"reward", 0.5}}, {{"decision", 2}, {"reward", 70}}, {{"decision", 9}, {"kind", "lost"}}}}};
  const auto dry = client_->post("/v1/studies/s/outcomes?dry_run=true", wrong);
  EXPECT_EQ(dry.status, 200);
  EXPECT_FALSE(dry.json["accepted"].get<bool>());
  ASSERT_EQ(dry.json["problems"].size(), 2U);
  EXPECT_EQ(dry.json["problems"][0]["row"], 2);
  EXPECT_EQ(dry.json["problems"][0]["field"], "/outcomes/1/reward");
  EXPECT_EQ(dry.json["problems"][1]["row"], 3);
  const auto refused = client_->post("/v1/studies/s/outcomes", wrong, "o");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.detail().starts_with("row 2: ")) << refused.detail();
  EXPECT_TRUE(refused.detail().ends_with("(and 1 more: row 3); nothing is recorded")) << refused.detail();
  EXPECT_EQ(refused.json["problem_count"], 2);
  ASSERT_EQ(refused.json["problems"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(refused.json["problems"][i]["row"], dry.json["problems"][i]["row"]);
    EXPECT_EQ(refused.json["problems"][i]["detail"], dry.json["problems"][i]["detail"]);
  }
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 4);
  const auto csv = client_->send("POST", "/v1/studies/s/outcomes", "decision;reward;kind\n1;0.5;\n2;;lost\n1;0.5;\n",
                                 "o2", "text/csv");
  EXPECT_EQ(csv.status, 201) << csv.body;
  EXPECT_EQ(csv.json["recorded"], 2);
  EXPECT_EQ(csv.json["already_known"], 1);
  const auto again = client_->send("POST", "/v1/studies/s/outcomes", "decision;reward;kind\n1;0.5;\n2;;lost\n1;0.5;\n",
                                   "o2", "text/csv");
  EXPECT_EQ(again.body, csv.body);
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 2);
  const auto bad = client_->send("POST", "/v1/studies/s/outcomes", "decision,reward\n3,x\n", "", "text/csv");
  EXPECT_EQ(bad.status, 400);
  EXPECT_NE(bad.detail().find("line 2, column 2"), std::string::npos) << bad.detail();
}

TEST_F(Api, RefusesMistakesWithTheFieldThatIsWrong) {
  create();
  create({{"name", "rounds"}, {"constraints", {{"units_per_round", "2"}}}});
  struct Case {
    const char* path;
    const char* body;
    int status;
    const char* field;
    const char* detail;
  };
  const Case cases[] = {
      {"/v1/studies", "{", 400, "", "the body is not valid JSON near byte 2"},
      {"/v1/studies", "[]", 400, "", "the body is []; it must be a JSON object"},
      {"/v1/studies", R"({"name":"a","arms":["x"]})", 400, "/budget", "budget: missing"},
      {"/v1/studies", R"({"name":"a","arms":["x, y"],"budget":9})", 422, "/arms",
       "arms: 'x, y' is one name; list each name by itself"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":"10"})", 400, "/budget", "budget: \"10\" is not a number"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":1,"budget":2})", 400, "",
       "the field \"budget\" is given twice"},
      {"/v1/studies", R"({"name":"a","arms":["x",7],"budget":10})", 400, "/arms/1", "arms: 7 is not a text"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"polcy":"ucb"})", 422, "/polcy",
       "polcy: unknown field; did you mean 'policy'?"},
      {"/v1/studies", R"({"name":"a b","arms":["x"],"budget":10})", 422, "/name", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x","x"],"budget":10})", 422, "/arms",
       "arms: 'x' is given twice; names must differ"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":0})", 422, "/budget", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"scale":[1,0]})", 422, "/scale", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"noise":"loud"})", 422, "/noise", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"policy":"luck"})", 422, "/policy", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"mode":"test"})", 422, "/mode",
       "mode: 'test' is not 'live' or 'shadow'"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"constraints":{"minimum_share":"y:0.1"}})", 422,
       "/constraints/minimum_share", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"constraints":{"minimal_share":"0.1"}})", 422,
       "/constraints/minimal_share", nullptr},
      {"/v1/studies", R"({"name":"a","arms":["x","y"],"budget":10,"constraints":{"minimum_share":"0.8"}})", 422,
       "/constraints/minimum_share", "minimum_share: the shares of all 2 arms add up to 1.6, more than 1"},
      {"/v1/studies", R"({"name":"a","arms":["x","y"],"budget":10,"constraints":{"minimum_pulls":"6"}})", 422,
       "/constraints/minimum_pulls", "minimum_pulls: 12 units are needed, but the budget has only 10"},
      {"/v1/studies",
       R"({"name":"a","arms":["x","y"],"budget":10,"constraints":{"minimum_pulls":"6","minimum_share":"0.1"}})", 422,
       "/constraints", "minimum_pulls, minimum_share: 12 units are needed, but the budget has only 10"},
      {"/v1/studies", R"({"name":"a","arms":["x","y"],"budget":10,"constraints":{"costs":"2","unspent":"lapse"}})", 422,
       "/constraints/unspent", "unspent: units can lapse only if every pull costs 1, but one costs 2"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":10,"policy":"optimal"})", 422, "/policy",
       "policy: 'optimal' needs known reward curves, which a study does not have"},
      {"/v1/studies/s/decisions", R"({"count":0})", 422, "/count", nullptr},
      {"/v1/studies/s/decisions", R"({"among":["farm"]})", 422, "/among",
       "arm 'farm' is not an arm of the study; did you mean 'farms'?"},
      {"/v1/studies/s/decisions", R"({"among":["farms","farms"]})", 422, "/among", "arm 'farms' is given twice"},
      {"/v1/studies/s/decisions", R"({"among":[]})", 422, "/among", nullptr},
      {"/v1/studies/s/observations", R"({"arm":"farms","reward":50})", 422, "/reward",
       "reward 50 of arm 'farms' is further outside the scale 0 to 1 than noise explains; check the reward, because "
       "the scale of a study cannot change"},
      {"/v1/studies/s/observations", R"({"arm":"Farms","reward":0.5})", 422, "/arm", nullptr},
      {"/v1/studies/s/observations", R"({"arm":"farms","reward":null})", 400, "/reward",
       "reward: null is not a number"},
      {"/v1/studies/s/corrections", R"({"decision":1,"reward":0.5,"reason":"x"})", 404, "/decision",
       "there is no decision 1; the last one is 0"},
      {"/v1/studies/s/corrections", R"({"decision":1,"reward":0.5})", 400, "/reason", "reason: missing"},
      {"/v1/studies/s/observations", R"({"arm":"farms","reward":0.5,"id":""})", 422, "/id",
       "id: must have 1 to 200 bytes"},
      {"/v1/studies/s/changes", R"({"unavailable":["farms","farms"]})", 422, "/unavailable",
       "arm 'farms' is given twice"},
      {"/v1/studies/s/changes", R"({})", 422, "", nullptr},
      {"/v1/studies/s/changes", R"({"noise":"gausian:0.1"})", 422, "/noise", nullptr},
      {"/v1/studies/s/changes", R"({"noise":0.1})", 400, "/noise", nullptr},
      {"/v1/studies/s/changes", R"({"noise":"estimate"})", 422, "/noise", "noise: estimate is the noise already"},
      {"/v1/studies/s/changes", R"({"constraints":"none"})", 400, "/constraints", nullptr},
      {"/v1/studies/s/changes", R"({"constraints":{}})", 422, "/constraints", nullptr},
      {"/v1/studies/s/changes", R"({"constraints":{"minimum_shares":"0.1"}})", 422, "/constraints/minimum_shares",
       "constraints.minimum_shares: unknown; did you mean 'minimum_share'?"},
      {"/v1/studies/s/changes", R"({"constraints":{"minimum_share":"farm:0.1"}})", 422, "/constraints/minimum_share",
       nullptr},
      {"/v1/studies/s/changes", R"({"constraints":{"minimum_share":"0.4"}})", 422, "/constraints/minimum_share",
       "minimum_share: the shares of all 3 arms add up to 1.2, more than 1"},
      {"/v1/studies/s/changes", R"({"constraints":{"minimum_pulls":"50"}})", 422, "/constraints/minimum_pulls",
       "minimum_pulls: at least 150 units are needed, but only 100 are left"},
      {"/v1/studies/s/changes", R"({"constraints":{"minimum_pulls":"50","minimum_share":"0.1"}})", 422, "/constraints",
       "minimum_pulls, minimum_share: at least 150 units are needed, but only 100 are left"},
      {"/v1/studies/s/changes", R"({"constraints":{"units_per_round":"5"}})", 422, "/constraints/units_per_round",
       "units_per_round: cannot change while the study runs; minimum_pulls, minimum_share and unavailable can"},
      {"/v1/studies/s/changes", R"({"constraints":{"minimum_share":null}})", 422, "/constraints",
       "constraints: they are the constraints already"},
      {"/v1/studies/s/changes", R"({"noise":"gaussian:0.1","constraints":{"minimum_pulls":"50"}})", 422,
       "/constraints/minimum_pulls", nullptr},
      {"/v1/studies/s/changes", R"({"add_arms":["farms"]})", 422, "/add_arms",
       "add_arms: 'farms' is an arm of the study already; names must differ"},
      {"/v1/studies/s/changes", R"({"add_arms":["new","new"]})", 422, "/add_arms",
       "add_arms: 'new' is given twice; names must differ"},
      {"/v1/studies/s/changes", R"({"extend_budget":-1})", 422, "/extend_budget",
       "extend_budget: -1 is not in 1..999999999900"},
      {"/v1/studies/s/changes", R"({"extend_budget":1e30})", 422, "/extend_budget",
       "extend_budget: 1e+30 is not in 1..999999999900"},
      {"/v1/studies", R"({"name":"a","arms":["x"],"budget":1e30})", 422, "/budget",
       "budget: 1e+30 is not in 1..1000000000000"},
      {"/v1/studies", R"({"name":"import","arms":["x"],"budget":10})", 422, "/name",
       "name: 'import' is reserved, because the path of imports has it; choose another name"},
      {"/v1/studies/s/decisions", R"({"count":1e30})", 422, "/count", "count: 1e+30 is out of range"},
      {"/v1/studies/s/decisions", R"({"count":1.5})", 400, "/count", "count: 1.5 is not a whole number"},
      {"/v1/studies/rounds/decisions", R"({"count":2})", 422, "/count",
       "count: is 2, but under constraints a round of 2 units is decided; leave it out"},
      {"/v1/studies/s/changes", R"({"add_arms":["new"],"extend_budget":-1})", 422, "/extend_budget", nullptr},
      {"/v1/studies/t/decisions", R"({})", 404, "", "there is no study 't'"},
      {"/v1/studies/s/nothing", R"({})", 404, "path", "there is nothing at /v1/studies/s/nothing"},
      {"/v1/studies/s/decision", R"({})", 404, "path",
       "there is nothing at /v1/studies/s/decision; did you mean 'decisions'?"},
      {"/v1/studies/s/decisions/7/outcomes", R"({})", 404, "path",
       "there is nothing at /v1/studies/s/decisions/7/outcomes; did you mean 'outcome'?"},
      {"/v1/studies/s/outcome", R"({})", 404, "path",
       "there is nothing at /v1/studies/s/outcome; did you mean 'outcomes'?"},
      {"/v1/runs", R"({})", 404, "path", "there is nothing at /v1/runs"},
      {"/v1/v1/studies", R"({})", 404, "path", "there is nothing at /v1/v1/studies; did you mean /v1/studies?"},
      {"/studies", R"({})", 404, "path", "there is nothing at /studies; the interface begins with /v1/: /v1/studies"},
      {"/studies/s/decisions", R"({})", 404, "path",
       "there is nothing at /studies/s/decisions; the interface begins with /v1/: /v1/studies/s/decisions"},
      {"/v1/healthz", R"({})", 404, "path", "there is nothing at /v1/healthz; did you mean /healthz?"},
      {"/ap.js", R"({})", 404, "path", "there is nothing at /ap.js; did you mean 'app.js'?"},
      {"/study", R"({})", 404, "path", "there is nothing at /study; did you mean 'study.js'?"},
      {"/openapi", R"({})", 404, "path", "there is nothing at /openapi; did you mean 'openapi.json'?"},
      {"/metric", R"({})", 404, "path", "there is nothing at /metric; did you mean 'metrics'?"},
      {"/v1/studies/s/plan", R"({})", 405, "", "POST is not possible on /v1/studies/s/plan"},
  };
  int key = 0;
  for (const Case& each : cases) {
    const auto answer = client_->send("POST", each.path, each.body, "k" + std::to_string(++key));
    EXPECT_EQ(answer.status, each.status) << each.body << answer.body;
    EXPECT_EQ(answer.field(), each.field) << each.body << answer.body;
    if (each.detail != nullptr) {
      EXPECT_EQ(answer.detail(), each.detail) << each.body;
    }
  }
  EXPECT_EQ(client_->send("POST", "/v1/studies", "name=a", "", "text/plain").status, 415);
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 0);  // nothing of it was recorded
  EXPECT_EQ(client_->get("/v1/studies/s/events?aftr=1").status, 422);
  EXPECT_EQ(client_->get("/v1/studies/s/events?decision=1&after=0").detail(),
            "parameter after: not possible with decision; leave one of them out");
  EXPECT_EQ(client_->get("/v1/studies/s/series?points=100000").status, 422);
}

TEST_F(Api, TellsClientsWhatAMessageIsAbout) {
  create();
  const auto refused = [&](const char* path, const Json& body) { return client_->post(path, body, "k").json; };
  const Json both = refused("/v1/studies", {{"name", "a"},
                                            {"arms", {"x", "y"}},
                                            {"budget", 10},
                                            {"constraints", {{"minimum_pulls", "6"}, {"minimum_share", "0.1"}}}});
  EXPECT_EQ(both["fields"], (Json{"/constraints/minimum_pulls", "/constraints/minimum_share"}));
  EXPECT_EQ(both["problem"], "12 units are needed, but the budget has only 10");
  const Json text = refused("/v1/studies/s/changes", {{"constraints", {{"minimum_share", "farm:0.1"}}}});
  EXPECT_EQ(text["fields"], (Json{"/constraints/minimum_share"}));
  EXPECT_EQ(text["detail"], "constraints.minimum_share: " + text["problem"].get<std::string>());
  create({{"name", "full"}, {"constraints", {{"minimum_share", "0.3"}}}});
  const Json added = refused("/v1/studies/full/changes", {{"add_arms", {"schools"}}});
  EXPECT_EQ(added["field"], "/add_arms") << "the request has no constraints";
  EXPECT_EQ(added["fields"], (Json{"/constraints/minimum_share"}));
  EXPECT_EQ(added["problem"], "the shares of all 4 arms add up to 1.2, more than 1");
  EXPECT_FALSE(refused("/v1/studies/s/changes", Json::object()).contains("fields"));
  const auto table = [&](const char* rows) {
    return client_->send("POST", "/v1/studies/s/observations", rows, "k", "text/csv").json;
  };
  EXPECT_EQ(table("1,2\n")["fields"], Json{""}) << "the whole body";
  EXPECT_EQ(table("1,2\n")["problem"], "line 1, column '1': is unknown; columns: arm, reward, and perhaps id");
  EXPECT_EQ(table("1,2\n")["detail"], "body: line 1, column '1': is unknown; columns: arm, reward, and perhaps id");
  EXPECT_EQ(table("sep=;\n1;2\n")["problem"], "line 2, column '1': is unknown; columns: arm, reward, and perhaps id");
  EXPECT_EQ(table("sep=;\narm;arm\n")["problem"], "line 2, column 'arm': is given twice");
  EXPECT_EQ(table("sep=;\narm\n")["problem"], "line 2 lacks columns; columns: arm, reward, and perhaps id");
  EXPECT_EQ(table("sep=;\narm;reward\nfarms;x\n")["problem"],
            "line 3, column 2 (reward): 'x' is not a finite number; nothing is recorded");
  EXPECT_EQ(table("arm,reward\n\nfarms,0.5\nfarms\n")["problem"],
            "line 2: is empty, but rows follow it (and 1 more: line 4); nothing is recorded");
  const Json control = refused("/v1/studies/s/changes", {{"constraints", {{"minimum_share", "fa\x1brm:0.1"}}}});
  EXPECT_NE(control["problem"].get<std::string>().find("fa\\u001brm"), std::string::npos) << control;
  const Json row = table("arm,reward\nfarm,1\n");
  EXPECT_EQ(row["fields"], Json{""});
  EXPECT_EQ(row["problem"], row["detail"]);
}

TEST_F(Api, ListsThePoliciesIfOneIsUnknown) {
  const auto detail = [&](const char* policy) {
    return client_->post("/v1/studies", {{"name", "a"}, {"arms", {"x"}}, {"budget", 10}, {"policy", policy}}).detail();
  };
  EXPECT_TRUE(detail("nope").starts_with("unknown policy 'nope' (known: spo, greedy, ")) << detail("nope");
  EXPECT_NE(detail("nope").find(", foresight, "), std::string::npos) << detail("nope");
  EXPECT_TRUE(detail("foresigt").starts_with("unknown policy 'foresigt'; did you mean 'foresight'? (known: spo, "));
}

TEST_F(Api, AComparisonThatIsNotPossibleIsNamedAsTheParameterHasIt) {
  create();
  EXPECT_EQ(client_->get("/v1/studies/s/plan?futures=100&compare=minimum-share=0.8").detail(),
            "parameter compare: minimum-share 0.8: minimum_share: the shares of all 3 arms add up to 2.4, more than 1");
  EXPECT_EQ(
      client_->get("/v1/studies/s/plan?futures=100&compare=costs=200").detail(),
      "parameter compare: costs 200: costs: the cheapest pull costs 200 units, more than the horizon of 100 units");
}

TEST_F(Api, ConditionsChangeWithoutAReset) {
  create({{"budget", 10}});
  settle(decide("k1"), {{"reward", 0.5}});
  const auto changed =
      client_->post("/v1/studies/s/changes",
                    {{"add_arms", {"schools"}}, {"extend_budget", 5}, {"unavailable", {"schools", "farms"}}}, "c");
  EXPECT_EQ(changed.status, 201) << changed.body;
  EXPECT_EQ(changed.json["recorded"], 3);
  EXPECT_EQ(client_
                ->post("/v1/studies/s/changes",
                       {{"add_arms", {"schools"}}, {"extend_budget", 5}, {"unavailable", {"schools", "farms"}}}, "c")
                .body,
            changed.body);
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["budget"], 15);
  EXPECT_EQ(state["arms"].size(), 4U);
  EXPECT_FALSE(state["arms"][3]["available"].get<bool>());
  EXPECT_EQ(state["spent"], 1);
  const Json decided = client_->post("/v1/studies/s/decisions", {{"count", 6}}, "k2").json["decisions"];
  for (const Json& each : decided) EXPECT_TRUE(each["arm"] == "shops" || each["arm"] == "homes") << each;
  start();
  EXPECT_EQ(client_->get("/v1/studies/s").json["arms"][3]["arm"], "schools");
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(Api, NoiseAndConstraintsChangeWithoutAReset) {
  for (const char* mode : {"live", "shadow"}) {
    SetUp();
    create(
        {{"budget", 100}, {"noise", "gaussian:0.1"}, {"mode", mode}, {"constraints", {{"minimum_pulls", "homes:3"}}}});
    const auto observe = [&](const std::string& arm, double reward, int number) {
      return client_->post("/v1/studies/s/observations",
                           {{"arm", arm}, {"reward", reward}, {"id", std::to_string(number)}});
    };
    for (int i = 0; i < 50; ++i) observe("farms", 0.25 + 0.01 * i, i);
    const Json body{{"noise", "gaussian:0.3"},
                    {"add_arms", {"schools"}},
                    {"constraints", {{"minimum_share", "schools:0.9"}, {"minimum_pulls", nullptr}}}};
    const auto changed = client_->post("/v1/studies/s/changes", body, "c");
    ASSERT_EQ(changed.status, 201) << changed.body;
    EXPECT_EQ(changed.json["recorded"], 3);
    EXPECT_EQ(client_->post("/v1/studies/s/changes", body, "c").body, changed.body) << "the same key, one change";
    EXPECT_EQ(client_->post("/v1/studies/s/changes", body, "d").status, 422) << "the arm is there already";
    EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"noise", "gaussian:0.3"}}, "e").detail(),
              "noise: gaussian:0.3 is the noise already");
    EXPECT_EQ(client_->send("POST", "/v1/studies/s/changes", R"({"noise":"estimate"})", "").status, 400) << "no key";
    EXPECT_TRUE(client_->post("/v1/studies/s/changes", {{"noise", "bernoulli"}}, "f")
                    .detail()
                    .starts_with("noise: bernoulli contradicts what was reported: reward 0.25 of arm 'farms'"));

    const auto check_state = [&] {
      const Json state = client_->get("/v1/studies/s").json;
      EXPECT_EQ(state["noise"], "gaussian:0.3");
      EXPECT_EQ(state["constraints"], (Json{{"minimum_share", "schools:0.9"}}));
      EXPECT_EQ(state["spent"], 50) << "nothing is reset";
      EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
    };
    check_state();
    EXPECT_EQ(client_->get("/v1/studies/s/recommendation").json["first"]["name"], "schools");
    const auto plan = client_->get("/v1/studies/s/plan?futures=100&compare=minimum_share=farms:0.5");
    ASSERT_EQ(plan.status, 200) << plan.body;
    EXPECT_EQ(plan.json["courses"].back()["name"], "minimum_share farms:0.5");
    start();
    check_state();

    const auto events = client_->get("/v1/studies/s/events?after=51").body;
    EXPECT_NE(events.find(R"("event":"noise_changed","noise":"gaussian:0.3")"), std::string::npos) << events;
    EXPECT_NE(events.find(R"("constraints":{"minimum_share":"schools:0.9"})"), std::string::npos) << events;
    const std::string log = client_->get("/v1/studies/s/export").body;
    ASSERT_EQ(client_->send("POST", "/v1/studies/import?name=t", log, "", "application/jsonl").status, 201);
    const auto after_creation = [](const std::string& lines) { return lines.substr(lines.find('\n')); };
    EXPECT_EQ(after_creation(client_->get("/v1/studies/t/export").body), after_creation(log));
    EXPECT_EQ(client_->get("/v1/studies/t").json["constraints"], client_->get("/v1/studies/s").json["constraints"]);

    client_->post("/v1/studies/s/close", Json::object(), "end");
    EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"noise", "estimate"}}, "g").status, 422);
    EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"constraints", {{"minimum_share", "0"}}}}, "h").status, 422);
  }
}

TEST_F(Api, AShadowComparesWhatWasDoneWithItsOwnChoice) {
  create({{"mode", "shadow"}});
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "k").status, 409);
  EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"arm", "farms"}, {"reward", 0.5}, {"id", "a"}}).status, 201);
  EXPECT_TRUE(
      client_->post("/v1/studies/s/observations", {{"arm", "farms"}, {"reward", 0.5}, {"id", "a"}}).is_repeated);
  for (int i = 0; i < 9; ++i) {
    client_->post("/v1/studies/s/observations", {{"arm", "homes"}, {"reward", 0.2}, {"id", std::to_string(i)}});
  }
  const Json before = client_->get("/v1/studies/s").json["shadow"];
  EXPECT_EQ(before["observations"], 10);
  EXPECT_LT(before["agreed"].get<int>(), 10);
  start();
  EXPECT_EQ(client_->get("/v1/studies/s").json["shadow"], before);
}

TEST_F(Api, AnExportIsImportedWithTheSameLog) {
  create({{"constraints", {{"units_per_round", "2"}, {"minimum_share", "farms:0.2"}}}});
  for (int i = 0; i < 5; ++i) {
    const Json decided =
        client_->post("/v1/studies/s/decisions", Json::object(), "k" + std::to_string(i)).json["decisions"];
    for (const Json& each : decided) {
      settle(each["id"], {{"reward", 0.1 * i}, {"observed_at", "2026-11-15T00:00:00Z"}});
    }
  }
  client_->post("/v1/studies/s/corrections", {{"decision", 1}, {"kind", "lost"}, {"reason", "never \"paid\""}}, "c");
  const std::string lines = client_->get("/v1/studies/s/export").body;
  EXPECT_EQ(client_->send("POST", "/v1/studies/import", lines, "").status, 201);  // the same study: nothing to do
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?dry_run", lines, "").json["new"], 0);
  const auto copy = client_->send("POST", "/v1/studies/import?name=copy", lines, "");
  EXPECT_EQ(copy.status, 201) << copy.body;
  const std::string copied = client_->get("/v1/studies/copy/export").body;
  EXPECT_EQ(copied.substr(copied.find('\n')), lines.substr(lines.find('\n')));
  EXPECT_TRUE(client_->get("/v1/studies/copy/audit").json["state_agrees"].get<bool>());
  const auto next = client_->post("/v1/studies/copy/decisions", Json::object(), "n").json["decisions"];
  EXPECT_EQ(next, client_->post("/v1/studies/s/decisions", Json::object(), "n").json["decisions"]);
  std::string cut = lines;
  cut.erase(cut.find('\n'), cut.find('\n', cut.find('\n') + 1) - cut.find('\n'));  // without its second line
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=cut", cut, "").status, 422);
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=cut", "nonsense\n", "").status, 422);
}

TEST_F(Api, RefusesParametersThatItDoesNotKnow) {
  create();
  for (const char* path : {"/v1/studies", "/v1/studies/s/decisions", "/v1/studies/s/corrections",
                           "/v1/studies/s/changes", "/v1/studies/s/close"}) {
    const auto answer = client_->post(path + std::string("?dry_run=true"), Json::object(), "k");
    EXPECT_EQ(answer.status, 422) << path;
    EXPECT_EQ(answer.detail(), "parameter 'dry_run' is unknown here") << path;
  }
  for (const char* path : {"", "/s", "/s/recommendation", "/s/export", "/s/audit"}) {
    EXPECT_EQ(client_->get("/v1/studies" + std::string(path) + "?most=1").status, 422) << path;
  }
  EXPECT_EQ(client_->put("/v1/studies/s/decisions/1/outcome?dry_run=true", {{"reward", 0.5}}).status, 422);
  EXPECT_EQ(client_->post("/v1/studies/s/close", {{"reason", "done"}}, "k").status, 422);
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 0);
}

TEST_F(Api, PendingDecisionsHavePages) {
  create();
  client_->post("/v1/studies/s/decisions", {{"count", 5}}, "k");
  settle(2, {{"kind", "lost"}});
  const auto ids = [&](const std::string& query) {
    std::vector<int> found;
    const Json answer = client_->get("/v1/studies/s/decisions" + query).json;
    EXPECT_EQ(answer["pending"], 4);
    for (const Json& each : answer["decisions"]) found.push_back(each["id"]);
    return found;
  };
  EXPECT_EQ(ids(""), (std::vector{1, 3, 4, 5}));
  EXPECT_EQ(ids("?most=2"), (std::vector{1, 3}));
  EXPECT_EQ(ids("?most=2&after=3"), (std::vector{4, 5}));
  EXPECT_EQ(ids("?after=5"), std::vector<int>{});
  EXPECT_EQ(client_->get("/v1/studies/s/decisions?after=-1").status, 422);
}

TEST_F(Api, SeriesAreThinnedAndSumsAreKept) {
  create({{"budget", 5000}, {"policy", "greedy"}});
  double total = 0;
  for (int i = 0; i < 20; ++i) {
    Json outcomes = Json::array();
    const Json decided =
        client_->post("/v1/studies/s/decisions", {{"count", 100}}, "k" + std::to_string(i)).json["decisions"];
    for (const Json& each : decided) {
      const double reward = 0.001 * (each["id"].get<int>() % 700);
      total += reward;
      outcomes.push_back({{"decision", each["id"]}, {"reward", reward}});
    }
    EXPECT_EQ(client_->post("/v1/studies/s/outcomes", {{"outcomes", outcomes}}).status, 201);
  }
  const Json series = client_->get("/v1/studies/s/series?points=50").json;
  double sum = 0;
  std::int64_t pulls = 0;
  for (const Json& arm : series["arms"]) {
    EXPECT_LE(arm["rewards"].size(), 50U);
    for (const Json& bucket : arm["rewards"]) {
      sum += bucket[3].get<double>() * (bucket[1].get<double>() - bucket[0].get<double>() + 1);
      EXPECT_LE(bucket[2], bucket[3]);
      EXPECT_LE(bucket[3], bucket[4]);
    }
  }
  for (const Json& arm : series["allocation"]["arms"]) {
    for (const Json& bucket : arm) pulls += bucket.get<std::int64_t>();
  }
  EXPECT_NEAR(sum, total, 1e-9 * total);
  EXPECT_EQ(pulls, 2000);
  EXPECT_EQ(series["total"].back()[1], 2000);
}

TEST_F(Api, TimesNeverRunBackwards) {
  create();
  decide("a");
  now_ -= 100'000;
  decide("b");
  EXPECT_EQ(client_->get("/v1/studies/s").json["changed_at"], "2026-11-16T09:30:00.000Z");
}

TEST_F(Api, TheRecommendationIsTheNextDecisionWhateverIsPending) {
  create({{"budget", 60}, {"constraints", {{"units_per_round", "3"}, {"minimum_share", "homes:0.2"}}}});
  for (int round = 0; round < 15; ++round) {
    if (round == 5) client_->post("/v1/studies/s/changes", {{"unavailable", {"farms"}}}, "away");
    const Json advice = client_->get("/v1/studies/s/recommendation").json;
    std::map<std::string, int> advised;
    for (const Json& each : advice["next"]) advised[each["name"]] = each["pulls"];
    std::map<std::string, int> decided;
    const Json made =
        client_->post("/v1/studies/s/decisions", Json::object(), "k" + std::to_string(round)).json["decisions"];
    for (const Json& each : made) {
      ++decided[each["arm"]];
      const std::int64_t id = each["id"];
      if (id % 4 == 0) settle(id, {{"kind", id % 8 == 0 ? "lost" : "void"}});
      if (id % 4 != 0 && round % 3 != 2) settle(id, {{"reward", each["arm"] == "shops" ? 0.6 : 0.3}});
    }
    EXPECT_EQ(advised, decided) << "round " << round;
  }
}

TEST_F(Api, RecommendationAndPlanAreThoseOfTheStudy) {
  create();
  for (int i = 0; i < 12; ++i) {
    const std::int64_t id = decide("k" + std::to_string(i));
    settle(id, {{"reward", 0.2 + 0.02 * i}});
  }
  const Json advice = client_->get("/v1/studies/s/recommendation").json;
  const std::string arm = advice["next"][0]["name"];
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "n").json["decisions"][0]["arm"], arm);
  const Json plan = client_->get("/v1/studies/s/plan?futures=100&compare=minimum_share=0.3").json;
  EXPECT_EQ(plan["courses"].size(), 5U) << plan;
  EXPECT_EQ(client_->get("/v1/studies/s/plan?compare=luck=1").status, 422);
}

TEST_F(Api, ARecommendationSaysWhyAnArmWithALargerIndexIsHeldBack) {
  create({{"noise", "gaussian:0.1"}});
  for (const char* key : {"1", "2", "3"}) {  // whose rewards do not arrive
    client_->post("/v1/studies/s/decisions", {{"among", {"farms"}}}, key);
  }
  client_->post("/v1/studies/s/changes", {{"unavailable", {"homes"}}}, "u");
  for (const char* key : {"a", "b", "c", "d"}) {
    client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.9}}, key);
  }
  const Json advice = client_->get("/v1/studies/s/recommendation").json;
  ASSERT_EQ(advice["first"]["name"], "shops");
  ASSERT_GT(advice["arms"][0]["index"], advice["arms"][1]["index"]);
  const std::string why = advice["why"][0];
  EXPECT_TRUE(why.starts_with("Arm 'shops' is chosen although arm 'farms' has a larger index")) << why;
  EXPECT_NE(why.find("no reward of arm 'farms' is known after 3 pulls"), std::string::npos) << why;
}

TEST_F(Api, EntriesAfterOneThatTheLogDoesNotHaveAreAnError) {
  create();
  decide("k");
  EXPECT_EQ(client_->get("/v1/studies/s/events?after=1").status, 200);
  EXPECT_EQ(client_->get("/v1/studies/s/events?after=1").body, "");
  const auto beyond = client_->get("/v1/studies/s/events?after=2");
  EXPECT_EQ(beyond.status, 422);
  EXPECT_EQ(beyond.detail(),
            "parameter after: there is no entry 2; the last one is 1. If there was one, an older backup was restored: "
            "read the log from its start");
}

}  // namespace
}  // namespace longrun
