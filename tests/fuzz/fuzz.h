#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"

namespace longrun::fuzz {

/// Runs `act`. InputError and SystemError are valid answers; any other exception ends the fuzzer.
template <class Act>
void expect_answer(const Act& act) {
  try {
    act();
  } catch (const InputError&) {
  } catch (const SystemError&) {
  }
}

/// Ends the fuzzer, which then keeps the input, unless `claim` is true.
inline void require(bool claim) {
  if (!claim) std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};  // NOLINT
}

}  // namespace longrun::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  // NOLINT: libFuzzer names it
