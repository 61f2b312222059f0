// Tests of the interface: rewards of arms among outcomes, and decisions without some arms.

#include <gtest/gtest.h>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// Requests about the study "s", which has three arms.
class ApiArmRewards : public Api {
 protected:
  ServiceClient::Answer report(const Json& rows, const std::string& key, const std::string& query = "") {
    return client_->post("/v1/studies/s/outcomes" + query, {{"outcomes", rows}}, key);
  }
  ServiceClient::Answer decide_with(const Json& body, const std::string& key) {
    return client_->post("/v1/studies/s/decisions", body, key);
  }
  std::string events_after(std::int64_t seq) {
    std::string kinds;
    for (std::istringstream lines(client_->get("/v1/studies/s/events?after=" + std::to_string(seq)).body);;) {
      std::string line;
      if (!std::getline(lines, line)) return kinds;
      const Json event = Json::parse(line);
      kinds += event["event"].get<std::string>() + " ";
      if (event.contains("decision")) kinds += event["decision"].dump() + " ";
      if (event["event"] == "observed") kinds += event["arm"].get<std::string>() + " ";
    }
  }
};

TEST_F(ApiArmRewards, ARewardOfAnArmIsThatOfItsOldestPendingDecisionOrOfAPullThatWasNotDecided) {
  create();
  decide_with({{"count", 3}, {"among", {"farms"}}}, "a");
  decide_with({{"count", 1}, {"among", {"shops"}}}, "b");
  const Json rows{{{"arm", "farms"}, {"reward", 0.1}}, {{"decision", 2}, {"reward", 0.2}},
                  {{"arm", "homes"}, {"reward", 0.3}}, {{"arm", "farms"}, {"reward", 0.4}, {"kind", "observed"}},
                  {{"arm", "farms"}, {"reward", 0.5}}, {{"decision", 1}, {"reward", 0.1}}};
  const auto dry = report(rows, "k", "?dry_run=true");
  EXPECT_EQ(dry.json["new"], 5) << dry.body;
  EXPECT_EQ(dry.json["already_known"], 1);
  const auto first = report(rows, "k");
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(first.json["recorded"], 5);
  EXPECT_EQ(events_after(2), "settled 1 settled 2 observed homes settled 3 observed farms ");
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 1);
  service_->forget_all();
  const auto again = report(rows, "k");
  EXPECT_TRUE(again.is_repeated);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(report({{{"arm", "farms"}, {"reward", 0.1}}}, "k").status, 422) << "the key of another request";
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 7);
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(ApiArmRewards, AReportWithAnArmNeedsAKey) {
  create();
  const auto without = report({{{"arm", "farms"}, {"reward", 0.1}}}, "");
  EXPECT_EQ(without.status, 400);
  EXPECT_TRUE(without.detail().starts_with("the header Idempotency-Key is missing")) << without.detail();
  EXPECT_EQ(report({{{"decision", 1}, {"reward", 0.1}}}, "").status, 404) << "a decision does not";
}

TEST_F(ApiArmRewards, EveryWrongRowIsNamedAndNothingIsRecorded) {
  create({{"budget", 3}});
  decide_with({{"count", 2}, {"among", {"farms"}}}, "a");
  const Json rows{{{"arm", "farm"}, {"reward", 0.1}},
                  {{"arm", "farms"}, {"decision", 9}, {"reward", 0.1}},
                  {{"arm", "farms"}, {"kind", "lost"}},
                  {{"arm", "farms"}, {"reward", 0.1}, {"observed_at", "2026-11-16T09:00:00Z"}},
                  {{"arm", ""}, {"reward", 0.1}},
                  {{"reward", 0.1}},
                  {{"arm", "farms"}, {"reward", 70}},
                  {{"arm", "farms"}, {"reward", 0.1}},
                  {{"arm", "shops"}, {"reward", 0.1}},
                  {{"arm", "shops"}, {"reward", 0.1}}};
  const auto dry = report(rows, "k", "?dry_run=true");
  const Json& problems = dry.json["problems"];
  EXPECT_EQ(dry.json["new"], 2) << "rows 8 and 9: " << dry.body;
  ASSERT_EQ(problems.size(), 8U) << dry.body;
  const auto expect = [&](std::size_t place, int row, const std::string& detail, const std::string& field) {
    EXPECT_EQ(problems[place]["row"], row);
    EXPECT_TRUE(problems[place]["detail"].get<std::string>().starts_with(detail)) << problems[place];
    EXPECT_EQ(problems[place]["field"], field);
  };
  expect(0, 1, "arm 'farm' is not an arm of the study; did you mean 'farms'?", "/outcomes/0/arm");
  expect(1, 2, "there is no decision 9", "/outcomes/1/decision");
  expect(2, 3, "arm: an outcome without a reward belongs to a decision", "/outcomes/2/arm");
  expect(3, 4, "arm: observed_at belongs to a decision", "/outcomes/3/arm");
  expect(4, 5, "arm: empty", "/outcomes/4/arm");
  expect(5, 6, "decision: ", "/outcomes/5/decision");
  expect(6, 7, "reward 70 ", "/outcomes/6/reward");
  expect(7, 10, "the budget of 3 units has 0 left", "/outcomes/9");
  EXPECT_EQ(report(rows, "k").status, 422);
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 1);
}

