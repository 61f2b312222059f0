// Tests of the interface: corrections of decisions and of the pulls that were made in their place.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/api_instead_fixture.h"

namespace longrun {
namespace {

TEST_F(ApiInstead, ADecisionThatWasMadeAfterAllCountsInPlaceOfThePull) {
  for (const bool is_pending : {false, true}) {
    const std::string name = is_pending ? "pending" : "s";
    const std::string path = "/v1/studies/" + name;
    create({{"name", name}});
    client_->post(path + "/decisions", {{"among", {"farms"}}}, "k");
    client_->put(path + "/decisions/1/outcome", is_pending ? instead("shops") : instead("shops", 0.4));
    const Json correction{{"decision", 1}, {"reward", 0.3}, {"reason", "it was followed"}};
    const auto corrected = client_->post(path + "/corrections", correction, "c");
    EXPECT_EQ(corrected.status, 201) << corrected.body;
    EXPECT_EQ(corrected.json["decision"], 1);
    EXPECT_EQ(corrected.json["voided"], 2);
    EXPECT_EQ(client_->post(path + "/corrections", correction, "c").body, corrected.body);
    const Json now = client_->get(path).json;
    EXPECT_EQ(now["spent"], 1);
    EXPECT_EQ(now["pending"], 0);
    EXPECT_EQ(now["arms"][0]["pulls"], 1);
    EXPECT_EQ(now["arms"][1]["pulls"], 0);
    EXPECT_TRUE(client_->get(path + "/audit").json["state_agrees"].get<bool>());
  }
}

TEST_F(ApiInstead, ACorrectionWithAnImpossibleRewardChangesNothing) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  const Json before = state();
  EXPECT_EQ(correct({{"decision", 1}, {"reward", 70}}).field(), "/reward");
  EXPECT_EQ(state(), before);
}

TEST_F(ApiInstead, ThePullIsNotMadeBesideTheDecision) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  EXPECT_EQ(correct({{"decision", 1}, {"kind", "void"}}).detail(),
            "decision 1 has this outcome already: void; decision 2 was pulled in its place: correct that one");
  correct({{"decision", 1}, {"reward", 0.3}});
  const auto both = correct({{"decision", 2}, {"reward", 0.4}});
  EXPECT_EQ(both.status, 422);
  EXPECT_EQ(both.detail(),
            "decision 2 was not made: decision 1 was made in its place; if that is wrong, correct decision 1 to void "
            "first");
  EXPECT_EQ(correct({{"decision", 1}, {"kind", "void"}}).status, 201);
  EXPECT_EQ(correct({{"decision", 2}, {"reward", 0.4}}).status, 201);
  EXPECT_EQ(state()["spent"], 1);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
}

TEST_F(ApiInstead, ACorrectionToVoidNamesThePullThatStaysVoid) {
  create();
  decide_for("farms", "1");
  decide_for("farms", "2");
  settle(1, instead("shops", 0.4));
  settle(2, {{"reward", 0.5}});
  correct({{"decision", 1}, {"reward", 0.3}});
  const Json back{{"decision", 1}, {"kind", "void"}, {"reason", "it was not followed"}};
  const auto answer = client_->post("/v1/studies/s/corrections", back, "back");
  EXPECT_EQ(answer.json["still_void"], 3) << answer.body;
  EXPECT_EQ(state()["spent"], 1) << "only that of decision 2";
  EXPECT_FALSE(correct({{"decision", 2}, {"kind", "void"}}).json.contains("still_void"));
  EXPECT_EQ(correct({{"decision", 3}, {"reward", 0.4}}).status, 201);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
  start();
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", back, "back").body, answer.body) << "as the first time";
}

TEST_F(ApiInstead, ACorrectionToVoidNamesNoPullThatWasVoidOfItself) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  correct({{"decision", 2}, {"kind", "void"}});
  EXPECT_FALSE(correct({{"decision", 1}, {"reward", 0.3}}).json.contains("voided"));
  EXPECT_FALSE(correct({{"decision", 1}, {"kind", "void"}}).json.contains("still_void"));
  correct({{"decision", 2}, {"reward", 0.4}});
  EXPECT_EQ(correct({{"decision", 1}, {"reward", 0.3}}).json["voided"], 2);
  correct({{"decision", 1}, {"reward", 0.35}});
  EXPECT_EQ(correct({{"decision", 1}, {"kind", "void"}}).json["still_void"], 2);
}

