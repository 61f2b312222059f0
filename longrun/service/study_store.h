#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/system_error.h"
#include "longrun/decide/study/study_events.h"

namespace longrun {

/// One entry of a study's log. The state of a study is a function of its entries.
struct LogEntry {
  std::int64_t seq = 0;     ///< 0 for the creation of the study, then 1, 2, ... without gaps: the number of the event
  std::string at{};         ///< when it was accepted: UTC, as utc_text() writes it
  std::string key{};        ///< of the request; empty if it has none, or if it caused several entries and this is not
                            ///< the first; unique in its study
  std::string request{};    ///< hash of the request that has the key
  DecisionId decision = 0;  ///< the decision whose outcome is reported or corrected, or in place of which another arm
                            ///< was pulled; else 0
  std::string event{};      ///< one line of JSON (study_json.h)
  std::string details{};    ///< JSON object of what the study does not need to know; empty if there is nothing
  bool operator==(const LogEntry&) const = default;
};

inline constexpr std::size_t kLongestText = 2'000;  ///< bytes of a title, reason or other detail

/// Detail of a void outcome in logs of earlier versions: the number of the observation in place of the decision.
inline constexpr const char* kInstead = "instead";

/// Returns whether a text can be a key: 1 to 250 bytes without control characters.
bool is_key(std::string_view text);
/// Returns whether every text of an entry can be stored: all stores keep UTF-8 without the byte 0.
bool is_storable(const LogEntry& entry);
/// Returns a hash that distinguishes an entry from others with the same number. It is comparable only in this process.
std::size_t hash_of(const LogEntry& entry);
/// Returns the details of an entry that are one text, as they are stored: one line of ASCII.
std::string details_text(const char* field, const std::string& text);
/// Returns a text of stored details; empty if they have none with this name.
std::string detail_of(const std::string& details, const char* field);
/// Returns a number of stored details; 0 if they have none with this name.
std::int64_t number_detail_of(const std::string& details, const char* field);

/// A failure of a store that the data of a request cause, and not the store: nothing of the transaction is recorded.
class UnstorableError : public SystemError {
 public:
  using SystemError::SystemError;
};

/// A store of the logs of studies. It is used by one thread at a time. Every failure is a SystemError; after one, what
/// the store returned since begin() may be wrong, and rollback() must be called.
class StudyStore {
 public:
  virtual ~StudyStore() = default;

  /// Returns whether others can change the store while this process uses it, or set it back to a backup.
  virtual bool is_shared() const { return false; }

  /// A study of the store.
  struct StudyRow {
    std::string name;
    std::int64_t last_seq = 0;
  };
  /// Returns all studies, by name.
  virtual std::vector<StudyRow> studies() = 0;
  /// Returns the number of a study's last entry; nullopt if there is no such study.
  virtual std::optional<std::int64_t> last_seq(const std::string& study) = 0;
  /// Returns the entries after `seq` (-1: from the first), at most `most`, in order.
  virtual std::vector<LogEntry> entries(const std::string& study, std::int64_t after, std::size_t most) = 0;
  /// Returns the entry with this key, or nullopt.
  virtual std::optional<LogEntry> with_key(const std::string& study, const std::string& key) = 0;
  /// Returns the entries that give this decision an outcome, or name a pull in its place, in order.
  virtual std::vector<LogEntry> outcomes_of(const std::string& study, DecisionId decision) = 0;

  // A transaction. What it writes is on the disk once commit() returns; the functions above see it at once.

  /// A study that a transaction is going to lock, and what it is going to read of it.
  struct Need {
    std::string study;
    std::string key;          ///< to look for; empty if there is none
    std::int64_t after = -1;  ///< entries after this one are going to be read; -1 if none are
  };
  /// Begins a transaction. All that it needs may be read, and locked, at once; more can be asked for later.
  virtual void begin(const std::vector<Need>& needs) = 0;
  /// Reads more of what the transaction needs, at once if the store can. Only of studies that begin() has locked.
  virtual void read_ahead(const std::vector<Need>& /*needs*/) {}
  /// Keeps other processes from changing the study until the transaction ends. Returns the number of its last entry;
  /// nullopt if there is no such study.
  virtual std::optional<std::int64_t> lock(const std::string& study) = 0;
  /// Adds a study with its first entry. Returns false if there is one with this name.
  virtual bool create(const std::string& study, const LogEntry& created) = 0;
  /// Adds the next entries of a locked study.
  virtual void append(const std::string& study, const std::vector<LogEntry>& entries) = 0;
  virtual void commit() = 0;
  /// Writes as many bytes, about, and removes them, to see whether the store can be written. Throws SystemError if it
  /// cannot.
  virtual void check_writing(std::size_t bytes) = 0;
  /// Ends a transaction that is not committed, and mends the store after a failure as far as possible.
  virtual void rollback() noexcept = 0;
};

}  // namespace longrun
