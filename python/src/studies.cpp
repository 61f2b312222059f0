#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "longrun/base/archive.h"
#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/decide/study/pending_by_arm.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/simulate/plan/plan_of_study.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"
#include "python/src/questions.h"

namespace longrun {
namespace {

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes bytes_of(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

constexpr std::int64_t kNoArm = -1;  // the expected arm of a decision that is given by its number only

/// A log of a study, as Python uses it: with lines of events, and as a pickle, which holds the states before and after
/// the kept events, and these.
class PythonStudyLog {
 public:
  using Names = std::vector<std::string>;
  using Difference = std::tuple<std::int64_t, Names, Names>;  // event, recorded and recomputed arms
  using Differences = std::vector<Difference>;

  PythonStudyLog(StudyLog log, std::optional<std::size_t> keep, bool from_start)
      : log_(std::move(log)), keep_(keep), from_start_(from_start) {}

  StudyLog& log() { return log_; }
  const StudyLog& log() const { return log_; }
  const Study& study() const { return log_.study(); }
  const StudySpec& spec() const { return study().spec(); }

  /// Throws InputError if the decision is pending and of another arm than expected.
  void check_arm_of(DecisionId decision, std::int64_t expected) const {
    if (expected == kNoArm) return;
    const Study::Pending* found = study().find_pending(decision);
    if (found == nullptr || found->arm == expected) return;
    throw InputError(
        fmt::format("decision {} of this study pulls {}, not the arm at position {}; it is another study's decision",
                    decision, arm_label(spec().arms, found->arm), expected));
  }

  /// Returns the lines from `start` up to, but without, `end`: line 0 is the specification, line n is event n. The time
  /// is that of the lines, however many events are before them.
  std::string json_lines(std::int64_t start, std::optional<std::int64_t> end) const;
  /// Returns the number of the first line that is kept.
  std::int64_t first_line() const { return from_start_ && log_.first_event() == 1 ? 0 : log_.first_event(); }

  using Confirm = std::function<void(const Differences&)>;
  /// Repeats the events of JSON Lines, and returns those whose decisions replay would make otherwise. If there are any,
  /// `confirm` is called with them first. Throws InputError if the events do not follow. An error, also one of
  /// `confirm`, changes nothing.
  Differences replay(std::string_view text, const Confirm& confirm);

  /// An outcome of a decision, or a reward of an arm: then of its oldest pending decision, or else of a pull that was
  /// not decided.
  struct Told {
    std::optional<DecisionId> decision;
    std::int64_t arm = kNoArm;
    Outcome outcome{};
  };
  using Decisions = std::vector<std::tuple<DecisionId, Arm, Pulls, std::string_view>>;  // with pull and cause
  /// Decides on the next pulls. An error changes nothing, also that of Ctrl-C.
  Decisions decide(const Decide& command);
  /// Records the outcomes in order. An error changes nothing.
  void tell(const std::vector<Told>& outcomes);
  /// Returns the study with its events.
  StudyHistory history() const;

  nb::bytes state() const;
  static PythonStudyLog resumed(const nb::bytes& bytes);

 private:
  StudyLog log_;
  std::optional<std::size_t> keep_;  // number of events to keep; nullopt for all
  bool from_start_;                  // whether event 1 is the first one of the study
};

std::string PythonStudyLog::json_lines(std::int64_t start, std::optional<std::int64_t> end) const {
  const std::int64_t first = first_line();
  if (start < first) {
    throw InputError(fmt::format("the events before event {} are not kept; start at {} or later", first, first));
  }
  const std::int64_t last = std::min(end.value_or(log_.next_event()), log_.next_event());
  std::string lines = start == 0 && last > 0 ? to_json(study().initial_spec()) + "\n" : "";
  std::int64_t number = std::max(start, log_.first_event());
  if (number >= last) return lines;
  for (auto event = log_.events().from(static_cast<std::size_t>(number - log_.first_event())); number < last; ++event) {
    lines += to_json(*event, number++, spec().arms) + "\n";
  }
  return lines;
}

PythonStudyLog::Differences with_names(const std::vector<StudyLog::EventDifference>& differences,
                                       const PythonStudyLog::Names& arms) {
  const auto names_of = [&](const std::vector<Arm>& numbers) {
    PythonStudyLog::Names names;
    for (const Arm arm : numbers) names.push_back(arms[static_cast<std::size_t>(arm)]);
    return names;
  };
  PythonStudyLog::Differences all;
  for (const auto& [event, difference] : differences) {
    all.emplace_back(event, names_of(difference.recorded), names_of(difference.recomputed));
  }
  return all;
}

PythonStudyLog::Differences PythonStudyLog::replay(std::string_view text, const Confirm& confirm) {
  const std::int64_t first = log_.next_event();
  const std::vector<Event> events = events_from_json_lines(text, spec().arms, first);
  // The events are tried first. Corrections, pulls in place of decisions, and another noise need the whole log; else a
  // log without a past is enough, which is cheaper if the events are few.
  const bool is_whole =
      events.size() >= log_.events().size() || std::any_of(events.begin(), events.end(), [](const Event& each) {
        return std::holds_alternative<Corrected>(each) || std::holds_alternative<PulledInstead>(each) ||
               std::holds_alternative<NoiseChanged>(each);
      });
  StudyLog trial = is_whole ? log_ : StudyLog(study(), study(), {}, first);
  Differences differences = with_names(trial.replay(events), trial.study().spec().arms);
  if (!differences.empty()) {
    confirm(differences);  // runs Python, so another thread may have changed the study
    if (log_.next_event() != first) {
      throw InputError(fmt::format("line 1: seq: {}; the next event is number {}", first, log_.next_event()));
    }
  }
  if (is_whole) {
    log_ = std::move(trial);
  } else {
    log_.replay(events);
  }
  return differences;
}

PythonStudyLog::Decisions decisions_in(const Event& event) {
  PythonStudyLog::Decisions decisions;
  for (const Decision& decision : std::get<Decided>(event).decisions)
    decisions.emplace_back(decision.id, decision.arm, decision.pull, name(decision.cause));
  return decisions;
}

PythonStudyLog::Decisions PythonStudyLog::decide(const Decide& command) {
  constexpr Pulls kManyPulls = 1 << 10;
  constexpr Pulls kManyArms = 1 << 20;  // of all pulls together; fewer take about 10 ms
  const auto arms = static_cast<Pulls>(spec().arms.size());
  if (command.count <= kManyPulls && command.count <= kManyArms / arms) return decisions_in(*log_.handle(command));
  const std::int64_t first = log_.next_event();
  StudyLog trial = log_;
  Decisions decisions;
  run_interruptible([&](const auto&) { decisions = decisions_in(*trial.handle(command)); });
  if (log_.next_event() != first) return decisions_in(*log_.handle(command));  // another thread has changed the study
  log_ = std::move(trial);
  return decisions;
}

/// Returns the command that records the outcome in a study in this state, whose pending decisions are `pending`.
StudyCommand command_of(const PythonStudyLog::Told& told, const Study& study, PendingByArm& pending) {
  const auto decision = told.decision ? told.decision : pending.oldest(static_cast<Arm>(told.arm), study);
  if (decision) return Report{*decision, told.outcome};
  return Observe{static_cast<Arm>(told.arm), told.outcome.reward};
}

/// Returns whether the command reports a decision that has an outcome already.
bool is_repeated(const StudyCommand& command, const Study& study) {
  const auto* report = std::get_if<Report>(&command);
  return report != nullptr && report->decision >= 1 && report->decision <= study.last_decision() &&
         !study.is_pending(report->decision);
}

void PythonStudyLog::tell(const std::vector<Told>& outcomes) {
  for (const Told& told : outcomes) {
    if (told.decision) check_arm_of(*told.decision, told.arm);
  }
  PendingByArm pending;
  if (outcomes.size() == 1) {
    log_.handle(command_of(outcomes[0], study(), pending));
    return;
  }
  // The outcomes are tried on a log without a past, so the time does not depend on the number of events. Outcomes that
  // were reported before are known to the log only; to report them again changes nothing, or throws.
  StudyLog trial(study(), study(), {}, log_.next_event());
  std::vector<StudyCommand> accepted;
  for (const Told& told : outcomes) {
    const StudyCommand command = command_of(told, trial.study(), pending);
    if (is_repeated(command, study())) {
      log_.handle(command);
    } else if (trial.handle(command) != nullptr) {
      accepted.push_back(command);
    }
  }
  for (const StudyCommand& command : accepted) log_.handle(command);
}

StudyHistory PythonStudyLog::history() const {
  if (first_line() != 0) throw InputError("not all events of the study are kept; advice about it needs them");
  StudyHistory history{.spec = study().initial_spec(), .events = {}};
  std::int64_t number = log_.first_event();
  if (number >= log_.next_event()) return history;
  for (auto event = log_.events().from(0); number < log_.next_event(); ++event, ++number) {
    history.events.push_back(*event);
  }
  return history;
}

std::size_t number_kept(std::optional<std::size_t> keep) { return keep.value_or(StudyLog::kAll); }

// ---- pickles

constexpr std::uint32_t kFormat = 1;  // of Pickle; another one cannot be read

struct Pickle {
  std::uint32_t format = kFormat;
  std::optional<std::uint64_t> keep;
  std::uint8_t from_start = 1;
  std::int64_t first_event = 1;
  std::string base;    // a snapshot of StudyLog::base()
  std::string study;   // a snapshot of the log
  std::string events;  // JSON Lines

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(format, keep, from_start, first_event, base, study, events);
  }
};

nb::bytes PythonStudyLog::state() const {
  Writer writer;
  writer.write_checked(Pickle{.keep = keep_,
                              .from_start = from_start_ ? std::uint8_t{1} : std::uint8_t{0},
                              .first_event = log_.first_event(),
                              .base = snapshot(log_.base()),
                              .study = snapshot(log_),
                              .events = json_lines(log_.first_event(), std::nullopt)});
  return bytes_of(writer.bytes());
}

PythonStudyLog PythonStudyLog::resumed(const nb::bytes& bytes) {
  Pickle pickle;
  try {
    Reader reader(view_of(bytes));
    reader.read_checked(pickle);
    reader.check_end();
  } catch (const InputError&) {
    throw InputError("the pickled study is damaged or incomplete");
  }
  if (pickle.format != kFormat) throw InputError("the pickled study was written by another version of longrun");
  Study base = restored(pickle.base);
  const std::vector<Event> events = events_from_json_lines(pickle.events, base.spec().arms, pickle.first_event);
  StudyLog log = longrun::resumed(pickle.study, std::move(base), events, pickle.first_event, number_kept(pickle.keep));
  return {std::move(log), pickle.keep, pickle.from_start != 0};
}

// ---- ways to make one

PythonStudyLog new_study(std::vector<std::string> arms, Pulls budget, const std::optional<NoiseTuple>& noise,
                         std::string policy, std::tuple<double, double> scale, const ConstraintFields& constraints,
                         std::uint64_t seed, std::optional<std::size_t> keep) {
  StudySpec spec{.arms = std::move(arms),
                 .budget = budget,
                 .scale = {.minimum = std::get<0>(scale), .maximum = std::get<1>(scale)},
                 .noise = noise_from(noise),
                 .policy = std::move(policy),
                 .constraints = constraints_from(constraints),
                 .seed = seed};
  return {StudyLog(std::move(spec), number_kept(keep)), keep, true};
}

PythonStudyLog from_snapshot(const nb::bytes& bytes, std::optional<std::size_t> keep) {
  return {resumed(view_of(bytes), number_kept(keep)), keep, false};
}

std::tuple<PythonStudyLog, PythonStudyLog::Differences> from_json_lines(const std::string& text,
                                                                        std::optional<std::size_t> keep) {
  constexpr std::size_t kEventsPerCheck = 1 << 12;
  std::optional<StudyLog> log;
  std::vector<StudyLog::EventDifference> differences;
  run_interruptible([&](const auto&) {
    const StudyHistory history = history_from_json_lines(text);
    log.emplace(history.spec, number_kept(keep));
    std::span<const Event> events = history.events;
    while (!events.empty()) {
      throw_if_cancelled();
      const std::size_t count = std::min(kEventsPerCheck, events.size());
      for (auto& each : log->replay(events.first(count))) differences.push_back(std::move(each));
      events = events.subspan(count);
    }
  });
  PythonStudyLog::Differences named = with_names(differences, log->study().spec().arms);
  return {PythonStudyLog(std::move(*log), keep, true), std::move(named)};
}

/// Returns the constraints with these members of `others` in place of theirs.
Constraints with_members(Constraints constraints, const std::vector<std::string>& members, const Constraints& others) {
  for (const std::string& member : members) {
    if (member == "minimum_pulls") constraints.minimum_pulls = others.minimum_pulls;
    if (member == "minimum_share") constraints.minimum_share = others.minimum_share;
    if (member == "unavailable") constraints.unavailable = others.unavailable;
  }
  return constraints;
}

Outcome outcome_of(const std::string& kind, double reward) {
  const OutcomeKind known = outcome_kind(kind);
  return {known, known == OutcomeKind::observed ? reward : 0};
}

}  // namespace

// The class of Python that users see is longrun.Study. It checks arguments, and names arms.
void add_study(nb::module_& module) {
  nb::class_<PythonStudyLog>(module, "StudyLog")
      .def(
          "decide",
          [](PythonStudyLog& self, Pulls count, const std::vector<Arm>& among) {
            return self.decide({count, among});
          },
          "count"_a, "among"_a)
      .def(
          "report",
          [](PythonStudyLog& self, DecisionId decision, std::int64_t arm, const std::string& kind, double reward) {
            self.check_arm_of(decision, arm);
            self.log().handle(Report{decision, outcome_of(kind, reward)});
          },
          "decision"_a, "arm"_a, "kind"_a, "reward"_a)
      .def(
          "correct",
          [](PythonStudyLog& self, DecisionId decision, const std::string& kind, double reward) {
            self.log().handle(Correct{decision, outcome_of(kind, reward)});
          },
          "decision"_a, "kind"_a, "reward"_a)
      .def(
          "correct_record",
          [](PythonStudyLog& self, std::int64_t event, const std::string& kind, double reward) {
            self.log().handle(Correct{.outcome = outcome_of(kind, reward), .observation = event});
          },
          "event"_a, "kind"_a, "reward"_a)
      .def(
          "record",
          [](PythonStudyLog& self, Arm arm, double reward) {
            self.log().handle(Observe{arm, reward});
          },
          "arm"_a, "reward"_a)
      .def(
          "tell",
          [](PythonStudyLog& self,
             const std::vector<std::tuple<std::optional<DecisionId>, std::int64_t, double>>& rewards,
             const std::string& kind) {
            std::vector<PythonStudyLog::Told> told;
            for (const auto& [decision, arm, reward] : rewards)
              told.push_back({decision, arm, outcome_of(kind, reward)});
            self.tell(told);
          },
          "rewards"_a, "kind"_a)
      .def("explain",
           [](const PythonStudyLog& self) {
             Question question = question_of(self.history(), PendingPulls::included);
             question.unavailable_now = self.study().unavailable();
             const Study study = self.study();
             Recommendation answer;
             run_interruptible([&](const auto&) { answer = recommend(question, study); });
             return fields_of_answer(question, answer);
           })
      .def(
          "plan",
          [](const PythonStudyLog& self, const PlanArguments& arguments) {
            return plan_of_study(self.history(), arguments);
          },
          "arguments"_a)
      .def(
          "set_unavailable",
          [](PythonStudyLog& self, std::vector<Arm> arms) { self.log().handle(SetUnavailable{std::move(arms)}); },
          "arms"_a)
      .def(
          "add_arm", [](PythonStudyLog& self, std::string name) { self.log().handle(AddArm{std::move(name)}); },
          "name"_a)
      .def(
          "extend_budget", [](PythonStudyLog& self, Pulls units) { self.log().handle(ExtendBudget{units}); }, "units"_a)
      .def(
          "change_noise",
          [](PythonStudyLog& self, const std::optional<NoiseTuple>& noise) {
            self.log().handle(ChangeNoise{noise_from(noise)});
          },
          "noise"_a.none())
      .def(
          "change_constraints",
          [](PythonStudyLog& self, const std::vector<std::string>& members, const ConstraintFields& constraints) {
            self.log().handle(
                ChangeConstraints{with_members(self.spec().constraints, members, constraints_from(constraints))});
          },
          "members"_a, "constraints"_a)
      .def("replay", &PythonStudyLog::replay, "text"_a, "confirm"_a)
      .def("json_lines", &PythonStudyLog::json_lines, "start"_a, "end"_a = nb::none())
      .def_prop_ro("first_line", &PythonStudyLog::first_line)
      .def_prop_ro("last_event", [](const PythonStudyLog& self) { return self.log().next_event() - 1; })
      .def("snapshot", [](const PythonStudyLog& self) { return bytes_of(snapshot(self.log())); })
      .def("state", [](const PythonStudyLog& self) { return bytes_of(snapshot(self.study())); })
      .def_prop_ro("arm_count", [](const PythonStudyLog& self) { return self.spec().arms.size(); })
      .def_prop_ro("arms", [](const PythonStudyLog& self) { return self.spec().arms; })
      .def_prop_ro("budget", [](const PythonStudyLog& self) { return self.spec().budget; })
      .def_prop_ro("policy", [](const PythonStudyLog& self) { return self.spec().policy; })
      .def_prop_ro("seed", [](const PythonStudyLog& self) { return self.spec().seed; })
      .def_prop_ro(
          "scale",
          [](const PythonStudyLog& self) { return std::tuple(self.spec().scale.minimum, self.spec().scale.maximum); })
      .def_prop_ro("noise",
                   [](const PythonStudyLog& self) {
                     const auto& noise = self.spec().noise;
                     return noise ? std::optional(tuple_of(*noise)) : std::nullopt;
                   })
      .def_prop_ro("unit_decimals", [](const PythonStudyLog& self) { return self.spec().constraints.unit_decimals; })
      .def_prop_ro("spent", [](const PythonStudyLog& self) { return self.study().spent(); })
      .def_prop_ro("done", [](const PythonStudyLog& self) { return self.study().done(); })
      .def_prop_ro("pulls",
                   [](const PythonStudyLog& self) {
                     std::vector<Pulls> pulls;
                     for (Arm arm = 0; arm < static_cast<Arm>(self.spec().arms.size()); ++arm) {
                       pulls.push_back(self.study().pulls(arm));
                     }
                     return pulls;
                   })
      .def_prop_ro("pending",
                   [](const PythonStudyLog& self) {
                     std::vector<std::tuple<DecisionId, Arm>> pending;
                     for (const Study::Pending& each : self.study().pending()) pending.emplace_back(each.id, each.arm);
                     return pending;
                   })
      .def_prop_ro("pending_count", [](const PythonStudyLog& self) { return self.study().pending().size(); })
      .def_prop_ro("unavailable", [](const PythonStudyLog& self) { return self.study().unavailable(); })
      .def("__copy__", [](const PythonStudyLog& self) { return PythonStudyLog(self); })
      .def(
          "__deepcopy__", [](const PythonStudyLog& self, nb::handle) { return PythonStudyLog(self); }, "memo"_a)
      .def("__getstate__", &PythonStudyLog::state)
      .def("__setstate__", [](PythonStudyLog& self, const nb::bytes& state) {
        new (&self) PythonStudyLog(PythonStudyLog::resumed(state));
      });
  module.def("study", &new_study, "arms"_a, "budget"_a, "noise"_a.none(), "policy"_a, "scale"_a, "constraints"_a,
             "seed"_a, "keep"_a.none());
  module.def("study_from_snapshot", &from_snapshot, "data"_a, "keep"_a.none());
  module.def("study_from_json_lines", &from_json_lines, "text"_a, "keep"_a.none());
  module.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& names) { return did_you_mean(name, names); },
      "name"_a, "names"_a);
}

}  // namespace longrun
