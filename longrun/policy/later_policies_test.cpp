// The policies published after the paper against their definitions, written out over all rewards, and what they are
// for: rising arms, falling arms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "longrun/decide/ask_tell.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/r_ed_ucb.h"
#include "longrun/policy/statistics/dyadic_windows.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

// ---- bandits

Bandit bandit_of(Pulls longest, const std::vector<std::function<double(double)>>& curves, const Noise& noise) {
  Bandit bandit{.name = "test", .arm_names = {}, .arms = {}, .noise = noise, .recorded_noise = nullptr};
  for (const auto& curve : curves) {
    std::vector<double> rewards;
    for (Pulls pull = 1; pull <= longest; ++pull)
      rewards.push_back(std::clamp(curve(static_cast<double>(pull)), 0.0, 1.0));
    bandit.arms.push_back(Curve::from_rewards(std::move(rewards)));
  }
  bandit.arm_names.resize(curves.size());
  return bandit;
}

/// Arms that rise, stay and fall. Rewards are multiples of 1/64: their sums are exact, and many arms tie.
Bandit mixed_arms(Arm arms, Pulls longest, const Noise& noise, unsigned seed) {
  std::mt19937 random(seed);
  const auto on_grid = [](double reward) { return std::round(64 * reward) / 64; };
  std::vector<std::function<double(double)>> curves;
  for (Arm arm = 0; arm < arms; ++arm) {
    const double height = static_cast<double>(1 + random() % 8) / 8;
    const double length = 10 + static_cast<double>(random() % 200);
    switch (random() % 4) {
      case 0:
        curves.emplace_back([=](double) { return height; });
        break;
      case 1:
        curves.emplace_back([=](double pull) { return on_grid(height * std::min(1.0, pull / length)); });
        break;
      case 2:
        curves.emplace_back([=](double pull) { return on_grid(height * std::exp(-pull / length)); });
        break;
      default:
        curves.emplace_back([=](double pull) { return pull <= length ? height : 0.125; });
        break;
    }
  }
  return bandit_of(longest, curves, noise);
}

// ---- decisions by definition

/// All rewards of every arm, in their order.
using History = std::vector<std::vector<double>>;

double pulls_made(const History& history) {
  return std::accumulate(history.begin(), history.end(), 0.0,
                         [](double sum, const auto& rewards) { return sum + static_cast<double>(rewards.size()); });
}

Arm first_largest(const History& history, const std::function<double(const std::vector<double>&)>& index) {
  Arm best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t arm = 0; arm < history.size(); ++arm) {
    const double value = index(history[arm]);
    if (value > largest) {
      largest = value;
      best = static_cast<Arm>(arm);
    }
  }
  return best;
}

double rising_index(const std::vector<double>& rewards, double t, double eps, double sd) {
  const auto n = static_cast<double>(rewards.size());
  const auto window = static_cast<std::size_t>(eps * n);
  if (window == 0) return std::numeric_limits<double>::infinity();
  const auto h = static_cast<double>(window);
  double sum = 0;
  for (std::size_t l = rewards.size() - window + 1; l <= rewards.size(); ++l) {
    const double y = rewards[l - 1];
    sum += y + (t - static_cast<double>(l)) * (y - rewards[l - window - 1]) / h;
  }
  return sum / h + sd * (t - n + h - 1) * std::sqrt(10 * std::log(std::pow(t, 4)) / std::pow(h, 3));
}

Arm r_ed_ucb_choice(const History& history, double eps, double sd) {
  const double t = pulls_made(history) + 1;
  return first_largest(history, [&](const auto& rewards) { return rising_index(rewards, t, eps, sd); });
}

/// Sum of the last complete window of h rewards, of those that end at a multiple of h.
double window_sum(const std::vector<double>& rewards, std::size_t h) {
  const auto end = rewards.begin() + static_cast<std::ptrdiff_t>(rewards.size() / h * h);
  return std::accumulate(end - static_cast<std::ptrdiff_t>(h), end, 0.0);
}

Arm raw_ucb_choice(const History& history, double alpha, double sd) {
  const double t = pulls_made(history) + 1;
  return first_largest(history, [&](const auto& rewards) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t window = 1; window <= rewards.size(); window *= 2) {
      const auto h = static_cast<double>(window);
      smallest = std::min(smallest, window_sum(rewards, window) / h + std::sqrt(2 * alpha * sd * sd * std::log(t) / h));
    }
    return smallest;  // without rewards infinite
  });
}

