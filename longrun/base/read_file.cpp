#include "longrun/base/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"

namespace longrun {

std::ifstream open_file(const std::string& path, std::string_view kind) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) throw InputError(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(status)) throw InputError(fmt::format("{}: is a folder, not a {}", path, kind));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_unreadable(path, errno);
  return file;
}

std::string read_file(const std::string& path, std::string_view kind) {
  std::ifstream file = open_file(path, kind);
  std::string text;
  errno = 0;
  for (char piece[4096]; file.read(piece, sizeof piece), file.gcount() > 0;) {
    text.append(piece, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw_unreadable(path, errno);
  return text;
}

void throw_unreadable(const std::string& path, int reason) {
  throw SystemError(
      fmt::format("{}: cannot be read{}", path, reason == 0 ? "" : ": " + std::generic_category().message(reason)));
}

}  // namespace longrun
