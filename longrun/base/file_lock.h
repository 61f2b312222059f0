#pragma once

#include <optional>
#include <string>

namespace longrun {

/// An exclusive lock on a file, by flock: no other process, also on machines that share the file system, can lock it at
/// the same time. The lock ends with the object, or when the process ends for any reason. The file contains the name of
/// the process that locked it last, and is not removed.
class FileLock {
 public:
  /// Locks the file, which is created if missing. Waits while another process has the lock. Throws SystemError if the
  /// file cannot be locked.
  explicit FileLock(const std::string& path);
  /// Locks the file without waiting. Returns nullopt if another process has the lock.
  static std::optional<FileLock> try_lock(const std::string& path);

  /// Returns whether a process has the lock; false if the file is missing.
  static bool is_locked(const std::string& path);
  /// Returns the process that locked the file last, such as "process 4711 on node7", or "an unknown process".
  static std::string last_holder(const std::string& path);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  FileLock() = default;

  int descriptor_ = -1;  // of the locked file; -1 after a move
};

}  // namespace longrun