Arm fewa_choice(const History& history, double alpha, double sd) {
  const double t = pulls_made(history) + 1;
  std::vector<std::size_t> candidates(history.size());
  std::iota(candidates.begin(), candidates.end(), 0U);
  for (std::size_t h = 1;; h *= 2) {
    for (const std::size_t arm : candidates) {
      if (history[arm].size() < h) return static_cast<Arm>(arm);
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (const std::size_t arm : candidates) largest = std::max(largest, window_sum(history[arm], h));
    const double distance = std::sqrt(8 * static_cast<double>(h) * alpha * sd * sd * std::log(t));
    std::vector<std::size_t> kept;
    for (const std::size_t arm : candidates) {
      if (window_sum(history[arm], h) >= largest - distance) kept.push_back(arm);
    }
    candidates = kept;
  }
}

Arm ptrr_choice(const History& history, const std::vector<Arm>& order, double tau, double m, double a) {
  for (const Arm arm : order) {
    const auto& rewards = history[static_cast<std::size_t>(arm)];
    bool kept = true;
    for (std::size_t n = 1; n <= rewards.size(); ++n) {
      const double share = std::min(1.0, static_cast<double>(n - 1) / tau);
      if (rewards[n - 1] < m * std::pow(share, a) - 1e-12) kept = false;
    }
    if (kept) return arm;
  }
  return first_largest(history, [](const auto& rewards) { return rewards.back(); });
}

void expect_choices(const std::string& policy, const Bandit& bandit, Pulls horizon, std::uint64_t seed,
                    const std::function<Arm(const History&)>& expected) {
  const Setting setting{.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .seed = seed};
  const auto tested = make_policy(PolicyChoice(policy), setting);
  World world(bandit, seed);
  History history(bandit.arms.size());
  for (Pulls step = 0; step < horizon; ++step) {
    const Arm arm = tested->choose();
    ASSERT_EQ(arm, expected(history)) << policy << ", step " << step << ", " << bandit.arms.size() << " arms, "
                                      << to_text(bandit.noise) << ", seed " << seed;
    const double reward = world.pull(arm);
    tested->observe(arm, reward);
    history[static_cast<std::size_t>(arm)].push_back(reward);
  }
}

/// Calls `test` for few and many arms, without noise and with every kind of it.
void on_many_bandits(const std::function<void(const Bandit&, std::uint64_t seed)>& test) {
  for (const Noise& noise : {Noise(NoNoise{}), Noise(Gaussian{0.05}), Noise(Gaussian{0.5}), Noise(Uniform{0.1}),
                             Noise(SymmetricBeta{0.2, 0.1})}) {
    for (const Arm arms : {1, 2, 3, 10, 60}) {
      for (unsigned seed = 1; seed <= 2; ++seed) test(mixed_arms(arms, 700, noise, seed), seed);
    }
  }
}

TEST(REdUcb, DecidesByItsDefinition) {
  for (const double eps : {0.25, 0.5, 0.1, 0.37}) {
    on_many_bandits([&](const Bandit& bandit, std::uint64_t seed) {
      const double sd = standard_deviation(bandit.noise);
      // Without noise mixed arms tie by arithmetic that rounds: those have a test of their own.
      if (sd == 0) return;
      expect_choices("r-ed-ucb:eps=" + std::to_string(eps), bandit, 700, seed,
                     [&](const History& history) { return r_ed_ucb_choice(history, eps, sd); });
    });
  }
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const double sd = standard_deviation(bandit.noise);
    if (sd == 0) return;
    expect_choices("r-ed-ucb", bandit, 300, seed,
                   [&](const History& history) { return r_ed_ucb_choice(history, 0.25, sd); });
  });
}

TEST(REdUcb, ArmsThatDoNotChangeTieExactly) {
  for (const double level : {0.1, 0.3, 1.0 / 3, 0.7}) {
    const auto same = [=](double) { return level; };
    const Bandit bandit = bandit_of(400, {[=](double) { return level / 2; }, same, same, same}, NoNoise{});
    const RunResult outcome = play(PolicyChoice("r-ed-ucb"), bandit, {.arms = 4, .horizon = 400});
    EXPECT_EQ(outcome.pulls, (std::vector<Pulls>{4, 388, 4, 4})) << level;
  }
}

