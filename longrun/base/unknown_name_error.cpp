#include "longrun/base/unknown_name_error.h"

#include <fmt/format.h>

#include <utility>

#include "longrun/base/nearest_name.h"

namespace longrun {

UnknownNameError::UnknownNameError(std::string_view kind, std::string_view name, std::vector<std::string> known)
    : InputError(fmt::format("unknown {} '{}'{}", kind, name, did_you_mean(name, known))),
      kind_(kind),
      known_(std::move(known)) {}

}  // namespace longrun
