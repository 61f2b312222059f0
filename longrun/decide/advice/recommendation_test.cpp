#include "longrun/decide/advice/recommendation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/live_policy.h"
#include "longrun/model/arm_labels.h"
#include "longrun/policy/foresight/foresight.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

std::vector<std::string> unnamed(Arm arms) { return std::vector<std::string>(static_cast<std::size_t>(arms)); }

/// Returns random pulls of arms that rise, rise then fall, or stay constant.
History random_history(std::uint64_t seed, double sd) {
  std::mt19937_64 random(seed);
  const auto arms = static_cast<Arm>(1 + random() % 5);
  const auto pulls = static_cast<int>(random() % 400);
  std::normal_distribution<double> noise(0, sd > 0 ? sd : 1);
  std::vector<double> made(static_cast<std::size_t>(arms), 0);
  History history{.arm_names = unnamed(arms), .pulls = {}};
  for (int pull = 0; pull < pulls; ++pull) {
    const auto arm = static_cast<Arm>(random() % static_cast<std::uint64_t>(arms));
    double& n = made[static_cast<std::size_t>(arm)];
    const double rise = 0.8 * (1 - std::exp(-n / (10.0 * (arm + 1))));
    const double mean = arm % 3 == 0 ? rise : arm % 3 == 1 ? std::max(0.0, rise - 0.004 * n) : 0.4;
    history.pulls.push_back({.arm = arm, .reward = sd > 0 ? mean + noise(random) : mean});
    n += 1;
  }
  return history;
}

Question random_question(std::uint64_t seed) {
  const std::vector<std::optional<Noise>> noises{std::nullopt, NoNoise{}, Gaussian{0.1}, StudentT{0.1}};
  Question question{.history = {}, .noise = noises[seed % noises.size()]};
  question.history = random_history(seed, seed % noises.size() == 1 ? 0 : 0.1);
  question.horizon = static_cast<Pulls>(question.history.pulls.size()) + static_cast<Pulls>(1 + seed % 500);
  return question;
}

/// Returns the first pulls of all arms, by their labels, then the second pulls, and so on.
std::vector<PastPull> one_pull_of_each_arm_at_a_time(const History& history) {
  std::map<std::string, std::vector<PastPull>> arms;  // their pulls by label
  for (const PastPull& pull : history.pulls) arms[label_of(history.arm_names, pull.arm)].push_back(pull);
  std::vector<PastPull> result;
  for (std::size_t k = 0; result.size() < history.pulls.size(); ++k) {
    for (const auto& [label, pulls] : arms) {
      if (k < pulls.size()) result.push_back(pulls[k]);
    }
  }
  return result;
}

/// Returns the choice of a policy that observes the history and is then asked once. It draws the random numbers of
/// this decision.
Arm asked_by_hand(const Question& question, const std::string& policy, const Noise& noise) {
  const StreamKey decisions{.seed = question.seed, .purpose = Purpose::policy};
  const Setting setting{.arms = question.history.arms(),
                        .horizon = question.horizon,
                        .noise = noise,
                        .seed = random_block(decisions, question.history.pulls.size())[0]};
  const auto by_hand = make_policy(PolicyChoice(policy), setting);
  const bool in_any_order = PolicyChoice(policy).entry().traits.estimates_arms;
  const auto& pulls = question.history.pulls;
  for (const PastPull& pull : in_any_order ? one_pull_of_each_arm_at_a_time(question.history) : pulls) {
    by_hand->add(pull.arm, *pull.reward);
  }
  return by_hand->choose();
}

TEST(Recommendation, IsTheChoiceOfTheDefaultPolicyOnTheSameHistory) {
  for (std::uint64_t seed = 0; seed < 400 / sanitizer_slowdown(); ++seed) {
    const Question question = random_question(seed);
    const Recommendation answer = recommend(question);
    ASSERT_EQ(answer.next.arms.size(), 1U);
    EXPECT_EQ(answer.next.arms[0].pulls(), 1);
    const PolicyChoice chosen(kDefaultPolicy);
    const std::string policy = (question.noise ? chosen : chosen.estimating_noise()).text();
    EXPECT_EQ(answer.policy, policy);
    EXPECT_EQ(answer.next.first, asked_by_hand(question, policy, question.noise.value_or(NoNoise{}))) << seed;
    EXPECT_FALSE(why(question, answer).empty());
    EXPECT_FALSE(what_would_change(question, answer).empty());
  }
}

