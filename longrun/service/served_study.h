#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/event_reader.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/model/arm_labels.h"
#include "longrun/service/change.h"
#include "longrun/service/outcome_delays.h"
#include "longrun/service/request_error.h"
#include "longrun/service/study_store.h"

namespace longrun {

/// Returns the first entry of a new study. Throws RequestError for a specification that is not possible.
LogEntry created_entry(const CreateStudy& create, const std::string& name);

/// The state of a study that is served: a function of its log entries. It has no clock and no store: times are in the
/// entries, and what is recorded already comes from functions.
class ServedStudy {
 public:
  /// Functions that find entries of the study.
  struct Recorded {
    /// Returns the entries that give a decision an outcome, or name a pull in its place, in order.
    std::function<std::vector<LogEntry>(DecisionId)> outcomes_of{};
    std::function<std::optional<LogEntry>(const std::string&)> with_key{};
  };

  /// Makes the state after a first entry. Throws InputError if it is not one.
  explicit ServedStudy(const LogEntry& created);

  /// The result of a change: the new entries, without key, request and time, or an entry that says the same already.
  struct Result {
    std::vector<LogEntry> entries{};
    std::optional<LogEntry> repeated{};  ///< set if nothing changes: the entry that did it before
    std::size_t already_known = 0;       ///< rows of outcomes or observations that were recorded before
  };
  /// Carries out a change that arrives at the time `at`. Throws RequestError, and changes nothing, if it is not
  /// possible.
  Result change(const Change& change, const Recorded& recorded, const std::string& at);
  /// Throws RequestError if outcomes or a correction, of decisions that exist, name another arm than that of the
  /// decision.
  void check_arms(const Change& change) const;
  /// The result of a dry run of a report.
  struct CheckedRows {
    std::vector<RowProblem> problems{};      ///< by place; nothing is recorded if there are any
    std::size_t to_record = 0;               ///< rows that are right and new
    std::size_t already_known = 0;           ///< rows that were recorded before, or are in the report twice
    std::unordered_set<DecisionId> known{};  ///< decisions of outcomes that were recorded before
  };
  CheckedRows check(const ReportOutcomes& report, const Recorded& recorded, const std::string& at) const;
  CheckedRows check(const AddObservations& add, const Recorded& recorded) const;

  /// Repeats entries that were recorded before. Throws InputError for one that does not follow from those before it;
  /// the study cannot be used then.
  void replay(const std::vector<LogEntry>& entries);

  const StudyLog& log() const { return log_; }
  const Study& study() const { return log_.study(); }
  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& created_at() const { return created_at_; }
  StudyMode mode() const { return mode_; }
  bool is_closed() const { return log_.study().is_closed(); }
  std::int64_t last_seq() const { return log_.next_event() - 1; }
  const std::string& last_at() const { return last_at_; }
  const ArmLabels& arms() const { return reader_.arms(); }
  /// Returns about how many bytes of memory the study takes.
  std::size_t memory() const;
  /// Returns the time of each pending decision.
  const std::map<DecisionId, std::string>& pending() const { return pending_at_; }
  /// Returns the void decision in place of which this one was pulled, or nullopt. O(log pulls).
  std::optional<DecisionId> instead_of(DecisionId decision) const { return log_.instead_of(decision); }
  /// Observations of a shadow study that are not void, and those of them that the policy would have chosen too.
  struct Agreement {
    std::int64_t observations = 0;
    std::int64_t agreed = 0;
  };
  const Agreement& agreement() const { return agreement_; }
  /// Counts that need attention.
  struct Health {
    std::size_t overdue = 0;         ///< pending decisions whose outcome takes longer than `overdue_after`
    std::int64_t overdue_after = 0;  ///< milliseconds, see OutcomeDelays
    std::size_t off_scale = 0;       ///< rewards outside the scale that noise explains
    bool newest_in_future = false;   ///< whether the last entry has a time that is in the future
  };
  /// Returns the health at a time as utc_text() writes it. O(overdue decisions).
  Health health(const std::string& now) const;

