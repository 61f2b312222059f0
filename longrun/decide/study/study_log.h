#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/study/event_list.h"
#include "longrun/decide/study/study.h"
#include "longrun/decide/study/study_events.h"

namespace longrun {

// Commands: what can be asked of a study.

struct Decide {
  Pulls count = 1;
  std::vector<Arm> among{};  ///< ascending; empty for all arms
};
struct Report {
  DecisionId decision = 0;
  Outcome outcome{};
};
struct Correct {
  DecisionId decision = 0;       ///< 0 if an observation is corrected
  Outcome outcome{};             ///< of an observation: not lost
  std::int64_t observation = 0;  ///< number of its event; 0 if a decision is corrected
};
struct Observe {
  Arm arm = 0;
  double reward = 0;
};
/// Another arm was pulled in place of a decision that is void.
struct PullInstead {
  DecisionId instead_of = 0;
  Arm arm = 0;
};
struct SetUnavailable {
  std::vector<Arm> arms{};  ///< ascending
};
struct AddArm {
  std::string name;
};
struct ExtendBudget {
  Pulls units = 0;
};
struct ChangeNoise {
  std::optional<Noise> noise{};  ///< nullopt: estimated from the rewards
};
struct ChangeConstraints {
  Constraints constraints{};
};
struct ChangeMode {
  StudyMode mode = StudyMode::live;
};
struct Close {};
using StudyCommand = std::variant<Decide, Report, Correct, Observe, PullInstead, SetUnavailable, AddArm, ExtendBudget,
                                  ChangeNoise, ChangeConstraints, ChangeMode, Close>;

/// What a log knows of a decision in place of which another arm was pulled, or of such a pull. It outlasts the events
/// of the two.
struct ReplacementRecord {
  DecisionId decision = 0;
  DecisionId instead_of = 0;         ///< the void decision in place of which it was pulled; 0 if it was decided
  std::optional<Arm> arm{};          ///< nullopt if no kept event has named it
  std::optional<Outcome> outcome{};  ///< with all corrections; nullopt if it is pending
  bool operator==(const ReplacementRecord&) const = default;
};

/// A study and its latest events. They allow what needs the past: a repeated report, a correction, another noise,
/// replay.
class StudyLog {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  /// Keeps at least the latest `keep` events, at most twice as many. Throws InputError for an invalid specification.
  explicit StudyLog(StudySpec spec, std::size_t keep = kAll);
  /// Continues a log, such as one that was saved: `events`, the first of which has the number `first_event`, lead from
  /// `base` to `study`. `replacements` are those of the saved log. Throws InputError for studies of two specifications
  /// and for a number less than 1.
  StudyLog(Study base, Study study, const std::vector<Event>& events, std::int64_t first_event, std::size_t keep = kAll,
           std::span<const ReplacementRecord> replacements = {});

  /// Carries out a command. Returns the event that it caused, valid until the next call, or nullptr if it changes
  /// nothing: the same outcome again, an outcome "corrected" to itself, or the same noise or constraints as now. Throws
  /// InputError, and changes nothing, if the command cannot be carried out, such as another outcome for a settled
  /// decision. Another noise needs all events; it must not contradict rewards that were reported.
  const Event* handle(const StudyCommand& command);

  /// A recorded event whose decisions replay would make otherwise.
  struct EventDifference {
    std::int64_t event;  ///< its number
    Difference difference;
  };
  /// Repeats events. Recorded decisions stand; those that today's code would make otherwise are returned. Throws
  /// InputError, which names the number of the event, for one that does not follow from those before it; those are
  /// repeated then.
  std::vector<EventDifference> replay(std::span<const Event> events);
  /// Repeats events that were accepted before, and returns no differences. Each correction takes a replay of the study,
  /// so they are only noted; apply_corrections() must follow the last events. Throws like replay().
  void load(std::span<const Event> events);
  void apply_corrections();

  const Study& study() const { return study_; }
  const Study& base() const { return base_; }                ///< the state before events()
  const EventList& events() const { return events_; }        ///< the latest, in order
  std::int64_t first_event() const { return first_event_; }  ///< number of the first of them
  /// Returns the decision in place of which this one was pulled, or nullopt.
  std::optional<DecisionId> instead_of(DecisionId decision) const;
  /// Returns the decisions that were pulled in place of this one, in order; also those that are void now.
  std::vector<DecisionId> pulls_instead_of(DecisionId decision) const;
  /// Returns the decisions in place of which others were pulled, and these pulls, by their numbers.
  std::vector<ReplacementRecord> replacements() const;
  /// Returns the arm of a decision, or of a pull in place of one; nullopt if that is no longer known.
  std::optional<Arm> arm_of(DecisionId decision) const;
  /// Returns about how many bytes are kept in addition to the states: events, pulls in place of decisions, and the
  /// outcomes that a correction has looked up.
  std::size_t memory() const;
  std::int64_t next_event() const { return first_event_ + static_cast<std::int64_t>(events_.size()); }