TEST(Recommendation, ComparesArmsByTheIndexOfThePolicy) {
  // A falling arm pays more now. But its pulls can wait, and those of an arm that grows beyond it cannot.
  Question question{.history = {.arm_names = unnamed(2), .pulls = {}}, .horizon = 1'000, .noise = Gaussian{0.02}};
  const auto wiggle = [](int pull) { return pull % 2 == 0 ? 0.02 : -0.02; };
  for (int pull = 0; pull < 200; ++pull) question.history.pulls.push_back({0, 0.95 - 0.002 * pull + wiggle(pull)});
  for (int pull = 0; pull < 300; ++pull) question.history.pulls.push_back({1, 0.1 + 0.0012 * pull + wiggle(pull)});
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.next.first, 1);
  EXPECT_LT(answer.arms[1].reward_now->mean, answer.arms[0].reward_now->mean);
  EXPECT_EQ(answer.arms[0].trend->stated(), Trend::falling);
  EXPECT_LT(answer.arms[0].index, answer.arms[1].index);
  for (const std::string& sentence : why(question, answer)) {
    EXPECT_EQ(sentence.find("can be pulled"), std::string::npos) << sentence;
  }
}

TEST(Recommendation, CountsThePullsThatTheRestOfTheBudgetBuys) {
  Question question{.history = {.arm_names = unnamed(2), .pulls = {{0, 0.5}, {1, 0.5}, {1, 0.5}}}, .horizon = 20};
  question.constraints.costs = {.every = 2, .named = {{1, 4}}};
  question.constraints.units_per_round = 4;
  EXPECT_EQ(recommend(question).remaining, 5);  // 10 of 20 units are spent, and a pull costs at least 2
}

TEST(Recommendation, RejectsRewardsFarOutsideTheScale) {
  Question question{.history = {.arm_names = unnamed(1), .pulls = {{0, 1e200}, {0, -1e200}}}, .horizon = 20};
  EXPECT_THROW(recommend(question), InputError);
  question.history.pulls = {{0, 0.5}};
  question.noise = Gaussian{1e300};
  EXPECT_THROW(recommend(question), InputError);
}

TEST(Recommendation, RejectsMeansThatNoiseDoesNotTakeOutsideTheScale) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  for (const double shift : {-0.45, 0.0, 0.65}) {
    Question question{.history = {.arm_names = {"rise", "flat"}, .pulls = {}}, .horizon = 1'000};
    for (int pull = 0; pull < 200; ++pull) {
      question.history.pulls.push_back({0, 0.1 + 0.003 * pull + shift + noise(random)});
      question.history.pulls.push_back({1, 0.4 + shift + noise(random)});
    }
    if (shift == 0) {
      EXPECT_NO_THROW(recommend(question));
      continue;
    }
    try {
      recommend(question);
      ADD_FAILURE() << "a quarter of the rewards of 'rise' average outside the scale: " << shift;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("of arm 'rise' average"), std::string::npos) << text;
      EXPECT_NE(text.find("outside the scale 0 to 1"), std::string::npos) << text;
    }
  }
  // Noise alone, around the end of the scale: no error.
  constexpr std::uint64_t kStep = sanitizer_slowdown();
  for (std::uint64_t seed = 0; seed < 200; seed += kStep) {
    Question question{.history = {.arm_names = {"poor"}, .pulls = {}}, .horizon = 1'000};
    for (std::size_t pull = 0; pull < 20 + seed; ++pull) question.history.pulls.push_back({0, noise(random)});
    EXPECT_NO_THROW(recommend(question));
  }
}

