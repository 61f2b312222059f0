// Tests of the interface: answers about the same thing agree. A dry run answers what the request would, a corrected
// outcome is the one that is known, and what is left is one number.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "longrun/service/sha256.h"
#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

class ApiAgreement : public Api {
 protected:
  ServiceClient::Answer table(const std::string& what, const std::string& rows, const std::string& query = "",
                              const std::string& key = "") {
    return client_->send("POST", "/v1/studies/s/" + what + query, rows, key, "text/csv");
  }
  std::string exported() { return client_->get("/v1/studies/s/export").body; }
  ServiceClient::Answer imported(const std::string& lines, const std::string& query) {
    return client_->send("POST", "/v1/studies/import" + query, lines, "");
  }
};

TEST_F(ApiAgreement, AnOutcomeThatWasCorrectedSinceIsAConflict) {
  create();
  decide("k");
  const std::string at = "2026-11-16T09:00:00.000Z";
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"observed_at", at}}).status, 200);
  const Json correction{{"decision", 1}, {"reward", 0.3}, {"reason", "typing error"}};
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", correction, "c").status, 201);
  const auto old = settle(1, {{"reward", 0.5}});
  EXPECT_EQ(old.status, 409);
  EXPECT_EQ(old.detail(), "decision 1 was corrected to observed 0.3 since; correct it again if that is wrong");
  EXPECT_EQ(settle(1, {{"reward", 0.3}}).status, 200);
  EXPECT_EQ(settle(1, {{"reward", 0.3}, {"observed_at", at}}).status, 409) << "the correction has no such time";
  EXPECT_EQ(settle(1, {{"reward", 0.4}}).detail(),
            "decision 1 has another outcome already: observed 0.3; correct it if that is wrong");
  EXPECT_EQ(table("outcomes", "decision,reward\n1,0.5\n").status, 409);
  EXPECT_EQ(table("outcomes", "decision,reward\n1,0.5\n", "?dry_run=true").json["accepted"], false);
  EXPECT_EQ(table("outcomes", "decision,reward\n1,0.3\n").json["already_known"], 1);
  const Json back{{"decision", 1}, {"reward", 0.5}, {"reason", "it was right"}};
  EXPECT_EQ(client_->post("/v1/studies/s/corrections", back, "d").status, 201);
  EXPECT_EQ(settle(1, {{"reward", 0.5}, {"observed_at", at}}).json["seq"], 2) << "the first report says so";
}

TEST_F(ApiAgreement, TheSameRequestWithTheSameKeyIsRepeatedAlsoAfterACorrection) {
  create();
  decide("k");
  const Json report{{"outcomes", {{{"decision", 1}, {"reward", 0.5}}}}};
  const auto first = client_->post("/v1/studies/s/outcomes", report, "monday");
  client_->post("/v1/studies/s/corrections", {{"decision", 1}, {"reward", 0.3}, {"reason", "x"}}, "c");
  const auto again = client_->post("/v1/studies/s/outcomes", report, "monday");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_TRUE(again.is_repeated);
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", report).status, 409);
}

TEST_F(ApiAgreement, AnOutcomeWithAKeyIsRepeatedAlsoAfterACorrection) {
  create();
  decide("k");
  const auto put = [&](const Json& body, const std::string& key) {
    return client_->send("PUT", "/v1/studies/s/decisions/1/outcome", body.dump(), key);
  };
  const auto first = put({{"reward", 0.5}}, "monday");
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_FALSE(first.is_repeated);
  client_->post("/v1/studies/s/corrections", {{"decision", 1}, {"reward", 0.3}, {"reason", "x"}}, "c");
  for (const bool is_new_process : {false, true}) {
    if (is_new_process) start();
    const auto again = put({{"reward", 0.5}}, "monday");
    EXPECT_EQ(again.body, first.body);
    EXPECT_TRUE(again.is_repeated);
    EXPECT_EQ(put({{"reward", 0.4}}, "monday").status, 422) << "another request";
    EXPECT_EQ(put({{"reward", 0.5}}, "tuesday").status, 409);
    EXPECT_TRUE(put({{"reward", 0.3}}, "wednesday").is_repeated) << "it is known already";
    EXPECT_EQ(put({{"reward", 0.5}}, "c").status, 422) << "the key of the correction";
  }
}