 private:
  struct Handle;

  // Each returns the event, valid until the next call, or nullptr if nothing changes.

  const Event* decide(const Decide& decide);
  const Event* settle(const Report& report);
  const Event* correct(const Correct& correct);
  const Event* change_noise(const ChangeNoise& change);
  const Event* change_constraints(const ChangeConstraints& change);
  /// The outcome of a decision, or of an observation, by the kept events.
  struct KnownOutcome {
    Outcome outcome{};            ///< with all corrections
    bool is_report_kept = false;  ///< whether the report is kept, and not only a correction
  };
  struct KnownOutcomes {
    std::unordered_map<DecisionId, KnownOutcome> outcomes;
    std::unordered_map<std::int64_t, KnownOutcome> observations;  ///< by the numbers of their events
    void add(const Event& event, std::int64_t number);
  };
  const KnownOutcomes& known();
  KnownOutcomes read_known() const;
  /// Returns the outcome of a settled decision. Throws InputError if it is not kept.
  const KnownOutcome& known_outcome(DecisionId decision);
  /// Returns the outcome of an observation. Throws InputError if there is none with this number, or if it is not kept.
  const KnownOutcome& known_observation(std::int64_t observation);
  /// Returns what is known of the outcome that is to be corrected. Throws InputError if it cannot be corrected.
  const KnownOutcome& known_before(const Correct& correct);
  /// Throws InputError if another pull was made in place of the decision, or if the decision is the pull in place of
  /// one that was made: only one of them counts.
  void check_only_pull(DecisionId decision);
  /// Throws InputError if it is known that this arm was not pulled in place of the decision: it is not void, it has
  /// this arm, another pull was made, or it is itself a pull in place of a decision. A decision whose outcome is not
  /// kept passes: replay() and load() accept the pulls of it that were recorded while it was kept.
  void check_pull_instead(DecisionId decision, Arm arm);
  /// Returns whether a correction makes a void decision count.
  static bool counts_again(const KnownOutcome& known, const Corrected& corrected);
  /// A change of the past: a correction, or another noise; one of the two is set. It must agree with the rewards; other
  /// outcomes were accepted before.
  struct Revision {
    const Corrected* corrected = nullptr;
    const NoiseChanged* noise = nullptr;
  };
  /// Returns `base` after the first `count` kept events, each decision with its final outcome. Throws InputError if the
  /// revision contradicts the events.
  Study after(Study base, std::size_t count, const Revision& revision) const;
  /// Returns the state before the kept events with this noise. Throws InputError if that needs events that are not
  /// kept, or if the policy or the scale does not allow the noise.
  Study base_with(const std::optional<Noise>& noise) const;
  template <class Kind>
  const Event* remember(Kind event);
  void add(const Event& event);
  void note_pull(DecisionId pull, DecisionId instead_of);
  void drop_old_events();
  /// Keeps the records of the decisions whose outcomes or pulls are among the first `count` events.
  void keep_replacements(std::size_t count);
  ReplacementRecord replacement(DecisionId decision, const KnownOutcomes& known) const;
  bool is_replacement(DecisionId decision) const;

  std::size_t keep_;
  Study base_;                    // the state before events_, with all corrections; if that is the start of the
                                  // study, with the first noise, else with the last one
  Study study_;                   // the state after events_
  EventList events_;              // the latest events
  std::int64_t first_event_ = 1;  // number of events_[0]
  std::map<DecisionId, DecisionId> instead_of_;          // the decisions in place of which others were pulled, by the
                                                         // latter; also of events that are no longer kept
  std::multimap<DecisionId, DecisionId> pulls_instead_;  // the same, the other way round
  std::map<DecisionId, ReplacementRecord> replaced_;     // of events that are no longer kept, by the decision
  bool is_corrected_ = false;           // whether load() has noted corrections that study_ does not have
  Event decided_{Decided{}};            // the last decisions; their memory is used again
  Event other_{Settled{}};              // the last event of another kind
  std::optional<KnownOutcomes> known_;  // of events_, from the first time that they are asked for
};

}  // namespace longrun