 private:
  struct Handle;
  Result decide(const AskDecisions& ask);
  Result settle(const ReportOutcome& report, const Recorded& recorded);
  /// Settles an outcome that is not known yet in a copy of the study. Returns the pull in place of the decision, if the
  /// report has one. Throws InputError or RequestError if it is not possible.
  std::optional<PulledInstead> settle_in(Study& copy, const ReportOutcome& report) const;
  /// Returns the commands that record an outcome that is not known yet, and the pull in place of the decision.
  std::vector<StudyCommand> commands_of(const ReportOutcome& report) const;
  /// Returns the commands that record the pull in place of a decision, and its reward if it is known.
  std::vector<StudyCommand> commands_of(DecisionId instead_of, const ReportOutcome::Instead& instead) const;
  /// Records an outcome that is not known yet. All of it must be possible.
  Result settle_new(const ReportOutcome& report);
  Result settle_all(const ReportOutcomes& report, const Recorded& recorded);
  Result correct(const CorrectOutcome& correct, const Recorded& recorded);
  /// Returns the pull in place of the decision of `meant` that the correction makes void, or nullopt. `meant` is what
  /// the correction says of a decision that was not itself pulled in place of another one if it names a pull. Throws
  /// RequestError if the correction changes nothing, or names a pull that is recorded already.
  std::optional<DecisionId> pull_to_void(const CorrectOutcome& correct, const ReportOutcome& meant,
                                         const Recorded& recorded) const;
  /// Records a correction that has been checked.
  Result carry_out(const CorrectOutcome& correct, const ReportOutcome& meant, std::optional<DecisionId> pull_to_void,
                   const Recorded& recorded);
  /// Returns the outcome that a correction says.
  static ReportOutcome meant_by(const CorrectOutcome& correct);
  Result correct_observation(const CorrectOutcome& correct, const Recorded& recorded);
  /// Throws RequestError if the correction makes a decision count as well as the observation in its place, or the other
  /// way round. Earlier versions recorded a pull in place of a decision as an observation.
  void check_not_observed(const CorrectOutcome& correct, const Recorded& recorded) const;
  void check_not_decided(const CorrectOutcome& correct, const Recorded& recorded) const;
  /// The rows of a report that have been checked so far.
  struct CheckedReport;
  void check_row(const ReportOutcome& row, const Recorded& recorded, const std::string& at,
                 CheckedReport& so_far) const;
  /// Throws RequestError if the row names another arm than that of its decision, or that one in place of it.
  void check_arm(const ReportOutcome& row) const;
  /// Throws RequestError if the row names a pull in place of a decision that was itself pulled in place of another one.
  void check_is_decided(const ReportOutcome& row) const;
  /// Throws RequestError if a void pull of that arm in place of the decision is recorded: that one is corrected.
  void check_not_void(const ReportOutcome& report, const Recorded& recorded) const;
  /// Returns the entry that gave a decision this outcome; nullopt if the decision is pending, or if only the pull in
  /// its place is new. Throws RequestError if there is no such decision, or if it has another outcome, even if it had
  /// this one before a correction.
  std::optional<LogEntry> known_outcome(const ReportOutcome& report, const Recorded& recorded) const;
  /// A pull in place of a decision.
  struct ReplacingPull {
    Arm arm = 0;
    std::optional<Outcome> outcome{};  ///< nullopt if it is pending
    std::string name;                  ///< such as "decision 3"
    bool counts() const { return !outcome || outcome->kind != OutcomeKind::voided; }
  };
  /// Returns the pull that an entry of a decision names in its place, or nullopt. Throws RequestError if the entry
  /// names an observation that there is not.
  std::optional<ReplacingPull> pull_in(const LogEntry& entry, const Recorded& recorded) const;
  /// Returns the observation that an entry has recorded, or nullopt.
  std::optional<Observed> observation(std::int64_t seq) const;
  /// Returns which of the entries of a void decision names the pull of the report; nullopt if it is a new one. Throws
  /// RequestError if another one counts in place of the decision, or if this one has another outcome.
  std::optional<LogEntry> known_instead(const ReportOutcome& report, const std::vector<LogEntry>& entries,
                                        const Recorded& recorded) const;
  /// Returns the error that another pull was made in place of the decision of the report.
  RequestError is_replaced_by(const ReplacingPull& pull, const ReportOutcome& report) const;
  /// Returns the outcome of a decision with its corrections; nullopt if it is pending.
  std::optional<Outcome> outcome_now(DecisionId decision, const Recorded& recorded) const;
  /// Returns the last outcome that entries of a decision report. Throws RequestError if there is none.
  Outcome last_outcome_in(const std::vector<LogEntry>& entries, DecisionId decision) const;
  /// Returns the pull that counts in place of a decision, or nullopt.
  std::optional<DecisionId> pull_instead_of(DecisionId decision, const Recorded& recorded) const;
  Result observe(const AddObservations& add, const Recorded& recorded);
  LogEntry observe(const AddObservations::Row& row, const std::string& field);
  /// Returns the outcome of an observation with its corrections.
  Outcome outcome_now(std::int64_t seq, const Observed& observed) const;
  /// Returns the entry that recorded this observation; nullopt if it has no id, or a new one. Throws RequestError if
  /// the id is that of another observation, even if a correction has made it another one.
  std::optional<LogEntry> known_observation(const AddObservations::Row& row, const Recorded& recorded) const;
  Result change_conditions(const ChangeConditions& change);
  /// Returns the constraints after a change; those that it does not name are as now. Throws RequestError for a text
  /// that is not possible, and if nothing changes.
  Constraints changed_constraints(const ChangeConditions& change) const;
  /// Returns the arms that a change makes unavailable, ascending, those included that it adds.
  std::vector<Arm> unavailable_in(const ChangeConditions& change) const;
  Result close();
  /// The fields of a request that an error of a command points to.
  struct ErrorFields {
    explicit ErrorFields(const std::string& all = "") : reward(all), other(all) {}
    ErrorFields(std::string of_reward, std::string of_others)
        : reward(std::move(of_reward)), other(std::move(of_others)) {}
    const std::string& of(const InputError& error) const;

