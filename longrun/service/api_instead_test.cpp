// Tests of the interface: a decision that was not followed, and the pull that was made in its place, in one request.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/api_instead_fixture.h"

namespace longrun {
namespace {

TEST_F(ApiInstead, ADecisionIsVoidAndAnotherPullCountsInOneRequest) {
  create();
  const std::int64_t decision = decide_for("farms", "k");
  const auto done = settle(decision, instead("shops", 0.4));
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.body, R"({"seq":3,"event":"pulled_instead","decision":2,"arm":"shops","instead_of":1,)"
                       R"("at":"2026-11-16T09:30:00.000Z"})");
  EXPECT_EQ(state()["spent"], 1);
  EXPECT_EQ(state()["pending"], 0);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
  EXPECT_EQ(events()[2]["outcome"], "void");
  EXPECT_EQ(events()[4]["reward"], 0.4);
  expect_audit_agrees();
}

TEST_F(ApiInstead, IsTheSameAsAVoidOutcomeAndAnObservation) {
  create();
  create({{"name", "two"}});
  settle(decide_for("farms", "k"), instead("shops", 0.4));
  client_->post("/v1/studies/two/decisions", {{"among", {"farms"}}}, "k");
  client_->put("/v1/studies/two/decisions/1/outcome", {{"kind", "void"}});
  client_->post("/v1/studies/two/observations", {{"arm", "shops"}, {"reward", 0.4}}, "o");
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").body, client_->get("/v1/studies/two/recommendation").body);
  Json one = client_->get("/v1/studies/s/series").json;
  Json two = client_->get("/v1/studies/two/series").json;
  EXPECT_EQ(one["instead"], 1);
  EXPECT_EQ(one["observations"], 0) << "it has the number of a decision";
  EXPECT_EQ(two["instead"], 0);
  EXPECT_EQ(two["observations"], 1);
  for (const char* count : {"instead", "observations"}) {
    one.erase(count);
    two.erase(count);
  }
  EXPECT_EQ(one, two);
  EXPECT_EQ(state()["arms"], client_->get("/v1/studies/two").json["arms"]);
}

TEST_F(ApiInstead, ThePullIsPendingUntilItsRewardIsReported) {
  create();
  decide_for("farms", "k");
  const auto done = settle(1, instead("shops"));
  EXPECT_EQ(done.json["decision"], 2);
  EXPECT_EQ(state()["pending"], 1);
  EXPECT_EQ(state()["oldest_pending"]["decision"], 2);
  EXPECT_EQ(state()["arms"][1]["pending"], 1);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
  EXPECT_EQ(client_->get("/v1/studies/s/decisions").json["decisions"][0]["arm"], "shops");
  EXPECT_EQ(settle(2, {{"reward", 0.4}, {"arm", "farms"}}).status, 409);
  EXPECT_EQ(settle(2, {{"reward", 0.4}, {"arm", "shops"}}).status, 200);
  EXPECT_EQ(decide("next"), 3);
  EXPECT_EQ(settle(2, {{"reward", 0.4}, {"arm", "shops"}}).status, 200) << "also when later decisions were made";
  EXPECT_EQ(settle(2, {{"reward", 0.4}, {"arm", "farms"}}).status, 409);
  EXPECT_TRUE(settle(1, instead("shops")).is_repeated);
  expect_audit_agrees();
}

TEST_F(ApiInstead, PendingDecisionsSayInPlaceOfWhichOneTheyWerePulled) {
  create();
  decide_for("farms", "1");
  decide_for("farms", "2");
  settle(1, instead("shops"));
  const Json pending = client_->get("/v1/studies/s/decisions").json["decisions"];
  EXPECT_FALSE(pending[0].contains("instead_of"));
  EXPECT_EQ(pending[1]["id"], 3);
  EXPECT_EQ(pending[1]["instead_of"], 1);
}

TEST_F(ApiInstead, ThePullCanBeLostOrVoidLikeADecision) {
  create();
  decide_for("farms", "1");
  decide_for("farms", "2");
  settle(1, instead("shops"));
  settle(2, instead("homes"));
  EXPECT_EQ(settle(3, {{"kind", "lost"}}).status, 200);
  EXPECT_EQ(settle(4, {{"kind", "void"}}).status, 200);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
  EXPECT_EQ(state()["spent"], 1);
}

TEST_F(ApiInstead, ARewardOfTheArmIsThatOfThePendingPull) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops"));
  client_->post("/v1/studies/s/outcomes", {{"outcomes", {{{"arm", "shops"}, {"reward", 0.4}}}}}, "r");
  EXPECT_EQ(state()["pending"], 0);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
}

