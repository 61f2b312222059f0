#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

/// Returns whether the long versions of tests are enabled (./dev test-all).
inline bool long_tests() { return std::getenv("LONGRUN_LONG_TESTS") != nullptr; }

/// Returns the factor by which costly tests repeat less often under sanitizers; 1 in a normal build.
constexpr int sanitizer_slowdown() {
#ifdef LONGRUN_SANITIZED
  return 10;
#else
  return 1;
#endif
}

/// Skips a test that runs the same code many times to count how often something holds. A sanitizer learns no more from
/// that than from the tests that run the code a few times.
#define LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS() \
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "counts; other tests run the same code"
