// Experiments in TOML: an accepted experiment, written by to_toml(), is read as the same experiment.
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
        fuzz::require(false);  // a defect: to_toml() wrote this text
      }
      fuzz::require(same_runs(config, again));
    }
  });
  return 0;
}