TEST_F(ApiAgreement, ADryRunOfAReportThatWasSentCountsItsRows) {
  create();
  decide("1");
  decide("2");
  const Json arm = client_->get("/v1/studies/s/decisions").json["decisions"][0]["arm"];
  const Json pull{{"arm", arm == "shops" ? "homes" : "shops"}, {"reward", 0.4}};
  const Json report{
      {"outcomes", {{{"decision", 1}, {"kind", "void"}, {"instead", pull}}, {{"decision", 2}, {"reward", 0.5}}}}};
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes?dry_run", report, "k").json["new"], 2);
  const auto sent = client_->post("/v1/studies/s/outcomes", report, "k");
  EXPECT_EQ(sent.json["events"].size(), 4U) << sent.body;
  const auto tried = client_->post("/v1/studies/s/outcomes?dry_run", report, "k");
  EXPECT_EQ(tried.json["new"], 0) << tried.body;
  EXPECT_EQ(tried.json["already_known"], 2) << tried.body;
}

TEST_F(ApiAgreement, ARowThatRepeatsARefusedOneIsRefusedToo) {
  create();
  decide("k");
  const auto outcomes = table("outcomes", "decision,reward\n9,0.5\n9,0.5\n1,70\n1,70\n1,0.5\n1,0.5\n", "?dry_run=true");
  EXPECT_EQ(outcomes.json["problem_count"], 4) << outcomes.body;
  EXPECT_EQ(outcomes.json["new"], 1);
  EXPECT_EQ(outcomes.json["already_known"], 1);
  const auto pulls = table("observations", "arm,reward,id\nshops,70,a\nshops,70,a\nshops,0.5,a\n", "?dry_run=true");
  EXPECT_EQ(pulls.json["problem_count"], 2) << pulls.body;
  EXPECT_EQ(pulls.json["new"], 1);
  EXPECT_EQ(pulls.json["already_known"], 0);
}

TEST_F(ApiAgreement, ARoundWithoutAPullIsAnnouncedByTheRecommendation) {
  create({{"budget", 30}, {"policy", "ucb"}, {"constraints", {{"costs", "farms:3,shops:3,homes:3"}}}});
  const auto advice = [&] { return client_->get("/v1/studies/s/recommendation").json; };
  const Json first = advice();
  EXPECT_EQ(first["rounds_before"], 2);
  EXPECT_TRUE(first["what_to_do"].get<std::string>().starts_with("No arm can be pulled in rounds 1 to 2. In round 3, "))
      << first["what_to_do"];
  for (int round = 0; !client_->get("/v1/studies/s").json["done"].get<bool>(); ++round) {
    ASSERT_LT(round, 100);
    const Json said = advice();
    const Json decided = client_->post("/v1/studies/s/decisions", Json::object(), std::to_string(round)).json;
    EXPECT_EQ(decided["decisions"].empty(), said["rounds_before"] > 0) << said["what_to_do"];
    if (decided["decisions"].empty()) continue;
    EXPECT_EQ(decided["decisions"][0]["arm"], said["first"]["name"]);
    settle(decided["decisions"][0]["id"], {{"reward", 0.5}});
  }
  EXPECT_EQ(client_->get("/v1/studies/s").json["spent"], 30);
}

TEST_F(ApiAgreement, ARoundInWhichUnitsAreSavedIsAnnouncedByTheRecommendation) {
  create({{"arms", {"farms", "shops"}},
          {"budget", 30},
          {"policy", "greedy"},
          {"constraints", {{"costs", "farms:4,shops:1"}}}});
  client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.0}}, "seen");
  for (const int before : {3, 2, 1, 0}) {
    const Json said = client_->get("/v1/studies/s/recommendation").json;
    EXPECT_EQ(said["rounds_before"], before) << said["what_to_do"];
    EXPECT_EQ(said["what_to_do"].get<std::string>().find("units are saved for arm 'farms'") != std::string::npos,
              before > 0)
        << said["what_to_do"];
    const Json decided = client_->post("/v1/studies/s/decisions", Json::object(), std::to_string(before)).json;
    EXPECT_EQ(decided["decisions"].empty(), before > 0);
  }
  EXPECT_EQ(client_->get("/v1/studies/s").json["spent"], 5);
}