TEST_F(ApiInstead, ItsRewardSaysNothingAboutDelays) {
  create();
  for (int i = 0; i < 20; ++i) settle(decide_for("farms", std::to_string(i)), instead("shops", 0.4));
  EXPECT_EQ(state()["health"]["overdue_after_days"], 30.0);
}

TEST_F(ApiInstead, ARepeatedRequestCountsOnceWithAndWithoutAKey) {
  create();
  decide_for("farms", "k");
  const auto once = settle(1, instead("shops", 0.4));
  const auto twice = settle(1, instead("shops", 0.4));
  const auto with_key =
      client_->send("PUT", "/v1/studies/s/decisions/1/outcome", instead("shops", 0.4).dump(), "again");
  const auto without_reward = settle(1, instead("shops"));
  start();
  const auto later = settle(1, instead("shops", 0.4));
  for (const auto& answer : {twice, with_key, without_reward, later}) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body, once.body);
    EXPECT_TRUE(answer.is_repeated);
  }
  EXPECT_EQ(state()["seq"], 4);
  EXPECT_TRUE(settle(1, {{"kind", "void"}}).is_repeated) << "what is not named is not compared";
}

TEST_F(ApiInstead, AnotherOutcomeIsAConflictAndCountsNothing) {
  create();
  decide_for("farms", "1");
  decide_for("farms", "2");
  settle(1, instead("shops", 0.4));
  settle(2, {{"reward", 0.5}});
  const Json before = state();
  const auto other_reward = settle(1, instead("shops", 0.5));
  EXPECT_EQ(other_reward.status, 409);
  EXPECT_EQ(other_reward.field(), "/instead");
  EXPECT_EQ(other_reward.detail(),
            "decision 1: arm 'shops' was pulled in its place already, as decision 3; it has the outcome observed 0.4; "
            "correct decision 3 if that is wrong");
  EXPECT_EQ(settle(1, {{"reward", 0.4}}).status, 409);
  EXPECT_EQ(settle(2, instead("shops", 0.4)).status, 409);
  EXPECT_EQ(state(), before);
}

TEST_F(ApiInstead, AConflictWithAPendingPullSaysHowItsRewardIsReported) {
  create();
  decide_for("farms", "1");
  settle(1, instead("shops"));
  EXPECT_EQ(
      settle(1, instead("shops", 0.4)).detail(),
      "decision 1: arm 'shops' was pulled in its place already, as decision 2; report its reward as the outcome of "
      "decision 2");
  EXPECT_EQ(
      settle(1, instead("homes", 0.4)).detail(),
      "decision 1: arm 'shops' was pulled in its place already, as decision 2; if that is wrong, report decision 2 "
      "as void and send this again");
}

TEST_F(ApiInstead, AWrongArmIsReplacedAsTheErrorSaysAlsoInAClosedStudy) {
  for (const bool is_closed : {false, true}) {
    const std::string name = is_closed ? "closed" : "s";
    const std::string path = "/v1/studies/" + name;
    create({{"name", name}, {"budget", 1}});
    client_->post(path + "/decisions", {{"among", {"farms"}}}, "k");
    client_->put(path + "/decisions/1/outcome", instead("shops", 0.4));
    if (is_closed) client_->post(path + "/close", nullptr, "c");
    EXPECT_EQ(client_->put(path + "/decisions/1/outcome", instead("homes", 0.4)).detail(),
              "decision 1: arm 'shops' was pulled in its place already, as decision 2; if that is wrong, correct "
              "decision 2 to void and send this again");
    EXPECT_EQ(client_->post(path + "/corrections", {{"decision", 2}, {"kind", "void"}, {"reason", "x"}}, "v").status,
              201);
    const auto right = client_->put(path + "/decisions/1/outcome", instead("homes", 0.4));
    EXPECT_EQ(right.status, 200) << right.body;
    EXPECT_EQ(right.json["decision"], 3);
    EXPECT_TRUE(client_->put(path + "/decisions/1/outcome", instead("homes", 0.4)).is_repeated);
    const Json now = client_->get(path).json;
    EXPECT_EQ(now["spent"], 1);
    EXPECT_EQ(now["arms"][2]["pulls"], 1);
  }
}

TEST_F(ApiInstead, ARequestThatIsRepeatedAfterACorrectionToVoidCountsNothing) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  correct({{"decision", 2}, {"kind", "void"}});
  EXPECT_EQ(settle(1, instead("shops", 0.4)).detail(),
            "decision 1: arm 'shops' is recorded in its place as decision 2, which is void; correct decision 2 to its "
            "reward");
  EXPECT_EQ(state()["spent"], 0);
}

