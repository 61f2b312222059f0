// Tests of the interface: corrections of observations, the way from shadow to live, units with decimals, tables with
// several mistakes, and methods.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// Returns what a study is, apart from the number and the time of its last entry.
Json without_log(Json state) {
  for (const char* field : {"seq", "name", "changed_at", "created_at"}) state.erase(field);
  return state;
}

TEST_F(Api, ACorrectedObservationIsAsIfItHadAlwaysBeenRight) {
  const auto observe = [&](const std::string& study, double reward) {
    const Json body{{"arm", "shops"}, {"reward", reward}, {"id", "contract 17"}};
    return client_->post("/v1/studies/" + study + "/observations", body);
  };
  const auto decide_in = [&](const std::string& study) {
    return client_->post("/v1/studies/" + study + "/decisions", {{"count", 5}}, "d").json["decisions"];
  };
  create();
  create({{"name", "right"}});
  EXPECT_EQ(observe("s", 0.9).status, 201);
  EXPECT_EQ(observe("right", 0.09).status, 201);
  decide_in("s");
  const auto corrected = client_->post(
      "/v1/studies/s/corrections", {{"observation", "contract 17"}, {"reward", 0.09}, {"reason", "typing error"}}, "c");
  EXPECT_EQ(corrected.status, 201) << corrected.body;
  EXPECT_EQ(corrected.json["observation"], 1);
  EXPECT_EQ(corrected.json["reward"], 0.09);
  EXPECT_EQ(client_->get("/v1/studies/s/series").json["arms"][1]["rewards"],
            client_->get("/v1/studies/right/series").json["arms"][1]["rewards"]);
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
  const std::string lines = client_->get("/v1/studies/s/export").body;
  const auto imported = client_->send("POST", "/v1/studies/import?name=copy", lines, "");
  EXPECT_EQ(imported.status, 201) << imported.body;
  EXPECT_EQ(without_log(client_->get("/v1/studies/copy").json), without_log(client_->get("/v1/studies/s").json));
  service_->forget_all();
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(Api, AVoidObservationGivesItsUnitBack) {
  create({{"budget", 2}});
  const Json rows{{"observations", {{{"arm", "shops"}, {"reward", 0.5}}, {{"arm", "farms"}, {"reward", 0.25}}}}};
  EXPECT_EQ(client_->post("/v1/studies/s/observations", rows, "o").json["events"], (Json{1, 2}));
  const auto correct = [&](const Json& observation, Json outcome, const std::string& key) {
    outcome["observation"] = observation;
    outcome["reason"] = "x";
    return client_->post("/v1/studies/s/corrections", outcome, key);
  };
  EXPECT_EQ(correct(2, {{"kind", "void"}}, "a").status, 201);
  EXPECT_EQ(client_->get("/v1/studies/s").json["spent"], 1);
  EXPECT_EQ(client_->get("/v1/studies/s").json["arms"][0]["pulls"], 0);
  const Json series = client_->get("/v1/studies/s/series").json;
  EXPECT_EQ(series["voided"], 0) << "no decision is void";
  EXPECT_EQ(series["observations"], 1) << "without the void one";
  EXPECT_TRUE(correct(2, {{"kind", "void"}}, "a").is_repeated);
  EXPECT_EQ(correct(2, {{"kind", "void"}}, "b").status, 409);
  EXPECT_EQ(correct(2, {{"kind", "lost"}}, "c").status, 422);
  EXPECT_EQ(correct(2, {{"reward", 70}}, "d").status, 422);
  EXPECT_EQ(correct(3, {{"reward", 0.5}}, "e").detail(), "event 3 is not an observation");
  EXPECT_EQ(correct(9, {{"reward", 0.5}}, "f").status, 404);
  EXPECT_EQ(correct("x", {{"reward", 0.5}}, "g").status, 404);
  EXPECT_EQ(correct("x", {{"reward", 0.5}}, "g").field(), "/observation");
  EXPECT_EQ(correct(1, {{"reward", 0.5}, {"decision", 1}}, "h").status, 422);
  EXPECT_EQ(correct(2, {{"reward", 0.75}}, "i").status, 201);
  EXPECT_EQ(client_->get("/v1/studies/s").json["spent"], 2);
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(Api, AnIdThatIsUsedTwiceIsCalledAnId) {
  create();
  const auto observe = [&](double reward) {
    return client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", reward}, {"id", "contract 17"}});
  };
  EXPECT_EQ(observe(0.5).status, 201);
  const auto other = observe(0.25);
  EXPECT_EQ(other.status, 422);
  EXPECT_TRUE(other.detail().starts_with("id 'contract 17' was used for another observation (entry 1)"))
      << other.detail();
  EXPECT_EQ(other.field(), "/id");
}

TEST_F(Api, ACorrectionThatOverspendsTheBudgetIsRecordedAndSaid) {
  create({{"arms", {"a", "b"}}, {"budget", 4}, {"constraints", {{"costs", "a:1,b:1.5"}}}});
  for (int round = 0; client_->get("/v1/studies/s").json["done"] == false; ++round) {
    const Json made = client_->post("/v1/studies/s/decisions", Json::object(), std::to_string(round)).json["decisions"];
    for (const Json& each : made) settle(each["id"], round < 2 ? Json{{"kind", "void"}} : Json{{"reward", 0.5}});
  }
  const double spent = client_->get("/v1/studies/s").json["spent"];
  EXPECT_FALSE(client_->get("/v1/studies/s").json.contains("overspent"));
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", {{"decision", 1}, {"reward", 0.5}, {"reason", "x"}}, "c").status,
            201)
      << "what truly happened is not refused";
  const std::string by = fmt::format("{:g}", spent + 1 - 4);
  const auto check_all = [&] {
    const Json state = client_->get("/v1/studies/s").json;
    EXPECT_EQ(state["spent"], spent + 1);
    EXPECT_EQ(state["left"], 0.0);
    EXPECT_EQ(state["overspent"], spent + 1 - 4);
    EXPECT_EQ(state["done"], true);
    const Json advice = client_->get("/v1/studies/s/recommendation").json;
    EXPECT_EQ(advice["what_to_do"], "No arm can be pulled.");
    EXPECT_EQ(advice["why"], Json::array({"The budget of 4 units is overspent by " + by +
                                          ", because pulls were recorded that cost more than was left."}));
    EXPECT_EQ(advice["what_would_change"],
              Json::array({"No arm can be pulled until the budget is extended by more than " + by + "."}));
    EXPECT_EQ(advice["horizon"], 4.0);
    EXPECT_EQ(advice["units_left"], 0);
    EXPECT_EQ(advice["remaining"], 0);
    EXPECT_EQ(advice["overspent"], spent + 1 - 4);
    const Json plan = client_->get("/v1/studies/s/plan?futures=100").json;
    EXPECT_EQ(plan["overspent"], spent + 1 - 4);
    EXPECT_EQ(plan["units_left"], 0);
    EXPECT_EQ(plan["horizon"], 4.0);
    EXPECT_EQ(plan["what_is_earned"],
              Json::array({"The budget of 4 units is overspent by " + by +
                           ", because pulls were recorded that cost more than was left. No pulls remain."}));
    const std::string refused =
        "the budget of 4 units is overspent by " + by + "; extend it by more than " + by + " to go on";
    EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "d").detail(), refused);
    EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"arm", "a"}, {"reward", 0.5}, {"id", "1"}}).detail(),
              refused);
    EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
  };
  check_all();
  start();
  check_all();
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"extend_budget", spent + 1 - 4 + 3}}, "e").status, 201);
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_FALSE(state.contains("overspent"));
  EXPECT_EQ(state["left"], 3.0);
  std::size_t decided = 0;  // the first rounds have no units: these were spent before
  for (const char* key : {"f", "g", "h"}) {
    const auto next = client_->post("/v1/studies/s/decisions", Json::object(), key);
    EXPECT_EQ(next.status, 201) << next.body;
    decided += next.json["decisions"].size();
  }
  EXPECT_GE(decided, 1U);
}

