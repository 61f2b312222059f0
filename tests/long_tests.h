#pragma once

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
