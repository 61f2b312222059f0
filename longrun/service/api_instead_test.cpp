// Tests of the interface: a decision that was not followed, and the pull that was made in its place, in one request.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

class ApiInstead : public Api {
 protected:
  static Json instead(const std::string& arm, const Json& reward) {
    return {{"kind", "void"}, {"instead", {{"arm", arm}, {"reward", reward}}}};
  }
  /// Makes a decision for this arm, and returns its number.
  std::int64_t decide_for(const std::string& arm, const std::string& key) {
    return client_->post("/v1/studies/s/decisions", {{"among", {arm}}}, key).json["decisions"][0]["id"];
  }
  Json state() { return client_->get("/v1/studies/s").json; }
  Json events() {
    Json list = Json::array();
    std::istringstream lines(client_->get("/v1/studies/s/export").body);
    for (std::string line; std::getline(lines, line);) list.push_back(Json::parse(line));
    return list;
  }
};

TEST_F(ApiInstead, ADecisionIsVoidAndAnotherPullCountsInOneRequest) {
  create();
  const std::int64_t decision = decide_for("farms", "k");
  const auto done = settle(decision, instead("shops", 0.4));
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.body,
            R"({"seq":2,"event":"settled","decision":1,"outcome":"void","at":"2026-11-16T09:30:00.000Z","instead":3})");
  EXPECT_EQ(state()["spent"], 1);
  EXPECT_EQ(state()["pending"], 0);
  EXPECT_EQ(state()["arms"][0]["pulls"], 0);
  EXPECT_EQ(state()["arms"][1]["pulls"], 1);
  EXPECT_EQ(events()[3]["event"], "observed");
  EXPECT_EQ(events()[3]["reward"], 0.4);
  EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>());
}

TEST_F(ApiInstead, IsTheSameAsAVoidOutcomeAndAnObservation) {
  create();
  create({{"name", "two"}});
  settle(decide_for("farms", "k"), instead("shops", 0.4));
  client_->post("/v1/studies/two/decisions", {{"among", {"farms"}}}, "k");
  client_->put("/v1/studies/two/decisions/1/outcome", {{"kind", "void"}});
  client_->post("/v1/studies/two/observations", {{"arm", "shops"}, {"reward", 0.4}}, "o");
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").body, client_->get("/v1/studies/two/recommendation").body);
  EXPECT_EQ(state()["arms"], client_->get("/v1/studies/two").json["arms"]);
}

TEST_F(ApiInstead, ARepeatedRequestCountsOnceWithAndWithoutAKey) {
  create();
  decide_for("farms", "k");
  const auto once = settle(1, instead("shops", 0.4));
  const auto twice = settle(1, instead("shops", 0.4));
  const auto with_key =
      client_->send("PUT", "/v1/studies/s/decisions/1/outcome", instead("shops", 0.4).dump(), "again");
  start();
  const auto later = settle(1, instead("shops", 0.4));
  for (const auto& answer : {twice, with_key, later}) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body, once.body);
    EXPECT_TRUE(answer.is_repeated);
  }
  EXPECT_EQ(state()["seq"], 3);
  EXPECT_EQ(settle(1, {{"kind", "void"}}).body, once.body) << "what is not named is not compared";
}

TEST_F(ApiInstead, AnotherOutcomeIsAConflictAndCountsNothing) {
  create();
  decide_for("farms", "1");
  decide_for("farms", "2");
  decide_for("farms", "3");
  settle(1, instead("shops", 0.4));
  settle(2, {{"kind", "void"}});
  settle(3, {{"reward", 0.5}});
  const Json before = state();
  const auto other_reward = settle(1, instead("shops", 0.5));
  EXPECT_EQ(other_reward.status, 409);
  EXPECT_EQ(other_reward.detail(), "decision 1 has another pull in its place already (entry 5); correct that one");
  EXPECT_EQ(settle(1, instead("homes", 0.4)).status, 409);
  EXPECT_EQ(settle(1, {{"reward", 0.4}}).status, 409);
  EXPECT_EQ(settle(2, instead("shops", 0.4)).detail(),
            "decision 2 is void already, without a pull in its place; add the pull as an observation");
  EXPECT_EQ(settle(2, instead("shops", 0.4)).status, 409);
  EXPECT_EQ(settle(3, instead("shops", 0.4)).status, 409);
  EXPECT_EQ(state(), before);
}