TEST_F(Api, AShadowGoesLiveWithWhatItHasSeen) {
  create({{"mode", "shadow"}});
  create({{"name", "live"}});
  for (const char* study : {"s", "live"}) {
    const Json rows{{"observations", {{{"arm", "farms"}, {"reward", 0.5}}, {{"arm", "homes"}, {"reward", 0.75}}}}};
    EXPECT_EQ(client_->post(std::string("/v1/studies/") + study + "/observations", rows, "o").status, 201);
  }
  const auto change = [&](const char* mode, const std::string& key) {
    return client_->post("/v1/studies/s/changes", {{"mode", mode}}, key);
  };
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "d").status, 409);
  EXPECT_EQ(change("shadow", "a").detail(), "mode: the study is shadow already");
  EXPECT_EQ(change("dead", "a").status, 422);
  EXPECT_EQ(change("live", "b").status, 201);
  EXPECT_EQ(change("live", "c").detail(), "mode: the study is live already");
  EXPECT_EQ(change("shadow", "c").status, 422);
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["mode"], "live");
  EXPECT_EQ(state["shadow"]["observations"], 2);
  const auto decide_in = [&](const std::string& study) {
    return client_->post("/v1/studies/" + study + "/decisions", {{"count", 20}}, "e").json["decisions"];
  };
  EXPECT_EQ(decide_in("s"), decide_in("live"));
  service_->forget_all();
  EXPECT_EQ(client_->get("/v1/studies/s").json["mode"], "live");
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
  const std::string lines = client_->get("/v1/studies/s/export").body;
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=copy", lines, "").status, 201);
  EXPECT_EQ(client_->get("/v1/studies/copy").json["mode"], "live");
}