    std::string reward;  // if the reward is not possible
    std::string other;   // for any other reason
  };
  /// Carries out a command of the study and returns the entry of its event.
  LogEntry handle(const StudyCommand& command, const ErrorFields& fields = ErrorFields(),
                  const std::string& details = "");
  /// Tries commands on a copy, so that those which follow cannot fail half-way.
  void try_all(const std::vector<StudyCommand>& commands, const std::vector<ErrorFields>& fields) const;
  Arm arm_named(const std::string& name, const std::string& field) const;
  std::vector<Arm> arms_named(const std::vector<std::string>& names, const std::string& field) const;
  /// Returns the arms that a decision is restricted to, ascending; empty for all arms.
  std::vector<Arm> among(const AskDecisions& ask) const;
  /// Returns the name of the arm that the policy would pull next, or an empty text.
  std::string advised_arm() const;
  /// Updates what is kept in addition to the log.
  void note(const Event& event, std::int64_t seq, const std::string& at, const std::string& details);
  void note_observed(const Observed& observed, std::int64_t seq, const std::string& details);
  void note_corrected(const Corrected& corrected);
  /// Notes whether the reward of a decision, or of the observation with the number -`subject`, is off the scale.
  void note_reward(std::int64_t subject, const Outcome& outcome);
  /// Throws InputError unless a shadow becomes live.
  void check_mode_change(StudyMode mode) const;

  std::string name_;
  std::string title_;
  std::string created_at_;
  StudyMode mode_ = StudyMode::live;
  StudyLog log_;
  EventReader reader_;   // knows the arms
  std::string now_;      // time of the change that is being carried out
  std::string last_at_;  // of the last entry
  std::map<DecisionId, std::string> pending_at_;
  std::map<std::int64_t, Outcome> corrected_observations_;  // by the number of their entry, as they are now
  OutcomeDelays delays_;
  std::set<std::int64_t> off_scale_;  // see note_reward()
  Agreement agreement_;
  struct Compared {
    std::int64_t seq = 0;
    bool agreed = false;
    bool is_void = false;
  };
  std::vector<Compared> compared_;  // the observations of a shadow, ascending; agreement_ counts them
};

}  // namespace longrun
