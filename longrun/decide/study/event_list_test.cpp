#include "longrun/decide/study/event_list.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace longrun {
namespace {

/// Returns an event of a random kind, with ordinary and extreme numbers.
Event any_event(std::mt19937_64& random) {
  const auto number = [&]() -> std::int64_t {
    switch (random() % 4) {
      case 0:
        return static_cast<std::int64_t>(random() % 3);
      case 1:
        return static_cast<std::int64_t>(random() % 1'000'000'000'000);
      case 2:
        return std::numeric_limits<std::int64_t>::max() - 1;
      default:
        return static_cast<std::int64_t>(random() % 100'000);
    }
  };
  const auto arm = [&] { return random() % 8 == 0 ? std::numeric_limits<Arm>::max() : static_cast<Arm>(random() % 9); };
  const auto reward = [&] { return random() % 8 == 0 ? -1e300 : static_cast<double>(random() % 1000) / 7; };
  const auto decision = [&] { return Decision{number(), arm(), number(), static_cast<PullCause>(random() % 3)}; };
  const auto outcome = [&] {
    return std::vector{Outcome::observed(reward()), Outcome::lost(), Outcome::voided()}[random() % 3];
  };
  switch (random() % 11) {
    case 0:
      return Decided{number(), {decision(), decision()}};
    case 1:
      return Decided{number(), {decision()}, {1, 4}};
    case 2:
      return Decided{number(), {}};
    case 3:
      return Corrected{number(), outcome()};
    case 4:
      return Observed{arm(), reward()};
    case 5:
      return ArmAdded{"west"};
    case 6:
      return BudgetExtended{number()};
    case 7:
      return Settled{number(), outcome()};
    case 8:
      return PulledInstead{number(), arm(), number()};
    default:
      return Decided{number(), {decision()}};
  }
}

TEST(EventList, ReturnsTheEventsThatWereAddedAndNotDropped) {
  std::mt19937_64 random(1);
  for (int program = 0; program < 50; ++program) {
    EventList list;
    std::deque<Event> expected;
    for (int step = 0; step < 2000; ++step) {
      if (random() % 400 == 0) {
        const std::size_t count = random() % (expected.size() + 1);
        list.drop_first(count);
        expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count));
      } else {
        expected.push_back(any_event(random));
        list.push_back(expected.back());
      }
    }
    ASSERT_EQ(list.size(), expected.size());
    const std::size_t i = random() % (expected.size() + 1);
    ASSERT_EQ(std::vector<Event>(list.from(i), list.end()),
              std::vector<Event>(expected.begin() + static_cast<std::ptrdiff_t>(i), expected.end()));
    ASSERT_EQ(std::vector<Event>(list.begin(), list.end()), std::vector<Event>(expected.begin(), expected.end()));
  }
}

TEST(EventList, ReturnsTheArmOfEveryKeptDecision) {
  EventList list;
  std::mt19937_64 random(2);
  DecisionId last = 0;
  const auto add_some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      Decided decided{.round = i};
      const std::size_t made = random() % 20 == 0 ? 300 : random() % 3;
      for (std::size_t j = 0; j < made; ++j) decided.decisions.push_back({.id = ++last, .arm = static_cast<Arm>(last)});
      list.push_back(decided);
      list.push_back(Settled{last, Outcome::voided()});
      if (random() % 5 == 0) {
        list.push_back(PulledInstead{last + 1, static_cast<Arm>(last + 1), last});
        ++last;
      }
    }
  };
  add_some(5000);
  const DecisionId dropped = last;
  list.drop_first(list.size());
  for (const DecisionId decision : {DecisionId{1}, dropped}) EXPECT_EQ(list.arm_of(decision), std::nullopt);
  add_some(5000);
  list.drop_first(list.size() - 9000);
  EXPECT_EQ(list.arm_of(dropped), std::nullopt);
  for (DecisionId decision = dropped + 20'000; decision <= last; ++decision) {
    ASSERT_EQ(list.arm_of(decision), static_cast<Arm>(decision)) << decision;
  }
  EXPECT_EQ(list.arm_of(last + 1), std::nullopt);
}

TEST(EventList, MemoryGrowsWithLargeEventsAndShrinksWhenTheyAreDropped) {
  EventList list;
  std::vector<Arm> most(9'999);
  std::iota(most.begin(), most.end(), 1);
  for (int i = 1; i <= 1000; ++i) list.push_back(Decided{i, {{.id = i, .arm = 5, .pull = i}}, most});
  EXPECT_GT(list.memory(), 1000 * most.size() * sizeof(Arm));
  EXPECT_LT(list.memory(), 1100 * most.size() * sizeof(Arm));
  list.drop_first(1000);
  EXPECT_LT(list.memory(), 20'000U);
}

TEST(EventList, OfNoEventsIsEmpty) {
  EventList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
  list.push_back(BudgetExtended{5});
  list.drop_first(1);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
  list.push_back(Observed{1, 0.5});
  EXPECT_EQ(*list.begin(), Event(Observed{1, 0.5}));
}

}  // namespace
}  // namespace longrun
