#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "longrun/service/request_error.h"
#include "longrun/service/served_study.h"
#include "longrun/service/study_store.h"

namespace longrun {

/// The error for a study whose log cannot be read. Other studies are not affected.
RequestError damaged_log(const std::string& study, const std::string& message);

/// The studies of a store that are in memory. A study is read when it is first needed, and the least recently used ones
/// are forgotten if the memory is too small. Used by one thread at a time.
class LoadedStudies {
 public:
  /// `most_memory` is in bytes, about.
  LoadedStudies(StudyStore& store, std::size_t most_memory) : store_(store), most_memory_(most_memory) {}

  /// Begins a transaction or a read of a study: since the last one, other processes may have changed the store.
  void begin() { ++transaction_; }
  /// Returns the state of a study up to its entry `last_seq`, which is its last one in the store. Throws RequestError
  /// if its log is damaged, and SystemError.
  ServedStudy& get(const std::string& name, std::int64_t last_seq);
  /// Keeps the state of a study, whose last entry is given.
  ServedStudy& keep(const std::string& name, std::unique_ptr<ServedStudy> study, const LogEntry& last);
  /// Notes that entries were added to the state and to the store; `last` is the last of them.
  void note_last(const std::string& name, const LogEntry& last) { loaded_.at(name).last_entry = hash_of(last); }
  /// Returns the number of the last entry of a study that is in memory, or nullopt.
  std::optional<std::int64_t> last_seq(const std::string& name) const;
  /// Forgets studies until the others fit into the memory. References to studies are invalid afterwards.
  void drop_unused();
  /// Forgets the state of a study, or of all; it is rebuilt from the store when it is next needed.
  void forget(const std::string& name);
  void forget_all();
  std::size_t size() const { return loaded_.size(); }

 private:
  struct Loaded {
    std::unique_ptr<ServedStudy> study;
    std::size_t last_entry = 0;  // hash of the last entry of `study`
    std::uint64_t compared = 0;  // the value of transaction_ when it was last compared with the store
    std::size_t memory = 0;      // when it was last used
    std::list<std::string>::iterator recent;
  };
  /// Returns the state in memory, or nullptr if there is none. Forgets it if it is not that of the stored log: a store
  /// that was set back to a backup may have other entries with the same numbers.
  Loaded* find(const std::string& name, std::int64_t last_seq);
  ServedStudy& keep(const std::string& name, std::unique_ptr<ServedStudy> study, std::size_t last_entry);
  /// Replays the entries after those of the study. Returns the hash of the last one; nullopt if there are none.
  std::optional<std::size_t> catch_up(const std::string& name, ServedStudy& study, std::int64_t last_seq);

  StudyStore& store_;
  std::size_t most_memory_;
  std::unordered_map<std::string, Loaded> loaded_;
  std::uint64_t transaction_ = 0;  // number of the transaction or read; others change the store in between
  std::size_t memory_ = 0;         // of loaded_
  std::list<std::string> recent_;  // names of loaded_, the most recently used first
};

}  // namespace longrun