TEST_F(Api, AVoidObservationOfAShadowIsNotCompared) {
  create({{"mode", "shadow"}});
  const auto observe = [&](const char* arm, const char* id) {
    return client_->post("/v1/studies/s/observations", {{"arm", arm}, {"reward", 0.5}, {"id", id}});
  };
  EXPECT_EQ(observe("farms", "1").status, 201);  // as advised: the first of equal arms
  EXPECT_EQ(observe("farms", "2").status, 201);
  const auto shadow = [&] { return client_->get("/v1/studies/s").json["shadow"].dump(); };
  const std::string both = shadow();
  EXPECT_EQ(Json::parse(both)["observations"], 2);
  const auto correct = [&](Json outcome, const char* key) {
    outcome["observation"] = "1";
    outcome["reason"] = "x";
    return client_->post("/v1/studies/s/corrections", outcome, key).status;
  };
  EXPECT_EQ(correct({{"kind", "void"}}, "a"), 201);
  EXPECT_EQ(Json::parse(shadow())["observations"], 1);
  EXPECT_EQ(Json::parse(shadow())["agreed"], Json::parse(both)["agreed"].get<int>() - 1);
  EXPECT_EQ(correct({{"reward", 0.25}}, "b"), 201);
  EXPECT_EQ(shadow(), both);
  service_->forget_all();
  EXPECT_EQ(shadow(), both);
}

