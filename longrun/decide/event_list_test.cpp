#include "longrun/decide/event_list.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
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
  switch (random() % 10) {
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
