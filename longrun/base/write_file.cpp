#include "longrun/base/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "longrun/base/input_error.h"

namespace longrun {

void write_file(const std::string& path, std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: cannot be written: {}", path, why));
  };
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (failure) refuse(failure.message());
  const std::string unfinished = fmt::format("{}.{}.part", path, getpid());  // others may be writing the same
  {
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    file << text;
    file.flush();
    if (!file) {
      const std::string why = std::generic_category().message(errno);
      std::filesystem::remove(unfinished, failure);
      refuse(why);
    }
  }
  std::filesystem::rename(unfinished, path, failure);
  if (failure) {
    const std::string why = failure.message();
    std::filesystem::remove(unfinished, failure);
    refuse(why);
  }
}

}  // namespace longrun
