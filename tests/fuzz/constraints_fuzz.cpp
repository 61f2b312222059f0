// Constraint texts: accepted constraints, written by constraint_texts(), are read as the same constraints. The first
// byte of an input selects the field.
#include "longrun/model/constraints.h"
#include "longrun/model/resolved_constraints.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  if (size == 0) return 0;
  const std::string_view field = kConstraintFields[data[0] % kConstraintFields.size()].name;
  fuzz::expect_answer([&] {
    Constraints constraints;
    set_constraint(constraints, field, fuzz::text_of(data + 1, size - 1));
    Constraints again;
    for (const auto& [name, text] : constraint_texts(constraints)) set_constraint(again, name, text);
    fuzz::require(again == constraints);
    const ResolvedConstraints resolved(constraints, 3, 100);
  });
  return 0;
}
