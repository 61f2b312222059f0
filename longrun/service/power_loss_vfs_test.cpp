#include "tests/power_loss_vfs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>

#include "longrun/base/system_error.h"
#include "longrun/service/api.h"
#include "longrun/service/sqlite_store.h"

namespace longrun {
namespace {

std::atomic<int> vfs_registrations = 0;

/// SQLite's handle of an open file; SQLite allocates it, so it is made and ended by hand.
struct Handle {
  sqlite3_file base;
  PowerLossVfs* vfs;
  std::shared_ptr<PowerLossVfs::File>* file;
};

Handle& handle_of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }  // NOLINT
PowerLossVfs::File& file_of(sqlite3_file* file) { return **handle_of(file).file; }

void apply_change(std::string& bytes, const PowerLossVfs::Change& change) {
  if (change.kind == PowerLossVfs::Change::Kind::truncate) {
    bytes.resize(static_cast<std::size_t>(change.offset));
    return;
  }
  const auto end = static_cast<std::size_t>(change.offset) + change.bytes.size();
  if (bytes.size() < end) bytes.resize(end);
  bytes.replace(static_cast<std::size_t>(change.offset), change.bytes.size(), change.bytes);
}

void change_file(PowerLossVfs::File& file, PowerLossVfs::Change change) {
  apply_change(file.seen, change);
  file.unsynced.push_back(std::move(change));
}

int close_file(sqlite3_file* file) {
  delete handle_of(file).file;
  return SQLITE_OK;
}

int read_file_bytes(sqlite3_file* file, void* into, int count, sqlite3_int64 offset) {
  if (!handle_of(file).vfs->has_power()) return SQLITE_IOERR_READ;
  const std::string& bytes = file_of(file).seen;
  const auto begin = std::min<std::size_t>(static_cast<std::size_t>(offset), bytes.size());
  const auto available = std::min<std::size_t>(static_cast<std::size_t>(count), bytes.size() - begin);
  std::memcpy(into, bytes.data() + begin, available);
  if (available == static_cast<std::size_t>(count)) return SQLITE_OK;
  std::memset(static_cast<char*>(into) + available, 0, static_cast<std::size_t>(count) - available);
  return SQLITE_IOERR_SHORT_READ;
}

int write_file_bytes(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  PowerLossVfs& vfs = *handle_of(file).vfs;
  const int code = vfs.begin_operation(true);
  std::string bytes(static_cast<const char*>(from), static_cast<std::size_t>(count));
  if (vfs.is_short_write()) bytes.resize(bytes.size() / 2);
  const std::int64_t growth = offset + count - static_cast<std::int64_t>(file_of(file).seen.size());
  if (growth > 0 && !vfs.has_space_for(growth)) return SQLITE_FULL;
  if (code == SQLITE_OK || vfs.is_short_write()) {
    change_file(file_of(file), {PowerLossVfs::Change::Kind::write, offset, std::move(bytes)});
  }
  return code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const int code = handle_of(file).vfs->begin_operation(false);
  if (code == SQLITE_OK) change_file(file_of(file), {PowerLossVfs::Change::Kind::truncate, size, {}});
  return code;
}

int sync_file(sqlite3_file* file, int) {
  const int code = handle_of(file).vfs->begin_operation(false);
  if (code != SQLITE_OK) return code;
  PowerLossVfs::File& synced = file_of(file);
  synced.synced = synced.seen;
  synced.unsynced.clear();
  synced.is_durable = true;
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(file_of(file).seen.size());
  return SQLITE_OK;
}

int no_lock(sqlite3_file*, int) { return SQLITE_OK; }
int not_reserved(sqlite3_file*, int* is_reserved) {
  *is_reserved = 0;
  return SQLITE_OK;
}
int no_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 512; }
int characteristics(sqlite3_file*) { return 0; }

constexpr sqlite3_io_methods kMethods{1,          close_file,   read_file_bytes, write_file_bytes, truncate_file,
                                      sync_file,  size_of_file, no_lock,         no_lock,          not_reserved,
                                      no_control, sector_size,  characteristics, nullptr,          nullptr,
                                      nullptr,    nullptr,      nullptr,         nullptr};

PowerLossVfs& vfs_of(sqlite3_vfs* vfs) { return *static_cast<PowerLossVfs*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  PowerLossVfs& owner = vfs_of(vfs);
  auto& handle = handle_of(file);
  handle.base.pMethods = nullptr;
  if (!owner.has_power()) return SQLITE_CANTOPEN;
  const std::string name = path == nullptr ? fmt::format("temporary-{}", owner.files().size()) : path;
  auto found = owner.files().find(name);
  if (found == owner.files().end()) {
    if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    found = owner.files().emplace(name, std::make_shared<PowerLossVfs::File>()).first;
  }
  handle.vfs = &owner;
  handle.file = new std::shared_ptr<PowerLossVfs::File>(found->second);
  handle.base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int) {
  const int code = vfs_of(vfs).begin_operation(false);
  if (code != SQLITE_OK) return code;
  return vfs_of(vfs).files().erase(path) > 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
}

int file_exists(sqlite3_vfs* vfs, const char* path, int, int* result) {
  *result = vfs_of(vfs).files().contains(path) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int size, char* full) {
  sqlite3_snprintf(size, full, "%s", path);
  return SQLITE_OK;
}

}  // namespace

struct PowerLossVfs::Registration {
  sqlite3_vfs vfs{};
};

