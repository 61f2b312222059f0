// Tests of the interface: logs of earlier versions, in which a pull in place of a decision is an observation.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/api_instead_fixture.h"

namespace longrun {
namespace {

/// A log of an earlier version, in which a pull in place of a decision is an observation that the void outcome names.
class ApiObservedInstead : public ApiInstead {
 protected:
  void SetUp() override {
    ApiInstead::SetUp();
    const auto imported = client_->send("POST", "/v1/studies/import?name=s", log(), "");
    ASSERT_EQ(imported.status, 201) << imported.body;
  }
  static std::string log() {
    const std::string at = R"(,"at":"2026-11-16T09:30:00.000Z")";
    return R"({"schema":1,"event":"created","arms":["farms","shops","homes"],"budget":6,"scale":[0.0,1.0],)"
           R"("noise":"gaussian:0.1","policy":"ucb","seed":0,"constraints":{})" +
           at + R"(,"details":{"name":"s","mode":"live"}})" + "\n" +
           R"({"seq":1,"event":"decided","round":1,"decisions":[{"id":1,"arm":"farms","pull":1,"cause":"choice"}])" +
           at + "}\n" + R"({"seq":2,"event":"settled","decision":1,"outcome":"void")" + at +
           R"(,"details":{"observed_at":"2026-11-15T09:30:00.000Z","instead":3}})" + "\n" +
           R"({"seq":3,"event":"observed","arm":"shops","reward":0.4)" + at + "}\n";
  }
};

TEST_F(ApiObservedInstead, IsReadAndExportedAsItWasWritten) {
  EXPECT_EQ(client_->get("/v1/studies/s/export").body, log());
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
  start();
  EXPECT_EQ(pulls(), (std::vector{0, 1, 0}));
}

TEST_F(ApiObservedInstead, IsRefusedIfTheVoidOutcomeNamesNoObservation) {
  const auto refused = [&](const std::string& text, const std::string& by) {
    std::string wrong = log();
    wrong.replace(wrong.find(text), text.size(), by);
    return client_->send("POST", "/v1/studies/import?name=wrong", wrong, "").detail();
  };
  const std::string not_next = "line 3: details.instead: not the number of the line after a void outcome";
  EXPECT_EQ(refused(R"("instead":3)", R"("instead":4)"), not_next);
  EXPECT_EQ(refused(R"("outcome":"void")", R"("outcome":"lost")"), not_next);
  EXPECT_EQ(refused(log().substr(log().find(R"({"seq":3)")), ""),
            "line 3: the observation is missing that was made in place of a void decision");
}

TEST_F(ApiObservedInstead, ARepeatedRequestCountsNothing) {
  const Json before = state();
  EXPECT_TRUE(settle(1, instead("shops", 0.4)).is_repeated);
  EXPECT_TRUE(settle(1, instead("shops")).is_repeated);
  EXPECT_EQ(settle(1, instead("shops", 0.5)).detail(),
            "decision 1: arm 'shops' was pulled in its place already, as observation 3; it has the outcome observed "
            "0.4; correct observation 3 if that is wrong");
  EXPECT_EQ(settle(1, instead("homes", 0.4)).detail(),
            "decision 1: arm 'shops' was pulled in its place already, as observation 3; if that is wrong, correct "
            "observation 3 to void and send this again");
  Json row = instead("shops", 0.4);
  row["decision"] = 1;
  EXPECT_EQ(client_->post("/v1/studies/s/outcomes", {{"outcomes", {row}}}).json["already_known"], 1);
  EXPECT_EQ(state(), before);
}

TEST_F(ApiObservedInstead, AWrongArmIsReplacedAsTheErrorSays) {
  EXPECT_EQ(correct({{"observation", 3}, {"kind", "void"}}).status, 201);
  EXPECT_EQ(settle(1, instead("homes", 0.4)).status, 200);
  EXPECT_EQ(pulls(), (std::vector{0, 0, 1}));
  const auto both = correct({{"observation", 3}, {"reward", 0.4}});
  EXPECT_EQ(both.status, 409);
  EXPECT_EQ(both.detail(),
            "observation 3 was not made: decision 2 was made in its place; if that is wrong, correct decision 2 to "
            "void first");
}

TEST_F(ApiObservedInstead, OnlyOneOfTheDecisionAndTheObservationCounts) {
  const auto both = correct({{"decision", 1}, {"reward", 0.3}});
  EXPECT_EQ(both.status, 409);
  EXPECT_EQ(both.detail(),
            "decision 1 was not made: observation 3 was made in its place; if that is wrong, correct observation 3 to "
            "void first");
  EXPECT_EQ(correct({{"observation", 3}, {"reward", 0.6}}).status, 201);
  EXPECT_EQ(correct({{"observation", 3}, {"kind", "void"}}).status, 201);
  EXPECT_EQ(correct({{"decision", 1}, {"reward", 0.3}}).status, 201);
  EXPECT_EQ(correct({{"observation", 3}, {"reward", 0.4}}).detail(),
            "observation 3 was not made: decision 1 was made in its place; if that is wrong, correct decision 1 to "
            "void first");
  EXPECT_EQ(pulls(), (std::vector{1, 0, 0}));
}

}  // namespace
}  // namespace longrun
