// Studies as JSON Lines: a study that can be read can be replayed, or the event that does not follow is named; what was
// replayed is written and read back without a change.
#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  fuzz::expect_answer([&] {
    const StudyHistory history = history_from_json_lines(fuzz::text_of(data, size));
    const StudyHistory again = history_from_json_lines(to_json_lines(history));
    fuzz::require(again.spec == history.spec && again.events == history.events);
    constexpr std::size_t kMostArms = 100;
    constexpr Pulls kLargestBudget = 10'000;
    if (history.spec.arms.size() > kMostArms || history.spec.budget > kLargestBudget) return;
    StudyLog log(history.spec);
    log.replay(history.events);
  });
  return 0;
}