TEST_F(ApiInstead, ACorrectionNamesThePullThatWasMadeInTruth) {
  for (const bool is_closed : {false, true}) {
    const std::string name = is_closed ? "closed" : "s";
    const std::string path = "/v1/studies/" + name;
    create({{"name", name}, {"budget", 1}});
    client_->post(path + "/decisions", {{"among", {"farms"}}}, "k");
    client_->put(path + "/decisions/1/outcome", {{"reward", 0.3}});
    if (is_closed) client_->post(path + "/close", nullptr, "c");
    Json correction = instead("shops", 0.4);
    correction["decision"] = 1;
    correction["reason"] = "shops was pulled";
    const auto answer = client_->post(path + "/corrections", correction, "truth");
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.json["event"], "pulled_instead");
    EXPECT_EQ(answer.json["decision"], 2);
    EXPECT_EQ(answer.json["instead_of"], 1);
    const Json now = client_->get(path).json;
    EXPECT_EQ(now["spent"], 1);
    EXPECT_EQ(now["pending"], 0);
    EXPECT_EQ(now["arms"][0]["pulls"], 0);
    EXPECT_EQ(now["arms"][1]["pulls"], 1);
    start();
    const auto again = client_->post(path + "/corrections", correction, "truth");
    EXPECT_EQ(again.body, answer.body);
    EXPECT_TRUE(again.is_repeated);
    EXPECT_TRUE(client_->get(path + "/audit").json["state_agrees"].get<bool>());
    const std::string log = client_->get(path + "/export").body;
    EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=copy-" + name, log, "").status, 201);
  }
}

TEST_F(ApiInstead, ThePullOfACorrectionIsPendingWithoutItsReward) {
  create();
  decide_for("farms", "k");
  settle(1, {{"kind", "lost"}});
  Json correction = instead("shops");
  correction["decision"] = 1;
  EXPECT_EQ(correct(correction).json["decision"], 2);
  EXPECT_EQ(state()["pending"], 1);
  EXPECT_EQ(settle(2, {{"reward", 0.4}, {"arm", "shops"}}).status, 200);
  expect_audit_agrees();
}

TEST_F(ApiInstead, OneCorrectionReplacesAPullByOneOfAnotherArm) {
  for (const std::int64_t named : {1, 2}) {  // the decision, or the pull in its place
    for (const bool is_pending : {false, true}) {
      const std::string name = fmt::format("s{}{}", named, is_pending);
      const std::string path = "/v1/studies/" + name;
      create({{"name", name}, {"budget", 1}});
      client_->post(path + "/decisions", {{"among", {"farms"}}}, "k");
      client_->put(path + "/decisions/1/outcome", is_pending ? instead("shops") : instead("shops", 0.4));
      client_->post(path + "/close", Json::object(), "close");
      Json body = instead("homes", 0.7);
      body.update({{"decision", named}, {"reason", "mixed up"}, {"arm", named == 1 ? "farms" : "shops"}});
      const auto done = client_->post(path + "/corrections", body, "fix");
      EXPECT_EQ(done.status, 201) << done.body;
      EXPECT_EQ(done.json["event"], "pulled_instead");
      EXPECT_EQ(done.json["decision"], 3);
      EXPECT_EQ(done.json["arm"], "homes");
      EXPECT_EQ(done.json["instead_of"], 1);
      EXPECT_EQ(done.json["voided"], 2);
      EXPECT_EQ(client_->post(path + "/corrections", body, "fix").body, done.body) << "as the first time";
      const Json state = client_->get(path).json;
      EXPECT_EQ(state["spent"], 1);
      EXPECT_EQ(state["pending"], 0);
      EXPECT_EQ(state["arms"][2]["pulls"], 1);
      const Json audit = client_->get(path + "/audit").json;
      EXPECT_EQ(audit["state_agrees"], true);
      EXPECT_EQ(audit["decisions_differ"], 0);
      EXPECT_EQ(client_->put(path + "/decisions/1/outcome", instead("homes", 0.7)).json["decision"], 3);
      EXPECT_NE(client_->get(path + "/events?decision=2").body.find("mixed up"), std::string::npos);
    }
  }
}

