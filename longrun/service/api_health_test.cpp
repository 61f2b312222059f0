// Tests of the interface: what deserves attention in a study, and clocks that are wrong.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longrun/service/outcome_delays.h"
#include "tests/api_fixture.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kHourOfTest = 3'600'000;  // milliseconds
constexpr std::int64_t kDayOfTest = 24 * kHourOfTest;

class ApiHealth : public Api {
 protected:
  Json health(const std::string& study = "s") { return client_->get("/v1/studies/" + study).json["health"]; }
  std::string exported() { return client_->get("/v1/studies/s/export").body; }
  ServiceClient::Answer imported(const std::string& lines, const std::string& query) {
    return client_->send("POST", "/v1/studies/import" + query, lines, "");
  }
};

TEST(OutcomeDelays, AnOutcomeIsOverdueAfterTwiceTheDelayThatNineOfTenDoNotExceed) {
  OutcomeDelays delays;
  const std::string begin = "2026-01-01T00:00:00.000Z";
  for (int hours = 1; hours < 10; ++hours) {
    EXPECT_EQ(delays.overdue_after(), 30 * kDayOfTest) << "too few are known";
    delays.add(begin, utc_text(parse_utc(begin) + kHourOfTest * 20 * hours));
  }
  delays.add(begin, "2026-12-31T00:00:00.000Z");
  EXPECT_EQ(delays.overdue_after(), kHourOfTest * 360);
}

TEST(OutcomeDelays, NothingIsOverdueWithinADay) {
  OutcomeDelays delays;
  for (int i = 0; i < 20; ++i) delays.add("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.010Z");
  EXPECT_EQ(delays.overdue_after(), kDayOfTest);
}

TEST_F(ApiHealth, OverdueOutcomesAreCounted) {
  create();
  client_->post("/v1/studies/s/decisions", {{"count", 12}}, "k");
  EXPECT_EQ(health(), Json::parse(R"({"overdue":0,"overdue_after_days":30.0,"off_scale":0,"newest_in_future":false})"));
  now_ += 30 * kDayOfTest;
  EXPECT_EQ(health()["overdue"], 0);
  now_ += 1;
  EXPECT_EQ(health()["overdue"], 12);
  now_ -= 27 * kDayOfTest;
  for (int decision = 1; decision <= 10; ++decision) settle(decision, {{"reward", 0.5}});
  EXPECT_EQ(health()["overdue_after_days"], 6.08) << "2 * 73 hours";
  EXPECT_EQ(health()["overdue"], 0);
  now_ += 4 * kDayOfTest;
  EXPECT_EQ(health()["overdue"], 2);
  service_->forget_all();
  EXPECT_EQ(health()["overdue"], 2) << "the health is that of the log";
  settle(11, {{"kind", "lost"}});
  EXPECT_EQ(health()["overdue"], 1);
}

TEST_F(ApiHealth, RewardsOutsideTheScaleAreCountedAsTheyAreNow) {
  create({{"noise", "gaussian:0.2"}});
  client_->post("/v1/studies/s/decisions", {{"count", 3}}, "k");
  settle(1, {{"reward", 1.1}});
  settle(2, {{"reward", 1}});
  settle(3, {{"reward", 0.5}});
  client_->post("/v1/studies/s/observations", {{"arm", "farms"}, {"reward", -0.1}, {"id", "a"}});
  EXPECT_EQ(health()["off_scale"], 2);
  const auto correct = [&](Json what, const std::string& key) {
    what["reason"] = "x";
    EXPECT_EQ(client_->post("/v1/studies/s/corrections", what, key).status, 201);
  };
  correct({{"decision", 1}, {"reward", 0.1}}, "a");
  EXPECT_EQ(health()["off_scale"], 1);
  correct({{"observation", "a"}, {"kind", "void"}}, "b");
  correct({{"decision", 3}, {"reward", 1.2}}, "c");
  EXPECT_EQ(health()["off_scale"], 1);
  service_->forget_all();
  EXPECT_EQ(health()["off_scale"], 1);
}

TEST_F(ApiHealth, AStudySaysWhetherItDecidesByRound) {
  create();
  create({{"name", "share"}, {"constraints", {{"minimum_share", "farms:0.2"}}}});
  create({{"name", "rounds"}, {"constraints", {{"units_per_round", "3"}}}});
  const auto by_round = [&](const std::string& study) { return client_->get("/v1/studies/" + study).json["by_round"]; };
  EXPECT_EQ(by_round("s"), false);
  EXPECT_EQ(by_round("rounds"), true);
  for (const char* study : {"s", "share", "rounds"}) {
    const auto answer = client_->post(fmt::format("/v1/studies/{}/decisions", study), {{"count", 2}}, "k");
    EXPECT_EQ(answer.status, by_round(study) == true ? 422 : 201) << study << answer.body;
  }
}

TEST_F(ApiHealth, AnExportWithEntriesOfTheFutureIsRestoredWithACaution) {
  create();
  now_ += kHourOfTest;
  decide("k");
  const std::string lines = exported();
  EXPECT_EQ(health()["newest_in_future"], false);
  now_ -= kHourOfTest;
  EXPECT_EQ(health()["newest_in_future"], true);
  const std::string caution =
      "line 2: at: 2026-11-16T10:30:00.000Z is in the future; it is 2026-11-16T09:30:00.000Z now, and new entries have "
      "the later time until then";
  EXPECT_EQ(imported(lines, "?name=other&dry_run").json["cautions"], Json::array({caution}));
  const auto restored = imported(lines, "?name=other");
  EXPECT_EQ(restored.status, 201) << restored.body;
  EXPECT_EQ(restored.json["cautions"], Json::array({caution}));
  EXPECT_EQ(health("other")["newest_in_future"], true);
  now_ += kHourOfTest - 200'000;
  EXPECT_EQ(imported(lines, "?name=third").json["cautions"], Json::array()) << "clocks differ a little";
}

TEST_F(ApiHealth, ADryRunKnowsTheSameTimeAsTheRequest) {
  create();
  now_ += 10 * kDayOfTest;
  client_->post("/v1/studies/s/decisions", {{"count", 2}}, "k");
  now_ -= 10 * kDayOfTest;
  const Json report{{"outcomes", {{{"decision", 1}, {"reward", 0.5}, {"observed_at", "2026-11-20T00:00:00Z"}}}}};
  const auto dry = client_->post("/v1/studies/s/outcomes?dry_run=true", report);
  EXPECT_EQ(dry.json["accepted"], true) << dry.body;
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", report).status, 201);
  const Json late{{"outcomes", {{{"decision", 2}, {"reward", 0.5}, {"observed_at", "2026-12-20T00:00:00Z"}}}}};
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes?dry_run=true", late).json["accepted"], false);
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", late).status, 422);
}

}  // namespace
}  // namespace longrun