PowerLossVfs::PowerLossVfs()
    : name_(fmt::format("power-loss-{}", ++vfs_registrations)), registration_(std::make_unique<Registration>()) {
  sqlite3_initialize();
  sqlite3_vfs& vfs = registration_->vfs;
  vfs = *sqlite3_vfs_find(nullptr);  // time, random numbers and sleep are those of the machine
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(Handle);
  vfs.pNext = nullptr;
  vfs.zName = name_.c_str();
  vfs.pAppData = this;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = file_exists;
  vfs.xFullPathname = full_path;
  sqlite3_vfs_register(&vfs, 0);
}

PowerLossVfs::~PowerLossVfs() { sqlite3_vfs_unregister(&registration_->vfs); }

int PowerLossVfs::begin_operation(bool is_write) {
  is_short_write_ = false;
  const std::int64_t operation = operations_++;
  if (operation >= power_ends_at_) return SQLITE_IOERR;
  if (operation != fails_at_) return SQLITE_OK;
  has_failed_ = true;
  is_short_write_ = is_write && failure_ == Failure::short_write;
  return failure_ == Failure::full ? SQLITE_FULL : SQLITE_IOERR;
}

std::int64_t PowerLossVfs::size() const {
  std::int64_t size = 0;
  for (const auto& [name, file] : files_) size += static_cast<std::int64_t>(file->seen.size());
  return size;
}

void PowerLossVfs::restore_power(Unsynced unsynced, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (auto file = files_.begin(); file != files_.end();) {
    File& each = *file->second;
    std::string bytes = each.synced;
    for (std::size_t i = 0; i < each.unsynced.size(); ++i) {
      Change change = each.unsynced[i];
      const bool is_last = i + 1 == each.unsynced.size();
      if (unsynced == Unsynced::dropped) break;
      if (unsynced == Unsynced::some && random() % 2 == 0) continue;
      if (unsynced == Unsynced::half_of_the_last && is_last) change.bytes.resize(change.bytes.size() / 2);
      apply_change(bytes, change);
    }
    each.synced = bytes;
    each.seen = std::move(bytes);
    each.unsynced.clear();
    const bool is_lost = !each.is_durable && unsynced == Unsynced::dropped;
    file = is_lost ? files_.erase(file) : std::next(file);
  }
  power_ends_at_ = INT64_MAX;
  operations_ = 0;
}

namespace {

/// Commits one entry after the other until the power is lost, and returns how many acknowledged ones are gone after it.
std::int64_t lost_entries(const char* synchronous, std::int64_t power_ends_at, PowerLossVfs::Unsynced unsynced) {
  PowerLossVfs vfs;
  std::int64_t acknowledged = -1;  // the last entry
  const SqliteStore::Options options{.vfs = vfs.name(), .synchronous = synchronous};
  try {
    SqliteStore store("studies.sqlite", options);
    store.begin({});
    store.create("s", {.event = "{}"});
    store.commit();
    acknowledged = 0;
    vfs.lose_power_at(vfs.operations() + power_ends_at);
    for (std::int64_t seq = 1; seq < 100; ++seq) {
      store.begin({});
      store.append("s", {{.seq = seq, .event = "{}"}});
      store.commit();
      acknowledged = seq;
    }
  } catch (const SystemError&) {
  }
  vfs.restore_power(unsynced, static_cast<std::uint64_t>(power_ends_at));
  SqliteStore store("studies.sqlite", options);
  const auto last = store.last_seq("s");
  return acknowledged - last.value_or(-1);
}

TEST(PowerLossVfs, FullSynchronisationLosesNothing) {
  for (const auto unsynced : {PowerLossVfs::Unsynced::dropped, PowerLossVfs::Unsynced::kept,
                              PowerLossVfs::Unsynced::some, PowerLossVfs::Unsynced::half_of_the_last}) {
    for (std::int64_t operation = 0; operation < 200; ++operation) {
      EXPECT_LE(lost_entries("FULL", operation, unsynced), 0) << operation;
    }
  }
}

TEST(PowerLossVfs, NoticesASynchronisationThatIsTooWeak) {
  std::int64_t lost = 0;
  for (std::int64_t operation = 0; operation < 200; operation += 10) {
    lost += std::max<std::int64_t>(0, lost_entries("NORMAL", operation, PowerLossVfs::Unsynced::dropped));
  }
  EXPECT_GT(lost, 100);
}

TEST(PowerLossVfs, AStoreThatCouldBeWrittenAgainTakesWhatHasFailed) {
  int not_ready = 0;
  int ready = 0;
  for (std::int64_t free = 0; free < 200'000; free += 1500) {
    PowerLossVfs vfs;
    SqliteStore store("studies.sqlite", SqliteStore::Options{.vfs = vfs.name()});
    StudyService service(store, [] { return std::int64_t{0}; });
    const auto send = [&](const HttpRequest& request) {
      const auto change = std::get<ChangeRequest>(parse_request(request));
      return service.change({&change, 1})[0];
    };
    const std::vector<std::pair<std::string, std::string>> headers{{"content-type", "application/json"},
                                                                   {"idempotency-key", "k"}};
    send({.method = "POST",
          .path = "/v1/studies",
          .headers = headers,
          .body = R"({"name":"s","arms":["a","b"],"budget":1000})"});
    store.rollback();  // closes the file, which frees the space of its log
    vfs.set_capacity(vfs.size() + free);
    const HttpRequest ask{
        .method = "POST", .path = "/v1/studies/s/decisions", .headers = headers, .body = R"({"count":500})"};
    try {
      send(ask);
      continue;
    } catch (const SystemError&) {
    }
    try {
      service.check_store();
    } catch (const SystemError&) {
      ++not_ready;
      continue;
    }
    ++ready;
    EXPECT_NO_THROW(send(ask)) << "it was said to be ready, with " << free << " bytes";
  }
  EXPECT_GT(not_ready, 5);
  EXPECT_EQ(ready, 0) << "nothing was freed";
}

}  // namespace
}  // namespace longrun
