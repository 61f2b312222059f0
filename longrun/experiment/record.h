#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// One recorded run: the choices that define it, and its result.
struct RunRecord {
  std::string experiment;
  std::string bandit;
  std::string noise;       ///< as parse_noise() reads it
  std::string policy;      ///< name in the catalog
  std::string parameters;  ///< those that are not defaults, "a=1,b=2"; usually empty
  Pulls horizon = 0;
  std::uint32_t seed = 0;
  std::vector<Pulls> pulls;
  double earned = 0;
  double optimum = 0;
  double regret = 0;
};

}  // namespace longrun