TEST(Recommendation, IsTheChoiceOfAnyOtherPolicyThatIsNamed) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    for (std::uint64_t seed = 1; seed < (sanitizer_slowdown() > 1 ? 4 : 20); ++seed) {
      Question question = random_question(seed);
      if (!question.noise) continue;
      question.policy = entry.name;
      const Recommendation answer = recommend(question);
      EXPECT_EQ(answer.next.first, asked_by_hand(question, question.policy, *question.noise)) << entry.name;
      if (!entry.traits.estimates_arms) {
        EXPECT_NE(why(question, answer)[question.history.pulls.empty() ? 1 : 0].find(entry.name), std::string::npos);
      }
    }
  }
}

TEST(Recommendation, RandomizedPoliciesDrawNewNumbersForEveryDecision) {
  Question question{.history = {.arm_names = unnamed(2), .pulls = {}}, .horizon = 1000, .policy = "exp3:gamma=1"};
  int first = 0;
  for (int decision = 0; decision < 100; ++decision) {
    first += recommend(question).next.first == 0 ? 1 : 0;
    question.history.pulls.push_back({.arm = decision % 2, .reward = 0.5});
  }
  EXPECT_GT(first, 30);
  EXPECT_LT(first, 70);
}

TEST(Recommendation, UnderConstraintsIsTheNextRoundOfConstrainedPolicy) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Question question = random_question(seed);
    const Arm arms = question.history.arms();
    question.constraints = {.units_per_round = 1 + static_cast<Pulls>(seed % 7),
                            .costs = {.every = 1, .named = {{0, 1 + static_cast<Pulls>(seed % 3)}}},
                            .minimum_share = {.every = seed % 2 == 0 ? 0 : 0.1}};
    question.horizon *= 3;
    if (seed % 4 == 0 && arms > 1) question.unavailable_now = {arms - 1};
    const Noise noise = question.noise.value_or(NoNoise{});
    ConstrainedPolicy by_hand(
        question.noise ? PolicyChoice(kDefaultPolicy) : PolicyChoice(kDefaultPolicy).estimating_noise(),
        {.arms = arms, .horizon = question.horizon, .noise = noise}, question.constraints);
    by_hand.set_unavailable(question.unavailable_now);
    for (const PastPull& pull : one_pull_of_each_arm_at_a_time(question.history)) by_hand.add(pull.arm, *pull.reward);
    std::span<const Arm> expected = by_hand.next_round();
    while (expected.empty() && !by_hand.done()) expected = by_hand.next_round();  // units are saved
    const Recommendation answer = recommend(question);
    EXPECT_EQ(answer.next.number, by_hand.round());
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(answer.next.first, expected[0]) << seed;
    std::map<std::pair<Arm, PullCause>, Pulls> counts;
    for (std::size_t i = 0; i < expected.size(); ++i) counts[{expected[i], by_hand.causes()[i]}] += 1;
    for (const NextPulls& next : answer.next.arms) {
      for (const auto& [cause, pulls] : next.causes) {
        EXPECT_EQ((counts[{next.arm, cause}]), pulls) << seed;
        counts.erase({next.arm, cause});
      }
    }
    EXPECT_TRUE(counts.empty()) << seed;
    EXPECT_FALSE(why(question, answer).empty());
  }
}

TEST(Recommendation, TheArmWithTheLargestIndexIsChosen) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 200 / sanitizer_slowdown(); ++seed) {
    const Question question = random_question(seed);
    const Recommendation answer = recommend(question);
    const auto lacks = [&](const ArmReport& arm) { return arm.pulls < answer.initial_pulls; };
    if (std::any_of(answer.arms.begin(), answer.arms.end(), lacks)) continue;
    ++compared;
    for (const ArmReport& arm : answer.arms) {
      EXPECT_LE(arm.index, answer.arms[static_cast<std::size_t>(answer.next.first)].index) << seed;
    }
  }
  EXPECT_GT(compared, 100 / sanitizer_slowdown());
}

/// Returns the question after `pulls` more pulls of an arm with the same reward.
Question later(Question question, Arm arm, Pulls pulls, double reward) {
  for (Pulls pull = 0; pull < pulls; ++pull) question.history.pulls.push_back({.arm = arm, .reward = reward});
  return question;
}

