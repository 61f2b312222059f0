// Requests that would do harm if they were accepted, or that would take the service too long.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the lines of a small study.
std::vector<std::string> small_export() {
  return {R"({"schema":1,"event":"created","arms":["farms","shops"],"budget":9,"scale":[0,1],"noise":"estimate",)"
          R"("policy":"foresight","seed":0,"constraints":{},"at":"2026-11-16T09:30:00Z","details":{"name":"t"}})",
          R"({"seq":1,"event":"decided","round":1,"decisions":[{"id":1,"arm":"farms","pull":1,"cause":"choice"}],)"
          R"("at":"2026-11-16T09:31:00Z","key":"k","request":"0123456789abcdef0123456789abcdef"})",
          R"({"seq":2,"event":"settled","decision":1,"outcome":"observed","reward":0.5,"at":"2026-11-16T09:32:00Z"})"};
}

TEST_F(Api, AnImportThatTheServiceDidNotWriteIsRefusedWithItsLine) {
  const auto imported = [&](std::size_t line, const std::string& from, const std::string& to) {
    std::vector<std::string> lines = small_export();
    const std::size_t found = lines[line].find(from);
    EXPECT_NE(found, std::string::npos) << from;
    lines[line].replace(found, from.size(), to);
    std::string body;
    for (const std::string& each : lines) body += each + "\n";
    return client_->send("POST", "/v1/studies/import", body, "", "application/jsonl");
  };
  EXPECT_EQ(
      imported(2, "09:32:00Z\"", "09:32:00Z\",\"key\":\"k\",\"request\":\"0123456789abcdef0123456789abcdef\"").detail(),
      "line 3: key: the same as that of an earlier line");
  EXPECT_EQ(imported(1, "0123456789abcdef0123456789abcdef", "a\\\"b").detail(),
            "line 2: request: not 32 hexadecimal digits");
  EXPECT_EQ(imported(1, "\"key\":\"k\",", "").detail(), "line 2: request: given without a key");
  EXPECT_EQ(imported(1, "09:31:00Z\"", "09:31:00Z\",\"details\":{\"entries\":\"x\"}").detail(),
            "line 2: details.entries: not a number");
  EXPECT_EQ(imported(2, "2026-11-16T09:32:00Z", "9999-12-31T23:59:59-23:00").status, 422);
  EXPECT_EQ(imported(2, "\"seq\":2", "\"seq\":3").detail(), "line 3: seq: 3 instead of 2");
  EXPECT_EQ(imported(2, "\"reward\":0.5", "\"reward\":7").detail(),
            "line 3: reward 7 of arm 'farms' is further outside the scale 0 to 1 than noise explains; check the "
            "reward, because the scale of a study cannot change")
      << "the line, as in every other error of an import";
  EXPECT_EQ(imported(2, "09:32:00Z", "09:30:30Z").detail(), "line 3: at: earlier than that of the line before");
  EXPECT_EQ(client_->get("/v1/studies").json["studies"].size(), 0U);
  EXPECT_EQ(imported(2, "0.5", "0.25").status, 201);
  EXPECT_EQ(client_->put("/v1/studies/t/decisions/1/outcome", {{"reward", 0.25}}).status, 200);
  EXPECT_EQ(client_->put("/v1/studies/t/decisions/1/outcome", {{"reward", 0.5}}).status, 409);
}

TEST_F(Api, AnImportIsWrittenInTheFormOfTheService) {
  std::vector<std::string> lines = small_export();
  lines[2] = R"({"event":"observed","arm":"shops","seq":2,"reward":0.50,"at":"2026-11-16T10:32:00+01:00"})";
  std::string body;
  for (const std::string& each : lines) body += each + "\n";
  EXPECT_EQ(client_->send("POST", "/v1/studies/import", body, "", "application/jsonl").status, 201);
  const std::string exported = client_->get("/v1/studies/t/export").body;
  EXPECT_NE(exported.find(R"({"seq":2,"event":"observed","arm":"shops","reward":0.5,"at":"2026-11-16T09:32:00.000Z"})"),
            std::string::npos)
      << exported;
  EXPECT_EQ(client_->put("/v1/studies/t/decisions/1/outcome", {{"reward", 0.25}}).status, 200);
}

TEST_F(Api, AClosedStudyAdvisesNothing) {
  create();
  decide("a");
  EXPECT_EQ(client_->get("/v1/studies/s/recommendation").status, 200);
  client_->post("/v1/studies/s/close", Json::object(), "c");
  const Json advice = client_->get("/v1/studies/s/recommendation").json;
  EXPECT_EQ(advice["what_to_do"], "The study is closed: no decision follows.");
  EXPECT_TRUE(advice["next"].empty());
  EXPECT_EQ(advice["arms"].size(), 3U);
  EXPECT_EQ(client_->get("/v1/studies/s/plan").status, 409);
  EXPECT_EQ(client_->get("/v1/studies/s").status, 200);
  create({{"name", "saving"}, {"constraints", {{"costs", "farms:3,shops:3,homes:3"}}}});
  EXPECT_EQ(client_->get("/v1/studies/saving/recommendation").json["rounds_before"], 2);
  client_->post("/v1/studies/saving/close", Json::object(), "c");
  EXPECT_EQ(client_->get("/v1/studies/saving/recommendation").json["rounds_before"], 0);
}

