// Noise texts: accepted noise, written by to_text(), is read as the same noise, and no half-width of it is negative or
// NaN.
#include <algorithm>
#include <string>

#include "longrun/model/half_width.h"
#include "longrun/model/noise.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t space = std::min(text.find(' '), text.size());
  fuzz::expect_answer([&] {
    const Noise noise = parse_noise(text.substr(0, space));
    fuzz::require(to_text(parse_noise(to_text(noise))) == to_text(noise));
    fuzz::require(paper_half_width(noise) >= 0);
    fuzz::require(parse_half_width(text.substr(std::min(space + 1, text.size())), noise, 1000) >= 0);
  });
  return 0;
}