TEST_F(ApiInstead, AMistakeInThePullVoidsNothing) {
  create();
  decide_for("farms", "k");
  const Json before = state();
  const auto refused = [&](const Json& body, int status, const std::string& field) {
    const auto answer = settle(1, body);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.field(), field) << answer.body;
  };
  refused(instead("shop", 0.4), 422, "/instead/arm");
  refused(instead("farms", 0.4), 422, "/instead/arm");
  refused(instead("shops", 70), 422, "/instead/reward");
  refused(instead("shops", nullptr), 400, "/instead/reward");
  refused({{"kind", "void"}, {"instead", {{"arm", "shops"}}}}, 400, "/instead/reward");
  refused({{"kind", "void"}, {"instead", {{"arm", "shops"}, {"reward", 0.4}, {"id", "x"}}}}, 422, "/instead/id");
  refused({{"kind", "lost"}, {"instead", {{"arm", "shops"}, {"reward", 0.4}}}}, 422, "/instead");
  refused({{"kind", "void"}, {"arm", "homes"}, {"instead", {{"arm", "shops"}, {"reward", 0.4}}}}, 409, "/arm");
  refused({{"kind", "void"}, {"instead", "shops"}}, 400, "/instead");
  EXPECT_EQ(state(), before);
  client_->post("/v1/studies/s/close", nullptr, "c");
  const auto closed = settle(1, instead("shops", 0.4));
  EXPECT_EQ(closed.status, 422);
  EXPECT_EQ(closed.field(), "/instead");
  EXPECT_EQ(state()["pending"], 1) << "nothing is void after an error";
}

TEST_F(ApiInstead, ThePullUsesTheUnitOfTheVoidDecision) {
  create({{"budget", 1}});
  decide_for("farms", "k");
  EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.4}}, "o").status, 422);
  EXPECT_EQ(settle(1, instead("shops", 0.4)).status, 200);
  EXPECT_EQ(state()["spent"], 1);
  EXPECT_EQ(state()["left"], 0);
}

TEST_F(ApiInstead, ThePullIsCorrectedLikeAnyObservation) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  const Json correction{{"observation", 3}, {"reward", 0.6}, {"reason", "typing error"}};
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", correction, "c").status, 201);
  EXPECT_EQ(settle(1, instead("shops", 0.4)).status, 409);
  EXPECT_EQ(settle(1, instead("shops", 0.6)).json["instead"], 3);
}

TEST_F(ApiInstead, AnExportKeepsBothTogether) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  decide_for("farms", "l");
  const std::string lines = client_->get("/v1/studies/s/export").body;
  const auto import = [&](const std::string& export_lines, const std::string& name) {
    return client_->send("POST", "/v1/studies/import?name=" + name, export_lines, "");
  };
  EXPECT_EQ(import(lines, "copy").status, 201);
  EXPECT_TRUE(client_->put("/v1/studies/copy/decisions/1/outcome", instead("shops", 0.4)).is_repeated);
  const std::size_t pull = lines.find("{\"seq\":3");
  const std::size_t next = lines.find("{\"seq\":4");
  EXPECT_EQ(import(lines.substr(0, pull), "cut").detail(),
            "line 3: the observation is missing that was made in place of a void decision");
  std::string wrong = lines.substr(0, next);
  wrong.replace(wrong.find("\"instead\":3"), 11, "\"instead\":2");
  EXPECT_EQ(import(wrong, "wrong").detail(),
            "line 3: details.instead: not the number of the line after a void outcome");
}

TEST_F(ApiInstead, ARowOfAReportHasNoPullInstead) {
  create();
  decide_for("farms", "k");
  Json row = instead("shops", 0.4);
  row["decision"] = 1;
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", {{"outcomes", {row}}}).field(), "/outcomes/0/instead");
}

}  // namespace
}  // namespace longrun
