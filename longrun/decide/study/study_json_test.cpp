// Studies as JSON Lines and as bytes.
#include "longrun/decide/study/study_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"
#include "tests/made_study.h"

namespace longrun {
namespace {

TEST(StudyJson, ReadsBackWhatItWrites) {
  StudySpec spec{.arms = {"north", "s\"o\nuth"},
                 .budget = 40,
                 .scale = {-1.5, 1e6},
                 .policy = "d-ucb:discount=0.9",
                 .constraints = {.units_per_round = 2, .minimum_share = {.every = 0.1}},
                 .seed = std::numeric_limits<std::uint64_t>::max()};
  const StudyHistory history{
      .spec = spec,
      .events = {
          Decided{
              .round = 1, .decisions = {{1, 0, 1, PullCause::share}, {2, 1, 1, PullCause::minimum}}, .among = {0, 1}},
          Settled{1, Outcome::observed(0.1 + 0.2)}, Settled{2, Outcome::voided()}, Corrected{1, Outcome::lost()},
          Observed{1, 1e5 / 3}, AvailabilityChanged{{1}}, ArmAdded{"third"}, Observed{2, 7}, BudgetExtended{12}}};
  const std::string lines = to_json_lines(history);
  const StudyHistory read = history_from_json_lines(lines);
  EXPECT_EQ(read.spec, spec);
  EXPECT_EQ(read.events, history.events);
  EXPECT_EQ(to_json_lines(read), lines);
}

TEST(StudyJson, NamesLineAndFieldOfWhatItRefuses) {
  const std::string created = to_json(three_arms(10)) + "\n";
  const auto error = [&](const std::string& text) { return error_of([&] { history_from_json_lines(text); }); };
  EXPECT_EQ(error(""), "the text is empty; a study begins with a line 'created'");
  EXPECT_EQ(error("{}"), "line 1: schema: missing");
  EXPECT_EQ(error("[1]"), "line 1: the line is not a JSON object");
  EXPECT_EQ(error("[1\n"), "line 1: the line is not a JSON object");
  EXPECT_EQ(error(created + "\n" + created), "line 2: the line is not a JSON object");
  EXPECT_EQ(error(created + "{\"seq\":1}"), "line 2: event: missing");
  EXPECT_EQ(error(created + "{\"seq\":2,\"event\":\"settled\",\"decision\":1,\"outcome\":\"lost\"}"),
            "line 2: seq: 2; the next event is number 1");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"settled\",\"decision\":1.5,\"outcome\":\"lost\"}"),
            "line 2: decision: 1.5 is not a whole number");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"settled\",\"decision\":1,\"outcome\":\"lots\"}"),
            "line 2: outcome 'lots' is unknown; allowed: observed, lost, void");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"observed\",\"arm\":\"d\",\"reward\":1}"),
            "line 2: arm: 'd' is not an arm; arms are a, b, c");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"availability_changed\",\"unavailable\":[\"a\",\"north\"]}"),
            "line 2: unavailable: 'north' is not an arm; arms are a, b, c");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = created;
    return error(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(changed("\"created\"", "\"settled\""), "line 1: event: 'settled'; a study begins with 'created'");
  EXPECT_EQ(changed("\"a\"", "7"), "line 1: arms: 7 is not a text");
  const std::string scale = created.substr(created.find("\"scale\":"));
  EXPECT_EQ(changed(scale.substr(0, scale.find(']') + 1), "\"scale\":[0]"),
            "line 1: scale: [0] is not a list of two numbers");
}

TEST(StudyJson, SaysWhatToDoIfTheLastLineIsIncomplete) {
  const std::string created = to_json(three_arms(10)) + "\n";
  const std::string event = to_json(Observed{1, 0.5}, 1, {"a", "b"});
  for (std::size_t size = 1; size < event.size(); ++size) {
    const std::string text = created + event.substr(0, size);
    EXPECT_EQ(error_of([&] { history_from_json_lines(text); }),
              "line 2: the last line is incomplete; cut the text after its last line break");
    EXPECT_TRUE(history_from_json_lines(text.substr(0, text.rfind('\n') + 1)).events.empty());
  }
  for (const std::string& end : std::vector<std::string>{"", "\n", "\r\n", "\n\n \n", "\n  "}) {
    EXPECT_EQ(history_from_json_lines(fmt::format("{}{}{}", created, event, end)).events,
              (std::vector<Event>{Observed{1, 0.5}}));
  }
}

TEST(StudyJson, ReadsEventsFromAnyNumberOn) {
  const std::vector<Event> events{ArmAdded{"d"}, Observed{3, 0.5}};
  std::string lines = to_json(events[0], 8, {"a"}) + "\n" + to_json(events[1], 9, {"a", "b", "c", "d"});
  EXPECT_EQ(events_from_json_lines(lines, {"a", "b", "c"}, 8), events);
  EXPECT_EQ(error_of([&] {
              events_from_json_lines(lines, {"a", "b", "c"}, 9);
            }),
            "line 1: seq: 8; the next event is number 9");
  EXPECT_TRUE(events_from_json_lines("", {"a"}, 8).empty());
}

TEST(StudyJson, EscapesEveryLineBreakOfUnicode) {
  const std::string name =
      "a\xc2\x85 b\xe2\x80\xa8 c\xe2\x80\xa9\xe2\x80\xa9 d\n\v\f\x1c\x1d\x1e\r \xc3\xa9 \xe2\x80\xa6";
  const StudySpec spec{.arms = {name}, .budget = 9};
  const StudyHistory history{spec, {Observed{0, 0.5}}};
  const std::string lines = to_json_lines(history);
  EXPECT_NE(lines.find("a\\u0085 b\\u2028 c\\u2029\\u2029 d\\n"), std::string::npos);
  EXPECT_EQ(lines.find("\xe2\x80\xa8"), std::string::npos);
  EXPECT_NE(lines.find("\xc3\xa9 \xe2\x80\xa6"), std::string::npos) << "other characters are not escaped";
  EXPECT_EQ(history_from_json_lines(lines).spec, spec);
  EXPECT_EQ(history_from_json_lines(lines).events, history.events);
}

TEST(StudySnapshot, RefusesBytesThatAreDamagedOrForeign) {
  const StudyLog log = played("foresight", 30, 0.5);
  const std::string bytes = snapshot(log.study());
  EXPECT_EQ(snapshot(restored(bytes)), bytes);
  EXPECT_EQ(error_of([] { restored("PK"); }), "the bytes are not a snapshot of a study");
  for (std::size_t size = 14; size < bytes.size(); size += 7) {
    EXPECT_EQ(error_of([&] { restored(bytes.substr(0, size)); }), "the snapshot is damaged or incomplete");
  }
  EXPECT_EQ(error_of([&] { restored(bytes + "x"); }), "the snapshot is damaged or incomplete");
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    char& byte = damaged[14 + random() % (bytes.size() - 14)];
    byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
    EXPECT_EQ(error_of([&] { restored(damaged); }), "the snapshot is damaged or incomplete");
  }
}

}  // namespace
}  // namespace longrun
