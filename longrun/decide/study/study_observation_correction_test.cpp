#include <gtest/gtest.h>

#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

StudySpec observed_spec() { return {.arms = {"a", "b"}, .budget = 60, .noise = Gaussian{0.1}, .policy = "ucb"}; }

/// Makes decisions and observations in turn, with a reward of 0.9 in event 3 and 0.5 in event 6.
StudyLog observed_log(std::size_t keep = StudyLog::kAll) {
  StudyLog log(observed_spec(), keep);
  for (int i = 0; i < 5; ++i) {
    log.handle(Decide{});
    log.handle(Report{log.study().last_decision(), Outcome::observed(0.25 + 0.0625 * i)});
    log.handle(Observe{i % 2, i == 0 ? 0.9 : 0.5});
  }
  return log;
}

/// Returns the state after the events of a log, with other ones in place of some.
std::string state_with(const StudyLog& log, std::int64_t number, const std::optional<Event>& instead) {
  StudyLog other(observed_spec());
  std::vector<Event> events;
  std::int64_t i = 0;
  for (const Event& event : log.events()) {
    if (++i != number) events.push_back(event);
    if (i == number && instead) events.push_back(*instead);
  }
  Study study(observed_spec());
  for (const Event& event : events) {
    if (!std::holds_alternative<Corrected>(event)) study.apply(event, Study::Trust::accepted);
  }
  return snapshot(study);
}

TEST(CorrectedObservation, HasTheStateOfAStudyThatHadAlwaysKnown) {
  StudyLog log = observed_log();
  ASSERT_NE(log.handle(Correct{.outcome = Outcome::observed(0.125), .observation = 3}), nullptr);
  EXPECT_EQ(snapshot(log.study()), state_with(log, 3, Observed{0, 0.125}));
  ASSERT_NE(log.handle(Correct{.outcome = Outcome::voided(), .observation = 3}), nullptr);
  EXPECT_EQ(snapshot(log.study()), state_with(log, 3, std::nullopt));
  EXPECT_EQ(log.study().spent(), 9);
  EXPECT_EQ(log.handle(Correct{.outcome = Outcome::voided(), .observation = 3}), nullptr);
  ASSERT_NE(log.handle(Correct{.outcome = Outcome::observed(0.9), .observation = 3}), nullptr);
  EXPECT_EQ(snapshot(log.study()), snapshot(observed_log().study()));
}

TEST(CorrectedObservation, IsReplayedAndLoadedFromItsLog) {
  StudyLog log = observed_log();
  log.handle(Correct{.outcome = Outcome::observed(0.125), .observation = 6});
  log.handle(Decide{});
  log.handle(Correct{.outcome = Outcome::voided(), .observation = 3});
  log.handle(ChangeMode{StudyMode::live});
  StudyHistory history{.spec = observed_spec(), .events = {}};
  for (const Event& event : log.events()) history.events.push_back(event);
  const StudyHistory read = history_from_json_lines(to_json_lines(history));
  EXPECT_EQ(read.events, history.events);
  StudyLog replayed(observed_spec());
  EXPECT_TRUE(replayed.replay(read.events).empty());
  EXPECT_EQ(snapshot(replayed), snapshot(log));
  StudyLog loaded(observed_spec());
  loaded.load(read.events);
  loaded.apply_corrections();
  EXPECT_EQ(snapshot(loaded), snapshot(log));
}

TEST(CorrectedObservation, CanComeBackAfterItsUnitWasSpentAgain) {
  for (const char* constraints : {"", "costs 2,1", "units_per_round 2", "minimum_pulls 1:2", "minimum_share 1:0.25"}) {
    SCOPED_TRACE(constraints);
    StudySpec spec{.arms = {"a", "b"}, .budget = 4, .noise = Gaussian{0.1}, .policy = "ucb"};
    if (const std::string_view text = constraints; !text.empty()) {
      const std::size_t space = text.find(' ');
      set_constraint(spec.constraints, text.substr(0, space), text.substr(space + 1));
    }
    StudyLog log(spec);
    const auto until_done = [&](const auto& act) {
      for (int i = 0; i < 30 && !log.study().done(); ++i) ASSERT_EQ(error_of(act), "no error");
      ASSERT_TRUE(log.study().done());
    };
    until_done([&] { log.handle(Observe{log.events().empty() ? 0 : 1, 0.5}); });
    log.handle(Correct{.outcome = Outcome::voided(), .observation = 1});
    until_done([&] { log.handle(Decide{}); });
    log.handle(ExtendBudget{10});
    log.handle(Correct{.outcome = Outcome::observed(0.5), .observation = 1});
    until_done([&] { log.handle(Decide{}); });
    EXPECT_GE(log.study().spent(), 13);  // a pull may cost 2 units
    StudyLog replayed(spec);
    const std::vector<Event> events(log.events().begin(), log.events().end());
    replayed.replay(events);
    EXPECT_EQ(snapshot(replayed), snapshot(log));
  }
}

TEST(CorrectedObservation, NeedsAnObservationThatIsKept) {
  StudyLog log = observed_log();
  const auto correct = [&](std::int64_t event, const Outcome& outcome) {
    return error_of([&] { log.handle(Correct{.outcome = outcome, .observation = event}); });
  };
  EXPECT_EQ(correct(2, Outcome::observed(0.5)), "event 2 is not an observation");
  EXPECT_EQ(correct(99, Outcome::observed(0.5)), "event 99 is not an observation");
  EXPECT_EQ(correct(3, Outcome::lost()), "an observation has a reward; correct it to another reward, or to void");
  EXPECT_EQ(
      correct(3, Outcome::observed(70)),
      "reward 70 of arm 'a' is further outside the scale 0 to 1 than noise explains; check the reward, because the "
      "scale of a study cannot change");
  EXPECT_EQ(snapshot(log.study()), snapshot(observed_log().study()));
  log = observed_log(4);
  ASSERT_GT(log.first_event(), 3);
  EXPECT_EQ(correct(3, Outcome::observed(0.5)), "event 3 is no longer kept");
}

}  // namespace
}  // namespace longrun
