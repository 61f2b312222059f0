// Random histories: a study that goes on after a snapshot answers as one that has kept all events, or says that what it
// needs is no longer kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/decide/unmet_minima.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

class RandomChoices {
 public:
  explicit RandomChoices(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return bits_() % limit; }
  /// Returns a number from 0 to `last`.
  std::int64_t number(std::int64_t last) {
    return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last) + 1));
  }
  /// Returns a number of a decision, most often of the first ones or of the last one, so that much happens to each.
  DecisionId decision(const Study& study) {
    const DecisionId last = study.last_decision();
    const std::uint64_t which = below(8);
    if (which == 0) return number(last + 1);
    return which < 4 ? last : 1 + number(std::min<DecisionId>(3, last));
  }
  Arm arm_of(Arm arms) { return static_cast<Arm>(number(arms - 1)); }
  Arm arm(const Study& study) { return arm_of(static_cast<Arm>(study.spec().arms.size())); }
  Outcome outcome() {
    const std::uint64_t kind = below(5);
    if (kind < 2) return Outcome::voided();
    return kind == 2 ? Outcome::lost() : Outcome::observed(static_cast<double>(below(3)) / 2);
  }

 private:
  std::mt19937_64 bits_;
};

StudySpec random_spec(RandomChoices& random) {
  StudySpec spec{.arms = {"a", "b", "c"}, .budget = 30, .noise = Gaussian{0.2}, .policy = "ucb"};
  if (random.below(2) == 0) spec.policy = "greedy";
  if (random.below(8) == 0) spec.policy = "foresight";
  if (random.below(3) == 0) spec.constraints.units_per_round = static_cast<Pulls>(1 + random.below(3));
  if (random.below(2) == 0) spec.constraints.minimum_pulls.named[1] = static_cast<Pulls>(random.below(8));
  if (random.below(3) == 0) spec.constraints.minimum_share.named[2] = 0.2;
  if (random.below(4) == 0) spec.constraints.costs.named[0] = 2;
  if (random.below(3) > 0) return spec;
  // Minima that observations and unavailable arms make impossible.
  spec.constraints.units_per_round = 1 + random.number(7);
  spec.budget = 12;
  for (Arm arm = 0; arm < 3; ++arm) {
    spec.constraints.costs.named[arm] = 1 + random.number(3);
    spec.constraints.minimum_pulls.named[arm] = random.number(1);
  }
  if (random.below(3) == 0) spec.constraints.unavailable[random.arm_of(3)] = {{2, 2 + random.number(3)}};
  return spec;
}

StudyCommand random_command(RandomChoices& random, const StudyLog& log) {
  const Study& study = log.study();
  switch (random.below(16)) {
    case 0:
      if (random.below(4) == 0) return Decide{.among = {random.arm(study)}};
      return Decide{};
    case 1:
      if (random.below(8) == 0) return AddArm{fmt::format("new {}", random.below(3))};
      return Decide{};
    case 2:
      return Observe{random.arm(study), 0.5};
    case 3:
      return SetUnavailable{random.below(2) == 0 ? std::vector<Arm>{} : std::vector<Arm>{random.arm(study)}};
    case 4: {
      Constraints constraints = study.spec().constraints;
      constraints.minimum_pulls.named[random.arm(study)] = static_cast<Pulls>(random.below(8));
      return ChangeConstraints{constraints};
    }
    case 5:
      if (random.below(3) == 0) return ExtendBudget{static_cast<Pulls>(1 + random.below(5))};
      if (random.below(4) == 0) return ChangeNoise{Gaussian{random.below(2) == 0 ? 0.2 : 0.3}};
      return Correct{.outcome = random.below(2) == 0 ? Outcome::voided() : Outcome::observed(1),
                     .observation = random.number(log.next_event())};
    case 6:
    case 7:
      return Correct{random.decision(study), random.outcome()};
    case 8:
    case 9:
    case 10:
    case 11:
      return PullInstead{random.decision(study), random.arm(study)};
    default:
      return Report{random.decision(study), random.outcome()};
  }
}

/// Returns the event that a log adds, or "nothing", or the error.
std::string answer(StudyLog& log, const StudyCommand& command) {
  try {
    const Event* event = log.handle(command);
    return event == nullptr ? "nothing" : to_json(*event, log.next_event() - 1, log.study().spec().arms);
  } catch (const InputError& error) {
    return error.what();
  }
}

bool needs_what_is_not_kept(const std::string& answer) { return answer.find("no longer kept") != std::string::npos; }

std::vector<Event> events_of(const StudyLog& log) { return {log.events().begin(), log.events().end()}; }

/// What happened in the histories: that it is tested.
struct Happened {
  std::size_t replaced = 0;    // decisions in place of which others were pulled, and these
  std::size_t impossible = 0;  // decisions after a minimum had become impossible
};