TEST_F(ApiInstead, TheTimeOfAPullIsRecordedAndAnotherOneIsAConflict) {
  create();
  decide_for("farms", "1");
  decide_for("farms", "2");
  settle(2, {{"kind", "void"}});
  for (const int decision : {1, 2}) {
    Json body = instead("shops", 0.4);
    body["observed_at"] = "2026-11-15T09:30:00Z";
    const auto first = settle(decision, body);
    EXPECT_EQ(settle(decision, body).body, first.body);
    EXPECT_EQ(settle(decision, instead("shops", 0.4)).body, first.body);
    body["observed_at"] = "2026-11-14T09:30:00Z";
    EXPECT_EQ(settle(decision, body).field(), "/observed_at");
  }
  for (const Json& event : events()) {
    if (event["event"] != "pulled_instead") continue;
    EXPECT_EQ(event["details"]["observed_at"], "2026-11-15T09:30:00.000Z");
  }
}

TEST_F(ApiInstead, WhatWasDoneCanBeToldAfterADecisionIsVoid) {
  create();
  decide_for("farms", "k");
  settle(1, {{"kind", "void"}});
  const auto told = settle(1, instead("shops", 0.4));
  EXPECT_EQ(told.status, 200) << told.body;
  EXPECT_EQ(told.json["event"], "pulled_instead");
  EXPECT_EQ(settle(1, instead("shops", 0.4)).body, told.body);
  EXPECT_EQ(state()["spent"], 1);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
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
  refused({{"kind", "void"}, {"instead", {{"reward", 0.4}}}}, 400, "/instead/arm");
  refused({{"kind", "void"}, {"instead", {{"arm", "shops"}, {"reward", 0.4}, {"id", "x"}}}}, 422, "/instead/id");
  refused({{"kind", "lost"}, {"instead", {{"arm", "shops"}, {"reward", 0.4}}}}, 422, "/instead");
  refused({{"kind", "void"}, {"arm", "homes"}, {"instead", {{"arm", "shops"}, {"reward", 0.4}}}}, 409, "/arm");
  refused({{"kind", "void"}, {"instead", "shops"}}, 400, "/instead");
  refused({{"instead", {{"arm", "shops"}}}}, 400, "/kind");
  EXPECT_EQ(state(), before);
  settle(1, instead("shops"));
  const auto chained = settle(2, instead("homes"));
  EXPECT_EQ(chained.detail(),
            "instead: decision 2 was itself pulled in place of decision 1; send this as a correction of decision 2");
}

TEST_F(ApiInstead, ThePullUsesTheUnitOfTheVoidDecision) {
  create({{"budget", 1}});
  decide_for("farms", "k");
  EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.4}}, "o").status, 422);
  EXPECT_EQ(settle(1, instead("shops", 0.4)).status, 200);
  EXPECT_EQ(state()["spent"], 1);
  EXPECT_EQ(state()["left"], 0);
}

TEST_F(ApiInstead, ThePullIsRecordedInAClosedStudyAndBeyondTheBudget) {
  create({{"budget", 3}, {"constraints", {{"costs", "shops:3"}, {"units_per_round", "3"}}}});
  decide_for("farms", "k");
  client_->post("/v1/studies/s/close", nullptr, "c");
  const std::int64_t made = state()["decisions"];
  const auto done = settle(1, instead("shops"));
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(settle(made + 1, {{"reward", 0.4}}).status, 200);
  EXPECT_EQ(state()["overspent"], made - 1);
  EXPECT_EQ(pulls()[1], 1);
  expect_audit_agrees();
  start();
  EXPECT_EQ(pulls()[1], 1) << "the log is replayed";
}

TEST_F(ApiInstead, AnImportOfAPullInPlaceOnTheArmOfTheDecisionIsRefused) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  std::string same = client_->get("/v1/studies/s/export").body;
  same.replace(same.find(R"("arm":"shops")"), 13, R"("arm":"farms")");
  for (const char* query : {"?name=same&dry_run=true", "?name=same"}) {
    const auto refused = client_->send("POST", std::string("/v1/studies/import") + query, same, "");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.detail(), "line 4: arm 'farms' is the arm of decision 1, so it was not pulled in its place");
  }
}

