// The noise of a study that is under way changes.
#include <gtest/gtest.h>

#include <random>

#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"
#include "tests/made_study.h"

namespace longrun {
namespace {

std::string state_of(const Study& study) {
  Writer writer;
  study.save(writer);
  return writer.bytes();
}

/// Returns the study that was created with the last noise and had the last outcome of every decision at once.
Study always_known(const StudyLog& log) {
  StudySpec spec = log.study().initial_spec();
  spec.noise = log.study().spec().noise;
  std::map<DecisionId, Outcome> outcomes;
  for (const Event& event : log.events()) {
    if (const auto* settled = std::get_if<Settled>(&event)) outcomes[settled->decision] = settled->outcome;
    if (const auto* corrected = std::get_if<Corrected>(&event)) outcomes[corrected->decision] = corrected->outcome;
  }
  Study study(spec);
  for (const Event& event : log.events()) {
    if (std::holds_alternative<Corrected>(event) || std::holds_alternative<NoiseChanged>(event)) continue;
    if (const auto* settled = std::get_if<Settled>(&event)) {
      study.apply(Settled{settled->decision, outcomes[settled->decision]}, Study::Trust::accepted);
    } else {
      study.apply(event, Study::Trust::accepted);
    }
  }
  return study;
}

std::vector<Arm> next_arms(Study study, int count) {
  std::vector<Arm> arms;
  for (int step = 0; step < count && !study.done(); ++step) {
    for (const Decision& decision : study.decide().decisions) {
      arms.push_back(decision.arm);
      study.settle(decision.id, Outcome::observed(0.3 + 0.1 * decision.arm));
    }
  }
  return arms;
}

/// Carries out a random command; what is impossible is left out.
void random_step(StudyLog& log, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto reward = [&] { return static_cast<double>(below(100)) / 100; };
  const auto decision = [&] {
    return static_cast<DecisionId>(1 + below(static_cast<std::uint64_t>(log.study().last_decision()) + 1));
  };
  try {
    switch (below(12)) {
      case 0:
        log.handle(Correct{decision(), below(4) == 0 ? Outcome::voided() : Outcome::observed(reward())});
        break;
      case 1:
        log.handle(ChangeNoise{Gaussian{0.05 * static_cast<double>(1 + below(8))}});
        break;
      case 2:
        log.handle(ChangeNoise{below(2) == 0 ? std::nullopt : std::optional<Noise>(NoNoise{})});
        break;
      case 3:
        log.handle(Observe{static_cast<Arm>(below(3)), reward()});
        break;
      case 4:
        log.handle(ExtendBudget{3});
        break;
      case 5:
      case 6:
      case 7:
        log.handle(Decide{});
        break;
      default:
        log.handle(Report{decision(), below(8) == 0 ? Outcome::lost() : Outcome::observed(reward())});
    }
  } catch (const InputError&) {
  }
}

TEST(NoiseChange, TheStateIsThatOfAStudyThatHadAlwaysKnown) {
  int changes = 0;
  int corrected_too = 0;
  std::vector<std::string> policies;
  for (const PolicyEntry& entry : policy_catalog()) {
    if (!entry.traits.needs_plan) policies.emplace_back(entry.name);
  }
  constexpr std::uint64_t kStudies = 300 / sanitizer_slowdown();
  for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
    std::mt19937_64 random(seed);
    StudySpec spec = three_arms(60);
    spec.policy = policies[seed % policies.size()];
    spec.seed = seed;
    if (random() % 3 == 0) spec.constraints.units_per_round = 3;
    if (random() % 3 == 0) spec.constraints.minimum_share.every = 0.2;
    StudyLog log(spec);
    for (int step = 0; step < 60; ++step) random_step(log, random);
    const auto count = [&]<class Kind>(const Kind*) {
      return std::count_if(log.events().begin(), log.events().end(),
                           [](const Event& event) { return std::holds_alternative<Kind>(event); });
    };
    const auto of_noise = count(static_cast<const NoiseChanged*>(nullptr));
    changes += static_cast<int>(of_noise);
    corrected_too += of_noise > 0 && count(static_cast<const Corrected*>(nullptr)) > 0 ? 1 : 0;

    const Study known = always_known(log);
    ASSERT_EQ(state_of(log.study()), state_of(known)) << spec.policy << ", seed " << seed;
    ASSERT_EQ(next_arms(log.study(), 10), next_arms(known, 10)) << spec.policy << ", seed " << seed;

    StudyLog repeated(spec);
    EXPECT_TRUE(repeated.replay(std::vector<Event>(log.events().begin(), log.events().end())).empty());
    ASSERT_EQ(snapshot(repeated), snapshot(log));
    ASSERT_EQ(snapshot(restored(snapshot(log.study()))), snapshot(log.study()));
    EXPECT_EQ(log.study().initial_spec(), spec) << "what it was created with is kept";
  }
  EXPECT_GT(changes, 500 / sanitizer_slowdown());
  EXPECT_GT(corrected_too, 150 / sanitizer_slowdown());
}

TEST(NoiseChange, OfASmallerNoiseExploitsSooner) {
  StudyLog log = played("foresight", 60, 0.5);
  const std::string before = state_of(log.study());
  const Event* event = log.handle(ChangeNoise{Gaussian{0.3}});
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(std::get<NoiseChanged>(*event).noise, Noise(Gaussian{0.3}));
  EXPECT_EQ(log.study().spec().noise, Noise(Gaussian{0.3}));
  EXPECT_NE(state_of(log.study()), before);
  log.handle(ChangeNoise{Gaussian{0.1}});
  EXPECT_EQ(state_of(log.study()), before) << "back to the first noise, nothing is left of the other";
}

TEST(NoiseChange, IsNoEventIfTheNoiseIsTheSame) {
  StudyLog log = played("foresight", 10, 0.5);
  const std::string before = snapshot(log);
  EXPECT_EQ(log.handle(ChangeNoise{Gaussian{0.1}}), nullptr);
  EXPECT_EQ(snapshot(log), before);
  EXPECT_EQ(error_of([&] { log.replay(std::vector<Event>{NoiseChanged{Gaussian{0.1}}}); }),
            "event 21: the noise is the same as before");
}

TEST(NoiseChange, ThatContradictsWhatIsKnownIsRefusedAndChangesNothing) {
  StudyLog log = played("foresight", 30, 0.5);
  const std::string before = snapshot(log);
  const auto refused = [&](const std::optional<Noise>& noise) {
    std::string message = error_of([&] { log.handle(ChangeNoise{noise}); });
    EXPECT_EQ(snapshot(log), before);
    return message;
  };
  EXPECT_TRUE(refused(Bernoulli{}).starts_with("noise: bernoulli contradicts what was reported: reward ")) << "rewards";
  EXPECT_NE(refused(Bernoulli{}).find("with yes/no rewards it must be 0 or 1"), std::string::npos);
  EXPECT_EQ(refused(Gaussian{2'000}),
            "the noise's standard deviation is 2000 times the range of rewards; at most 1000 is accepted");

  StudySpec spec = three_arms(10);
  spec.noise = std::nullopt;
  StudyLog outside(spec);
  outside.handle(Observe{0, 1.3});  // 0.3 above the scale
  EXPECT_EQ(error_of([&] { outside.handle(ChangeNoise{NoNoise{}}); }),
            "noise: none contradicts what was reported: reward 1.3 of arm 'a' is further outside the scale 0 to 1 than "
            "noise explains; check the reward, because the scale of a study cannot change");
  EXPECT_NE(outside.handle(ChangeNoise{Gaussian{0.2}}), nullptr);

  StudySpec needs = three_arms(10);
  needs.policy = "spo";
  StudyLog known(needs);
  EXPECT_TRUE(
      error_of([&] { known.handle(ChangeNoise{}); }).starts_with("policy: 'spo' needs the noise of the rewards"));

  log.handle(Close{});
  EXPECT_EQ(error_of([&] { log.handle(ChangeNoise{Gaussian{0.3}}); }), "the study is closed; its noise cannot change");
}

TEST(NoiseChange, NeedsAllEvents) {
  StudyLog some = played("foresight", 100, 0.5, 10);
  const std::string before = snapshot(some);
  EXPECT_EQ(error_of([&] { some.handle(ChangeNoise{Gaussian{0.3}}); }),
            "noise: a change repeats all events of the study, but the first ones are no longer kept");
  EXPECT_EQ(snapshot(some), before);
  Study under_way = played("foresight", 10, 0.5).study();
  StudyLog resumed(under_way, under_way, {}, 1);  // its numbers begin at 1, but its events are elsewhere
  EXPECT_NE(error_of([&] { resumed.handle(ChangeNoise{Gaussian{0.3}}); }), "no error");
}

TEST(NoiseChange, IsKeptWhenItsEventIsDropped) {
  StudyLog all(three_arms(1'000));
  StudyLog some(three_arms(1'000), 30);
  for (StudyLog* log : {&all, &some}) {
    std::mt19937_64 random(2);
    for (int step = 0; step < 100; ++step) {
      const DecisionId id = decided(log->handle(Decide{})).decisions[0].id;
      log->handle(Report{id, Outcome::observed(static_cast<double>(random() % 100) / 100)});
      if (step == 5) log->handle(ChangeNoise{Gaussian{0.4}});
    }
    log->handle(Correct{98, Outcome::observed(0.125)});
  }
  ASSERT_GT(some.first_event(), 20);
  EXPECT_EQ(snapshot(some), snapshot(all));
}

TEST(NoiseChange, ReadsBackFromJson) {
  for (const std::optional<Noise>& noise : {std::optional<Noise>(Gaussian{0.25}), std::optional<Noise>()}) {
    const std::string line = to_json(NoiseChanged{noise}, 7, {"a"});
    EXPECT_EQ(line, noise ? R"({"seq":7,"event":"noise_changed","noise":"gaussian:0.25"})"
                          : R"({"seq":7,"event":"noise_changed","noise":"estimate"})");
    EXPECT_EQ(event_from_json(line, ArmLabels({"a"})).event, Event(NoiseChanged{noise}));
  }
}

}  // namespace
}  // namespace longrun
