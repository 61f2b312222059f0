#include "longrun/base/timing.h"

#include <gtest/gtest.h>

#include <thread>

#include "longrun/base/task_pool.h"

namespace longrun {
namespace {

using std::chrono::milliseconds;

TEST(Timing, TheTimeOfAnInnerScopeBelongsToItAlone) {
  Timing timing;
  const auto began = Timing::Clock::now();
  {
    const TimedScope outer(&timing, TimedPart::computing);
    const TimedScope inner(&timing, TimedPart::store);
    std::this_thread::sleep_for(milliseconds(20));
  }
  const double whole = std::chrono::duration<double>(Timing::Clock::now() - began).count();
  EXPECT_GE(timing.spent(TimedPart::store).wall, 0.02);
  EXPECT_LE(timing.spent(TimedPart::computing).wall, whole - timing.spent(TimedPart::store).wall);
  EXPECT_EQ(timing.spent(TimedPart::figures).wall, 0);
}

TEST(Timing, CpuTimeIsThatOfTheThread) {
  Timing timing;
  {
    const TimedScope scope(&timing, TimedPart::report);
    const auto began = Timing::Clock::now();
    volatile double sum = 0;
    while (Timing::Clock::now() - began < milliseconds(5)) sum = sum + 1;
    std::this_thread::sleep_for(milliseconds(30));
  }
  const TimeSpent spent = timing.spent(TimedPart::report);
  EXPECT_GT(spent.cpu, 0);
  EXPECT_LE(spent.cpu, spent.wall - 0.03 + 0.001) << "sleeping takes no CPU time";
}

TEST(Timing, WithoutATimingNothingIsMeasured) {
  Timing timing;
  const TimedScope outer(&timing, TimedPart::computing);
  const TimedScope none(nullptr, TimedPart::store);
  EXPECT_EQ(timing.spent(TimedPart::store).wall, 0);
}

TEST(Timing, WhatNoPoolCoversIsSerial) {
  Timing timing;
  TaskPool pool(2, &timing);
  for (int i = 0; i < 2; ++i) {
    pool.add([&] {
      const TimedScope scope(&timing, TimedPart::computing);
      std::this_thread::sleep_for(milliseconds(50));
    });
  }
  const auto began = Timing::Clock::now();
  const double before = timing.serial();
  pool.run();
  const double parallel = std::chrono::duration<double>(Timing::Clock::now() - began).count();
  EXPECT_LE(timing.serial() - before, parallel - 0.05) << "at least the 50 ms are not serial";
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_GE(timing.serial(), before + 0.01);
  EXPECT_GE(timing.spent(TimedPart::computing).wall, 0.1);
}

TEST(Timing, TextNamesEveryPart) {
  Timing timing;
  timing.add(TimedPart::figures, {.wall = 1.5, .cpu = 12.25});
  timing.add_parallel(16, 0.001);
  const std::string text = timing.text();
  EXPECT_EQ(text.find("timing: "), 0U) << text;
  EXPECT_NE(text.find(", 16 threads\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  figures         1.50     12.25  pictures"), std::string::npos) << text;
  for (const char* part : {"computing", "optimum", "store", "report", "waiting", "serial"})
    EXPECT_NE(text.find(std::string("\n  ") + part + " "), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace longrun
