// Logs of studies: repeated reports, corrections, replay.
#include "longrun/decide/study/study_log.h"

#include <gtest/gtest.h>

#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"
#include "tests/made_study.h"

namespace longrun {
namespace {

TEST(StudyLog, TakesTheSameOutcomeTwiceAndNoOther) {
  StudyLog log(three_arms(10));
  log.handle(Decide{2});
  EXPECT_TRUE(log.handle(Report{1, Outcome::observed(0.5)}));
  EXPECT_FALSE(log.handle(Report{1, Outcome::observed(0.5)}));
  EXPECT_EQ(error_of([&] {
              log.handle(Report{1, Outcome::observed(0.6)});
            }),
            "decision 1 has another outcome already: observed 0.5; correct it if that is wrong");
  EXPECT_EQ(error_of([&] { log.handle(Correct{2, Outcome::lost()}); }), "decision 2 is pending; report its outcome");
  EXPECT_EQ(log.events().size(), 2U);
  EXPECT_TRUE(log.handle(Correct{1, Outcome::observed(0.6)}));
  EXPECT_FALSE(log.handle(Correct{1, Outcome::observed(0.6)}));
  EXPECT_FALSE(log.handle(Report{1, Outcome::observed(0.6)})) << "the corrected outcome is the outcome";
}

TEST(StudyLog, ACorrectionIsAsIfItHadAlwaysBeenKnown) {
  for (const char* policy : {"foresight", "spo", "ucb", "exp3", "sw-ucb:window=30"}) {
    StudyLog corrected = played(policy, 20, 0.9);
    corrected.handle(Correct{20, Outcome::observed(0.1)});
    StudyLog known = played(policy, 20, 0.1);
    EXPECT_EQ(snapshot(corrected.study()), snapshot(known.study())) << policy;
    StudyLog late = played(policy, 300, 0.9);
    late.handle(Correct{20, Outcome::voided()});
    EXPECT_EQ(late.study().spent(), 299) << policy;
    late.handle(Correct{20, Outcome::observed(0.9)});
    EXPECT_EQ(snapshot(late.study()), snapshot(played(policy, 300, 0.9).study())) << policy;
  }
}

TEST(StudyLog, ASecondCorrectionNeedsTheReportItself) {
  StudyLog log(three_arms(10), 2);
  log.handle(Decide{});
  log.handle(Report{1, Outcome::observed(0.5)});
  log.handle(Correct{1, Outcome::observed(0.6)});
  log.handle(Decide{});  // now the report is no longer kept, but the correction is
  EXPECT_EQ(error_of([&] {
              log.handle(Correct{1, Outcome::observed(0.9)});
            }),
            "the report of decision 1 is no longer kept");
}

TEST(StudyLog, ATrueCorrectionIsNotRefusedBecauseOfWhatCameLater) {
  StudyLog log(three_arms(3));
  log.handle(Decide{3});
  log.handle(Report{1, Outcome::voided()});
  log.handle(Observe{0, 0.5});
  EXPECT_TRUE(log.handle(Correct{1, Outcome::observed(0.5)}));
  EXPECT_EQ(log.study().spent(), 4) << "one more than the budget was really spent";
  EXPECT_NE(error_of([&] { log.handle(Correct{1, Outcome::observed(50)}); }).find("scale"), std::string::npos);
}

TEST(StudyLog, ForgetsOldEvents) {
  StudyLog log = played("foresight", 300, 0.5, 50);
  EXPECT_GE(log.events().size(), 50U);
  EXPECT_LT(log.events().size(), 101U);
  EXPECT_EQ(log.next_event(), 601);
  EXPECT_EQ(error_of([&] { log.handle(Report{1, Outcome::lost()}); }), "the outcome of decision 1 is no longer kept");
  EXPECT_EQ(error_of([&] { log.handle(Correct{1, Outcome::lost()}); }), "the outcome of decision 1 is no longer kept");
  EXPECT_EQ(snapshot(log.study()), snapshot(played("foresight", 300, 0.5).study()));
  EXPECT_TRUE(log.handle(Correct{300, Outcome::lost()}));
}

TEST(StudyLog, AContinuedLogIsTheSavedOne) {
  for (const std::size_t keep : {std::size_t{50}, StudyLog::kAll}) {
    StudyLog log = played("foresight", 300, 0.5, keep);
    StudyLog continued(restored(snapshot(log.base())), restored(snapshot(log.study())),
                       {log.events().begin(), log.events().end()}, log.first_event(), keep);
    EXPECT_EQ(continued.next_event(), 601);
    EXPECT_EQ(continued.handle(Report{300, std::get<Settled>(*log.events().from(log.events().size() - 1)).outcome}),
              nullptr);
    for (StudyLog* each : {&log, &continued}) {
      each->handle(Correct{290, Outcome::lost()});
      each->handle(Decide{3});
    }
    EXPECT_EQ(snapshot(continued.study()), snapshot(log.study()));
    EXPECT_EQ(continued.events().size(), log.events().size());
  }
  const Study base(three_arms(10));
  EXPECT_NE(error_of([&] { StudyLog(base, Study(three_arms(11)), {}, 1); }).find("different spec"), std::string::npos);
  EXPECT_EQ(error_of([&] { StudyLog(base, base, {}, 0); }), "event 0: events are numbered from 1");
}

TEST(StudyLog, ReplayFindsDecisionsThatItWouldMakeOtherwiseAndKeepsThem) {
  const StudyLog log = played("foresight", 50, 0.5);
  std::vector<Event> events(log.events().begin(), log.events().end());
  StudyLog same(log.study().initial_spec());
  EXPECT_TRUE(same.replay(events).empty());
  EXPECT_EQ(snapshot(same.study()), snapshot(log.study()));

  auto& changed = std::get<Decided>(events[60]);
  const Arm arm = changed.decisions[0].arm;
  changed.decisions[0].arm = (arm + 1) % 3;
  StudyLog before(log.study().initial_spec());
  before.replay(std::span(events).first(60));
  changed.decisions[0].pull = before.study().pulls((arm + 1) % 3) + 1;
  StudyLog other(log.study().initial_spec());
  const auto differences = other.replay(std::span(events).first(61));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].event, 61);
  EXPECT_EQ(differences[0].difference.recorded, std::vector<Arm>{(arm + 1) % 3});
  EXPECT_EQ(differences[0].difference.recomputed, std::vector<Arm>{arm});
  EXPECT_EQ(other.study().pending()[0].arm, (arm + 1) % 3) << "the record stands";
}

