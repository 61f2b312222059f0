#include "longrun/decide/advice/explanation.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/advice/what_if.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// A study in which outcomes come late or never, and the question about its next pull.
struct StudyWithLateOutcomes {
  explicit StudyWithLateOutcomes(std::uint64_t seed)
      : random(seed), study({.arms = {"a", "b", "c"}, .budget = 120, .seed = seed}) {
    question.history.arm_names = study.spec().arms;
    question.horizon = study.spec().budget;
    question.keep_outliers = true;
  }
  /// Makes the next decision; sometimes its outcome is lost, pending or void.
  void step() {
    const Decision decision = study.decide().decisions[0];
    std::normal_distribution<double> noise(0.4 + 0.1 * decision.arm, 0.1);
    const double reward = noise(random);
    const std::uint64_t chance = random() % 10;
    if (chance == 0) {
      study.settle(decision.id, Outcome::lost());
      ++lost;
    } else if (chance == 1) {
      study.settle(decision.id, Outcome::voided());
    } else if (chance < 4) {
      question.history.pulls.push_back({.arm = decision.arm, .reward = std::nullopt});
      ++pending;
    } else {
      study.settle(decision.id, Outcome::observed(reward));
      question.history.pulls.push_back({.arm = decision.arm, .reward = reward});
    }
  }

  std::mt19937_64 random;
  Study study;
  Question question{};
  Pulls lost = 0;
  Pulls pending = 0;
};

TEST(Recommendation, OfAStudyIsItsNextDecision) {
  constexpr std::uint64_t kStudies = 20 / sanitizer_slowdown();
  for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
    StudyWithLateOutcomes late(seed);
    while (!late.study.done()) {
      const Recommendation answer = recommend(late.question, late.study);
      Study copy = late.study;
      ASSERT_EQ(answer.next.first, copy.decide().decisions[0].arm);
      ASSERT_EQ(answer.pending, late.pending);
      ASSERT_EQ(answer.remaining, late.study.spec().budget - late.study.spent());
      ASSERT_EQ(answer.remaining, late.question.horizon - std::ssize(late.question.history.pulls) - late.lost);
      late.step();
    }
  }
}

TEST(Explanation, OfAStudySaysIfAnotherArmHasALargerIndex) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  int largest = 0;
  int continued = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    StudyWithLateOutcomes late(seed);
    while (!late.study.done()) {
      const Recommendation answer = recommend(late.question, late.study);
      const auto index = [&](std::size_t arm) { return answer.arms[arm].index; };
      const auto chosen = static_cast<std::size_t>(answer.next.first);
      const std::string name = late.study.spec().arms[chosen];
      bool is_largest = true;
      for (std::size_t arm = 0; arm < answer.arms.size(); ++arm) is_largest = is_largest && index(arm) <= index(chosen);
      const std::vector<std::string> sentences = why(late.question, answer);
      const std::string text = fmt::format("{}", fmt::join(sentences, " "));
      const bool compares = answer.arms[chosen].rewards > 0 && !answer.arms[chosen].lacks_initial_pull;
      const bool says_largest = text.find(fmt::format("Arm '{}' has the largest index", name)) != std::string::npos;
      const bool says_continued = text.find(fmt::format("Arm '{}' is chosen although", name)) != std::string::npos;
      ASSERT_EQ(says_largest, compares && is_largest) << text;
      ASSERT_EQ(says_continued, compares && !is_largest) << text;
      largest += says_largest ? 1 : 0;
      continued += says_continued ? 1 : 0;
      late.step();
    }
  }
  EXPECT_GT(largest, 100);
  EXPECT_GT(continued, 20);
}

TEST(Explanation, SaysWhyAnArmWithoutARewardWaitsAlsoWhileUnitsAreSaved) {
  Question question{.history = {.arm_names = {"dear", "silent"}, .pulls = {}}, .horizon = 400};
  for (int pull = 0; pull < 4; ++pull) question.history.pulls.push_back({1, std::nullopt});
  for (int pull = 0; pull < 3; ++pull) question.history.pulls.push_back({0, 0.4 + 0.01 * pull});
  question.constraints.costs.named = {{0, 3}};
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.next.first, 0);
  ASSERT_EQ(answer.next.number, 16) << "units of rounds 14 and 15 are saved for it";
  const std::string reason = why(question, answer)[0];
  EXPECT_TRUE(reason.starts_with("Arm 'dear' is chosen although arm 'silent' has a larger index per unit of cost, "))
      << reason;
  EXPECT_NE(reason.find(": no reward of arm 'silent' is known after 4 pulls, and such an arm is tried again only from "
                        "time to time."),
            std::string::npos)
      << reason;
}

