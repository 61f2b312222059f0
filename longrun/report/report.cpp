#include "longrun/report/report.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/store.h"
#include "longrun/report/page.h"
#include "longrun/report/reproduction.h"

namespace longrun {

WrittenReport write_report(const std::string& directory, const ReportOptions& options) {
  const auto tell = [&](const std::string& stage) {
    if (options.on_progress) options.on_progress(stage);
  };
  const Store store(directory, Store::Access::read);
  const std::string out = options.out.empty() ? directory : options.out;
  WrittenReport written{.page = out + "/report.html", .claims = "", .figure_folder = out + "/figures", .figures = {}};
  std::vector<Figure> figures;
  Reproduction reproduction;
  for (const std::string& name : store.experiments()) {
    tell("reading " + name);
    const Results results(store, store.config_of(name));
    Figure figure = make_figure(results);
    reproduction.add(results);
    if (figure.scenes.empty() && figure.illustrations.empty()) continue;  // begun, but no records yet
    write_gnuplot(figure, written.figure_folder, options.figures);
    write_file(fmt::format("{}/{}.toml", written.figure_folder, name), figure.toml);
    written.figures.push_back(name);
    figures.push_back(std::move(figure));
  }
  if (figures.empty()) throw InputError(fmt::format("{}: no records yet", directory));
  tell(fmt::format("drawing {} figures", figures.size()));
  written.drawn = draw(written.figures, written.figure_folder);
  write_file(written.page, make_page(figures, written.drawn));
  if (!reproduction.empty()) {
    written.claims = out + "/reproduction.md";
    write_file(written.claims, reproduction.text());
  }
  return written;
}

}  // namespace longrun