TEST(REdUcb, IndexStaysItsDefinitionOverALongRun) {
  for (const double eps : {0.25, 0.5, 0.013}) {
    const Setting setting{.arms = 1, .horizon = 200'000, .noise = Gaussian{0.1}};
    REdUcbRule rule(setting, eps);
    Ledger ledger(setting);
    std::mt19937_64 random(4);
    std::normal_distribution<double> normal(0, 0.1);
    std::vector<double> rewards;
    for (int n = 1; n <= 200'000; ++n) {
      rewards.push_back(1 - std::pow(n, -0.3) + normal(random));
      ledger.settle(0);
      rule.observe(0, rewards.back(), ledger);
      if (n < rule.initial_pulls() || (n > 300 && n % 7'919 != 0)) continue;
      rule.prepare(ledger);
      ASSERT_NEAR(rule.index(0, ledger), rising_index(rewards, n + 1, eps, 0.1), 1e-9) << n << " rewards, eps " << eps;
    }
  }
}

TEST(REdUcb, FirstPullsEveryArmUntilItHasAWindow) {
  const Bandit bandit = mixed_arms(3, 100, Gaussian{0.1}, 1);
  for (const auto& [policy, pulls] :
       std::map<std::string, Pulls>{{"r-ed-ucb", 4}, {"r-ed-ucb:eps=0.5", 2}, {"r-ed-ucb:eps=0.3", 4}}) {
    std::vector<Arm> trace(static_cast<std::size_t>(3 * pulls));
    play(PolicyChoice(policy), bandit, {.arms = 3, .horizon = 3 * pulls, .noise = bandit.noise}, trace);
    for (std::size_t step = 0; step < trace.size(); ++step) {
      EXPECT_EQ(trace[step], static_cast<Arm>(step) / pulls) << policy << ", step " << step;
    }
  }
}

/// The two arms of Metelli et al. (2022): one better for long, one that overtakes it late.
TEST(REdUcb, FindsTheArmThatRisesLate) {
  const Pulls horizon = 50'000;
  const Bandit bandit = bandit_of(horizon,
                                  {[](double pull) { return 0.4 * (1 - 50'000 / (100 * (pull - 1) + 50'000)); },
                                   [](double pull) { return (pull - 1) / 25'000; }},
                                  Gaussian{0.01});
  const Setting setting{.arms = 2, .horizon = horizon, .noise = bandit.noise};
  const RunResult rising = play(PolicyChoice("r-ed-ucb"), bandit, setting);
  EXPECT_GT(rising.earned, 0.85 * 37'499.5);  // of the best there is
  EXPECT_GT(rising.pulls[1], 40'000);
  EXPECT_GT(rising.earned, 1.5 * play(PolicyChoice("ucb"), bandit, setting).earned);
}

TEST(DyadicWindows, HoldTheLastCompleteWindowOfEveryScale) {
  std::mt19937 random(6);
  DyadicWindows windows;
  std::vector<double> rewards;
  for (std::size_t n = 1; n <= 3'000; ++n) {
    rewards.push_back(static_cast<double>(random() % 1024) / 1024);  // sums are exact
    windows.add(rewards.back());
    std::size_t scales = 0;
    for (std::size_t h = 1; h <= n; h *= 2) {
      ASSERT_EQ(windows.mean(scales), window_sum(rewards, h) / static_cast<double>(h)) << n << " rewards, window " << h;
      ASSERT_DOUBLE_EQ(DyadicWindows::shrinkage(scales), std::sqrt(1 / static_cast<double>(h)));
      ++scales;
    }
    ASSERT_EQ(windows.scales(), scales) << "for " << n << " rewards";
  }
}

TEST(RawUcb, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const double sd = standard_deviation(bandit.noise);
    expect_choices("raw-ucb", bandit, 700, seed,
                   [&](const History& history) { return raw_ucb_choice(history, 1.4, sd); });
    expect_choices("raw-ucb:alpha=0.1", bandit, 700, seed,
                   [&](const History& history) { return raw_ucb_choice(history, 0.1, sd); });
  });
}

TEST(Fewa, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const double sd = standard_deviation(bandit.noise);
    expect_choices("fewa", bandit, 700, seed, [&](const History& history) { return fewa_choice(history, 0.06, sd); });
    expect_choices("fewa:alpha=4", bandit, 700, seed,
                   [&](const History& history) { return fewa_choice(history, 4, sd); });
  });
}

/// Ten arms that fall after as many pulls, as in Seznec et al. (2020) but within [0, 1].
TEST(PoliciesForFallingArms, LeaveAnArmThatFellSoonerThanUcb) {
  std::vector<std::function<double(double)>> curves(10);
  for (std::size_t arm = 0; arm < 10; ++arm) {
    const double height = 0.05 * static_cast<double>(arm);
    curves[arm] = [=](double pull) { return pull <= 300 ? 0.5 + height : 0.5 - height; };
  }
  const Bandit bandit = bandit_of(5'000, curves, Gaussian{0.1});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Setting setting{.arms = 10, .horizon = 5'000, .noise = bandit.noise, .seed = seed};
    const double ucb = play(PolicyChoice("ucb"), bandit, setting).earned;
    EXPECT_GT(play(PolicyChoice("raw-ucb"), bandit, setting).earned, ucb + 200) << seed;
    EXPECT_GT(play(PolicyChoice("fewa"), bandit, setting).earned, ucb + 200) << seed;
  }
}

TEST(PoliciesForFallingArms, WithoutNoiseFollowTheLastReward) {
  // Each arm falls with every pull: the last reward is the smallest mean of all windows, and the only one within 0 of
  // the best.
  std::vector<std::function<double(double)>> curves;
  for (int arm = 1; arm <= 5; ++arm) curves.emplace_back([=](double pull) { return 1 / (1 + pull / arm); });
  const Bandit bandit = bandit_of(1'000, curves, NoNoise{});
  const Setting setting{.arms = 5, .horizon = 1'000};
  const std::vector<Pulls> greedy = play(PolicyChoice("greedy"), bandit, setting).pulls;
  EXPECT_EQ(play(PolicyChoice("raw-ucb"), bandit, setting).pulls, greedy);
  for (const Pulls pulls : play(PolicyChoice("fewa"), bandit, setting).pulls) EXPECT_GT(pulls, 50);
}

/// With rewards below 0 every arm is left after one pull: the first steps show the order.
std::vector<Arm> order_of(Arm arms, Pulls horizon, std::uint64_t seed) {
  const auto policy = make_policy(PolicyChoice("ptrr"), {.arms = arms, .horizon = horizon, .seed = seed});
  std::vector<Arm> order;
  for (Arm step = 0; step < arms; ++step) {
    order.push_back(policy->choose());
    policy->observe(order.back(), -1);
  }
  return order;
}

TEST(Ptrr, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const std::vector<Arm> order = order_of(bandit.arm_count(), 700, seed);
    const double tau = 700 - bandit.arm_count();
    for (const double m : {1.0, 0.75, 0.2}) {
      for (const double a : {1.0, 0.5}) {
        expect_choices("ptrr:m=" + std::to_string(m) + ",a=" + std::to_string(a), bandit, 700, seed,
                       [&](const History& history) { return ptrr_choice(history, order, tau, m, a); });
      }
    }
    expect_choices("ptrr", bandit, 700, seed,
                   [&](const History& history) { return ptrr_choice(history, order, tau, 1, 1); });
  });
}

TEST(Ptrr, GoesThroughTheArmsInEveryOrderEquallyOften) {
  std::map<std::vector<Arm>, int> times;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) ++times[order_of(3, 100, seed)];
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [order, count] : times) {
    EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), std::vector<Arm>{0, 1, 2}.begin()));
    EXPECT_NEAR(count, 1'000, 150);
  }
}