TEST_F(Api, UnitsAreCountedAsTheyWereGiven) {
  create({{"budget", 30.5}, {"constraints", {{"costs", "farms:1.5,shops:1,homes:1"}}}});
  Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["budget"], 30.5);
  EXPECT_EQ(state["left"], 30.5);
  EXPECT_EQ(state["unit_decimals"], 1);
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").json["horizon"], 30.5);
  EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"arm", "farms"}, {"reward", 0.5}, {"id", "1"}}).status, 201);
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"extend_budget", 2.5}}, "a").status, 201);
  state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["budget"], 33.0);
  EXPECT_EQ(state["spent"], 1.5);
  EXPECT_EQ(state["left"], 31.5);
  const auto finer = client_->post("/v1/studies/s/changes", {{"extend_budget", 0.25}}, "b");
  EXPECT_EQ(finer.status, 422);
  EXPECT_EQ(finer.detail(), "extend_budget: 0.25 is not a number with at most 1 decimal");
  const auto part = client_->post("/v1/studies", {{"name", "x"}, {"arms", {"a"}}, {"budget", 1.5}});
  EXPECT_EQ(part.status, 422);
  EXPECT_EQ(part.field(), "/budget");
  const Json cents{{"name", "x"}, {"arms", {"a"}}, {"budget", 1.5}, {"unit_decimals", 2}};
  EXPECT_EQ(client_->post("/v1/studies", cents).status, 201);
  EXPECT_EQ(client_->get("/v1/studies/x").json["budget"], 1.5);
  const auto large = client_->post("/v1/studies", {{"name", "y"}, {"arms", {"a"}}, {"budget", 1'000'000'000.4}});
  EXPECT_EQ(large.status, 422);
  EXPECT_EQ(large.field(), "/budget");
}

TEST_F(Api, AnArmIsUnavailableInRoundsThatConstraintsExclude) {
  create({{"constraints", {{"units_per_round", "2"}, {"unavailable", "shops:1-2"}}}});
  const auto available = [&] {
    std::string found;
    const Json state = client_->get("/v1/studies/s").json;
    for (const Json& arm : state["arms"]) found += arm["available"] == true ? "+" : "-";
    return found;
  };
  EXPECT_EQ(available(), "+-+");
  EXPECT_EQ(client_->get("/v1/studies/s").json["unavailable"], Json::array());
  decide("1");
  EXPECT_EQ(available(), "+-+");
  decide("2");
  EXPECT_EQ(available(), "+++");
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"unavailable", {"homes"}}}, "a").status, 201);
  EXPECT_EQ(available(), "++-");
}

TEST_F(Api, EveryLineOfATableThatIsWrongIsNamed) {
  create();
  client_->post("/v1/studies/s/decisions", {{"count", 9}}, "k");
  const auto send = [&](const std::string& query, const std::string& table) {
    return client_->send("POST", "/v1/studies/s/outcomes" + query, table, "", "text/csv");
  };
  const std::string table =
      "decision,reward,kind,observed_at\n1,half,,\n2,0.5,,\nx,0.5,,\n99,0.5,,\n3,0.5\n4,0.5,gone,\n5,0.5,,May\n6,,,\n";
  const auto dry = send("?dry_run=true", table);
  EXPECT_EQ(dry.status, 200) << dry.body;
  EXPECT_EQ(dry.json["accepted"], false);
  EXPECT_EQ(dry.json["problem_count"], 7);
  std::vector<int> lines;
  for (const Json& problem : dry.json["problems"]) lines.push_back(problem["line"].get<int>());
  EXPECT_EQ(lines, (std::vector<int>{2, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(dry.json["problems"][0]["detail"].get<std::string>().starts_with("column 2 (reward): ")) << dry.body;
  EXPECT_EQ(dry.json["problems"][3]["detail"], "has 2 columns, the header 4");
  EXPECT_TRUE(dry.json["problems"][5]["detail"].get<std::string>().starts_with("column 4 (observed_at): ")) << dry.body;
  const auto refused = send("", table);
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(refused.detail().starts_with("line 2, column 2 (reward): ")) << refused.detail();
  EXPECT_TRUE(refused.detail().ends_with("(and 6 more: lines 4, 5, 6, 7, 8, 9); nothing is recorded"))
      << refused.detail();
  EXPECT_EQ(refused.json["problem_count"], 7);
  EXPECT_EQ(refused.json["problems"][1]["line"], 4);
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 9);
  std::string many = "decision,reward\n";
  for (int i = 0; i < 200; ++i) many += "x,0.5\n";
  EXPECT_EQ(send("?dry_run=true", many).json["problem_count"], 200);
  EXPECT_EQ(send("?dry_run=true", many).json["problems"].size(), 50U);
  const Json list{{"outcomes", {{{"decision", 1}}, {{"decision", 2}, {"reward", 0.5}}, {{"reward", 0.5}}}}};
  const auto rows = client_->post("/v1/studies/s/outcomes?dry_run=true", list);
  EXPECT_EQ(rows.json["problem_count"], 2);
  EXPECT_EQ(rows.json["problems"][0]["row"], 1);
  EXPECT_EQ(rows.json["problems"][0]["field"], "/outcomes/0/reward");
  EXPECT_EQ(rows.json["problems"][1]["row"], 3);
}

TEST_F(Api, ACorrectionThatWasMeantForAnotherDecisionIsRefused) {
  create({{"noise", "none"}});
  const Json made = client_->post("/v1/studies/s/decisions", {{"count", 3}}, "a").json["decisions"];
  const std::string first = made[0]["arm"];
  const std::string second = made[1]["arm"];
  ASSERT_NE(first, second);
  settle(1, {{"reward", 0.5}});
  const Json meant_for_another{{"decision", 1}, {"reward", 0.6}, {"reason", "typo"}, {"arm", second}};
  const auto refused = client_->post("/v1/studies/s/corrections", meant_for_another, "b");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.detail(), "decision 1 is for arm '" + first + "', not '" + second + "'");
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 2) << "nothing is recorded";
  Json right = meant_for_another;
  right["arm"] = first;
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", right, "c").status, 201);
}