TEST(Recommendation, WhatIfNamesEveryChangeOfTheChoice) {
  constexpr std::uint64_t kQuestions = 300 / sanitizer_slowdown();
  int borders = 0;
  for (std::uint64_t seed = 0; seed < kQuestions; ++seed) {
    const Question question = random_question(seed);
    const Recommendation answer = recommend(question);
    if (!answer.what_if) continue;
    const auto& [arm, pulls, consequences] = *answer.what_if;
    EXPECT_EQ(consequences.front().from, 0);
    EXPECT_EQ(consequences.back().to, 1);
    for (std::size_t i = 0; i < consequences.size(); ++i) {
      const auto& [from, to, then] = consequences[i];
      for (const double reward : {from + 1e-4, to - 1e-4}) {
        EXPECT_EQ(recommend(later(question, arm, pulls, reward)).next.first, then) << seed << ", " << reward;
      }
      if (i == 0) continue;
      ++borders;
      EXPECT_EQ(from, consequences[i - 1].to);
      EXPECT_NE(then, consequences[i - 1].arm);
    }
  }
  EXPECT_GT(borders, 50 / sanitizer_slowdown());
}

TEST(Recommendation, WhatIfJudgesOutliersAndMisfitsAsTheAdviceForTheLongerHistoryDoes) {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 40 / sanitizer_slowdown(); ++seed) {
    for (const int pulls : {15, 25, 60, 120}) {
      std::mt19937_64 random(seed);
      std::normal_distribution<double> noise(0, 0.03);
      Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = Pulls{20} * pulls};
      for (int pull = 0; pull < pulls; ++pull) {
        // An outlier of 'b' and a fall of 'a', which supposed rewards can turn into a misfit.
        question.history.pulls.push_back({0, (pull < pulls / 2 ? 0.7 : 0.52) + noise(random)});
        question.history.pulls.push_back({1, pull == pulls / 3 ? 0.99 : 0.5 + noise(random)});
      }
      const Recommendation answer = recommend(question);
      ASSERT_TRUE(answer.what_if);
      const auto& [arm, supposed, consequences] = *answer.what_if;
      for (const auto& [from, to, then] : consequences) {
        for (const double reward : {from + 1e-4, (from + to) / 2, to - 1e-4}) {
          const Question after = later(question, arm, supposed, reward);
          const Recommendation really = recommend(after);
          EXPECT_EQ(really.next.first, then) << seed << ", " << pulls << " pulls, " << reward;
          const bool differs = really.outliers.size() != answer.outliers.size() ||
                               really.arms[0].misfit.has_value() != answer.arms[0].misfit.has_value();
          changed += differs ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(changed, 50 / sanitizer_slowdown()) << "else the supposed rewards are judged like those so far";
}

TEST(Recommendation, OneArmStaysTheChoiceForAnyReward) {
  const Question question{.history = {.arm_names = unnamed(1), .pulls = {}}, .horizon = 10};
  const Recommendation answer = recommend(question);
  EXPECT_EQ(what_would_change(question, answer).front(),
            "Nothing: whatever the next reward of arm 0 is, arm 0 stays the choice.");
}

TEST(Recommendation, OfARoundSaysThatOnlyItsFirstPullIsMeant) {
  Question question{.history = {.arm_names = {"good"}, .pulls = {}}, .horizon = 1000};
  for (int pull = 0; pull < 120; ++pull) question.history.pulls.push_back({0, pull % 10 == 0 ? 0.0 : 1.0});
  const Recommendation single = recommend(question);
  ASSERT_EQ(single.what_if->consequences.size(), 1U);
  EXPECT_EQ(
      what_would_change(question, single),
      std::vector<std::string>{"Nothing: if the next 12 rewards of arm 'good' are all the same, whatever they are, "
                               "arm 'good' stays the choice."});
  question.constraints.units_per_round = 40;
  const Recommendation round = recommend(question);
  ASSERT_EQ(round.what_if->consequences.size(), 1U);
  const std::vector<std::string> sentences = what_would_change(question, round);
  EXPECT_NE(sentences[0].find("stays the choice for the first pull of the round after them."), std::string::npos)
      << sentences[0];
  EXPECT_EQ(sentences.at(1), "The other pulls of that round can go to other arms.");
}

TEST(Recommendation, AtTheLastDecisionDoesNotSpeakOfLearning) {
  Question question{.history = {.arm_names = {"A", "B"}, .pulls = {}}, .horizon = 8};
  for (int pull = 0; pull < 6; ++pull) question.history.pulls.push_back({0, 0.4});
  question.history.pulls.push_back({.arm = 1, .reward = std::nullopt});
  const Recommendation answer = recommend(question);
  ASSERT_TRUE(answer.last_decision);
  ASSERT_EQ(answer.next.first, 1) << "the arm without a reward is tried again";
  EXPECT_EQ(why(question, answer)[0],
            "No reward of arm 'B' is known after 1 pull. The policy tries such an arm again from time to time, also "
            "now, when no decision is left that could use its reward.");
}

TEST(Recommendation, TheCurveOfTheUpperBoundSumsToItsTotal) {
  for (std::uint64_t seed = 0; seed < 200 / sanitizer_slowdown(); ++seed) {
    const Question question = random_question(seed);
    for (const ArmReport& arm : recommend(question).arms) {
      const Pulls remaining = question.horizon - static_cast<Pulls>(question.history.pulls.size());
      ASSERT_FALSE(arm.upper_bound.empty());
      EXPECT_EQ(arm.upper_bound.front().pull, arm.pulls + 1);
      EXPECT_EQ(arm.upper_bound.back().pull, arm.pulls + remaining);
      double total = arm.upper_bound.front().reward;
      for (std::size_t i = 1; i < arm.upper_bound.size(); ++i) {
        const auto [begin, low] = arm.upper_bound[i - 1];
        const auto [end, high] = arm.upper_bound[i];
        for (Pulls pull = begin + 1; pull <= end; ++pull) {
          total += low + (high - low) * static_cast<double>(pull - begin) / static_cast<double>(end - begin);
        }
      }
      EXPECT_NEAR(total, arm.upper_bound_total, 1e-9 * static_cast<double>(remaining));
    }
  }
}

TEST(Recommendation, TheTrendOfExactRewardsIsTheSignOfTheLastStep) {
  const History history{.arm_names = unnamed(4),
                        .pulls = {{0, 0.1}, {0, 0.2}, {1, 0.3}, {1, 0.2}, {2, 0.4}, {2, 0.4}, {3, 0.5}}};
  const Recommendation answer = recommend({.history = history, .horizon = 20, .noise = NoNoise{}});
  EXPECT_EQ(answer.sd, 0);
  EXPECT_EQ(answer.arms[0].trend->stated(), Trend::rising);
  EXPECT_EQ(answer.arms[1].trend->stated(), Trend::falling);
  EXPECT_EQ(answer.arms[1].upper_bound_total, 13 * 0.2);
  EXPECT_EQ(answer.arms[2].trend->stated(), Trend::steady);
  EXPECT_EQ(answer.arms[3].trend->stated(), Trend::undecided);
  EXPECT_EQ(answer.what_if->pulls, 1);
}

TEST(Recommendation, TheTrendOfNoisyRewardsIsFound) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  History history{.arm_names = unnamed(4), .pulls = {}};
  for (int n = 0; n < 200; ++n) {
    history.pulls.push_back({0, 0.1 + 0.002 * n + noise(random)});
    history.pulls.push_back({1, 0.8 - 0.003 * n + noise(random)});
    history.pulls.push_back({2, 0.5 + noise(random)});
  }
  const Recommendation answer = recommend({.history = history, .horizon = 2000});
  EXPECT_EQ(answer.arms[0].trend->stated(), Trend::rising);
  EXPECT_EQ(answer.arms[1].trend->stated(), Trend::falling);
  EXPECT_GT(answer.arms[2].trend->steady, 0.7) << "stated from 0.8";
  EXPECT_FALSE(answer.arms[3].trend || answer.arms[3].reward_now) << "before the first pull";
  EXPECT_TRUE(answer.sd_estimated);
  EXPECT_NEAR(answer.sd, 0.05, 0.01);
  EXPECT_NEAR(answer.arms[0].reward_now->mean, 0.5, 0.06);
}

TEST(Recommendation, AStatedTrendOfRareAmountsIsThatOfTheExpectedCourse) {
  int stated = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> amount(0, 0.8);
    Question question{.history = {.arm_names = unnamed(3), .pulls = {}}, .horizon = 1500, .scale = {0, 300}};
    for (int pull = 0; pull < 900; ++pull) {
      const double time = pull / 900.0;
      const Arm arm = pull % 3;
      const double rate = arm == 0 ? 0.12 * time : arm == 1 ? 0.12 * (1 - time) : 0.06;
      const bool sold = std::bernoulli_distribution(rate)(random);
      question.history.pulls.push_back({.arm = arm, .reward = sold ? 50 * amount(random) : 0});
    }
    for (const ArmReport& arm : recommend(question).arms) {
      const Trend trend = arm.trend->stated();
      if (trend != Trend::rising && trend != Trend::falling) continue;
      ++stated;
      const double change = arm.expected_course.back().reward.mean - arm.expected_course.front().reward.mean;
      EXPECT_EQ(trend == Trend::rising, change > 0) << seed << ": " << change;
    }
  }
  EXPECT_GE(stated, 10);
}

