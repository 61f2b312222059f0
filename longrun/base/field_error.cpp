#include "longrun/base/field_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace longrun {

std::string FieldError::text(const std::vector<std::string>& names, std::string_view problem) {
  return names.empty() ? std::string(problem) : fmt::format("{}: {}", fmt::join(names, ", "), problem);
}

}  // namespace longrun
