// Experiments in TOML: what is accepted is written such that it is read as the same experiment.
#include "longrun/experiment/config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  fuzz::expect_answer([&] {
    for (const Config& config : parse_configs(fuzz::text_of(data, size), "fuzz.toml")) {
      Config again;
      try {
        again = parse_config(to_toml(config), config.path);
      } catch (const InputError&) {
        fuzz::require(false);  // not an answer: the text is the program's own
      }
      fuzz::require(same_runs(config, again));
    }
  });
  return 0;
}