TEST(Recommendation, IsTheSameOnAnyScale) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Question question = random_question(4 * seed);  // noise is estimated
    Question scaled = question;
    scaled.scale = {.minimum = -64, .maximum = 192};
    for (PastPull& pull : scaled.history.pulls) pull.reward = scaled.scale.from_unit(*pull.reward);
    const Recommendation one = recommend(question);
    const Recommendation other = recommend(scaled);
    EXPECT_EQ(one.next.first, other.next.first);
    EXPECT_NEAR(other.sd, 256 * one.sd, 1e-6);
    for (std::size_t i = 0; i < one.arms.size(); ++i) {
      EXPECT_NEAR(other.arms[i].index, scaled.scale.from_unit(one.arms[i].index), 1e-6);
      EXPECT_NEAR(other.arms[i].upper_bound_total,
                  -64.0 * static_cast<double>(one.remaining) + 256 * one.arms[i].upper_bound_total, 1e-5);
    }
  }
}

TEST(Recommendation, OfSoManyArmsThatThreadsShareThemIsThatOfEachArm) {
  const int arms = static_cast<int>(ArmReports::kFewestForThreads) + 7;
  Question question{
      .history = {.arm_names = unnamed(arms), .pulls = {}}, .horizon = Pulls{3} * arms, .noise = Gaussian{0.1}};
  for (int arm = 0; arm < arms; ++arm) question.history.pulls.push_back({arm, 0.2 + 0.5 * (arm % 97) / 97});
  const Recommendation answer = recommend(question);
  const Recommendation again = recommend(question);
  for (std::size_t arm = 0; arm < static_cast<std::size_t>(arms); ++arm) {
    EXPECT_EQ(answer.arms[arm].index, again.arms[arm].index) << arm;
    EXPECT_EQ(answer.arms[arm].index, answer.arms[arm % 97].index) << arm << ": of the same reward";
  }
}