TEST_F(ApiAgreement, ADecisionThatEndsARoundWithoutAPullIsAnnouncedByTheRecommendation) {
  create({{"budget", 9}, {"constraints", {{"units_per_round", "3"}, {"unspent", "lapse"}}}});
  decide("1");
  client_->post("/v1/studies/s/changes", {{"unavailable", {"farms", "shops", "homes"}}}, "off");
  for (const int round : {2, 3}) {
    const Json said = client_->get("/v1/studies/s/recommendation").json;
    EXPECT_EQ(said["rounds_before"], 4 - round);
    ASSERT_EQ(said["why"].size(), 2) << said["why"];
    EXPECT_EQ(said["why"][1],
              "The next decision ends round " + std::to_string(round) + " without a pull; units that it leaves lapse.");
    const auto decided = client_->post("/v1/studies/s/decisions", Json::object(), std::to_string(round));
    EXPECT_EQ(decided.status, 201);
    EXPECT_EQ(decided.json["decisions"], Json::array());
  }
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").json["rounds_before"], 0);
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "4").status, 422);
}

TEST_F(ApiAgreement, AStudyIsDoneWhenNoPullCanBePaidFor) {
  create({{"budget", 10}, {"constraints", {{"costs", "farms:4,shops:4,homes:4"}, {"units_per_round", "4"}}}});
  decide("1");
  decide("2");
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["left"], 2);
  EXPECT_EQ(state["done"], true);
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").json["what_to_do"], "No arm can be pulled.");
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "3").detail(),
            "the budget of 10 units has 2 left, too few for a pull of any arm; extend it to go on");
  client_->post("/v1/studies/s/changes", {{"extend_budget", 2}}, "more");
  EXPECT_EQ(client_->get("/v1/studies/s").json["done"], false);
}

TEST_F(ApiAgreement, OutcomesWithAndWithoutTheArmOfTheirDecisionAreTheSameRequest) {
  create();
  const Json arm = client_->post("/v1/studies/s/decisions", Json::object(), "d").json["decisions"][0]["arm"];
  const Json with_arm{{"outcomes", {{{"decision", 1}, {"reward", 0.5}, {"arm", arm}}}}};
  const Json without{{"outcomes", {{{"decision", 1}, {"reward", 0.5}}}}};
  const auto first = client_->post("/v1/studies/s/outcomes", with_arm, "k");
  ASSERT_EQ(first.status, 201) << first.body;
  const auto again = client_->post("/v1/studies/s/outcomes", without, "k");
  EXPECT_EQ(again.body, first.body);
  EXPECT_TRUE(again.is_repeated);
  const Json of_arm{{"outcomes", {{{"arm", "farms"}, {"reward", 0.5}}}}};
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", of_arm, "a").status, 201);
  const Json of_other{{"outcomes", {{{"arm", "shops"}, {"reward", 0.5}}}}};
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", of_other, "a").status, 422) << "without a decision, it matters";
}

TEST_F(ApiAgreement, ARepeatedRequestWithAnotherArmOfItsDecisionIsRefused) {
  create();
  const std::string arm = client_->post("/v1/studies/s/decisions", Json::object(), "d").json["decisions"][0]["arm"];
  const std::string other = arm == "farms" ? "shops" : "farms";
  const std::string said = "decision 1 is for arm '" + arm + "', not '" + other + "'";
  const std::string outcome = "/v1/studies/s/decisions/1/outcome";
  const auto put = [&](const std::string& named) {
    return client_->send("PUT", outcome, Json{{"reward", 0.5}, {"arm", named}}.dump(), "k");
  };
  EXPECT_EQ(put(arm).status, 200);
  EXPECT_TRUE(put(arm).is_repeated);
  EXPECT_EQ(put(other).detail(), said);
  const auto correct = [&](const std::string& named) {
    return client_->post("/v1/studies/s/corrections",
                         {{"decision", 1}, {"reward", 0.3}, {"arm", named}, {"reason", "x"}}, "c");
  };
  EXPECT_EQ(correct(arm).status, 201);
  EXPECT_EQ(correct(other).detail(), said);
  EXPECT_TRUE(correct(arm).is_repeated);
}

TEST_F(ApiAgreement, AnObservationUsesUnitsThatHaveLapsedUntilTheNextRoundIsDecided) {
  create({{"arms", {"a", "b"}}, {"budget", 6}, {"constraints", {{"units_per_round", "3"}, {"unspent", "lapse"}}}});
  decide("1");
  settle(1, {{"kind", "void"}});
  EXPECT_EQ(client_->get("/v1/studies/s").json["lapsed"], 1);
  const Json seen{{"arm", "a"}, {"reward", 0.5}};
  EXPECT_EQ(client_->post("/v1/studies/s/observations", seen, "seen").status, 201);
  EXPECT_FALSE(client_->get("/v1/studies/s").json.contains("lapsed"));
}

