#pragma once

#include <cstdlib>

/// Whether the long versions of tests were asked for (./dev test-all).
inline bool long_tests() { return std::getenv("LONGRUN_LONG_TESTS") != nullptr; }

/// 1 in a normal build; how much less of a costly repetition a sanitizer's slower build does.
constexpr int sanitizer_slowdown() {
#ifdef LONGRUN_SANITIZED
  return 10;
#else
  return 1;
#endif
}
