// Snapshots of studies: bytes are refused, or restore a study whose own snapshot restores the same.
#include "longrun/decide/study/study_snapshot.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  fuzz::expect_answer([&] {
    const std::string_view bytes = fuzz::text_of(data, size);
    Study study = restored(bytes);
    const std::string again = snapshot(study);  // not `bytes`: they name the version and event of their writer
    fuzz::require(snapshot(restored(again)) == again);
    const std::string log = snapshot(resumed(bytes));
    fuzz::require(snapshot(resumed(log)) == log);
    if (!study.done()) study.decide();
  });
  return 0;
}