/// Decides until the first round with a pull, and expects that the recommendation has named the rounds and the arm.
void expect_one_answer(Study& study, const Question& question, bool& was_saving) {
  const Recommendation advice = recommend(question, study);
  const std::string text = what_to_do(question, advice);
  const Pulls empty = advice.next.without_choice + advice.next.saving;
  for (Pulls round = 0; round < empty; ++round) {
    EXPECT_TRUE(study.decide().decisions.empty()) << text;
    EXPECT_EQ(study.policy().committed() > 0, round >= advice.next.without_choice) << text;
  }
  was_saving = was_saving || advice.next.saving > 0;
  EXPECT_EQ(text.starts_with("No"), empty > 0) << text;
  const Decided decided = study.decide();
  ASSERT_FALSE(decided.decisions.empty()) << text;
  EXPECT_EQ(decided.decisions[0].arm, advice.next.first) << text;
  EXPECT_EQ(decided.round, advice.next.number) << text;
  for (const Decision& decision : decided.decisions) {
    study.settle(decision.id, Outcome::observed(0.4 + 0.1 * static_cast<double>(decision.arm)));
  }
}

TEST(WhatToDo, NamesTheRoundsWithoutPullsThatAStudyDecidesFirst) {
  bool was_saving = false;
  for (const Pulls units_per_round : {1, 2, 5}) {
    StudySpec spec{.arms = {"a", "b", "c"}, .budget = 60, .noise = Gaussian{0.1}};
    spec.constraints.units_per_round = units_per_round;
    spec.constraints.costs.named = {{0, 3}, {1, 7}, {2, 4}};
    spec.constraints.unavailable = {{0, {{2, 3}}}, {1, {{2, 3}}}, {2, {{2, 3}}}};
    Study study(spec);
    while (!study.done()) {
      Question question{.history = {.arm_names = spec.arms, .pulls = {}},
                        .horizon = spec.budget,
                        .noise = spec.noise,
                        .constraints = spec.constraints};
      for (Arm arm = 0; arm < 3; ++arm) {
        for (Pulls pull = 0; pull < study.pulls(arm); ++pull) question.history.pulls.push_back({arm, 0.4 + 0.1 * arm});
      }
      expect_one_answer(study, question, was_saving);
    }
  }
  EXPECT_TRUE(was_saving);
}

TEST(WhatToDo, SaysWhyARoundHasNoPulls) {
  StudySpec spec{.arms = {"cheap", "dear"}, .budget = 60, .noise = Gaussian{0.1}, .policy = "greedy"};
  spec.constraints.costs.named = {{0, 2}, {1, 5}};
  Study study(spec);
  study.set_unavailable({0});
  const Question question{.history = {.arm_names = spec.arms, .pulls = {}},
                          .horizon = spec.budget,
                          .noise = spec.noise,
                          .constraints = spec.constraints,
                          .unavailable_now = {0}};
  EXPECT_EQ(what_to_do(question, recommend(question, study)),
            "No arm can be pulled in rounds 1 to 4. In round 5, pull arm 'dear' once.");
  study.set_unavailable({});
  for (int round = 0; round < 20 && study.policy().committed() == 0; ++round) {
    for (const Decision& decision : study.decide().decisions) {
      study.settle(decision.id, Outcome::observed(decision.arm == 1 ? 0.9 : 0.1));
    }
  }
  ASSERT_GT(study.policy().committed(), 0);
  const Pulls next = study.policy().round() + 1;
  EXPECT_EQ(what_to_do(question, recommend(question, study)),
            fmt::format("Nothing is pulled in rounds {} to {}: units are saved for arm 'dear'. In round {}, pull arm "
                        "'dear' once.",
                        next, next + 1, next + 2));
}