TEST_F(ApiAgreement, UnitsThatHaveLapsedAreNotLeft) {
  create({{"arms", {"a", "b"}}, {"budget", 6}, {"constraints", {{"units_per_round", "3"}, {"unspent", "lapse"}}}});
  const auto left = [&] {
    const Json state = client_->get("/v1/studies/s").json;
    const Json advice = client_->get("/v1/studies/s/recommendation").json;
    const Json plan = client_->get("/v1/studies/s/plan?futures=100").json;
    EXPECT_EQ(advice["units_left"], state["left"]);
    EXPECT_EQ(advice["remaining"], state["left"]);
    EXPECT_EQ(plan["units_left"], state["left"]);
    return state["left"].get<int>();
  };
  EXPECT_EQ(left(), 6);
  decide("1");
  EXPECT_EQ(left(), 3);
  EXPECT_EQ(settle(1, {{"kind", "void"}}).status, 200);
  decide("2");
  EXPECT_EQ(left(), 0);
  const Json state = client_->get("/v1/studies/s").json;
  EXPECT_EQ(state["spent"], 5);
  EXPECT_EQ(state["lapsed"], 1);
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").json["why"][0], "No units are left.");
  EXPECT_EQ(client_->get("/v1/studies/s/plan").json["what_is_earned"][0], "No pulls remain.");
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "3").detail(),
            "all rounds are over, and 1 of 6 units has lapsed; extend the budget to go on");
  EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"arm", "a"}, {"reward", 0.5}, {"id", "x"}}).status, 422);
}

TEST_F(ApiAgreement, TheRowAfterAnEmptyLineIsCheckedAndCounted) {
  create();
  const auto dry = table("observations", "arm,reward,id\nshops,0.5,a\n\nshop,0.5,b\nfarms,0.5,c\n", "?dry_run=true");
  EXPECT_EQ(dry.json["new"], 2) << dry.body;
  EXPECT_EQ(dry.json["problem_count"], 2);
  EXPECT_EQ(dry.json["problems"][0]["line"], 3);
  EXPECT_EQ(dry.json["problems"][1]["line"], 4);
  EXPECT_TRUE(dry.json["problems"][1]["detail"].get<std::string>().starts_with("arm 'shop' is not an arm"));
}

TEST_F(ApiAgreement, ADryRunAnswersWhatTheRequestWouldWithItsKey) {
  create();
  const std::string rows = "arm,reward\nshops,0.5\nshops,0.25\n";
  EXPECT_EQ(table("observations", rows, "?dry_run=true").status, 400) << "neither key nor ids";
  EXPECT_EQ(table("observations", rows, "?dry_run=true", "k").json["new"], 2);
  EXPECT_EQ(table("observations", rows, "", "k").json["recorded"], 2);
  const auto again = table("observations", rows, "?dry_run=true", "k");
  EXPECT_EQ(again.json["new"], 0) << again.body;
  EXPECT_EQ(again.json["already_known"], 2);
  const std::string others = "arm,reward\nshops,0.75\n";
  const auto used = table("observations", others, "?dry_run=true", "k");
  EXPECT_EQ(used.status, 422);
  EXPECT_EQ(used.detail(), table("observations", others, "", "k").detail());
  EXPECT_EQ(table("observations", "arm,reward,id\nshops,1,x\n", "?dry_run=true", "k").status, 422) << "key and ids";
  decide("d");
  EXPECT_EQ(table("outcomes", "decision,reward\n1,0.5\n", "?dry_run=true", "k").status, 422);
}

TEST_F(ApiAgreement, AnImportIsCheckedAsItIsMade) {
  create();
  decide("k");
  const std::string lines = exported();
  const auto same = imported(lines, "?dry_run=true");
  EXPECT_EQ(same.status, 200) << "the study is there, and the same";
  EXPECT_EQ(same.json["new"], 0);
  EXPECT_EQ(same.json["already_known"], 2);
  EXPECT_TRUE(imported(lines, "").is_repeated);
  decide("l");
  EXPECT_EQ(imported(lines, "?dry_run=true").status, 409);
  EXPECT_EQ(imported(lines, "").status, 409);
}

