#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

StudySpec replaced_spec() { return {.arms = {"a", "b", "c"}, .budget = 4, .noise = Gaussian{0.1}, .policy = "ucb"}; }

/// Makes three decisions; in place of the second one, decision 4 pulls the last arm.
StudyLog replaced_log() {
  StudyLog log(replaced_spec());
  log.handle(Decide{3});
  log.handle(Report{2, Outcome::voided()});
  log.handle(PullInstead{2, 2});
  return log;
}

TEST(PullInstead, IsPendingUnderTheNextNumberAndCountsInPlaceOfTheDecision) {
  StudyLog log = replaced_log();
  EXPECT_EQ(log.study().spent(), 3);
  EXPECT_EQ(log.study().pulls(2), 2);
  EXPECT_EQ(log.study().pending(), (std::vector<Study::Pending>{{1, 0}, {3, 2}, {4, 2}}));
  log.handle(Report{4, Outcome::observed(0.5)});
  log.handle(Decide{});
  EXPECT_EQ(log.study().last_decision(), 5);
}

TEST(PullInstead, IsRefusedForADecisionThatIsPendingOrDoesNotExist) {
  StudyLog log = replaced_log();
  EXPECT_EQ(error_of([&] {
              log.handle(PullInstead{1, 1});
            }),
            "decision 1 is not void, so nothing was pulled in its place");
  EXPECT_EQ(error_of([&] {
              log.handle(PullInstead{5, 1});
            }),
            "decision 5 is not void, so nothing was pulled in its place");
}

TEST(PullInstead, IsRecordedInAClosedStudyAndBeyondTheBudget) {
  StudyLog log(replaced_spec());
  log.handle(Decide{4});
  log.handle(Report{2, Outcome::voided()});
  log.handle(Observe{0, 0.5});
  log.handle(Close{});
  log.handle(PullInstead{2, 2});
  EXPECT_EQ(log.study().overspent(), 1);
}

TEST(PullInstead, IsReplayedAndLoadedFromItsLog) {
  StudyLog log = replaced_log();
  log.handle(Report{4, Outcome::observed(0.5)});
  log.handle(Report{1, Outcome::observed(0.25)});
  log.handle(Correct{4, Outcome::observed(0.75)});
  log.handle(Decide{});
  StudyHistory history{.spec = replaced_spec(), .events = {}};
  for (const Event& event : log.events()) history.events.push_back(event);
  const StudyHistory read = history_from_json_lines(to_json_lines(history));
  EXPECT_EQ(read.events, history.events);
  StudyLog replayed(replaced_spec());
  EXPECT_TRUE(replayed.replay(read.events).empty());
  EXPECT_EQ(snapshot(replayed), snapshot(log));
  StudyLog loaded(replaced_spec());
  loaded.load(read.events);
  loaded.apply_corrections();
  EXPECT_EQ(snapshot(loaded), snapshot(log));
}

TEST(PullInstead, IsRefusedOnTheArmOfTheDecisionAlsoFromALog) {
  StudyLog log(replaced_spec());
  log.handle(Decide{});
  log.handle(Report{1, Outcome::voided()});
  const std::string same = "arm 'a' is the arm of decision 1, so it was not pulled in its place";
  EXPECT_EQ(error_of([&] { log.handle(PullInstead{1, 0}); }), same);
  const std::vector<Event> events{PulledInstead{.decision = 2, .arm = 0, .instead_of = 1}};
  EXPECT_EQ(error_of([&] { log.replay(events); }), "event 3: " + same);
  EXPECT_EQ(error_of([&] { log.load(events); }), "event 3: " + same);
}

