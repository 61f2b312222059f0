#include "longrun/policy/setting.h"

#include <fmt/format.h>

#include <cmath>

#include "longrun/base/input_error.h"

namespace longrun {

void check(const Setting& setting) {
  if (setting.arms < 1) throw InputError(fmt::format("arms {} is not at least 1", setting.arms));
  if (setting.horizon < 1) throw InputError(fmt::format("horizon {} is not at least 1", setting.horizon));
  const double half_width = setting.resolved_half_width();
  if (!(half_width >= 0 && std::isfinite(half_width))) {
    throw InputError(fmt::format("half-width {} is not a finite number >= 0", half_width));
  }
}

}  // namespace longrun