TEST_F(Api, RequestsThatWouldTakeTooLongAreRefused) {
  create({{"budget", 100'000}});
  std::string fields = "{\"a0\":0";
  for (int i = 1; i < 100; ++i) fields += ",\"a" + std::to_string(i) + "\":0";
  EXPECT_EQ(client_->send("POST", "/v1/studies", fields + "}", "").status, 400);
  const Json long_name = std::string(201, 'x');
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"add_arms", {long_name}}}, "a").status, 422);
  EXPECT_EQ(client_->post("/v1/studies", {{"name", "t"}, {"arms", {long_name}}, {"budget", 9}}).status, 422);
  Json many = Json::array();
  for (int i = 0; i < 1001; ++i) many.push_back("n" + std::to_string(i));
  EXPECT_EQ(client_->post("/v1/studies/s/changes", {{"add_arms", many}}, "b").status, 413);
  settle(decide("c"), {{"reward", 0.5}});
  const auto plan = client_->get("/v1/studies/s/plan?futures=1000");
  EXPECT_EQ(plan.detail(),
            "parameter futures: 1000 futures of 99999 pulls in 4 courses take too long; at most 500 are possible here");
}

TEST_F(Api, AnArmWithoutRewardsIsExplainedByThem) {
  create({{"arms", {"a", "b"}}, {"budget", 40}});
  std::string why;
  for (int i = 0; i < 16; ++i) {
    why = client_->get("/v1/studies/s/recommendation").json["why"].dump();
    const Json made = client_->post("/v1/studies/s/decisions", Json::object(), std::to_string(i)).json["decisions"][0];
    settle(made["id"], made["arm"] == "a" ? Json{{"kind", "lost"}} : Json{{"reward", 0.4}});
    if (why.find("larger index") == std::string::npos) continue;
    EXPECT_NE(why.find("no reward of arm 'a' is known"), std::string::npos) << why;
  }
}

TEST_F(Api, RefusesANoiseThatIsMeantForAnotherScale) {
  const Json body{{"name", "t"}, {"arms", {"a"}}, {"budget", 9}, {"scale", {0, 1000}}, {"noise", "gaussian:100"}};
  EXPECT_EQ(client_->post("/v1/studies", body).field(), "/noise");
}

TEST_F(Api, RefusesScalesAndRoundsThatAreTooLarge) {
  Json body{{"name", "t"}, {"arms", {"a", "b"}}, {"budget", 1e12}, {"scale", {0, 1e308}}};
  EXPECT_EQ(client_->post("/v1/studies", body).field(), "/scale");
  body["scale"] = {0, 1e6};
  body["constraints"] = {{"units_per_round", "3000000"}};
  EXPECT_EQ(client_->post("/v1/studies", body).field(), "/constraints/units_per_round");
  body["constraints"] = {{"units_per_round", "30"}};
  EXPECT_EQ(client_->post("/v1/studies", body).status, 201);
}

TEST_F(Api, AnotherTimeOfTheSameOutcomeIsAConflict) {
  create();
  const std::int64_t id = decide("a");
  const Json first{{"reward", 0.5}, {"observed_at", "2026-11-15T09:30:00Z"}};
  EXPECT_EQ(settle(id, first).status, 200);
  EXPECT_EQ(settle(id, first).status, 200);
  EXPECT_EQ(settle(id, {{"reward", 0.5}}).status, 200);
  EXPECT_EQ(settle(id, {{"reward", 0.5}, {"observed_at", "2026-11-14T09:30:00Z"}}).status, 409);
}

TEST_F(Api, KeysAndIdsOfObservationsDoNotMeet) {
  create();
  const Json observation{{"arm", "farms"}, {"reward", 0.5}, {"id", "17"}};
  EXPECT_EQ(client_->post("/v1/studies/s/observations", observation).status, 201);
  EXPECT_EQ(client_->post("/v1/studies/s/observations", observation, "key").status, 422);
  EXPECT_EQ(client_->post("/v1/studies/s/decisions", Json::object(), "observation 17").status, 400);
  EXPECT_EQ(client_->post("/v1/studies/s/observations", {{"observations", {{{"arm", "farm"}, {"reward", 0}}}}}, "o")
                .json["field"],
            "/observations/0/arm");
}

}  // namespace
}  // namespace longrun
