// Curves and noise in CSV: rewards lie in [0, 1], and the bandit reaches its horizon.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "longrun/data/csv_curves.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  const int file = memfd_create("curves", 0);
  fuzz::require(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  fuzz::expect_answer([&] {
    const Bandit bandit = read_csv_curves(path);
    fuzz::require(bandit.horizon >= 1 && bandit.horizon <= bandit.longest_horizon());
    for (const Curve& curve : bandit.arms) {
      for (Pulls pull = 1; pull <= bandit.horizon; ++pull) {
        fuzz::require(curve.reward(pull) >= 0 && curve.reward(pull) <= 1);
      }
    }
    fuzz::require(read_csv_noise(path, bandit).size() == bandit.arms.size());
  });
  close(file);
  return 0;
}
