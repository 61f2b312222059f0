// Lines of `longrun bound`: every one is answered, or refused with a message.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "apps/longrun/commands.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  static CLI::App app;
  static const Command bound = add_bound(app);
  static const bool quiet = std::freopen("/dev/null", "w", stdout) != nullptr;  // libFuzzer writes to stderr
  fuzz::require(quiet);
  std::istringstream text{std::string(fuzz::text_of(data, size))};
  std::cin.clear();
  std::cin.rdbuf(text.rdbuf());
  fuzz::expect_answer([] { bound.run(); });
  std::cin.rdbuf(nullptr);
  return 0;
}
