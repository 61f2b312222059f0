#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace longrun {

/// A file system in memory, for SQLite, that loses its power. It keeps what was synced apart from what was only
/// written: after a loss the synced bytes are left, and of the writes since, none, all, or some, the last one perhaps
/// half.
///
/// It also fails: from a chosen operation on, one call or all calls return an error of the disk.
class PowerLossVfs {
 public:
  /// What happens to writes that were not synced.
  enum class Unsynced { dropped, kept, some, half_of_the_last };
  /// What a failing call does.
  enum class Failure { none, io_error, full, short_write };

  /// Registers the file system under a name of its own.
  PowerLossVfs();
  ~PowerLossVfs();
  PowerLossVfs(const PowerLossVfs&) = delete;
  PowerLossVfs& operator=(const PowerLossVfs&) = delete;

  const char* name() const { return name_.c_str(); }
  /// Returns the number of writes, syncs, truncations and deletions so far.
  std::int64_t operations() const { return operations_; }
  /// From operation `operation` on, everything fails: the machine is off.
  void lose_power_at(std::int64_t operation) { power_ends_at_ = operation; }
  /// Makes one operation fail; those after it succeed again.
  void fail_at(std::int64_t operation, Failure failure) {
    fails_at_ = operation;
    failure_ = failure;
  }
  /// Makes every write fail, as on a full disk, that would make the files larger than this together.
  void set_capacity(std::int64_t bytes) { capacity_ = bytes; }
  /// Returns the bytes of all files.
  std::int64_t size() const;
  bool has_power() const { return operations_ < power_ends_at_; }
  bool has_failed() const { return has_failed_; }
  /// Switches the machine on again with what is on the disk. All connections must be closed.
  void restore_power(Unsynced unsynced, std::uint64_t seed);

  struct Change {
    enum class Kind { write, truncate } kind = Kind::write;
    std::int64_t offset = 0;  // or the new size
    std::string bytes{};
  };
  /// A file: what is synced, what was done since, and what the system shows.
  struct File {
    std::string synced;
    std::vector<Change> unsynced;
    std::string seen;
    bool is_durable = false;  // whether the name is on the disk
  };

  // For the functions that SQLite calls.
  /// Counts an operation. Returns an SQLite code: SQLITE_OK, or how it fails.
  int begin_operation(bool is_write);
  bool has_space_for(std::int64_t bytes) const { return size() + bytes <= capacity_; }
  bool is_short_write() const { return is_short_write_; }
  std::map<std::string, std::shared_ptr<File>>& files() { return files_; }

 private:
  struct Registration;
  std::string name_;
  std::unique_ptr<Registration> registration_;
  std::map<std::string, std::shared_ptr<File>> files_;
  std::int64_t operations_ = 0;
  std::int64_t power_ends_at_ = INT64_MAX;
  std::int64_t fails_at_ = -1;
  std::int64_t capacity_ = INT64_MAX;  // bytes
  Failure failure_ = Failure::none;
  bool has_failed_ = false;
  bool is_short_write_ = false;
};

}  // namespace longrun
