// Histories in CSV: every pull is of an arm of the history. The first byte selects what is given about the arms.
#include <cmath>
#include <sstream>
#include <string>

#include "longrun/data/csv_history.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  if (size == 0) return 0;
  ArmsGiven given;
  if (data[0] % 3 == 1) given.count = 3;
  if (data[0] % 3 == 2) given.names = {"tea", "coffee"};
  given.positions = data[0] % 2 == 1;
  std::istringstream text{std::string(fuzz::text_of(data + 1, size - 1))};
  fuzz::expect_answer([&] {
    const History history = read_csv_history("history.csv", text, given);
    fuzz::require(history.arms() >= 1);
    for (const PastPull& pull : history.pulls) {
      fuzz::require(pull.arm >= 0 && pull.arm < history.arms() && std::isfinite(pull.reward.value_or(0)));
      fuzz::require(pull.line >= 2);
    }
  });
  return 0;
}
