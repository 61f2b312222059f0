#include "longrun/report/picture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/base/write_file.h"
#include "longrun/report/gnuplot.h"

namespace longrun {
namespace {

/// A temporary folder, which the destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failure;
    path_ = (std::filesystem::temp_directory_path(failure) / "longrun-XXXXXX").string();
    if (!failure && mkdtemp(path_.data()) == nullptr) failure = {errno, std::generic_category()};
    if (failure) throw SystemError(fmt::format("temporary folder: cannot be created: {}", failure.message()));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void check_picture_kind(const std::string& path) {
  const std::string kind = std::filesystem::path(path).extension().string();
  if (kind != ".svg" && kind != ".pdf" && kind != ".png")
    throw InputError(fmt::format("{}: the file's name must end in .svg, .pdf or .png", path));
}

void check_picture_path(const std::string& path) {
  check_picture_kind(path);
  check_folder_of(path);
}

void draw_picture(const std::string& path,
                  const std::function<void(const std::string& name, const std::string& directory)>& write) {
  check_picture_path(path);
  const TemporaryFolder folder;
  const std::string name = "picture";
  write(name, folder.path());
  const std::string kind = std::filesystem::path(path).extension().string();
  if (!draw(name, folder.path(), kind.substr(1))) {
    throw InputError(
        fmt::format("{}: cannot be drawn, because gnuplot is not installed (Debian package: gnuplot-nox)", path));
  }
  std::ifstream picture(fmt::format("{}/{}{}", folder.path(), name, kind), std::ios::binary);
  std::ostringstream bytes;
  bytes << picture.rdbuf();
  if (!picture || !bytes) throw SystemError(fmt::format("{}: gnuplot has written no picture that can be read", path));
  write_file(path, bytes.str());
}

}  // namespace longrun
