#include "longrun/report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/store.h"
#include "longrun/report/page.h"
#include "longrun/report/replication.h"

namespace longrun {

WrittenReport write_report(const std::string& directory, const ReportOptions& options) {
  const auto tell = [&](const std::string& what) {
    if (options.on_progress) options.on_progress(what);
  };
  const Store store(directory, Store::Access::read);
  const std::string folder = directory + "/figures";
  std::vector<Figure> figures;
  Replication replication;
  WrittenReport written;
  for (const std::string& name : store.experiments()) {
    tell("reading " + name);
    const Results results(store, store.config_of(name));
    figures.push_back(make_figure(results));
    replication.add(results);
    const Figure& figure = figures.back();
    if (figure.scenes.empty() && figure.illustrations.empty()) {
      figures.pop_back();
      continue;
    }
    write_gnuplot(figure, folder, options.figures);
    write_file(fmt::format("{}/{}.toml", folder, name), figure.toml);
    written.figures.push_back(name);
  }
  if (figures.empty()) throw InputError(fmt::format("{}: no records yet", directory));
  tell(fmt::format("drawing {} figures", figures.size()));
  written.drawn = draw(written.figures, folder);
  written.page = directory + "/report.html";
  write_file(written.page, make_page(figures, written.drawn));
  if (!replication.empty()) {
    written.replication = directory + "/reproduction.md";
    write_file(written.replication, replication.text());
  }
  return written;
}

}  // namespace longrun