TEST(Recommendation, EndsWithTheHorizon) {
  Question question{.history = {.arm_names = unnamed(2), .pulls = {{0, 0.1}, {1, 0.2}}}, .horizon = 3};
  EXPECT_FALSE(recommend(question).what_if) << "the last pull leaves no choice";
  question.horizon = 2;
  const Recommendation answer = recommend(question);
  EXPECT_TRUE(answer.next.arms.empty());
  EXPECT_EQ(why(question, answer)[0], "All 2 pulls have been made.");
  question.horizon = 1;
  EXPECT_THROW(recommend(question), InputError);
}

TEST(Recommendation, RejectsAnInvalidHistory) {
  const auto refuses = [](const Question& question, const std::string& complaint) {
    try {
      recommend(question);
      ADD_FAILURE() << "no complaint: " << complaint;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(complaint), std::string::npos) << error.what();
    }
  };
  const auto with = [](std::vector<PastPull> pulls) {
    return Question{.history = {.arm_names = {"a", ""}, .pulls = std::move(pulls)}, .horizon = 50};
  };
  refuses(with({{2, 0.5}}), "arm 2 is not one of 0..1");
  refuses(with({{1, std::numeric_limits<double>::quiet_NaN()}}), "reward nan of arm 1 is not a finite number");
  refuses(with({{0, 12}, {0, 30}, {0, 19}}),
          "reward 12 of arm 'a' is further outside the scale 0 to 1 than noise explains; set the scale to the range of "
          "the rewards");
  refuses(with({{0, 0.5}, {0, 5}}), "reward 5 of arm 'a' is further outside the scale 0 to 1 than noise explains");
  refuses(with({{0, 0.5}, {.arm = 0, .reward = 5, .line = 3}}),
          "line 3: reward 5 of arm 'a' is further outside the scale 0 to 1 than noise explains; set the scale to the "
          "range of the rewards, or correct this row if it is wrong");
  std::vector<PastPull> high(100, {.arm = 0, .reward = 1.3});
  refuses(with(high), "the rewards of arm 'a' average 1.3, outside the scale 0 to 1");
  refuses(with({{0, -3}}), "reward -3 of arm 'a'");
  Question question = with({{0, 1.3}, {0, -0.4}});
  EXPECT_NO_THROW(recommend(question)) << "noise";
  question.scale = {.minimum = 1, .maximum = 1};
  refuses(question, "scale 1:1: must be two finite numbers, the first smaller than the second");
  question.scale = {};
  question.policy = "optimal";
  refuses(question, "policy 'optimal' needs known reward curves; a history does not give them");
}

