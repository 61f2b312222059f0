#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longrun/service/change.h"
#include "longrun/service/loaded_studies.h"
#include "longrun/service/request_error.h"
#include "longrun/service/served_study.h"
#include "longrun/service/study_store.h"

namespace longrun {

/// A study that was exported.
struct ImportStudy {
  /// Replays the entries, the first of them its creation. Throws RequestError if they are not those of a study.
  explicit ImportStudy(std::vector<LogEntry> its_entries);

  std::vector<LogEntry> entries;
  std::string sha256{};                      ///< of their export
  std::shared_ptr<const ServedStudy> study;  ///< not null
};

/// A request to change something.
struct ChangeRequest {
  std::string study;
  std::string key{};            ///< of the client; empty if the change is the same when it is repeated
  std::string fingerprint{};    ///< hash of what is asked, to notice a key that is used for another request
  std::string hash_of_bytes{};  ///< hash of the request's bytes, which earlier versions recorded as the fingerprint
  bool dry_run = false;         ///< whether the change is only checked (ReportOutcomes, AddObservations, ImportStudy)
  std::variant<CreateStudy, ImportStudy, Change> change{Change{}};
};

/// The result of a request.
struct ChangeReply {
  std::optional<RequestError> error{};  ///< set if it was refused; nothing was recorded then
  std::vector<LogEntry> entries{};      ///< that the request caused, now or when it was first made
  bool is_repeated = false;             ///< whether all of it had been recorded before
  std::size_t recorded = 0;             ///< entries that were written now
  std::size_t already_known = 0;        ///< rows that had been recorded before
  std::vector<RowProblem> problems{};   ///< of a dry run
  std::size_t to_record = 0;            ///< of a dry run: rows that are right and new
  std::vector<std::string> cautions{};  ///< what is recorded, but perhaps not meant
  /// Of a correction to void: the last pull that was made in place of the decision before, which stays void.
  std::optional<DecisionId> still_void{};
};

/// The studies of a store. Changes are carried out in transactions of many requests, so that one write to the disk
/// serves all of them. Used by one thread at a time.
class StudyService {
 public:
  /// Limits of the service; each has an error that names it.
  struct Limits {
    std::size_t arms = 100'000;          ///< of one study
    std::size_t arm_name = 200;          ///< bytes; a name is repeated in every decision
    std::size_t added_arms = 1'000;      ///< by one request
    std::size_t rows = 100'000;          ///< of one report of outcomes or observations
    std::size_t memory = 1'000'000'000;  ///< about, in bytes; the least recently used studies are read again when they
                                         ///< are needed
  };

  /// `now` returns milliseconds since 1970 UTC.
  StudyService(StudyStore& store, std::function<std::int64_t()> now);
  StudyService(StudyStore& store, std::function<std::int64_t()> now, const Limits& limits);

  /// Carries out requests in one transaction, and returns the reply to each. When it returns, everything that is
  /// acknowledged is stored. Throws SystemError if the store fails: then it is not known which requests were recorded,
  /// and each may be made again with the same key.
  std::vector<ChangeReply> change(std::span<const ChangeRequest> requests);
  /// A function that adds requests which have arrived, all for one of `studies`, to those of a transaction. It returns
  /// all of them, the old ones first; they stay where they are until the transaction ends.
  using Join = std::function<std::span<const ChangeRequest>(const std::set<std::string>& studies)>;
  /// Does the same as the function above. If other processes may have kept this one waiting for the studies, `join` is
  /// called once when it has them: what has arrived meanwhile need not wait for the next turn.
  std::vector<ChangeReply> change(std::span<const ChangeRequest> requests, const Join& join);

  /// Returns a study as it is stored now, valid until the next call. Throws RequestError if there is none, and
  /// SystemError.
  const ServedStudy& study(const std::string& name);
  /// Returns the number of the last entry of a study. Throws RequestError if there is none, and SystemError.
  std::int64_t last_seq(const std::string& name);
  /// Throws SystemError if the store cannot be read or, if the last transaction failed, cannot take as much as that.
  void check_store();
  std::vector<StudyStore::StudyRow> studies();
  std::vector<LogEntry> entries(const std::string& name, std::int64_t after, std::size_t most);
  /// Forgets the state of a study, or of all; it is rebuilt from the store when it is next needed.
  void forget(const std::string& name) { loaded_.forget(name); }
  void forget_all() { loaded_.forget_all(); }
  /// Returns the time now, as utc_text() writes it.
  std::string time_text() const;
  std::size_t studies_in_memory() const { return loaded_.size(); }

 private:
  /// Carries out requests in one transaction. Throws UnstorableError if nothing is recorded because of their data.
  /// `requests` are all requests of the transaction afterwards, even if it fails.
  std::vector<ChangeReply> change_together(std::span<const ChangeRequest>& requests, const Join& join);
  /// Begins the transaction, and lets further requests join it.
  void begin(std::span<const ChangeRequest>& requests, const Join& join);
  /// Adds what requests are going to read to `needs`.
  void add_needs(std::span<const ChangeRequest> requests, std::vector<StudyStore::Need>& needs) const;
  /// Calls a function that reads from the store; mends the store if that fails.
  template <class Read>
  auto reading(Read read) -> decltype(read());
  /// Throws RequestError for a change that would take the service too long.
  void check_size(const Change& change, const ServedStudy& study) const;
  void check_arms(const std::vector<std::string>& names, std::size_t others, const char* field) const;
  ChangeReply change_one(const ChangeRequest& request, const std::string& at);
  /// Adds entries to the store, and counts their bytes.
  void append(const std::string& study, const std::vector<LogEntry>& entries);
  /// Returns a correction in which an observation that it names by its id has its number.
  Change with_observation(CorrectOutcome correct, const std::string& study);
  ChangeReply create(const ChangeRequest& request, const CreateStudy& create, const std::string& at);
  ChangeReply import(const ChangeRequest& request, const ImportStudy& import, const std::string& at);
  /// Returns the reply to a request whose key was used before.
  ChangeReply repeated(const ChangeRequest& request, const LogEntry& first);
  /// Returns ChangeReply::still_void of a request that caused these entries.
  std::optional<DecisionId> pull_still_void(const ChangeRequest& request, const std::vector<LogEntry>& entries);

  StudyStore& store_;
  std::function<std::int64_t()> now_;
  Limits limits_;
  LoadedStudies loaded_;
  std::size_t to_write_ = 0;      // bytes that the transaction is going to write, about
  std::size_t failed_bytes_ = 0;  // to write in a check: of the last transaction if it failed, else 0
};

/// Returns whether the text has the form of a study's name: 1 to 64 letters, digits, '.', '_' and '-' of ASCII, a
/// letter or digit first.
bool is_study_name(std::string_view name);
/// Throws RequestError unless a new study can have this name: is_study_name(), and not "import", which a path of the
/// interface ends with.
void check_study_name(const std::string& name);

}  // namespace longrun
