#include "longrun/service/loaded_studies.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

constexpr std::size_t kLoadAtOnce = 10'000;  // entries

}  // namespace

RequestError damaged_log(const std::string& study, const std::string& message) {
  return {RequestError::Kind::damaged, fmt::format("the log of study '{}' is damaged: {}", study, message)};
}

ServedStudy& LoadedStudies::get(const std::string& name, std::int64_t last_seq) {
  Loaded* const found = find(name, last_seq);
  if (found == nullptr) {
    const std::vector<LogEntry> first = store_.entries(name, -1, 1);
    if (first.empty()) throw damaged_log(name, "it has no first entry");
    std::unique_ptr<ServedStudy> study;
    try {
      study = std::make_unique<ServedStudy>(first[0]);
    } catch (const InputError& error) {
      throw damaged_log(name, error.what());
    }
    const auto last = catch_up(name, *study, last_seq);
    return keep(name, std::move(study), last.value_or(hash_of(first[0])));
  }
  recent_.splice(recent_.begin(), recent_, found->recent);
  ServedStudy& study = *found->study;
  memory_ -= std::exchange(found->memory, study.memory());
  memory_ += found->memory;
  if (const auto last = catch_up(name, study, last_seq)) found->last_entry = *last;
  return study;
}

LoadedStudies::Loaded* LoadedStudies::find(const std::string& name, std::int64_t last_seq) {
  const auto found = loaded_.find(name);
  if (found == loaded_.end()) return nullptr;
  Loaded& loaded = found->second;
  const std::int64_t seq = loaded.study->last_seq();
  bool is_same = seq <= last_seq;
  if (is_same && store_.is_shared() && loaded.compared != transaction_) {
    // As many entries as catch_up() is going to read, so that a store may read both at once.
    const std::vector<LogEntry> entries = store_.entries(name, seq - 1, seq == last_seq ? 1 : kLoadAtOnce);
    is_same = !entries.empty() && hash_of(entries[0]) == loaded.last_entry;
    loaded.compared = transaction_;
  }
  if (is_same) return &loaded;
  forget(name);
  return nullptr;
}

std::optional<std::size_t> LoadedStudies::catch_up(const std::string& name, ServedStudy& study, std::int64_t last_seq) {
  std::optional<std::size_t> last;
  while (study.last_seq() < last_seq) {
    const std::vector<LogEntry> entries = store_.entries(name, study.last_seq(), kLoadAtOnce);
    try {
      if (entries.empty()) throw InputError("entries are missing");
      study.replay(entries);
      last = hash_of(entries.back());
    } catch (const InputError& error) {
      forget(name);
      throw damaged_log(name, error.what());
    }
  }
  return last;
}

ServedStudy& LoadedStudies::keep(const std::string& name, std::unique_ptr<ServedStudy> study, const LogEntry& last) {
  return keep(name, std::move(study), hash_of(last));
}

ServedStudy& LoadedStudies::keep(const std::string& name, std::unique_ptr<ServedStudy> study, std::size_t last_entry) {
  forget(name);
  recent_.push_front(name);
  const std::size_t memory = study->memory();
  memory_ += memory;
  Loaded kept{.study = std::move(study),
              .last_entry = last_entry,
              .compared = transaction_,
              .memory = memory,
              .recent = recent_.begin()};
  return *loaded_.emplace(name, std::move(kept)).first->second.study;
}

std::optional<std::int64_t> LoadedStudies::last_seq(const std::string& name) const {
  const auto found = loaded_.find(name);
  return found == loaded_.end() ? std::nullopt : std::optional(found->second.study->last_seq());
}

void LoadedStudies::drop_unused() {
  while (memory_ > most_memory_ && loaded_.size() > 1) forget(std::string(recent_.back()));
}

void LoadedStudies::forget(const std::string& name) {
  const auto found = loaded_.find(name);
  if (found == loaded_.end()) return;
  memory_ -= found->second.memory;
  recent_.erase(found->second.recent);
  loaded_.erase(found);
}

void LoadedStudies::forget_all() {
  loaded_.clear();
  recent_.clear();
  memory_ = 0;
}

}  // namespace longrun
