#include "longrun/report/arena_report.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/store.h"
#include "longrun/report/arena_figure.h"
#include "longrun/report/arena_page.h"
#include "longrun/report/gnuplot.h"
#include "longrun/report/policy_roles.h"
#include "longrun/report/results.h"

namespace longrun {

ArenaReport write_arena_report(const std::vector<Config>& configs, const std::string& directory) {
  const Store store(directory, Store::Access::read);
  Arena arena;
  for (const Config& config : configs) arena.add(Results(store, config));
  ArenaReport report{
      .views = arena.views(), .drawn = false, .table = directory + "/arena.md", .page = directory + "/arena.html"};
  if (report.views[0].rows.empty()) {
    throw InputError(fmt::format("{}: no family of bandits is complete; run all seeds of a family with policy '{}'",
                                 directory, yardstick_name()));
  }
  write_file(report.table, arena_markdown(report.views));
  write_arena_figure(report.views[0], "arena", directory);
  report.drawn = draw({"arena"}, directory);
  write_file(report.page, make_arena_page(report.views, report.drawn));
  return report;
}

}  // namespace longrun
