#include "longrun/decide/study/study_snapshot.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/archive.h"
#include "longrun/base/input_error.h"
#include "longrun/base/version.h"
#include "longrun/decide/study/study_json.h"

namespace longrun {
namespace {

constexpr std::string_view kMark = "longrun study ";  // the first bytes
// The formats of File that can be read. The state of the second one is followed by the replacements of a log; a log
// without any is written in the first one.
constexpr std::uint32_t kWithoutReplacements = 2;
constexpr std::uint32_t kWithReplacements = 3;

struct File {
  std::uint32_t format = kWithoutReplacements;
  std::string version;          // of the library that wrote it, with the hash of its sources
  std::string initial_spec;     // as JSON: parameters of policies may depend on the initial budget and arms
  std::string spec;             // as JSON, with all changes
  std::int64_t last_event = 0;  // number of the last event of its log
  std::uint64_t layout = 0;     // of `state`
  std::string state;            // as Study::save() wrote it, then the replacements

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(format, version, initial_spec, spec, last_event, layout, state);
  }
};

/// A ReplacementRecord as bytes.
struct SavedReplacement {
  DecisionId decision = 0;
  DecisionId instead_of = 0;
  std::optional<Arm> arm;
  bool is_settled = false;
  OutcomeKind kind = OutcomeKind::observed;  // if it is settled
  double reward = 0;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(decision, instead_of, arm, is_settled, kind, reward);
  }
};

void write(Writer& writer, const std::vector<ReplacementRecord>& records) {
  std::vector<SavedReplacement> saved;
  for (const auto& [decision, instead_of, arm, outcome] : records) {
    const Outcome known = outcome.value_or(Outcome{});
    saved.push_back({decision, instead_of, arm, outcome.has_value(), known.kind, known.reward});
  }
  writer.write(saved);
}

/// Returns the replacements. Throws InputError for some that the study cannot have.
std::vector<ReplacementRecord> read_replacements(Reader& reader, const Study& study) {
  std::vector<ReplacementRecord> records;
  for (const SavedReplacement& each : reader.read<std::vector<SavedReplacement>>()) {
    const bool is_arm_known = !each.arm || (*each.arm >= 0 && *each.arm < static_cast<Arm>(study.spec().arms.size()));
    const bool is_possible = each.decision >= 1 && each.decision <= study.last_decision() && each.instead_of >= 0 &&
                             each.instead_of < each.decision && is_arm_known;
    if (!is_possible || (each.is_settled && study.is_pending(each.decision))) {
      throw InputError("the snapshot is damaged: a pull in place of a decision is not one of the study");
    }
    ReplacementRecord record{.decision = each.decision, .instead_of = each.instead_of, .arm = each.arm};
    if (each.is_settled) record.outcome = checked(Outcome{each.kind, each.reward});
    records.push_back(record);
  }
  return records;
}

std::string bytes_of(const Study& study, std::int64_t last_event,
                     const std::vector<ReplacementRecord>& replacements = {}) {
  Writer state;
  study.save(state);
  if (!replacements.empty()) write(state, replacements);
  Writer file;
  file.write_checked(File{.format = replacements.empty() ? kWithoutReplacements : kWithReplacements,
                          .version = std::string(build_version()),
                          .initial_spec = to_json(study.initial_spec()),
                          .spec = to_json(study.spec()),
                          .last_event = last_event,
                          .layout = study.layout(),
                          .state = state.bytes()});
  return std::string(kMark) + file.bytes();
}

InputError unreadable(const File& file) {
  return InputError(  // NOLINT(modernize-return-braced-init-list): the constructor is explicit
      fmt::format("the snapshot was written by longrun {}; longrun {} cannot read it, but can replay the events of the "
                  "study",
                  file.version, build_version()));
}

File file_of(std::string_view bytes) {
  if (!bytes.starts_with(kMark)) throw InputError("the bytes are not a snapshot of a study");
  File file;
  try {
    Reader reader(bytes.substr(kMark.size()));
    reader.read_checked(file);
    reader.check_end();
  } catch (const InputError&) {
    throw InputError("the snapshot is damaged or incomplete");
  }
  if (file.format != kWithoutReplacements && file.format != kWithReplacements) throw unreadable(file);
  return file;
}

/// The study of a snapshot, and the replacements of its log.
struct Saved {
  Study study;
  std::vector<ReplacementRecord> replacements{};
};

Saved saved_in(const File& file) {
  Saved saved{Study(spec_from_json(file.initial_spec), spec_from_json(file.spec))};
  if (file.layout != saved.study.layout()) throw unreadable(file);
  Reader state(file.state);
  saved.study.load(state);
  if (file.format == kWithReplacements) saved.replacements = read_replacements(state, saved.study);
  state.check_end();
  return saved;
}

}  // namespace

std::string snapshot(const Study& study) { return bytes_of(study, 0); }
std::string snapshot(const StudyLog& log) { return bytes_of(log.study(), log.next_event() - 1, log.replacements()); }

std::int64_t last_event_of(std::string_view bytes) { return file_of(bytes).last_event; }

Study restored(std::string_view bytes) { return saved_in(file_of(bytes)).study; }

StudyLog resumed(std::string_view bytes, std::size_t keep) {
  const File file = file_of(bytes);
  const auto [study, replacements] = saved_in(file);
  return {study, study, {}, file.last_event + 1, keep, replacements};
}

StudyLog resumed(std::string_view bytes, Study base, const std::vector<Event>& events, std::int64_t first_event,
                 std::size_t keep) {
  Saved saved = saved_in(file_of(bytes));
  return {std::move(base), std::move(saved.study), events, first_event, keep, saved.replacements};
}

}  // namespace longrun