/// Carries out commands in a log and in one that forgets its past now and then; returns the first broken rule.
std::string broken_rule(std::uint64_t seed, Happened& happened) {
  RandomChoices random(seed);
  std::optional<StudyLog> created;
  try {
    created.emplace(random_spec(random));
  } catch (const InputError&) {
    return "";  // constraints that cannot be met
  }
  StudyLog& full = *created;
  StudyLog other = full;
  const std::size_t keep = random.below(3) == 0 ? 1 + random.below(6) : StudyLog::kAll;
  for (int step = 0; step < 60; ++step) {
    if (random.below(12) == 0) {
      if (snapshot(other) != snapshot(full)) return "snapshots differ";
      other = resumed(snapshot(random.below(2) == 0 ? other : full), keep);
    }
    const StudyCommand command = random_command(random, full);
    const std::string told = answer(other, command);
    if (needs_what_is_not_kept(told)) continue;
    const bool is_impossible = !unmet_minima(full.study().policy()).arms.empty();
    const std::string expected = answer(full, command);
    if (is_impossible && expected.find("decided") != std::string::npos) ++happened.impossible;
    if (told != expected) return fmt::format("{} instead of {}", told, expected);
  }
  if (snapshot(other.study()) != snapshot(full.study())) return "states differ";
  if (other.replacements() != full.replacements()) return "pulls in place of decisions differ";
  happened.replaced += full.replacements().size();
  const std::vector<Event> events = events_of(full);
  StudyLog replayed(full.study().initial_spec());
  for (const auto& difference : replayed.replay(events)) {
    return fmt::format("event {} is decided otherwise by a replay", difference.event);
  }
  StudyLog loaded(full.study().initial_spec());
  loaded.load(events);
  loaded.apply_corrections();
  return snapshot(replayed) == snapshot(full) && snapshot(loaded) == snapshot(full) ? "" : "replays differ";
}

TEST(ResumedStudy, AnswersEveryCommandAsTheFullOneWhichAReplayDecidesAlike) {
  const auto histories = static_cast<std::uint64_t>((long_tests() ? 20'000 : 600) / sanitizer_slowdown());
  Happened happened;
  for (std::uint64_t seed = 0; seed < histories; ++seed) {
    std::string broken;
    try {
      broken = broken_rule(seed, happened);
    } catch (const InputError& error) {
      broken = error.what();
    }
    ASSERT_EQ(broken, "") << "history " << seed;
  }
  EXPECT_GT(happened.replaced, histories / 2);
  EXPECT_GT(happened.impossible, histories / 20);
}

/// In place of decision 2 of a round of three, decision 4 pulls the last arm.
StudyLog log_with_a_pull_instead() {
  StudyLog log({.arms = {"a", "b", "c"}, .budget = 8, .noise = Gaussian{0.1}, .policy = "ucb"});
  log.handle(Decide{3});
  log.handle(Report{2, Outcome::voided()});
  log.handle(PullInstead{2, 2});
  return log;
}

TEST(ResumedStudy, KnowsThePullsInPlaceOfDecisions) {
  const StudyLog full = log_with_a_pull_instead();
  StudyLog log = resumed(snapshot(full));
  EXPECT_EQ(log.replacements(), full.replacements());
  EXPECT_EQ(log.instead_of(4), 2);
  EXPECT_EQ(log.pulls_instead_of(2), std::vector<DecisionId>{4});
  EXPECT_EQ(answer(log, Correct{2, Outcome::observed(0.5)}),
            "decision 2 was not made: decision 4 was made in its place; if that is wrong, report decision 4 as void "
            "first");
  log.handle(Report{4, Outcome::voided()});
  EXPECT_EQ(answer(log, PullInstead{4, 0}),
            "decision 4 was itself pulled in place of decision 2; report or correct it as void, then name the pull in "
            "place of decision 2");
  EXPECT_EQ(answer(log, PullInstead{2, 1}), "arm 'b' is the arm of decision 2, so it was not pulled in its place");
  log.handle(PullInstead{2, 0});
  EXPECT_EQ(answer(log, Correct{4, Outcome::observed(0.5)}),
            "decision 4 was not made: decision 5 was made in its place; if that is wrong, report decision 5 as void "
            "first");
}

TEST(ResumedStudy, GoesOnInLaterEventsAsTheFullOne) {
  StudyLog full = log_with_a_pull_instead();
  StudyLog log = resumed(snapshot(full));
  const auto last = static_cast<std::ptrdiff_t>(full.events().size());
  full.handle(Report{4, Outcome::observed(0.5)});
  full.handle(Correct{4, Outcome::voided()});
  full.handle(PullInstead{2, 0});
  const std::vector<Event> events = events_of(full);
  EXPECT_TRUE(log.replay(std::vector<Event>(events.begin() + last, events.end())).empty());
  EXPECT_EQ(snapshot(log), snapshot(full));
}

TEST(ResumedStudy, OfALogWithoutSuchPullsIsThatOfItsStudy) {
  StudyLog log = log_with_a_pull_instead();
  EXPECT_GT(snapshot(log).size(), snapshot(log.study()).size());
  StudyLog none({.arms = {"a", "b"}, .budget = 8, .noise = Gaussian{0.1}});
  none.handle(Decide{2});
  EXPECT_EQ(snapshot(none).size(), snapshot(none.study()).size());
}

TEST(ResumedStudy, RefusesASnapshotThatIsCutAnywhere) {
  const std::string bytes = snapshot(log_with_a_pull_instead());
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_NE(error_of([&] { resumed(bytes.substr(0, size)); }), "");
  }
}

}  // namespace
}  // namespace longrun
