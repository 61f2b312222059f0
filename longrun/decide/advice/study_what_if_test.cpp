// What rewards would change the next choice of a study: every claim is played on a copy of the study.

#include <gtest/gtest.h>

#include <random>

#include "longrun/base/input_error.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// A study and the question that its recommendation answers.
struct Asked {
  Study study;
  Question question;
};

/// Returns a random study after some decisions, with pending ones if `pending`, and with constraints if `constrained`.
Asked random_study(std::uint64_t seed, bool pending, bool constrained) {
  std::mt19937_64 random(seed);
  const auto chance = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
  const auto arms = static_cast<Arm>(2 + random() % 3);
  StudySpec spec{.arms = {}, .budget = static_cast<Pulls>(30 + random() % 100)};
  for (Arm arm = 0; arm < arms; ++arm) spec.arms.push_back("arm" + std::to_string(arm));
  if (chance() < 0.5) spec.scale = {-5, 5};
  if (chance() < 0.7) spec.noise = Gaussian{.sd = chance() < 0.5 ? 0.05 : 0.2};
  if (chance() < 0.15) spec.noise = NoNoise{};
  if (constrained) {
    if (chance() < 0.5) spec.constraints.units_per_round = static_cast<Pulls>(2 + random() % 3);
    if (chance() < 0.4) spec.constraints.minimum_share.every = 0.1;
    if (chance() < 0.4) spec.constraints.minimum_pulls.every = 2;
  }
  Study study(spec);
  Question question{.history = {.arm_names = spec.arms, .pulls = {}},
                    .horizon = spec.budget,
                    .noise = spec.noise,
                    .constraints = spec.constraints,
                    .scale = spec.scale};
  std::vector<double> level(spec.arms.size());
  for (double& each : level) each = chance();
  const auto rounds = static_cast<int>(random() % 25);
  for (int round = 0; round < rounds && !study.done(); ++round) {
    for (const Decision& decision : study.decide().decisions) {
      PastPull pull{.arm = decision.arm, .reward = std::nullopt};
      if (!pending || chance() < 0.7) {
        const double noise = spec.noise && std::holds_alternative<NoNoise>(*spec.noise) ? 0 : 0.1 * (chance() - 0.5);
        const double unit = std::clamp(level[static_cast<std::size_t>(decision.arm)] + noise, 0.0, 1.0);
        pull.reward = spec.scale.from_unit(unit);
        study.settle(decision.id, Outcome::observed(*pull.reward));
      }
      question.history.pulls.push_back(pull);
    }
  }
  return {std::move(study), std::move(question)};
}

/// Returns the first arm of the next decision that has pulls, and reports `reward` of the pulls of `arm` that it has.
std::optional<Arm> decide(Study& study, Arm arm, std::optional<double> reward, Pulls& reported) {
  while (!study.done()) {
    const Decided decided = study.decide();
    if (decided.decisions.empty()) continue;
    for (const Decision& decision : decided.decisions) {
      if (decision.arm != arm || !reward) continue;
      study.settle(decision.id, Outcome::observed(*reward));
      ++reported;
    }
    return decided.decisions[0].arm;
  }
  return std::nullopt;
}

/// Returns the choice after as many rewards of the arm as are supposed. Fails if another arm is chosen before that.
std::optional<Arm> choice_after(Study copy, const WhatIf& claim, double reward) {
  Pulls reported = 0;
  while (reported < claim.pulls) EXPECT_EQ(decide(copy, claim.arm, reward, reported), claim.arm);
  EXPECT_EQ(reported, claim.pulls);
  return decide(copy, claim.arm, std::nullopt, reported);
}

TEST(WhatIfOfStudies, EveryClaimIsWhatTheStudyDoes) {
  int claims = 0;
  int with_change = 0;
  int with_pending = 0;
  const int studies = 400 / sanitizer_slowdown();
  for (int seed = 0; seed < studies; ++seed) {
    const Asked asked = random_study(static_cast<std::uint64_t>(seed), seed % 2 == 1, seed % 4 >= 2);
    const Recommendation answer = recommend(asked.question, asked.study);
    if (!answer.what_if) continue;
    const RewardScale& scale = asked.question.scale;
    const double margin = 1e-4 * scale.range();  // rewards are found to a 2^-17 of the scale
    const auto& consequences = answer.what_if->consequences;
    EXPECT_EQ(consequences.front().from, scale.minimum);
    EXPECT_EQ(consequences.back().to, scale.maximum);
    with_change += consequences.size() > 1 ? 1 : 0;
    with_pending += answer.pending > 0 ? 1 : 0;
    const auto check = [&](double reward, Arm arm) {
      EXPECT_EQ(choice_after(asked.study, *answer.what_if, reward), arm) << seed << " " << reward;
      ++claims;
    };
    check(scale.minimum, consequences.front().arm);
    check(scale.maximum, consequences.back().arm);
    for (const Consequence& each : consequences) {
      if (each.to - each.from < 3 * margin) continue;  // an end of the scale alone
      for (const double reward : {each.from + margin, (each.from + each.to) / 2, each.to - margin}) {
        check(reward, each.arm);
      }
    }
  }
  EXPECT_GT(claims, studies);
  EXPECT_GT(with_change, studies / 20);
  EXPECT_GT(with_pending, studies / 40);  // most arms that are next have outcomes pending themselves
}

TEST(WhatIfOfStudies, NothingIsClaimedWhileOutcomesOfTheArmArePending) {
  Study study({.arms = {"a"}, .budget = 10, .noise = Gaussian{.sd = 0.1}});
  Question question{.history = {.arm_names = {"a"}, .pulls = {}}, .horizon = 10, .noise = Gaussian{.sd = 0.1}};
  study.decide();
  question.history.pulls.push_back({.arm = 0, .reward = std::nullopt});
  const Recommendation answer = recommend(question, study);
  EXPECT_FALSE(answer.what_if.has_value());
  EXPECT_EQ(what_would_change(question, answer)[0],
            "Outcomes of 1 pending pull of arm 'a' come first; what its next reward changes depends on them.");
}

TEST(WhatIfOfStudies, ThatAllArmsAreUnavailableIsNotTheEnd) {
  Study study({.arms = {"a", "b"}, .budget = 10});
  study.set_unavailable({0, 1});
  const Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 10, .unavailable_now = {0, 1}};
  const Recommendation answer = recommend(question, study);
  EXPECT_EQ(why(question, answer)[0], "All arms are unavailable now.");
  EXPECT_EQ(what_would_change(question, answer)[0], "An arm that is available again can be pulled.");
}

}  // namespace
}  // namespace longrun
