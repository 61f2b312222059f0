#include "longrun/base/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <vector>

namespace longrun {
namespace {

TEST(TaskPool, CarriesOutAllTasksAndThoseThatTasksAdd) {
  for (const int threads : {1, 2, 5}) {
    TaskPool pool(threads);
    std::atomic<int> done{0};
    for (int i = 0; i < 20; ++i) {
      pool.add([&] {
        ++done;
        pool.add([&] { pool.add_urgent([&] { ++done; }); });
      });
    }
    pool.run();
    EXPECT_EQ(done, 40) << threads << " threads";
    pool.run();
    EXPECT_EQ(done, 40) << "nothing is left";
  }
}

TEST(TaskPool, UrgentTasksComeFirstOthersInTheirOrder) {
  TaskPool pool(1);
  std::vector<int> order;
  pool.add([&] {
    order.push_back(1);
    pool.add_urgent([&] { order.push_back(3); });
  });
  pool.add([&] { order.push_back(2); });
  pool.add_urgent([&] { order.push_back(0); });
  pool.run();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 3, 2}));
}

TEST(TaskPool, ThreadsWorkAtTheSameTime) {
  // Both tasks wait for each other: one thread alone would never end. The second task is added by the first.
  TaskPool pool(2);
  std::atomic<int> begun{0};
  const auto meet = [&] {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  };
  pool.add([&] {
    pool.add(meet);
    meet();
  });
  pool.run();
  EXPECT_EQ(begun, 2);
}

TEST(TaskPool, UsesNoMoreThreadsThanAllowed) {
  TaskPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 200; ++i) {
    pool.add([&] {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  pool.run();
  EXPECT_LE(threads.size(), 3U);
}

TEST(TaskPool, TheFirstExceptionDropsTheRestAndIsRethrown) {
  TaskPool pool(1);
  int done = 0;
  pool.add([&] { ++done; });
  pool.add([&] {
    pool.add_urgent([&] { ++done; });
    throw std::runtime_error("first");
  });
  pool.add([&] { throw std::runtime_error("second"); });
  try {
    pool.run();
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
  EXPECT_EQ(done, 1);
  pool.add([&] { ++done; });
  EXPECT_NO_THROW(pool.run()) << "a pool can be used again";
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace longrun
