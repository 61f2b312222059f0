#pragma once

#include <cstdlib>
#include <string>

#include "tests/scratch.h"

namespace longrun {

/// A scope in which PATH names a folder that does not exist, so that no program is found.
class NoPrograms {
 public:
  NoPrograms() { setenv("PATH", scratch_path("no/programs").c_str(), 1); }  // NOLINT
  ~NoPrograms() { setenv("PATH", usual_.c_str(), 1); }                      // NOLINT
  NoPrograms(const NoPrograms&) = delete;
  NoPrograms& operator=(const NoPrograms&) = delete;

 private:
  std::string usual_ = std::getenv("PATH");  // NOLINT
};

}  // namespace longrun
