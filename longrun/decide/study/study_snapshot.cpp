#include "longrun/decide/study/study_snapshot.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "longrun/base/archive.h"
#include "longrun/base/input_error.h"
#include "longrun/base/version.h"
#include "longrun/decide/study/study_json.h"

namespace longrun {
namespace {

constexpr std::string_view kMark = "longrun study ";  // the first bytes
constexpr std::uint32_t kFormat = 2;                  // of File; another one cannot be read

struct File {
  std::uint32_t format = kFormat;
  std::string version;          // of the library that wrote it, with the hash of its sources
  std::string initial_spec;     // as JSON: parameters of policies may depend on the initial budget and arms
  std::string spec;             // as JSON, with all changes
  std::int64_t last_event = 0;  // number of the last event of its log
  std::uint64_t layout = 0;     // of `state`
  std::string state;            // as Study::save() wrote it

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(format, version, initial_spec, spec, last_event, layout, state);
  }
};

std::string bytes_of(const Study& study, std::int64_t last_event) {
  Writer state;
  study.save(state);
  Writer file;
  file.write_checked(File{.version = std::string(build_version()),
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
  if (file.format != kFormat) throw unreadable(file);
  return file;
}

}  // namespace

std::string snapshot(const Study& study) { return bytes_of(study, 0); }
std::string snapshot(const StudyLog& log) { return bytes_of(log.study(), log.next_event() - 1); }

std::int64_t last_event_of(std::string_view bytes) { return file_of(bytes).last_event; }

Study restored(std::string_view bytes) {
  const File file = file_of(bytes);
  Study study(spec_from_json(file.initial_spec), spec_from_json(file.spec));
  if (file.layout != study.layout()) throw unreadable(file);
  Reader state(file.state);
  study.load(state);
  state.check_end();
  return study;
}

}  // namespace longrun
