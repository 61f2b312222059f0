// Snapshots of studies: bytes are refused, or restore a study whose snapshot they are.
#include "longrun/decide/study_snapshot.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  fuzz::expect_answer([&] {
    const std::string_view bytes = fuzz::text_of(data, size);
    Study study = restored(bytes);
    fuzz::require(snapshot(study) == bytes);
    if (!study.done()) study.decide();
  });
  return 0;
}