TEST_F(ApiInstead, AConflictNamesThePullThatCounts) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  correct({{"decision", 2}, {"kind", "void"}});
  settle(1, instead("homes", 0.5));
  EXPECT_EQ(settle(1, instead("shops", 0.4)).detail(),
            "decision 1: arm 'homes' was pulled in its place already, as decision 3; if that is wrong, correct "
            "decision 3 to void and send this again");
  correct({{"decision", 3}, {"kind", "void"}});
  EXPECT_EQ(settle(1, instead("shops", 0.4)).detail(),
            "decision 1: arm 'shops' is recorded in its place as decision 2, which is void; correct decision 2 to its "
            "reward");
}

TEST_F(ApiInstead, AnOutcomeAndACorrectionNameTheVoidPullThatIsToBeCorrected) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  correct({{"decision", 2}, {"kind", "void"}});
  Json correction = instead("shops", 0.6);
  correction["decision"] = 1;
  const std::string what_to_do =
      "decision 1: arm 'shops' is recorded in its place as decision 2, which is void; correct decision 2 to its reward";
  EXPECT_EQ(settle(1, instead("shops", 0.6)).detail(), what_to_do);
  const auto refused = correct(correction);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.detail(), what_to_do);
  correct({{"decision", 1}, {"reward", 0.3}});
  EXPECT_EQ(correct(correction).detail(),
            "decision 1: arm 'shops' is recorded in its place as decision 2, which is void; correct decision 1 to "
            "void, then decision 2 to its reward");
  EXPECT_EQ(correct({{"decision", 1}, {"kind", "void"}}).status, 201);
  EXPECT_EQ(correct({{"decision", 2}, {"reward", 0.6}}).status, 201);
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
}

TEST_F(ApiInstead, ThePullIsCorrectedLikeAnyDecision) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  EXPECT_EQ(correct({{"decision", 2}, {"reward", 0.6}}).status, 201);
  EXPECT_EQ(settle(1, instead("shops", 0.4)).status, 409);
  EXPECT_EQ(settle(1, instead("shops", 0.6)).json["decision"], 2);
}

TEST_F(ApiInstead, APlainVoidOutcomeHasNotTheTimeOfThePull) {
  create();
  decide_for("farms", "k");
  Json body = instead("shops", 0.4);
  body["observed_at"] = "2026-11-15T09:30:00Z";
  settle(1, body);
  EXPECT_TRUE(settle(1, {{"kind", "void"}}).is_repeated);
  EXPECT_TRUE(settle(1, {{"kind", "void"}, {"observed_at", "2026-11-14T09:30:00Z"}}).is_repeated);
  const Json list = events();
  EXPECT_FALSE(list[2].contains("details")) << "the decision was not followed";
  for (const std::size_t pull : {3UL, 4UL}) EXPECT_EQ(list[pull]["details"]["observed_at"], "2026-11-15T09:30:00.000Z");
}

TEST_F(ApiInstead, AnImportInWhichADecisionAndThePullInItsPlaceCountIsRefused) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  std::string both = client_->get("/v1/studies/s/export").body;
  both.replace(both.find(R"("outcome":"void")"), 16, R"("outcome":"observed","reward":0.5)");
  const auto refused = client_->send("POST", "/v1/studies/import?name=both", both, "");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.detail().find("decision 1 is not void, so nothing was pulled in its place"), std::string::npos)
      << refused.body;
}

TEST_F(ApiInstead, AnExportHasThePulls) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  decide_for("farms", "l");
  const std::string lines = client_->get("/v1/studies/s/export").body;
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=copy", lines, "").status, 201);
  EXPECT_TRUE(client_->put("/v1/studies/copy/decisions/1/outcome", instead("shops", 0.4)).is_repeated);
  EXPECT_EQ(client_->get("/v1/studies/copy").json["arms"], state()["arms"]);
  std::string wrong = lines;
  wrong.replace(wrong.find(R"("instead_of":1)"), 14, R"("instead_of":3)");
  EXPECT_EQ(client_->send("POST", "/v1/studies/import?name=wrong", wrong, "").status, 422);
}

TEST_F(ApiInstead, TheEventsOfADecisionNameThePullInItsPlace) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops", 0.4));
  for (const char* decision : {"1", "2"}) {
    const std::string lines = client_->get(fmt::format("/v1/studies/s/events?decision={}", decision)).body;
    EXPECT_NE(lines.find("pulled_instead"), std::string::npos) << decision;
  }
}

