#include "longrun/solve/best_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "longrun/solve/dynamic_program_allocation.h"
#include "longrun/solve/single_peaked_allocation.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

using Curve = std::vector<double>;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  double unit() { return unit_interval(bits_()); }
  std::size_t from(std::size_t low, std::size_t high) { return low + bits_() % (high - low + 1); }
  Curve units(std::size_t count) {
    Curve values(count);
    for (double& value : values) value = unit();
    return values;
  }

 private:
  std::mt19937_64 bits_;
};

// ---- random curves, one function per kind ----

Curve rising(Dice& dice, std::size_t horizon) {
  Curve curve = dice.units(horizon);
  std::sort(curve.begin(), curve.end());
  return curve;
}

Curve falling(Dice& dice, std::size_t horizon) {
  Curve curve = rising(dice, horizon);
  std::reverse(curve.begin(), curve.end());
  return curve;
}

Curve peaked(Dice& dice, std::size_t horizon) {
  Curve curve = dice.units(horizon);
  const auto peak = curve.begin() + static_cast<std::ptrdiff_t>(dice.from(0, horizon - 1));
  std::iter_swap(peak, std::max_element(curve.begin(), curve.end()));
  std::sort(curve.begin(), peak);
  std::sort(peak, curve.end(), std::greater<>());
  return curve;
}

Curve concave_then_falling(Dice& dice, std::size_t horizon) {
  Curve curve = falling(dice, horizon);
  const double top = curve[0];
  Curve steps = falling(dice, dice.from(1, horizon));
  std::partial_sum(steps.begin(), steps.end(), steps.begin());
  std::transform(steps.begin(), steps.end(), curve.begin(), [&](double sum) { return top * sum / steps.back(); });
  return curve;
}

Curve steep(Dice& dice, std::size_t horizon) {  // rises late and fast, like a power, and falls the same way
  const double power = 1 + 9 * dice.unit();
  const double peak = 1 + dice.unit() * static_cast<double>(horizon);
  Curve curve(horizon);
  for (std::size_t i = 0; i < horizon; ++i) {
    const double x = static_cast<double>(i + 1) / peak;
    curve[i] = std::pow(x < 1 ? x : 1 / x, power);
  }
  return curve;
}

Curve plateaus(Dice& dice, std::size_t horizon) {  // with exact ties within and between arms
  Curve curve = peaked(dice, horizon);
  for (double& reward : curve) reward = std::floor(4 * reward) / 10;
  return curve;
}

Curve constant(Dice& dice, std::size_t horizon) {
  Curve curve(horizon, static_cast<double>(dice.from(0, 3)) / 10);
  return curve;
}

Curve losses(Dice& dice, std::size_t horizon) {
  Curve curve = peaked(dice, horizon);
  for (double& reward : curve) reward = 3 * reward - 2;
  return curve;
}

Curve arbitrary(Dice& dice, std::size_t horizon) { return dice.units(horizon); }

Curve any_peaked(Dice& dice, std::size_t horizon) {
  const std::array kinds{rising, falling, peaked, concave_then_falling, steep, plateaus, constant, losses};
  return kinds[dice.from(0, kinds.size() - 1)](dice, horizon);
}

struct Kind {
  std::string name;
  Curve (*curve)(Dice&, std::size_t);
};
const std::vector<Kind> kKinds{{"rising", rising},     {"falling", falling},
                               {"peaked", peaked},     {"concave then falling", concave_then_falling},
                               {"steep", steep},       {"plateaus", plateaus},
                               {"constant", constant}, {"losses", losses},
                               {"mixed", any_peaked},  {"arbitrary", arbitrary}};

RewardTable table_of(const Kind& kind, Dice& dice, std::size_t arms, std::size_t horizon) {
  RewardTable rewards;
  while (rewards.size() < arms) rewards.push_back(kind.curve(dice, horizon));
  return rewards;
}