TEST(StudyLog, ReplaysAnOldCorrectionWithFewKeptEvents) {
  StudyLog log = played("foresight", 300, 0.5);
  log.handle(Correct{1, Outcome::lost()});
  StudyLog replayed(log.study().initial_spec(), 10);
  EXPECT_TRUE(replayed.replay(std::vector<Event>(log.events().begin(), log.events().end())).empty());
  EXPECT_EQ(snapshot(replayed.study()), snapshot(log.study()));
  EXPECT_LT(replayed.events().size(), 21U);
}

TEST(StudyLog, ASnapshotHasTheNumberOfItsLastEvent) {
  const StudyLog log = played("foresight", 30, 0.5);
  EXPECT_EQ(last_event_of(snapshot(log)), 60);
  EXPECT_EQ(snapshot(restored(snapshot(log))), snapshot(log.study()));
  EXPECT_EQ(last_event_of(snapshot(log.study())), 0);
}

TEST(StudyLog, AnOutcomeWithoutARewardHasNone) {
  StudyLog log(three_arms(10));
  log.handle(Decide{.count = 2});
  log.handle(Report{1, {OutcomeKind::lost, 0.5}});
  EXPECT_EQ(log.handle(Report{1, Outcome::lost()}), nullptr);
  EXPECT_EQ(error_of([&] {
              log.handle(Report{2, {static_cast<OutcomeKind>(7), 0.5}});
            }),
            "outcome: 7 is no kind of outcome");
}

TEST(StudyLog, ReplayNamesTheEventThatDoesNotFollow) {
  StudyLog log(three_arms(10));
  const std::vector<Event> events{Observed{0, 0.5}, Settled{7, Outcome::lost()}};
  EXPECT_EQ(error_of([&] { log.replay(events); }), "event 2: there is no decision 7; the last one is 0");
}

}  // namespace
}  // namespace longrun
