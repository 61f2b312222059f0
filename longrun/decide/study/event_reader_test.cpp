#include "longrun/decide/study/event_reader.h"

#include <gtest/gtest.h>

#include "longrun/decide/study/study_log.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

TEST(EventReader, ReadsWhatTheJsonParserReads) {
  StudySpec spec{.arms = {"Small farms", "a \"quoted\" name", "Łódź", ""}, .budget = 1000};
  spec.arms.back() = "x";
  StudyLog log(spec);
  std::vector<std::string> lines;
  const auto add = [&](const StudyCommand& command) {
    const Event* event = log.handle(command);
    lines.push_back(to_json(*event, static_cast<std::int64_t>(lines.size()) + 1, log.study().spec().arms));
    return *event;
  };
  for (int i = 0; i < 60; ++i) {
    const Event decided = add(Decide{});
    const DecisionId id = std::get<Decided>(decided).decisions[0].id;
    const double reward = i % 3 == 0 ? 1.0 / (i + 3) : i % 3 == 1 ? 1e-9 * i : 1;
    add(Report{id, i % 10 == 9 ? Outcome::lost() : Outcome::observed(reward)});
  }
  add(Decide{.count = 3});
  add(Decide{.count = 1, .among = {1}});
  add(AddArm{"new"});
  add(Observe{4, 0.25});
  add(Correct{1, Outcome::voided()});

  EventReader reader(spec.arms);
  ArmLabels arms(spec.arms);
  std::size_t number = 0;
  for (const std::string& line : lines) {
    const NumberedEvent slow = event_from_json(line, arms);
    const NumberedEvent fast = reader.read(line);
    if (std::holds_alternative<ArmAdded>(slow.event)) arms.add("new");
    EXPECT_EQ(fast.number, slow.number);
    EXPECT_TRUE(fast.event == slow.event) << line;
    EXPECT_EQ(fast.number, static_cast<std::int64_t>(++number));
  }
}

TEST(EventReader, LeavesLinesThatAreNotExactlyAsWrittenToTheParser) {
  const auto error = [](const std::string& line) { return error_of([&] { EventReader({"a"}).read(line); }); };
  const std::string outcome = R"({"seq":2,"event":"settled","decision":1,"outcome":"observed","reward":)";
  EXPECT_EQ(error(outcome + "0.5"), "the line is not a JSON object");
  EXPECT_EQ(error(outcome + "0.5,}"), "the line is not a JSON object");
  EXPECT_EQ(error(outcome + "inf}"), "the line is not a JSON object");
  EXPECT_EQ(error(outcome + "\"1\"}"), "reward: \"1\" is not a number");
  EXPECT_EQ(
      error(R"({"seq":1,"event":"decided","round":1,"decisions":[{"id":1,"arm":"b","pull":1,"cause":"choice"}]})"),
      "arm: 'b' is not an arm; arms are a");
  EXPECT_EQ(error(R"({"seq":1,"event":"decided","round":1,"decisions":[{"id":1,"arm":"a","pull":1,"cause":"luck"}]})"),
            "cause: 'luck' is unknown; allowed: choice, minimum, share");
  EventReader reader({"a"});
  const NumberedEvent spaced = reader.read(R"({ "event": "settled", "seq": 2, "decision": 1, "outcome": "lost" })");
  EXPECT_TRUE(spaced.event == Event(Settled{1, Outcome::lost()}));
}

}  // namespace
}  // namespace longrun