TEST_F(Api, AnOutcomeThatWasMeantForAnotherDecisionIsRefused) {
  create({{"noise", "none"}});
  const Json made = client_->post("/v1/studies/s/decisions", {{"count", 3}}, "a").json["decisions"];
  const std::string first = made[0]["arm"];
  const std::string second = made[1]["arm"];
  ASSERT_NE(first, second);
  const auto refused = settle(1, {{"reward", 0.5}, {"arm", second}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.detail(), "decision 1 is for arm '" + first + "', not '" + second + "'");
  EXPECT_EQ(refused.field(), "/arm");
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"arm", "farm"}}).status, 422);
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"arm", 1}}).status, 400);
  EXPECT_EQ(settle(9, {{"reward", 0.5}, {"arm", first}}).status, 404);
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 3);
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"arm", first}}).status, 200);
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"arm", first}}).status, 200);
  EXPECT_EQ(settle(1, {{"reward", 0.5}}).status, 200) << "the arm is only compared";
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"arm", second}}).status, 409) << "also if the outcome is known";
  const Json rows{
      {"outcomes",
       {{{"decision", 2}, {"reward", 0.25}, {"arm", second}}, {{"decision", 1}, {"reward", 0.5}, {"arm", second}}}}};
  const auto report = client_->post("/v1/studies/s/outcomes", rows);
  EXPECT_EQ(report.status, 409) << report.body;
  EXPECT_EQ(report.field(), "/outcomes/1/arm");
  const std::string table = "decision,arm,reward\n2," + first + ",0.25\n3,,0.5\n";
  const Json dry = client_->send("POST", "/v1/studies/s/outcomes?dry_run=true", table, "", "text/csv").json;
  EXPECT_EQ(dry["problems"].size(), 1U);
  EXPECT_EQ(dry["problems"][0]["line"], 2);
  EXPECT_EQ(dry["problems"][0]["field"], "/arm");
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 2) << "nothing of them was recorded";
}

TEST_F(Api, AWrongMethodIsToldWhichArePossible) {
  create();
  const auto allowed = [&](const std::string& method, const std::string& path) {
    const auto answer = client_->send(method, "/v1/studies" + path, "", "");
    EXPECT_EQ(answer.status, 405) << path;
    return answer.allow;
  };
  EXPECT_EQ(allowed("DELETE", ""), "GET, HEAD, POST");
  EXPECT_EQ(allowed("DELETE", "/s"), "GET, HEAD");
  EXPECT_EQ(allowed("POST", "/s/plan"), "GET, HEAD");
  EXPECT_EQ(allowed("GET", "/s/corrections"), "POST");
  EXPECT_EQ(allowed("PUT", "/s/decisions"), "GET, HEAD, POST");
  EXPECT_EQ(allowed("GET", "/s/decisions/1/outcome"), "PUT");
  EXPECT_EQ(allowed("GET", "/import"), "POST");
}

TEST_F(Api, OnlyTheOwnerCanReadTheStore) {
  struct stat status {};
  for (const char* name : {"/studies.sqlite", "/studies.sqlite-wal"}) {
    ASSERT_EQ(::stat((folder() + name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << name;
  }
}

}  // namespace
}  // namespace longrun