KnownArms known(const RewardTable& rewards, Pulls horizon) {
  return {static_cast<Arm>(rewards.size()), horizon, [&rewards](Arm arm, Pulls pull) {
            return rewards.at(static_cast<std::size_t>(arm)).at(static_cast<std::size_t>(pull - 1));
          }};
}
KnownArms known(const RewardTable& rewards) { return known(rewards, std::ssize(rewards[0])); }

// ---- independent answers ----

/// Returns the best total over all ways to give `left` pulls to arm `first` and the arms after it.
double best_of_all(const RewardTable& rewards, std::size_t first, std::size_t left) {
  double total = 0;
  if (first + 1 == rewards.size()) {
    for (std::size_t i = 0; i < left; ++i) total += rewards[first][i];
    return total;
  }
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t pulls = 0; pulls <= left; ++pulls) {
    best = std::max(best, total + best_of_all(rewards, first + 1, left - pulls));
    if (pulls < left) total += rewards[first][pulls];
  }
  return best;
}

AllocationMethod expected_method(const RewardTable& rewards) {
  const auto all = [&](auto property) { return std::all_of(rewards.begin(), rewards.end(), property); };
  const auto rises = [](const Curve& c) { return std::is_sorted(c.begin(), c.end()); };
  const auto falls = [](const Curve& c) { return std::is_sorted(c.rbegin(), c.rend()); };
  const auto peaks = [](const Curve& c) {
    const auto peak = std::is_sorted_until(c.begin(), c.end());
    return std::is_sorted(peak, c.end(), std::greater<>());
  };
  if (all(rises)) return AllocationMethod::rising;
  if (all(falls)) return AllocationMethod::falling;
  return all(peaks) ? AllocationMethod::single_peaked : AllocationMethod::dynamic_program;
}

using Totals = std::vector<std::vector<double>>;
Totals totals_of(const RewardTable& rewards) {
  Totals totals;
  for (const Curve& curve : rewards) totals.push_back(running_totals(curve));
  return totals;
}

/// Checks that the pulls are an allocation of the horizon and that their rewards add up to its value.
void expect_honest(const Totals& totals, const Allocation& allocation, double tolerance) {
  ASSERT_EQ(allocation.pulls.size(), totals.size());
  ASSERT_EQ(std::accumulate(allocation.pulls.begin(), allocation.pulls.end(), Pulls{0}), allocation.horizon);
  double value = 0;
  for (std::size_t arm = 0; arm < totals.size(); ++arm) {
    ASSERT_GE(allocation.pulls[arm], 0);
    value += totals[arm][static_cast<std::size_t>(allocation.pulls[arm])];
  }
  ASSERT_NEAR(allocation.value, value, tolerance);
}