TEST(EveryParameterOfTheDefaultPolicy, AtItsEndsGivesFiniteEstimatesWithinTheScale) {
  constexpr double kRoundingOfIndex = 1e-9;
  const auto is_within = [](double value) { return value >= -kRoundingOfIndex && value <= 1 + kRoundingOfIndex; };
  for (const Parameter& parameter : find_policy(kDefaultPolicy)->parameters) {
    for (const double value : {parameter.minimum, parameter.maximum}) {
      for (std::uint64_t seed = 0; seed < (sanitizer_slowdown() > 1 ? 1 : 4); ++seed) {
        Question question = random_question(seed);
        question.policy = fmt::format("{}:{}={}", kDefaultPolicy, parameter.name, value);
        const Recommendation answer = recommend(question);
        for (const ArmReport& arm : answer.arms) {
          EXPECT_TRUE(is_within(arm.index)) << question.policy << ", " << seed << ": " << arm.index;
          if (arm.expected) {
            EXPECT_TRUE(is_within(arm.expected->mean)) << question.policy << ", " << seed;
          }
        }
      }
    }
  }
}

TEST(Recommendation, EstimatesAndRangesAreWithinTheScaleAlsoIfTheMeansOfRewardsAreNot) {
  int outside = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.3);
    const auto arms = static_cast<Arm>(1 + seed % 3);
    Question question{.history = {.arm_names = unnamed(arms), .pulls = {}}, .horizon = 200};
    question.scale = {.minimum = 10, .maximum = 20};
    for (int pull = 0; pull < 8 * arms; ++pull) {
      question.history.pulls.push_back({pull % arms, (pull % arms == 1 ? 10 : 20) + 10 * noise(random)});
    }
    const Recommendation answer = recommend(question);
    for (const ArmReport& arm : answer.arms) {
      outside += arm.reward_now->mean < 10 || arm.reward_now->mean > 20 ? 1 : 0;
      for (const double value : {arm.reward_now->estimate, arm.reward_now->low, arm.reward_now->high, arm.index,
                                 arm.expected->mean, arm.expected->low, arm.expected->high}) {
        EXPECT_GE(value, 10) << seed;
        EXPECT_LE(value, 20) << seed;
      }
    }
    const RewardNow& now = *answer.arms[static_cast<std::size_t>(answer.next.first)].reward_now;
    if (now.mean < 20.5) continue;
    const std::string text = why(question, answer)[1];
    EXPECT_NE(text.find(" pays about " + reward_text(question.scale, now.estimate)), std::string::npos) << text;
    EXPECT_NE(text.find(", which is outside the scale; "), std::string::npos) << text;
  }
  EXPECT_GT(outside, 20);
}

}  // namespace
}  // namespace longrun