TEST_F(ApiAgreement, AnImportDropsNoFieldSilently) {
  create();
  decide("k");
  settle(1, {{"kind", "lost"}});
  const std::string lines = exported();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = lines;
    changed.replace(changed.find(from), from.size(), to);
    return imported(changed, "?name=other&dry_run=true");
  };
  EXPECT_EQ(with("\"seed\"", "\"colour\":1,\"seed\"").detail(), "line 1: colour: unknown field");
  EXPECT_EQ(with("\"round\"", "\"note\":\"x\",\"round\"").detail(), "line 2: note: unknown field");
  EXPECT_EQ(with("\"pull\"", "\"price\":1,\"pull\"").detail(), "line 2: decisions.price: unknown field");
  EXPECT_EQ(with("\"lost\"", "\"lost\",\"reward\":0.5").detail(), "line 3: reward: unknown field");
  EXPECT_EQ(with("\"details\":{", "\"details\":{\"owner\":\"x\",").detail(), "line 1: details.owner: unknown field");
  EXPECT_EQ(with("\"seed\"", "\"seed\"").status, 200);
}

TEST_F(ApiAgreement, ThatAllArmsAreUnavailableIsNotTheEnd) {
  create();
  client_->post("/v1/studies/s/changes", {{"unavailable", {"farms", "shops", "homes"}}}, "u");
  EXPECT_EQ(client_->get("/v1/studies/s/plan").json["what_is_earned"][0],
            "No arm can be pulled with the 100 units that are left, as things are now.");
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").json["what_would_change"][0],
            "An arm that is available again can be pulled.");
}

TEST_F(ApiAgreement, RewardsOutsideTheScaleAreACaution) {
  create({{"arms", {"a", "b"}}, {"scale", {0, 1000}}, {"noise", "gaussian:0.2"}});
  client_->post("/v1/studies/s/observations", {{"arm", "a"}, {"reward", 1300}, {"id", "x"}});
  const Json advice = client_->get("/v1/studies/s/recommendation").json;
  ASSERT_EQ(advice["arms"][0]["reward_now"]["mean"], 1300) << advice;
  const std::string caution = advice["cautions"].dump();
  EXPECT_NE(caution.find("is outside the scale from 0 to 1000 and counts as its nearest end."), std::string::npos)
      << caution;
}

TEST_F(ApiAgreement, MessagesNameWhatIsMeant) {
  create();
  decide("k");
  EXPECT_EQ(settle(1, {{"rewrd", 0.4}}).detail(), "reward: missing; the field 'rewrd' is unknown");
  const auto typed = client_->send("POST", "/v1/studies/s/outcomes", "x", "", "text/plain");
  EXPECT_EQ(typed.status, 415);
  EXPECT_EQ(typed.detail(), "the body has the type 'text/plain'; send application/json, or a table as text/csv");
  EXPECT_NE(client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.5}})
                .detail()
                .find("or give every observation an id"),
            std::string::npos);
  EXPECT_EQ(client_->get("/v1/studies/s/plan?compare=minimum_share").detail(),
            "parameter compare: minimum_share: the value is missing; give it after a space, as in 'minimum_share 0.1'");
  const Json narrow{{"name", "n"}, {"arms", {"a"}}, {"budget", 5}, {"scale", {1000, 1000.0000001}}};
  EXPECT_EQ(client_->post("/v1/studies", narrow).detail(),
            "scale: from 1000 to 1000.0000001 is narrower than 1e-06, so rewards on it are not exact");
}