TEST_F(ApiArmRewards, AnArmBesideADecisionIsComparedAndDecisionZeroIsNoReward) {
  create();
  decide_with({{"count", 1}, {"among", {"farms"}}}, "a");
  EXPECT_EQ(report({{{"arm", "shops"}, {"decision", 1}, {"reward", 0.1}}}, "k").status, 409);
  EXPECT_EQ(report({{{"arm", "farms"}, {"decision", 0}, {"reward", 0.1}}}, "k").status, 404);
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 1);
  EXPECT_EQ(report({{{"arm", "farms"}, {"decision", 1}, {"reward", 0.1}}}, "k").status, 201);
}

TEST_F(ApiArmRewards, AShadowComparesRewardsOfArms) {
  create({{"mode", "shadow"}});
  EXPECT_EQ(report({{{"arm", "farms"}, {"reward", 0.1}}, {{"arm", "farms"}, {"reward", 0.2}}}, "k").status, 201);
  EXPECT_EQ(client_->get("/v1/studies/s").json["shadow"]["observations"], 2);
}

TEST_F(ApiArmRewards, ManyRewardsOfOneArmSettleItsOldestDecisions) {
  create({{"budget", 20'000}, {"policy", "greedy"}});
  decide_with({{"count", 5'000}, {"among", {"farms"}}}, "a");
  Json rows = Json::array();
  for (int i = 0; i < 500; ++i) rows.push_back({{"arm", i % 2 == 0 ? "farms" : "homes"}, {"reward", 0.5}});
  EXPECT_EQ(report(rows, "k").json["recorded"], 500);
  EXPECT_EQ(client_->get("/v1/studies/s").json["pending"], 4'750);
}

TEST_F(ApiArmRewards, ArmsOfSettledDecisionsAreComparedInALongStudy) {
  create({{"budget", 20'000}, {"policy", "greedy"}});
  Json outcomes = Json::array();
  std::vector<std::string> arms(1);
  for (int round = 0; round < 3; ++round) {
    const std::string key = std::to_string(round);
    const Json many = decide_with({{"count", 2'000}}, "many" + key).json["decisions"];
    for (const Json& each : many) arms.push_back(each["arm"]);
    for (int i = 0; i < 200; ++i) {
      arms.push_back(decide_with(Json::object(), key + "-" + std::to_string(i)).json["decisions"][0]["arm"]);
    }
  }
  for (std::size_t id = 1; id < arms.size(); ++id) outcomes.push_back({{"decision", id}, {"reward", 0.5}});
  EXPECT_EQ(report(outcomes, "k").status, 201);
  Json rows = Json::array();
  for (std::size_t id = 1; id < arms.size(); id += 7) {
    rows.push_back({{"decision", id}, {"reward", 0.5}, {"arm", arms[id]}});
  }
  EXPECT_EQ(report(rows, "again").json["already_known"], rows.size());
  rows.back()["arm"] = arms.back() == "farms" ? "shops" : "farms";
  if (rows.back()["arm"] == arms[rows.back()["decision"].get<std::size_t>()]) rows.back()["arm"] = "homes";
  const auto refused = report(rows, "wrong");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.field(), "/outcomes/" + std::to_string(rows.size() - 1) + "/arm");
}

TEST_F(ApiArmRewards, ADecisionIsMadeWithoutTheArmsThatAreUnavailableThisTime) {
  create();
  for (int i = 0; i < 5; ++i) {
    const Json made = decide_with({{"unavailable", {"homes", "farms"}}}, "k" + std::to_string(i)).json;
    EXPECT_EQ(made["decisions"][0]["arm"], "shops") << made;
    EXPECT_EQ(made["among"], Json({"shops"}));
  }
  EXPECT_EQ(decide_with({{"unavailable", {"farms"}}, {"among", {"farms", "homes"}}}, "l").json["decisions"][0]["arm"],
            "homes");
  EXPECT_FALSE(decide_with({{"unavailable", Json::array()}}, "m").json.contains("among"));
  // The same request, although the arms that are left have changed.
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"add_arms", {"docks"}}}, "n").status, 201);
  EXPECT_TRUE(decide_with({{"unavailable", {"farms", "homes"}}}, "k0").is_repeated);
  EXPECT_EQ(decide_with({{"unavailable", {"farms"}}}, "k0").status, 422);
  const auto none = decide_with({{"unavailable", {"farms"}}, {"among", {"farms"}}}, "o");
  EXPECT_EQ(none.detail(), "unavailable: no arm is left to choose from");
  EXPECT_EQ(none.field(), "/unavailable");
  EXPECT_EQ(decide_with({{"unavailable", {"farm"}}}, "p").field(), "/unavailable");
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(ApiArmRewards, ADecisionDoesNotRecordTheNamesOfVeryManyArms) {
  Json arms = Json::array();
  for (int i = 0; i < 6'000; ++i) arms.push_back(std::to_string(i) + std::string(190, 'x'));
  create({{"arms", arms}, {"policy", "greedy"}});
  const auto refused = decide_with({{"unavailable", {arms[0]}}}, "a");
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.field(), "/unavailable");
  EXPECT_EQ(client_->get("/v1/studies/s").json["seq"], 0);
}

}  // namespace
}  // namespace longrun
