#include "longrun/base/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"

namespace longrun {
namespace {

constexpr mode_t kReadWrite = 0666;  // for all users, restricted by the umask
constexpr mode_t kOnlyOwner = 0600;

/// An open file, closed at the end of its scope. `path` is the one that errors name.
class OpenFile {
 public:
  OpenFile(const std::string& file, int flags, const std::string& path, mode_t mode = kReadWrite)
      : descriptor_(::open(file.c_str(), flags | O_CLOEXEC, mode)), path_(path) {  // NOLINT(*-vararg)
    if (descriptor_ < 0) fail();
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void set_access(const FileAccess& access) {
    struct stat now {};
    if (::fstat(descriptor_, &now) != 0) fail();
    const bool is_owned = now.st_uid == access.user && now.st_gid == access.group;
    if (!is_owned && ::fchown(descriptor_, access.user, access.group) != 0) fail();
    if (::fchmod(descriptor_, access.mode) != 0) fail();
  }

  /// Waits until the file is on disk. File systems that cannot do so report EINVAL.
  void sync() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw SystemError(fmt::format("{}: cannot be written: {}", path_, std::generic_category().message(errno)));
  }

  int descriptor_;
  const std::string& path_;
};

}  // namespace

void write_file(const std::string& path, std::string_view text, const std::optional<FileAccess>& access) {
  std::error_code failure;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, failure);
  if (failure) throw SystemError(fmt::format("{}: cannot be written: {}", path, failure.message()));
  const std::string unfinished = fmt::format("{}.{}.part", path, getpid());  // other processes may write the same file
  try {
    if (access) std::filesystem::remove(unfinished, failure);  // of a process that was killed, for other readers
    OpenFile file(unfinished, O_WRONLY | O_CREAT | O_TRUNC, path, access ? kOnlyOwner : kReadWrite);
    if (access) file.set_access(*access);
    file.write(text);
    file.sync();
    std::filesystem::rename(unfinished, path, failure);
    if (failure) throw SystemError(fmt::format("{}: cannot be written: {}", path, failure.message()));
  } catch (const SystemError&) {
    std::filesystem::remove(unfinished, failure);
    throw;
  }
  OpenFile(parent.empty() ? "." : parent.string(), O_RDONLY | O_DIRECTORY, path)
      .sync();  // so that the new name is on disk, too
}

void check_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw SystemError(fmt::format("{}: cannot be written: there is no folder {}", path, folder.string()));
}

void make_folder(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::exists(path, failure) && !std::filesystem::is_directory(path, failure)) {
    throw InputError(fmt::format("{}: is a file, not a folder", path));
  }
  std::filesystem::create_directories(path, failure);
  if (failure) throw SystemError(fmt::format("{}: cannot be created: {}", path, failure.message()));
}

}  // namespace longrun