TEST_F(ApiAgreement, TheRecommendationBeforeAnEntryIsWhatWasSaidThen) {
  create();
  std::map<std::int64_t, std::string> said;  // by the number of the entry that followed
  const auto say = [&] {
    const std::int64_t last = client_->get("/v1/studies/s").json["seq"];
    said[last + 1] = client_->get("/v1/studies/s/recommendation").body;
  };
  for (int i = 1; i <= 12; ++i) {
    say();
    const std::int64_t decision = decide("k" + std::to_string(i));
    say();
    if (i % 4 != 0) settle(decision, {{"reward", (i * 37 % 100) / 100.0}});
    if (i == 5) client_->post("/v1/studies/s/changes", {{"add_arms", {"new"}}, {"unavailable", {"homes"}}}, "c");
    if (i == 7) client_->post("/v1/studies/s/changes", {{"noise", "gaussian:0.2"}}, "n");
    if (i == 9) {
      client_->post("/v1/studies/s/corrections", {{"decision", 2}, {"reward", 0.9}, {"reason", "x"}}, "x");
      client_->post("/v1/studies/s/observations", {{"arm", "shops"}, {"reward", 0.3}, {"id", "x"}});
    }
  }
  say();
  client_->post("/v1/studies/s/close", nullptr, "close");
  const auto before = [&](std::int64_t seq) {
    return client_->get("/v1/studies/s/recommendation?before=" + std::to_string(seq));
  };
  for (const auto& [seq, body] : said) EXPECT_EQ(before(seq).body, body) << seq;
  const std::int64_t next = client_->get("/v1/studies/s").json["seq"].get<std::int64_t>() + 1;
  EXPECT_EQ(before(next).body, client_->get("/v1/studies/s/recommendation").body);
  EXPECT_EQ(before(next + 1).status, 422);
  EXPECT_EQ(before(0).status, 422);
}

TEST_F(ApiAgreement, AnErrorPointsToTheFieldThatCausesIt) {
  create({{"budget", 2}});
  client_->post("/v1/studies/s/decisions", {{"count", 2}}, "k");
  const auto observe = [&](const Json& body) { return client_->post("/v1/studies/s/observations", body, "o"); };
  const Json one{{"arm", "shops"}, {"reward", 0.5}};
  EXPECT_EQ(observe(one).status, 422);
  EXPECT_EQ(observe(one).field(), "") << "no budget is left";
  EXPECT_EQ(observe({{"observations", {one}}}).field(), "/observations/0");
  EXPECT_EQ(observe({{"arm", "shops"}, {"reward", "x"}}).field(), "/reward");
  settle(1, {{"kind", "void"}});
  EXPECT_EQ(observe({{"arm", "shops"}, {"reward", 70}}).field(), "/reward");
  EXPECT_EQ(observe({{"observations", {{{"arm", "shops"}, {"reward", 70}}}}}).field(), "/observations/0/reward");
  EXPECT_EQ(observe(one).status, 201);
  const auto correct = [&](Json what) {
    what["reason"] = "x";
    return client_->post("/v1/studies/s/corrections", what, "c").field();
  };
  EXPECT_EQ(correct({{"observation", 3}, {"kind", "lost"}}), "/kind");
  EXPECT_EQ(correct({{"observation", 3}, {"reward", 70}}), "/reward");
  EXPECT_EQ(correct({{"observation", 2}, {"reward", 0.5}}), "/observation");
  client_->post("/v1/studies/s/close", nullptr, "close");
  EXPECT_EQ(client_->post("/v1/studies/s/observations", one, "p").field(), "") << "the study is closed";
}

TEST_F(ApiAgreement, AnImportSaysWhatItHasReadAndNoticesAShortenedExport) {
  create();
  decide("k");
  settle(1, {{"reward", 0.5}});
  const auto exported_study = client_->get("/v1/studies/s/export");
  EXPECT_EQ(exported_study.last_entry, "2");
  EXPECT_EQ(exported_study.sha256, sha256(exported_study.body));
  std::filesystem::remove_all(folder() + "_other");
  SqliteStore other(folder() + "_other");
  StudyService other_service(other, [this] { return now_; });
  ServiceClient other_client(other_service);
  const auto import = [&](const std::string& lines, const std::string& query) {
    return other_client.send("POST", "/v1/studies/import" + query, lines, "");
  };
  const std::string shortened = exported_study.body.substr(0, exported_study.body.rfind("{\"seq\":2"));
  const auto refused = import(shortened, "?seq=2");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.detail(), "parameter seq: the last line is entry 1, not 2; send the whole export");
  EXPECT_EQ(import(shortened, "?seq=2&dry_run").status, 422);
  const auto imported_study = import(exported_study.body, "?seq=2");
  EXPECT_EQ(imported_study.status, 201) << imported_study.body;
  EXPECT_EQ(imported_study.json["seq"], 2);
  EXPECT_EQ(imported_study.json["sha256"], exported_study.sha256);
  EXPECT_EQ(other_client.get("/v1/studies/s/export").sha256, exported_study.sha256);
  const auto copy = import(exported_study.body, "?name=copy");
  EXPECT_EQ(copy.json["sha256"], other_client.get("/v1/studies/copy/export").sha256);
}

}  // namespace
}  // namespace longrun
