#include "longrun/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "longrun/base/system_error.h"

namespace longrun {
namespace {

constexpr mode_t kWritableByOwner = 0644;
constexpr std::size_t kLongestHostName = 256;

[[noreturn]] void fail(const std::string& path) {
  throw SystemError(fmt::format("{}: cannot be locked: {}", path, std::generic_category().message(errno)));
}

int open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, kWritableByOwner);  // NOLINT(*-vararg)
  if (descriptor < 0) fail(path);
  return descriptor;
}

/// Locks the file with flock(). Returns 0 or the error number. A signal does not end the wait.
int lock_file(int descriptor, int how) {
  while (flock(descriptor, how) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Writes the name of this process into the file. Failures are ignored, because only error messages use the name.
void write_holder(int descriptor) {
  std::array<char, kLongestHostName> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return;
  const std::string text = fmt::format("process {} on {}\n", getpid(), host.data());
  [[maybe_unused]] const bool written =
      ftruncate(descriptor, 0) == 0 && pwrite(descriptor, text.data(), text.size(), 0) >= 0;
}

}  // namespace

FileLock::FileLock(const std::string& path) : descriptor_(open_file(path)) {
  if (const int error = lock_file(descriptor_, LOCK_EX); error != 0) {
    ::close(descriptor_);
    errno = error;
    fail(path);
  }
  write_holder(descriptor_);
}

std::optional<FileLock> FileLock::try_lock(const std::string& path) {
  FileLock lock;
  lock.descriptor_ = open_file(path);
  const int error = lock_file(lock.descriptor_, LOCK_EX | LOCK_NB);
  if (error == EWOULDBLOCK) return std::nullopt;
  errno = error;
  if (error != 0) fail(path);
  write_holder(lock.descriptor_);
  return lock;
}

bool FileLock::is_locked(const std::string& path) {
  FileLock probe;
  probe.descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // NOLINT(*-vararg)
  return probe.descriptor_ >= 0 && lock_file(probe.descriptor_, LOCK_EX | LOCK_NB) == EWOULDBLOCK;
}

std::string FileLock::last_holder(const std::string& path) {
  std::string holder;
  std::ifstream file(path);
  return std::getline(file, holder) && !holder.empty() ? holder : "an unknown process";
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace longrun