TEST_F(ApiInstead, ThePullThatReplacesAPullIsPendingWithoutItsReward) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  EXPECT_EQ(correct({{"decision", 2}, {"kind", "void"}, {"instead", {{"arm", "homes"}}}}).json["decision"], 3);
  EXPECT_EQ(client_->get("/v1/studies/s/decisions").json["decisions"][0]["instead_of"], 1);
  EXPECT_EQ(settle(3, {{"reward", 0.7}}).status, 200);
  EXPECT_EQ(pulls(), (std::vector{0, 0, 1}));
  expect_audit_agrees();
}

TEST_F(ApiInstead, ACorrectionOfAPullToTheSameArmOrToAnEarlierOneSaysWhatToDo) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  const auto refused = [&](std::int64_t decision, const char* arm) {
    Json body = instead(arm, 0.6);
    body["decision"] = decision;
    const Json before = state();
    const auto answer = correct(body);
    EXPECT_GE(answer.status, 400) << answer.body;
    EXPECT_EQ(state(), before);
    return answer.detail();
  };
  EXPECT_EQ(refused(1, "shops"),
            "decision 1: arm 'shops' was pulled in its place already, as decision 2; it has the outcome observed 0.4; "
            "correct decision 2 if that is wrong");
  EXPECT_EQ(refused(2, "shops"), "instead: 'shops' is the arm of decision 2; correct its outcome");
  EXPECT_EQ(refused(2, "farms"), "instead: 'farms' is the arm of decision 1; correct its outcome");
  EXPECT_EQ(correct({{"decision", 2}, {"kind", "void"}, {"instead", {{"arm", "homes"}, {"reward", 0.7}}}}).status, 201);
  EXPECT_EQ(
      refused(2, "homes"),
      "decision 2 has this outcome already: void; decision 3 was pulled in place of decision 1: correct that one");
  EXPECT_EQ(
      refused(3, "shops"),
      "decision 1: arm 'shops' is recorded in its place as decision 2, which is void; correct decision 3 to void, "
      "then decision 2 to its reward");
  correct({{"decision", 3}, {"kind", "void"}});
  correct({{"decision", 1}, {"reward", 0.3}});
  EXPECT_EQ(refused(3, "shops"), "decision 3 has this outcome already: void");
  expect_audit_agrees();
}

TEST_F(ApiInstead, ACorrectionWithAWrongPullChangesNothing) {
  create();
  for (const char* key : {"1", "2", "3"}) decide_for("farms", key);
  settle(1, {{"reward", 0.3}});
  settle(2, instead("homes", 0.5));
  client_->post("/v1/studies/s/observations", {{"arm", "homes"}, {"reward", 0.5}, {"id", "seen"}});
  const Json before = state();
  const auto refused = [&](std::int64_t decision, Json body, int status, const std::string& field) {
    body["decision"] = decision;
    const auto answer = correct(body);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.field(), field) << answer.body;
  };
  refused(1, instead("shop", 0.4), 422, "/instead/arm");
  refused(1, instead("farms", 0.4), 422, "/instead/arm");
  refused(1, instead("shops", 70), 422, "/instead/reward");
  refused(1, {{"reward", 0.4}, {"instead", {{"arm", "shops"}}}}, 422, "/instead");
  refused(1, {{"instead", {{"arm", "shops"}}}}, 400, "/kind");
  refused(3, instead("shops", 0.4), 409, "/decision");
  Json of_pull = instead("shops", 0.4);
  of_pull["observation"] = "seen";
  EXPECT_EQ(correct(of_pull).detail(),
            "instead: an observation has none; correct it to void and add one of the right arm");
  settle(3, {{"kind", "void"}});
  Json of_void = instead("shops", 0.4);
  of_void["decision"] = 3;
  EXPECT_EQ(correct(of_void).detail(),
            "decision 3 has this outcome already: void; report the pull in its place as its outcome");
  EXPECT_EQ(state()["decisions"], before["decisions"]);
}

}  // namespace
}  // namespace longrun