class EveryKind : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(BestAllocation, EveryKind, testing::ValuesIn(kKinds), [](const auto& kind) {
  std::string name = kind.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(EveryKind, IsTheBestOfAllAllocations) {
  Dice dice(1);
  for (int instance = 0; instance < 10000; ++instance) {
    const std::size_t arms = dice.from(1, 4);
    const std::size_t horizon = instance < 1000 ? dice.from(1, 3) : dice.from(1, 12);
    const RewardTable rewards = table_of(GetParam(), dice, arms, horizon);
    const double best = best_of_all(rewards, 0, horizon);
    const Totals totals = totals_of(rewards);

    const Allocation found = best_allocation(known(rewards));
    ASSERT_NEAR(found.value, best, 1e-12) << "instance " << instance;
    ASSERT_TRUE(found.method != AllocationMethod::dynamic_program || GetParam().curve == arbitrary);
    ASSERT_EQ(found.method, expected_method(rewards)) << "instance " << instance << " by " << name(found.method);
    expect_honest(totals, found, 1e-13);

    const Allocation by_dynamic_program = best_allocation_by_dynamic_program(known(rewards));
    ASSERT_NEAR(by_dynamic_program.value, best, 1e-12) << "instance " << instance;
    expect_honest(totals, by_dynamic_program, 1e-13);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryKind, EveryHorizonAtOnceIsEachHorizonAlone) {
  Dice dice(2);
  for (int instance = 0; instance < 100; ++instance) {
    const std::size_t horizon = dice.from(1, 40);
    const RewardTable rewards = table_of(GetParam(), dice, dice.from(1, 6), horizon);
    const Totals totals = totals_of(rewards);
    const BestAllocations all(known(rewards));
    EXPECT_EQ(all.method(), expected_method(rewards));
    EXPECT_EQ(all.value(0), 0);
    EXPECT_EQ(all.at(0).pulls, std::vector<Pulls>(rewards.size(), 0));
    for (Pulls t = 1; t <= std::ssize(rewards[0]); ++t) {
      const Allocation at = all.at(t);
      expect_honest(totals, at, 1e-12);
      ASSERT_EQ(at.horizon, t);
      ASSERT_EQ(at.value, all.value(t));
      ASSERT_NEAR(at.value, best_allocation(known(rewards, t)).value, 1e-12) << "instance " << instance << ", t " << t;
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryKind, AgreesWithTheDynamicProgramOnManyPullsAtEveryHorizon) {
  Dice dice(3);
  for (int instance = 0; instance < 12; ++instance) {
    const std::size_t horizon = dice.from(300, instance == 0 ? 2000 : 800);
    const RewardTable rewards = table_of(GetParam(), dice, dice.from(2, 8), horizon);
    const Totals totals = totals_of(rewards);
    const std::vector<double> expected = dynamic_program_allocations(rewards).values;
    const BestAllocations all(known(rewards));
    for (std::size_t t = 0; t <= horizon; ++t) {
      const Allocation at = all.at(static_cast<Pulls>(t));
      ASSERT_NEAR(at.value, expected[t], 1e-10) << "instance " << instance << ", t " << t;
      expect_honest(totals, at, 1e-10);
      if (HasFatalFailure()) return;
    }
    const Allocation alone = best_allocation(known(rewards));
    EXPECT_NEAR(alone.value, expected[horizon], 1e-10);
    EXPECT_NEAR(best_allocation_by_dynamic_program(known(rewards)).value, expected[horizon], 1e-10);
    expect_honest(totals, alone, 1e-10);
  }
}

TEST(BestAllocation, WithMoreArmsThanPullsTheWorstArmsGetNone) {
  Dice dice(4);
  for (int instance = 0; instance < 200; ++instance) {
    const RewardTable rewards = table_of(kKinds[dice.from(0, kKinds.size() - 1)], dice, 7, dice.from(1, 4));
    EXPECT_NEAR(best_allocation(known(rewards)).value, best_of_all(rewards, 0, rewards[0].size()), 1e-12);
  }
}

TEST(BestAllocation, OnTiesTheLowestArmComesFirst) {
  const RewardTable rising_table{{0.1, 0.2, 0.3}, {0.2, 0.2, 0.4}, {0.2, 0.2, 0.4}};
  EXPECT_EQ(best_allocation(known(rising_table)).pulls, (std::vector<Pulls>{0, 3, 0}));
  EXPECT_EQ(BestAllocations(known(rising_table)).at(3).pulls, (std::vector<Pulls>{0, 3, 0}));
  const RewardTable falling_table{{0.5, 0.2}, {0.5, 0.3}, {0.5, 0.1}};
  EXPECT_EQ(best_allocation(known(falling_table)).pulls, (std::vector<Pulls>{1, 1, 0}));
  EXPECT_EQ(BestAllocations(known(falling_table)).at(1).pulls, (std::vector<Pulls>{1, 0, 0}));
}

// ---- the shape check ----

RewardTable nudged(RewardTable rewards, double by, Dice& dice) {
  for (Curve& curve : rewards) {
    for (double& reward : curve) reward += by * (2 * dice.unit() - 1);
  }
  return rewards;
}

TEST(BestAllocation, RoundingNoiseDoesNotChangeTheMethodOrTheValue) {
  Dice dice(5);
  for (const Kind& kind : kKinds) {
    for (const double noise : {1e-15, 4e-13}) {
      const RewardTable rewards = table_of(kind, dice, 4, 300);
      const RewardTable noisy = nudged(rewards, noise, dice);
      const Allocation found = best_allocation(known(noisy));
      EXPECT_EQ(found.method, expected_method(rewards)) << kind.name;
      EXPECT_NEAR(found.value, best_allocation_by_dynamic_program(known(noisy)).value, 300 * 1e-12) << kind.name;
      EXPECT_NEAR(BestAllocations(known(noisy)).value(300), found.value, 300 * 1e-12) << kind.name;
    }
  }
}

TEST(BestAllocation, ASmallDipFallsBackToTheDynamicProgram) {
  Dice dice(6);
  for (const Kind& kind : kKinds) {
    RewardTable rewards = table_of(kind, dice, 3, 40);
    Curve& curve = rewards[dice.from(0, 2)];
    curve[20] = std::min(curve[19], curve[21]) - 1e-6;
    const Allocation found = best_allocation(known(rewards));
    EXPECT_EQ(found.method, AllocationMethod::dynamic_program) << kind.name;
    EXPECT_NEAR(found.value, best_of_all(rewards, 0, 40), 1e-11) << kind.name;
    EXPECT_EQ(BestAllocations(known(rewards)).method(), AllocationMethod::dynamic_program) << kind.name;
  }
}

TEST(DeepestValley, NamesTheArmThePullAndTheDepth) {
  const Valley valley = deepest_valley({{1, 2, 3, 2.5, 2}, {1, 2, 1.75, 3, 2}, {3, 2, 1, 1.5, 0}});
  EXPECT_EQ(valley.arm, 2);
  EXPECT_EQ(valley.pull, 3);
  EXPECT_EQ(valley.depth, 0.5);
  EXPECT_EQ(deepest_valley({{1, 2, 2, 1, 1}, {2, 1, 1}, {1, 1, 2}, {1}}).depth, 0);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(BestAllocation, RefusesADynamicProgramOfTooManySteps) {
  const KnownArms dipping{3, 2'100'000, [](Arm arm, Pulls pull) {
                            if (arm == 1 && pull == 1000) return 0.25;
                            return pull < 1'000'000 ? 0.5 : 0.125;
                          }};
  const std::string message = message_of([&] { best_allocation(dipping); });
  for (const char* part : {"not single-peaked", "arm 1", "0.25", "pull 1000", "2.2e+12 steps", "shorten the horizon"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is missing in: " << message;
  }
}

TEST(BestAllocation, RefusesNoArmsAndNoPulls) {
  const auto one = [](Arm, Pulls) { return 1.0; };
  EXPECT_THROW(best_allocation({0, 5, one}), InputError);
  EXPECT_THROW(best_allocation({2, 0, one}), InputError);
  EXPECT_THROW(best_allocation_by_dynamic_program({2, -1, one}), InputError);
  EXPECT_THROW(BestAllocations({-1, 5, one}), InputError);
  const BestAllocations all({2, 5, one});
  EXPECT_EQ(all.value(5), 5);
  EXPECT_THROW(all.value(6), InputError);
  EXPECT_THROW(all.at(-1), InputError);
}

// ---- long horizons ----

TEST(BestAllocation, TheTotalOfTenMillionPullsIsExactToItsLastDigits) {
  const Pulls horizon = 10'000'000 / sanitizer_slowdown();
  const KnownArms ramps{2, horizon, [](Arm arm, Pulls pull) {
                          return arm == 0 ? 0.3 : 0.7 * static_cast<double>(pull) / static_cast<double>(horizon);
                        }};
  const Allocation found = best_allocation(ramps);
  EXPECT_EQ(found.method, AllocationMethod::rising);
  EXPECT_EQ(found.pulls, (std::vector<Pulls>{0, horizon}));
  EXPECT_NEAR(found.value, 0.35 * (static_cast<double>(horizon) + 1), 1e-8);
}

TEST(BestAllocation, AMillionPullsOfTwoPeakedArmsAreTheBestOfAllSplits) {
  const auto horizon = static_cast<std::size_t>(1'000'000 / sanitizer_slowdown());
  Dice dice(7);
  const RewardTable rewards{steep(dice, horizon), concave_then_falling(dice, horizon)};
  const Totals totals = totals_of(rewards);
  double best = 0;
  for (std::size_t n = 0; n <= horizon; ++n) best = std::max(best, totals[0][n] + totals[1][horizon - n]);
  const Allocation found = best_allocation(known(rewards));
  EXPECT_EQ(found.method, AllocationMethod::single_peaked);
  EXPECT_NEAR(found.value, best, 1e-8);
  EXPECT_NEAR(BestAllocations(known(rewards)).value(horizon), best, 1e-8);
}

TEST(BestAllocation, NoExchangeImprovesAMillionPullsOfFourPeakedArms) {
  const auto horizon = static_cast<std::size_t>(1'000'000 / sanitizer_slowdown());
  Dice dice(8);
  const RewardTable rewards{steep(dice, horizon), steep(dice, horizon), steep(dice, horizon), steep(dice, horizon)};
  const Totals totals = totals_of(rewards);
  const Allocation found = best_allocation(known(rewards));
  ASSERT_EQ(found.method, AllocationMethod::single_peaked);
  expect_honest(totals, found, 1e-8);
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      const auto giver = static_cast<std::size_t>(found.pulls[from]);
      const auto taker = static_cast<std::size_t>(found.pulls[to]);
      for (std::size_t moved = 1; from != to && moved <= giver; ++moved) {
        const double change =
            totals[from][giver - moved] - totals[from][giver] + totals[to][taker + moved] - totals[to][taker];
        ASSERT_LE(change, 1e-8) << moved << " pulls from arm " << from << " to arm " << to;
      }
    }
  }
}

// Equal gains on long flat stretches. If rounding errors made them differ, every pair of pulls would be a candidate and
// this test would run for hours.
TEST(BestAllocation, LongEqualPlateausBeforePeaksTakeNoLonger) {
  constexpr Pulls kLength = 100'000 / sanitizer_slowdown();  // of a plateau
  const Pulls horizon = 10 * kLength;
  const KnownArms flat{4, horizon, [](Arm arm, Pulls pull) {
                         if (arm == 0) return 0.3;
                         const Pulls peak = kLength * arm;
                         if (pull < peak) return 0.3;
                         return pull < peak + kLength ? 0.5 : 0.2;
                       }};
  // Reaching a peak costs nothing, because every other pull earns 0.3 too, and all three fit into the horizon.
  const Allocation found = best_allocation(flat);
  EXPECT_EQ(found.method, AllocationMethod::single_peaked);
  EXPECT_NEAR(found.value, (0.5 * 3 + 0.3 * 7) * kLength, 1e-6);
  EXPECT_NEAR(BestAllocations(flat).value(horizon), found.value, 1e-6);
}

TEST(BestAllocation, RefusesATableThatDoesNotFitIntoMemory) {
  const KnownArms known{.arms = 2, .horizon = Pulls{1} << 40, .reward = [](Arm arm, Pulls pull) {
                          return (pull + arm) % 2 == 0 ? 0.25 : 0.75;
                        }};
  const std::string error = error_of([&] { best_allocation(known); });
  EXPECT_TRUE(
      error.starts_with("2 arms with horizon 1099511627776: the optimum of curves that neither all rise nor all "
                        "fall needs a table of their rewards; shorten the horizon to at most "))
      << error;
}

TEST(AllocationMethod, EveryOneHasItsOwnName) {
  using enum AllocationMethod;
  std::set<std::string_view> names;
  for (const AllocationMethod method : {rising, falling, single_peaked, branch_and_bound, dynamic_program}) {
    names.insert(name(method));
  }
  EXPECT_EQ(names,
            (std::set<std::string_view>{"rising", "falling", "single-peaked", "branch-and-bound", "dynamic-program"}));
}

}  // namespace
}  // namespace longrun