TEST(Ptrr, LeavesArmsThatStayLowAndKeepsTheOneThatReachesM) {
  const double horizon = 1'000;
  const auto low = [](double) { return 0.1; };
  const auto best = [=](double pull) {
    return std::min(0.8, 0.8 * (pull - 1) / (horizon - 4));
  };  // the slowest m allows
  const Bandit bandit = bandit_of(1'000, {low, low, best, low}, NoNoise{});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<Arm> trace(1'000);
    const Setting setting{.arms = 4, .horizon = 1'000, .seed = seed};
    const RunResult outcome = play(PolicyChoice("ptrr:m=0.8"), bandit, setting, trace);
    const auto first = std::find(trace.begin(), trace.end(), 2);
    ASSERT_NE(first, trace.end()) << seed;
    EXPECT_TRUE(std::all_of(first, trace.end(), [](Arm arm) { return arm == 2; })) << seed;
    for (const std::size_t arm : {0U, 1U, 3U}) {  // 0.1 < 0.8 (n-1) / 996 from n = 126 on
      EXPECT_TRUE(outcome.pulls[arm] == 0 || outcome.pulls[arm] == 126) << seed;
    }
  }
}

TEST(Ptrr, DoesNotLeaveAnArmBecauseItsFirstPullPaysNothing) {
  const Bandit bandit = bandit_of(1'000, {[](double pull) { return 1 - 1 / std::sqrt(pull); }}, NoNoise{});
  const auto policy = make_policy(PolicyChoice("ptrr"), {.arms = 2, .horizon = 1'000});
  World world(bandit, 0);
  const Arm first = policy->choose();
  for (int step = 0; step < 500; ++step) {
    policy->observe(first, world.pull(0));
    ASSERT_EQ(policy->choose(), first) << step;
  }
}

TEST(Ptrr, PullsTheBestArmItSawWhenMWasTooHighForAll) {
  const Bandit bandit = bandit_of(1'000,
                                  {[](double) { return 0.02; }, [](double) { return 0.05; },
                                   [](double) { return 0.03; }, [](double) { return 0.04; }},
                                  NoNoise{});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RunResult outcome = play(PolicyChoice("ptrr"), bandit, {.arms = 4, .horizon = 1'000, .seed = seed});
    EXPECT_EQ(outcome.pulls, (std::vector<Pulls>{21, 907, 31, 41})) << seed;
  }
}

TEST(Ptrr, AnArmWaitsForItsFirstRewardAndIsNotLeftForIt) {
  const std::vector<Arm> order = order_of(3, 1'000, 5);
  const auto policy = make_policy(PolicyChoice("ptrr"), {.arms = 3, .horizon = 1'000, .seed = 5});
  std::vector<Arm> chosen(5);
  for (Arm& arm : chosen) arm = policy->choose();
  EXPECT_EQ(chosen, (std::vector<Arm>{order[0], order[1], order[2], order[0], order[1]}));
  policy->observe(order[2], 0.9);
  EXPECT_EQ(policy->choose(), order[2]);
  policy->observe(order[0], 0.9);
  EXPECT_EQ(policy->choose(), order[0]);
  policy->observe(order[0], 0);  // left
  EXPECT_EQ(policy->choose(), order[2]);
}

/// Rewards that come back late, in blocks: decisions rest on those that have.
TEST(LaterPolicies, DecideByTheRewardsThatHaveComeBack) {
  const std::map<std::string, std::function<Arm(const History&)>> choices{
      {"r-ed-ucb", [](const History& history) { return r_ed_ucb_choice(history, 0.25, 0.1); }},
      {"raw-ucb", [](const History& history) { return raw_ucb_choice(history, 1.4, 0.1); }},
      {"fewa", [](const History& history) { return fewa_choice(history, 0.06, 0.1); }}};
  for (const auto& [name, choice] : choices) {
    const Bandit bandit = mixed_arms(5, 1'000, Gaussian{0.1}, 8);
    const auto policy = make_policy(PolicyChoice(name), {.arms = 5, .horizon = 1'000, .noise = bandit.noise});
    World world(bandit, 8);
    History history(5);
    for (Arm arm = 0; arm < 5; ++arm) {  // a logged history
      for (int i = 0; i < 4; ++i) {
        history[static_cast<std::size_t>(arm)].push_back(world.pull(arm));
        policy->observe(arm, history[static_cast<std::size_t>(arm)].back());
      }
    }
    for (int block = 0; block < 100; ++block) {
      std::vector<Arm> in_flight;
      for (int i = 0; i < 7; ++i) {
        in_flight.push_back(policy->choose());
        ASSERT_EQ(in_flight.back(), choice(history)) << name << ", block " << block;
      }
      for (const Arm arm : in_flight) {
        history[static_cast<std::size_t>(arm)].push_back(world.pull(arm));
        policy->observe(arm, history[static_cast<std::size_t>(arm)].back());
      }
    }
  }
}

TEST(LaterPolicies, TakeAnyFiniteReward) {
  for (const std::string policy : {"r-ed-ucb", "raw-ucb", "fewa", "ptrr"}) {
    const auto tested = make_policy(PolicyChoice(policy), {.arms = 2, .horizon = 50, .noise = Gaussian{0.1}});
    const double huge = std::numeric_limits<double>::max();
    for (int step = 0; step < 200; ++step) {
      const Arm arm = tested->choose();
      ASSERT_TRUE(arm == 0 || arm == 1) << policy;
      tested->observe(arm, step % 3 == 0 ? huge : -huge);
    }
  }
}

}  // namespace
}  // namespace longrun