TEST_F(ApiInstead, RowsOfAReportNamePullsInstead) {
  create();
  for (const char* key : {"1", "2", "3", "4"}) decide_for("farms", key);
  settle(4, instead("shops", 0.1));
  const auto row = [](std::int64_t decision, Json body) {
    body["decision"] = decision;
    return body;
  };
  const Json report{{"outcomes",
                     {row(1, instead("shops", 0.4)), row(2, instead("homes")), row(3, {{"reward", 0.5}}),
                      row(4, instead("shops", 0.1))}}};
  const auto tried = client_->post("/v1/studies/s/outcomes?dry_run", report);
  EXPECT_EQ(tried.json["new"], 3) << tried.body;
  EXPECT_EQ(tried.json["already_known"], 1);
  const auto recorded = client_->post("/v1/studies/s/outcomes", report, "r");
  EXPECT_EQ(recorded.json["recorded"], 3) << recorded.body;
  EXPECT_EQ(recorded.json["already_known"], 1);
  EXPECT_EQ(pulls(), (std::vector{1, 2, 1}));
  EXPECT_EQ(state()["pending"], 1);
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", report, "r").body, recorded.body);
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", report).json["already_known"], 4);
}

TEST_F(ApiInstead, ARewardByArmIsThatOfThePullThatTheReportNamesBeforeIt) {
  for (const bool is_arm_first : {false, true}) {
    const std::string name = is_arm_first ? "first" : "s";
    const std::string path = "/v1/studies/" + name;
    create({{"name", name}});
    client_->post(path + "/decisions", {{"among", {"farms"}}}, "1");
    client_->post(path + "/decisions", {{"among", {"farms"}}}, "2");
    Json replaced = instead("shops");
    replaced["decision"] = 2;
    const Json first = is_arm_first ? Json{{"arm", "farms"}, {"reward", 0.5}} : Json{{"decision", 1}, {"reward", 0.5}};
    const Json report{{"outcomes", {first, replaced, {{"arm", "shops"}, {"reward", 0.4}}}}};
    EXPECT_EQ(client_->post(path + "/outcomes?dry_run", report, "r").json["new"], 3);
    const auto recorded = client_->post(path + "/outcomes", report, "r");
    EXPECT_EQ(recorded.json["recorded"], 3) << recorded.body;
    const Json now = client_->get(path).json;
    EXPECT_EQ(now["spent"], 2) << name;
    EXPECT_EQ(now["pending"], 0) << name;
    EXPECT_EQ(now["arms"][1]["pulls"], 1) << name;
  }
}

TEST_F(ApiInstead, AReportSettlesAPullAndNamesItAgain) {
  create();
  decide_for("farms", "k");
  settle(1, instead("shops"));
  Json again = instead("shops");
  again["decision"] = 1;
  const auto recorded =
      client_->post("/v1/studies/s/outcomes", {{"outcomes", {{{"decision", 2}, {"reward", 0.4}}, again}}});
  EXPECT_EQ(recorded.json["recorded"], 1) << recorded.body;
  EXPECT_EQ(recorded.json["already_known"], 1);
}

TEST_F(ApiInstead, AMistakeInARowIsNamedByItsField) {
  create();
  decide_for("farms", "k");
  const auto field_of = [&](Json row) {
    row["decision"] = 1;
    return client_->post("/v1/studies/s/outcomes", {{"outcomes", {row}}}).field();
  };
  EXPECT_EQ(field_of(instead("shop", 0.4)), "/outcomes/0/instead/arm");
  EXPECT_EQ(field_of(instead("shops", 70)), "/outcomes/0/instead/reward");
  EXPECT_EQ(field_of({{"reward", 0.4}, {"instead", {{"arm", "shops"}}}}), "/outcomes/0/instead");
  EXPECT_EQ(pulls(), (std::vector{1, 0, 0}));
}

TEST_F(ApiInstead, ALineOfATableNamesTheArmThatWasPulledInstead) {
  create();
  for (const char* key : {"1", "2", "3"}) decide_for("farms", key);
  const auto send = [&](const std::string& table) {
    return client_->send("POST", "/v1/studies/s/outcomes", table, "", "text/csv");
  };
  EXPECT_EQ(
      send("decision,reward,instead,kind\n1,,shops,lost\n").detail(),
      "line 2, column 3 (instead): only a decision that is void was replaced by another pull; leave the kind empty; "
      "nothing is recorded");
  const auto recorded = send("decision,reward,instead\n1,0.4,shops\n2,,homes\n3,0.5,\n");
  EXPECT_EQ(recorded.json["recorded"], 3) << recorded.body;
  EXPECT_EQ(pulls(), (std::vector{1, 1, 1}));
  EXPECT_EQ(state()["pending"], 1);
}

}  // namespace
}  // namespace longrun
