// Lines of `longrun bound`: every one is answered, or refused with a message.
#include <string_view>

#include "longrun/base/split.h"
#include "longrun/decide/bound_question.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  for (const std::string_view line : split(fuzz::text_of(data, size), '\n')) {
    fuzz::expect_answer([&] { fuzz::require(bound_answer(line).starts_with("{\"bound\":")); });
  }
  return 0;
}
