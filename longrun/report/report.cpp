#include "longrun/report/report.h"

#include <fmt/format.h>

#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/store.h"
#include "longrun/report/page.h"

namespace longrun {

ReportWriter::ReportWriter(std::string directory, ReportOptions options)
    : directory_(std::move(directory)),
      options_(std::move(options)),
      out_(options_.out.empty() ? directory_ : options_.out),
      figure_folder_(out_ + "/figures") {}

void ReportWriter::tell(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  if (finishing_ && options_.on_progress) options_.on_progress(stage);
}

void ReportWriter::add(const std::string& experiment, TaskPool& pool) {
  tell("reading " + experiment);
  Part* part = nullptr;
  {
    const std::lock_guard lock(mutex_);
    part = &parts_[experiment];  // stays where it is when others are added
  }
  try {
    const TimedScope scope(options_.timing, TimedPart::report);
    make(experiment, *part);
  } catch (...) {
    part->failure = std::current_exception();
    return;
  }
  if (!part->shown) return;
  for (const char* kind : kPictureKinds) {
    pool.add_urgent([this, experiment, kind, part] { draw_kind(experiment, kind, *part); });
  }
}

void ReportWriter::make(const std::string& experiment, Part& part) const {
  const Store store(directory_, Store::Access::read);
  const Results results(store, store.config_of(experiment));
  part.figure = make_figure(results);
  part.reproduction.add(results);
  part.shown = !part.figure.scenes.empty() || !part.figure.illustrations.empty();
  if (!part.shown) return;
  write_gnuplot(part.figure, figure_folder_, options_.figures);
  write_file(fmt::format("{}/{}.toml", figure_folder_, experiment), part.figure.toml);
}

void ReportWriter::draw_kind(const std::string& experiment, const char* kind, Part& part) {
  tell(fmt::format("drawing {}", experiment));
  try {
    if (draw(experiment, figure_folder_, kind, options_.timing)) return;
    const std::lock_guard lock(mutex_);
    part.drawn = false;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    part.failure = std::current_exception();
  }
}

WrittenReport ReportWriter::finish() {
  finishing_ = true;
  const std::vector<std::string> experiments = Store(directory_, Store::Access::read).experiments();
  TaskPool pool(options_.threads, options_.timing);
  for (const std::string& experiment : experiments) {
    if (!parts_.contains(experiment)) pool.add([this, &experiment, &pool] { add(experiment, pool); });
  }
  pool.run();
  const TimedScope scope(options_.timing, TimedPart::report);
  WrittenReport written{
      .page = out_ + "/report.html", .claims = "", .figure_folder = figure_folder_, .figures = {}, .drawn = true};
  std::vector<Figure> figures;
  Reproduction reproduction;
  for (const std::string& experiment : experiments) {
    Part& part = parts_.at(experiment);
    if (part.failure) std::rethrow_exception(part.failure);
    if (!part.shown) continue;  // begun, but no records yet
    reproduction.add(std::move(part.reproduction));
    written.figures.push_back(experiment);
    written.drawn = written.drawn && part.drawn;
    figures.push_back(std::move(part.figure));
  }
  if (figures.empty()) throw InputError(fmt::format("{}: no records yet", directory_));
  write_file(written.page, make_page(figures, written.drawn));
  if (!reproduction.empty()) {
    written.claims = out_ + "/reproduction.md";
    write_file(written.claims, reproduction.text());
  }
  return written;
}

WrittenReport write_report(const std::string& directory, const ReportOptions& options) {
  return ReportWriter(directory, options).finish();
}

}  // namespace longrun