TEST(PullInstead, IsRefusedOnTheArmOfEachDecisionInAnyOrder) {
  StudySpec spec = replaced_spec();
  spec.budget = 12;
  StudyLog log(spec);
  std::vector<Arm> arms{-1};  // by the number of their decision
  for (const Pulls count : {5, 1, 4, 2}) {
    for (const Decision& each : std::get<Decided>(*log.handle(Decide{count})).decisions) arms.push_back(each.arm);
  }
  for (const DecisionId decision : {12, 1, 7, 6, 5, 10, 2, 3, 8, 11, 9, 4}) {
    log.handle(Report{decision, Outcome::voided()});
    const Arm own = arms[static_cast<std::size_t>(decision)];
    EXPECT_NE(error_of([&] {
                log.handle(PullInstead{decision, own});
              }).find("is the arm of decision " + std::to_string(decision)),
              std::string::npos);
    log.handle(PullInstead{decision, own == 0 ? 1 : 0});
  }
  EXPECT_EQ(log.study().spent(), 12);
}

TEST(PullInstead, IsRefusedIfTheOutcomeOfTheDecisionIsNotKept) {
  StudyLog log = replaced_log();
  log.handle(Report{4, Outcome::voided()});
  const Study later = restored(snapshot(log));
  StudyLog resumed(later, later, {}, log.next_event());
  EXPECT_EQ(error_of([&] {
              resumed.handle(PullInstead{2, 2});
            }),
            "the outcome of decision 2 is no longer kept, so it is not known what was pulled in its place");
  resumed.handle(Report{3, Outcome::voided()});
  resumed.handle(PullInstead{3, 0});
  EXPECT_EQ(resumed.instead_of(5), 3);
}

TEST(PullInstead, HasTheNextNumberInALog) {
  StudyLog log(replaced_spec());
  log.handle(Decide{});
  log.handle(Report{1, Outcome::voided()});
  EXPECT_EQ(error_of([&] {
              log.replay(std::vector<Event>{PulledInstead{3, 2, 1}});
            }),
            "event 3: decision 3 follows decision 1; numbers must be consecutive");
}

TEST(PullInstead, IsRefusedOnTheArmOfADecisionOfAnyKeptRound) {
  StudyLog log({.arms = {"a", "b", "c"}, .budget = 40, .noise = Gaussian{0.1}});
  for (int round = 0; round < 2; ++round) log.handle(Decide{.count = 5, .among = {1}});
  for (const DecisionId decision : {1, 6, 2, 10, 5}) {
    log.handle(Report{decision, Outcome::voided()});
    EXPECT_EQ(error_of([&] {
                log.handle(PullInstead{decision, 1});
              }),
              fmt::format("arm 'b' is the arm of decision {0}, so it was not pulled in its place", decision));
    EXPECT_NE(log.handle(PullInstead{decision, 2}), nullptr);
  }
}

TEST(PullInstead, OnlyOneOfTheDecisionAndThePullCounts) {
  StudyLog log = replaced_log();
  EXPECT_EQ(
      error_of([&] {
        log.handle(Correct{2, Outcome::observed(0.5)});
      }),
      "decision 2 was not made: decision 4 was made in its place; if that is wrong, report decision 4 as void first");
  log.handle(Report{4, Outcome::observed(0.5)});
  EXPECT_EQ(
      error_of([&] {
        log.handle(Correct{2, Outcome::lost()});
      }),
      "decision 2 was not made: decision 4 was made in its place; if that is wrong, correct decision 4 to void first");
  log.handle(Correct{4, Outcome::voided()});
  ASSERT_NE(log.handle(Correct{2, Outcome::observed(0.5)}), nullptr);
  EXPECT_EQ(log.study().spent(), 3);
  EXPECT_EQ(
      error_of([&] {
        log.handle(Correct{4, Outcome::observed(0.5)});
      }),
      "decision 4 was not made: decision 2 was made in its place; if that is wrong, correct decision 2 to void first");
}

TEST(PullInstead, OnlyOneOfTwoPullsInPlaceOfADecisionCounts) {
  StudyLog log = replaced_log();
  log.handle(Report{4, Outcome::voided()});
  log.handle(PullInstead{2, 0});
  EXPECT_EQ(
      error_of([&] {
        log.handle(Correct{4, Outcome::observed(0.5)});
      }),
      "decision 4 was not made: decision 5 was made in its place; if that is wrong, report decision 5 as void first");
}