TEST(Explanation, OfVeryManyArmsDoesNotSayThatNothingWouldChangeTheChoice) {
  Question question{.history = {.arm_names = std::vector<std::string>(kMostArmsOfWhatIf + 1), .pulls = {}},
                    .horizon = 100'000};
  const Recommendation answer = recommend(question);
  EXPECT_FALSE(answer.what_if);
  EXPECT_EQ(what_would_change(question, answer), std::vector<std::string>{"Not computed for more than 10000 arms."});
}

TEST(WhatWouldChange, OfManyArmsSaysThatRewardsSoFarAreNotJudgedAgain) {
  const auto says_so = [](Arm arms) {
    Question question{.history = {.arm_names = {}, .pulls = {}}, .horizon = Pulls{3} * arms};
    std::mt19937_64 random(1);
    for (Arm arm = 0; arm < arms; ++arm) {
      question.history.arm_names.push_back(std::to_string(arm));
      question.history.pulls.push_back({arm, std::normal_distribution<double>(0.5, 0.1)(random)});
    }
    const std::vector<std::string> said = what_would_change(question, recommend(question));
    return said.back().starts_with("That holds if the rewards so far count as they do now");
  };
  EXPECT_FALSE(says_so(100));
  EXPECT_TRUE(says_so(2'000)) << "2,000 pulls and 10 for every arm";
  EXPECT_TRUE(is_judged_again(19'900, 2));
  EXPECT_FALSE(is_judged_again(20'100, 2));
  EXPECT_FALSE(is_judged_again(19'900, 1'000)) << "every pull takes longer there";
}

TEST(Explanation, NamesTheChoiceAndTheNumbersBehindIt) {
  Question question{.history = {.arm_names = {"tea", "coffee"}, .pulls = {}}, .horizon = 100, .noise = Gaussian{0.01}};
  EXPECT_EQ(what_to_do(question, recommend(question)), "Pull arm 'tea' next.");
  for (int n = 0; n < 20; ++n) {
    question.history.pulls.push_back({0, 0.5});
    question.history.pulls.push_back({1, 0.9});
  }
  const Recommendation answer = recommend(question);
  EXPECT_EQ(what_to_do(question, answer), "Pull arm 'coffee' next.");
  const std::string reason = why(question, answer)[0];
  EXPECT_TRUE(reason.starts_with("Arm 'coffee' has the largest index: 0.9")) << reason;
  EXPECT_NE(reason.find("; next is arm 'tea' with 0.5"), std::string::npos) << reason;
  EXPECT_EQ(why(question, answer)[1],
            "Arm 'coffee' now pays about 0.900 (the mean of its last 5 rewards; 0.894 to 0.906 with a probability of "
            "80 %); its trend is "
            "undecided (rising 12 %, falling 12 %, steady 76 %).");

  question.unavailable_now = {1};
  const std::string instead = why(question, recommend(question))[0];
  EXPECT_NE(instead.find("of the arms that can be pulled now: 0.5"), std::string::npos) << instead;
  EXPECT_NE(instead.find("; arm 'coffee' has a larger one, 0.9"), std::string::npos) << instead;
  question.unavailable_now = {0, 0};
  EXPECT_EQ(what_to_do(question, recommend(question)), "Pull arm 'coffee' next.");
  question.unavailable_now = {0, 1};
  EXPECT_EQ(what_to_do(question, recommend(question)), "No arm can be pulled.");
  EXPECT_EQ(why(question, recommend(question))[0], "All arms are unavailable now.");
  question.unavailable_now = {};
  question.constraints.minimum_pulls = {.named = {{0, 21}}};
  EXPECT_NE(why(question, recommend(question))[0].find("has fewer pulls than its minimum"), std::string::npos);
  question.constraints = {.costs = {.every = 1, .named = {{1, 3}}}};
  EXPECT_EQ(what_to_do(question, recommend(question)), "Pull arm 'tea' next.") << "a round of one unit is none";
  question.constraints = {.units_per_round = 42};
  EXPECT_EQ(what_to_do(question, recommend(question)), "In round 1, pull arm 'coffee' 2 times.");
}

TEST(Explanation, NamesTheCauseOfEveryArmOfARound) {
  Question question{.history = {.arm_names = {"a", "b", "c", "d"}, .pulls = {}}, .horizon = 100};
  for (int pull = 0; pull < 40; ++pull) question.history.pulls.push_back({pull % 4, 0.2 + 0.2 * (pull % 4)});
  question.constraints = {
      .units_per_round = 20, .minimum_pulls = {.named = {{1, 12}, {2, 12}}}, .minimum_share = {.named = {{0, 0.3}}}};
  const std::vector<std::string> reasons = why(question, recommend(question));
  ASSERT_EQ(reasons.size(), 8U);
  EXPECT_EQ(reasons[0],
            "Arm 'a' is pulled for its minimum share: of all shares, its next pull has the earliest deadline.");
  EXPECT_EQ(reasons[3], "That is less than it pays now: arms can fall after a while, so this one may fall as well.");
  EXPECT_TRUE(reasons[4].starts_with("For minimum shares: arm 'a' ")) << reasons[4];
  EXPECT_EQ(reasons[5], "For minimum pulls: arm 'b' 2 times and arm 'c' 2 times.");
  EXPECT_TRUE(reasons[6].starts_with("By the choice of the policy: ")) << reasons[6];
  EXPECT_EQ(reasons[7],
            "All pulls of a round are decided before any of its rewards is known, each as if those before it had paid "
            "the mean reward of their arms, as far back as noise explains the differences.");
}

TEST(Explanation, SaysThatAPullIsMadeToLearnOnlyIfAnotherArmIsExpectedToPayMore) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.1);
  int to_learn = 0;
  for (int i = 0; i < 300 / sanitizer_slowdown(); ++i) {
    Question question{.history = {.arm_names = {"0", "1"}, .pulls = {}}, .horizon = 500, .noise = Gaussian{0.1}};
    for (int pull = 0; pull < 4 + i % 20; ++pull) {
      question.history.pulls.push_back({0, 0.5 + noise(random)});
      if (pull < 3) question.history.pulls.push_back({1, 0.45 + noise(random)});
    }
    const Recommendation answer = recommend(question);
    const Arm chosen = answer.next.first;
    const ArmReport& report = answer.arms[static_cast<std::size_t>(chosen)];
    const ArmReport& other = answer.arms[static_cast<std::size_t>(1 - chosen)];
    bool said = false;
    for (const std::string& sentence : why(question, answer))
      said = said || sentence.starts_with("It is pulled to learn");
    // Where the chosen arm is probably better, its pull is not made to learn whether it is.
    const bool is_probably_better = answer.to_learn && answer.to_learn->probability > 0.5;
    EXPECT_EQ(said, other.expected->mean > report.expected->mean && !is_probably_better);
    EXPECT_TRUE(!said || *report.value_of_learning > 0) << "what is expected is less, so learning is the reason";
    to_learn += said ? 1 : 0;
  }
  EXPECT_GT(to_learn, 10 / sanitizer_slowdown());
}

TEST(Explanation, ComparesIndicesPerUnitOfCost) {
  Question question{.history = {.arm_names = {"tea", "coffee"}, .pulls = {}}, .horizon = 100, .noise = Gaussian{0.01}};
  for (int pull = 0; pull < 20; ++pull) question.history.pulls.push_back({pull % 2, 0.5 + 0.4 * (pull % 2)});
  question.constraints = {.units_per_round = 4, .costs = {.every = 1, .named = {{1, 4}}}};
  const std::string reason = why(question, recommend(question))[0];
  EXPECT_TRUE(reason.starts_with("Arm 'tea' has the largest index per unit of cost: 0.5")) << reason;
  EXPECT_NE(reason.find(" per pull, at cost 1); next is arm 'coffee' with 0.2"), std::string::npos) << reason;
  EXPECT_NE(reason.find(" (0.9"), std::string::npos) << reason;
  EXPECT_NE(reason.find(" per pull, at cost 4)."), std::string::npos) << reason;
}

TEST(Explanation, SaysThatTheRestOfABudgetPaysForNoPull) {
  Question question{.history = {.arm_names = {"0"}, .pulls = {{0, 0.5}, {0, 0.5}}}, .horizon = 5};
  question.constraints = {.costs = {.every = 2}};
  const Recommendation answer = recommend(question);
  EXPECT_TRUE(answer.next.arms.empty());
  EXPECT_EQ(why(question, answer)[0], "The rest of the budget does not pay for any pull.");
}

/// A study of two arms with exact rewards, and the question about its next pull.
struct ExactStudy {
  explicit ExactStudy(const Constraints& constraints = {})
      : study({.arms = {"a", "b"}, .budget = 400, .noise = NoNoise{}, .constraints = constraints}) {
    question = {.history = {.arm_names = {"a", "b"}, .pulls = {}},
                .horizon = 400,
                .noise = NoNoise{},
                .constraints = constraints,
                .keep_outliers = true};
  }
  /// Makes the decisions of the next round that has any, and returns its first arm. Rewards of `lossy`, except its
  /// first one, are lost for the first `lost` times.
  Arm step(Arm lossy, Pulls lost) {
    std::vector<Decision> decisions;
    while (decisions.empty()) decisions = study.decide().decisions;  // units may be saved
    for (const Decision& decision : decisions) {
      PastPull pull{.arm = decision.arm, .reward = 0.3 + 0.2 * decision.arm};
      const bool is_lost = decision.arm == lossy && pulls[lossy] >= 1 && pulls[lossy] <= lost;
      ++pulls[decision.arm];
      if (is_lost) pull = {.arm = decision.arm, .reward = std::nullopt, .lost = true};
      study.settle(decision.id, is_lost ? Outcome::lost() : Outcome::observed(*pull.reward));
      question.history.pulls.push_back(pull);
    }
    return decisions[0].arm;
  }

  Study study;
  Question question{};
  Pulls pulls[2] = {};
};

TEST(Explanation, OfALostInitialPullOfExactRewardsSaysThatItIsRepeated) {
  for (const Constraints& constraints :
       {Constraints{}, Constraints{.units_per_round = 2, .costs = {.every = 1, .named = {{1, 2}}}}}) {
    ExactStudy exact(constraints);
    int repeated = 0;
    for (int pull = 0; pull < 30; ++pull) {
      const Recommendation answer = recommend(exact.question, exact.study);
      const std::string text = fmt::format("{}", fmt::join(why(exact.question, answer), " "));
      EXPECT_EQ(text.find("from time to time"), std::string::npos) << text;
      EXPECT_EQ(text.find("can be pulled now"), std::string::npos) << text;
      const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
      const bool lacks = first.rewards < answer.initial_pulls;
      EXPECT_EQ(text.find("before arms are compared") != std::string::npos, lacks) << text;
      EXPECT_EQ(text.find("has the largest index") != std::string::npos, !lacks) << text;
      if (lacks && first.lost() > 0) {
        ++repeated;
        EXPECT_NE(text.find("an initial pull without a reward is repeated"), std::string::npos) << text;
      }
      EXPECT_EQ(exact.step(0, 3), answer.next.first);
    }
    EXPECT_GT(repeated, 0);
  }
}

TEST(Explanation, OfAnArmWithoutKnownRewardsSaysThatItIsTriedAgain) {
  Study study({.arms = {"a", "b"}, .budget = 100, .noise = Gaussian{0.1}});
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 100, .noise = Gaussian{0.1}};
  int tried_again = 0;
  for (int pull = 0; pull < 40; ++pull) {
    const Recommendation answer = recommend(question, study);
    const std::string text = fmt::format("{}", fmt::join(why(question, answer), " "));
    const bool silent = answer.next.first == 0 && answer.arms[0].pulls > 0 && answer.arms[1].rewards > 0;
    EXPECT_EQ(text.find("No reward of arm 'a' is known after") != std::string::npos, silent) << text;
    tried_again += silent ? 1 : 0;
    const Decision decision = study.decide().decisions[0];
    const bool lost = decision.arm == 0;
    study.settle(decision.id, lost ? Outcome::lost() : Outcome::observed(0.5));
    question.history.pulls.push_back(
        {.arm = decision.arm, .reward = lost ? std::nullopt : std::optional(0.5), .lost = lost});
  }
  EXPECT_GT(tried_again, 1);
}

TEST(Explanation, OfAnIndexAboveTheRangeOfItsExpectedRewardSaysWhy) {
  std::mt19937_64 random(4);
  int said = 0;
  for (int log = 0; log < 60; ++log) {
    Question question{.history = {.arm_names = {"a", "b", "c"}, .pulls = {}}, .horizon = 20'000};
    for (int pull = 0; pull < 150; ++pull) {
      const double rate = 0.02 + 0.01 * (pull % 3);
      question.history.pulls.push_back({pull % 3, std::bernoulli_distribution(rate)(random) ? 1.0 : 0.0});
    }
    const Recommendation answer = recommend(question);
    const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
    const std::string text = fmt::format("{}", fmt::join(why(question, answer), " "));
    const bool above = first.index > first.expected->high && !first.classified_falling;
    EXPECT_EQ(text.find("Its index is above this range") != std::string::npos, above) << text;
    said += above ? 1 : 0;
  }
  EXPECT_GT(said, 10);
}

TEST(Explanation, OfExactRewardsNeverSaysThatAPullIsMadeToLearn) {
  // Equal arms with different numbers of pulls: their upper bounds are the same, and what is expected differs slightly.
  for (int more = 0; more < 20; ++more) {
    Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 200, .noise = NoNoise{}};
    for (int pull = 0; pull < 5; ++pull) question.history.pulls.push_back({0, 0.5});
    for (int pull = 0; pull < 5 + more; ++pull) question.history.pulls.push_back({1, 0.5});
    const Recommendation answer = recommend(question);
    EXPECT_FALSE(answer.to_learn);
    const std::string text = fmt::format("{}", fmt::join(why(question, answer), " "));
    EXPECT_EQ(text.find("to learn"), std::string::npos) << text;
    EXPECT_NE(text.find("has the largest index: 0.500, as has arm"), std::string::npos) << text;
    EXPECT_EQ(text.find("compares upper bounds") != std::string::npos, answer.better.has_value()) << text;
    EXPECT_EQ(text.find("those of both are the same") != std::string::npos, answer.better.has_value()) << text;
    for (const ArmReport& arm : answer.arms) {
      EXPECT_LE(arm.expected->mean, *arm.upper_bound_per_pull() + 1e-12);
      EXPECT_LE(arm.expected->high, *arm.upper_bound_per_pull() + 1e-12);
    }
  }
}

TEST(Explanation, SaysThatAnArmIsPulledToLearnOnlyIfItsIndexIsAboveWhatTheBetterArmIsExpectedToPay) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 0.07);
  int without_learning = 0;
  for (int log = 0; log < 60 / sanitizer_slowdown(); ++log) {
    Question question{.history = {.arm_names = {"A", "B", "C", "D"}, .pulls = {}}, .horizon = 400};
    for (int row = 0; row < 240; ++row)
      question.history.pulls.push_back({row % 4, 0.5 + 0.05 * (row % 4) - (row < 180 ? 0 : 0.3) + noise(random)});
    const Recommendation answer = recommend(question);
    if (!answer.better) continue;
    const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
    const ArmReport& better = answer.arms[static_cast<std::size_t>(*answer.better)];
    const std::string text = fmt::format("{}", fmt::join(why(question, answer), " "));
    const bool learns = text.find("pulled to learn") != std::string::npos;
    EXPECT_TRUE(!learns || (*first.value_of_learning > 0 && first.index > better.expected->mean)) << text;
    if (*first.value_of_learning == 0) ++without_learning;
  }
  if (sanitizer_slowdown() == 1) {
    EXPECT_GT(without_learning, 3) << "else the logs do not test the claim";
  }
}

TEST(Explanation, DoesNotClaimADifferenceOfArmsThatHaveTheSameRewards) {
  for (const double step : {0.0, 0.1}) {
    Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 200};
    for (int row = 0; row < 48; ++row) question.history.pulls.push_back({row % 2, 0.4 + step * (row / 2 % 3)});
    const Recommendation answer = recommend(question);
    const std::string text = fmt::format("{}", fmt::join(why(question, answer), " "));
    EXPECT_TRUE(text.find("is nearly the same") != std::string::npos || text.find(", as has arm") != std::string::npos)
        << text;
    EXPECT_EQ(text.find("next is arm"), std::string::npos) << text;
    EXPECT_EQ(text.find("is expected to pay 0.000 more"), std::string::npos) << text;
  }
}

TEST(Explanation, SaysThatLearningCostsMoreThanItIsExpectedToGain) {
  Question question{.history = {.arm_names = {"good", "new"}, .pulls = {}}, .horizon = 723};
  for (int pull = 0; pull < 100; ++pull) question.history.pulls.push_back({0, 0.6 + 0.002 * (pull * 7 % 5 - 2)});
  for (const double reward : {0.13, 0.12, 0.13}) question.history.pulls.push_back({1, reward});
  Recommendation answer = recommend(question);
  answer.next.first = 1;
  answer.better = 0;
  answer.arms[1].index = answer.arms[0].expected->mean + 0.1;  // else learning would not be the reason
  answer.to_learn = ToLearn{.instead = 0, .cost = 0.479, .probability = 0.004, .gain = 0.179};
  answer.remaining = 200;
  const auto said = [&] { return fmt::format("{}", fmt::join(why(question, answer), " ")); };
  EXPECT_NE(said().find("It is pulled to learn, but costs more than it is expected to gain: "), std::string::npos)
      << said();
  EXPECT_NE(said().find("the expected gain over all remaining pulls is 0.143."), std::string::npos) << said();
  answer.to_learn->probability = 0.02;  // 0.7 are expected to be gained
  EXPECT_EQ(said().find("costs more"), std::string::npos) << said();
  EXPECT_NE(said().find("It is pulled to learn: "), std::string::npos) << said();
  answer.to_learn->probability = 0.6;
  EXPECT_EQ(said().find("to learn"), std::string::npos) << "the chosen arm is probably better: " << said();
  EXPECT_NE(said().find("But with a probability of 60 % arm 'new' pays more than that"), std::string::npos) << said();
}

}  // namespace
}  // namespace longrun