TEST(PullInstead, IsRefusedIfTheDecisionCountsOrIsReplacedAlready) {
  StudyLog log = replaced_log();
  log.handle(Report{1, Outcome::observed(0.5)});
  const auto refused = [&](DecisionId decision) { return error_of([&] { log.handle(PullInstead{decision, 0}); }); };
  EXPECT_EQ(refused(1), "decision 1 is not void, so nothing was pulled in its place");
  EXPECT_EQ(refused(2),
            "decision 4 was pulled in place of decision 2 already; if that is wrong, report decision 4 as void first");
  log.handle(Report{4, Outcome::voided()});
  EXPECT_EQ(refused(4),
            "decision 4 was itself pulled in place of decision 2; report or correct it as void, then name the pull in "
            "place of decision 2");
  log.handle(PullInstead{2, 0});
  log.handle(Report{5, Outcome::lost()});
  EXPECT_EQ(refused(2),
            "decision 5 was pulled in place of decision 2 already; if that is wrong, correct decision 5 to void first");
}

TEST(PullInstead, AReplayOrLoadInWhichTwoPullsCountIsRefused) {
  const Event decided = *StudyLog(replaced_spec()).handle(Decide{3});
  const std::vector<std::vector<Event>> logs{
      {decided, Settled{2, Outcome::observed(0.5)}, PulledInstead{4, 2, 2}},
      {decided, Settled{2, Outcome::voided()}, PulledInstead{4, 2, 2}, PulledInstead{5, 0, 2}},
      {decided, Settled{2, Outcome::voided()}, PulledInstead{4, 2, 2}, Settled{4, Outcome::voided()},
       PulledInstead{5, 0, 4}},
      {decided, Settled{2, Outcome::voided()}, PulledInstead{4, 2, 2}, Corrected{2, Outcome::observed(0.5)}},
      {decided, Settled{2, Outcome::voided()}, Corrected{2, Outcome::observed(0.5)}, PulledInstead{4, 2, 2}}};
  for (const std::vector<Event>& events : logs) {
    const std::string name = "event " + std::to_string(events.size()) + ": ";
    StudyLog replayed(replaced_spec());
    EXPECT_EQ(error_of([&] { replayed.replay(events); }).substr(0, name.size()), name);
    StudyLog loaded(replaced_spec());
    EXPECT_EQ(error_of([&] { loaded.load(events); }).substr(0, name.size()), name);
  }
}

TEST(PullInstead, OnlyOneCountsAlsoIfItsEventIsNoLongerKept) {
  StudyLog log(replaced_spec(), 2);
  log.handle(Decide{3});
  log.handle(Report{2, Outcome::voided()});
  log.handle(PullInstead{2, 2});
  log.handle(Report{1, Outcome::observed(0.5)});
  log.handle(Report{4, Outcome::voided()});
  log.handle(Report{3, Outcome::voided()});
  ASSERT_EQ(log.first_event(), 5);
  EXPECT_EQ(error_of([&] {
              log.handle(PullInstead{2, 1});
            }),
            "arm 'b' is the arm of decision 2, so it was not pulled in its place");
  ASSERT_NE(log.handle(PullInstead{2, 0}), nullptr);
  EXPECT_EQ(
      error_of([&] {
        log.handle(Correct{4, Outcome::observed(0.5)});
      }),
      "decision 4 was not made: decision 5 was made in its place; if that is wrong, report decision 5 as void first");
  log.handle(Report{5, Outcome::voided()});
  EXPECT_EQ(error_of([&] {
              log.handle(Correct{2, Outcome::observed(0.5)});
            }),
            "the report of decision 2 is no longer kept");
}

}  // namespace
}  // namespace longrun
