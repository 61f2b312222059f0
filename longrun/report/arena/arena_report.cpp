#include "longrun/report/arena/arena_report.h"

#include <fmt/format.h>

#include <optional>

#include "longrun/base/input_error.h"
#include "longrun/base/task_pool.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/store.h"
#include "longrun/report/arena/arena_figure.h"
#include "longrun/report/arena/arena_page.h"
#include "longrun/report/gnuplot.h"
#include "longrun/report/policy_roles.h"
#include "longrun/report/results.h"

namespace longrun {

namespace {

/// Reads the records of all experiments, several at a time.
std::vector<Results> read_results(const std::vector<Config>& configs, const std::string& directory,
                                  const ArenaReportOptions& options) {
  std::vector<std::optional<Results>> read(configs.size());
  TaskPool pool(options.threads, options.timing);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    pool.add([&, i] {
      const TimedScope scope(options.timing, TimedPart::report);
      read[i].emplace(Store(directory, Store::Access::read), configs[i]);
    });
  }
  pool.run();
  std::vector<Results> results;
  results.reserve(read.size());
  for (std::optional<Results>& one : read) results.push_back(*std::move(one));
  return results;
}

}  // namespace

ArenaReport write_arena_report(const std::vector<Config>& configs, const std::string& directory,
                               const ArenaReportOptions& options) {
  const std::vector<Results> all = read_results(configs, directory, options);
  const TimedScope scope(options.timing, TimedPart::report);
  Arena arena;
  for (const Results& results : all) arena.add(results);
  ArenaReport report{
      .views = arena.views(), .drawn = false, .table = directory + "/arena.md", .page = directory + "/arena.html"};
  if (report.views[0].rows.empty()) {
    throw InputError(fmt::format("{}: no family of bandits is complete; run all seeds of a family with policy '{}'",
                                 directory, yardstick_name()));
  }
  write_file(report.table, arena_markdown(report.views));
  write_arena_figure(report.views[0], "arena", directory);
  report.drawn = draw({"arena"}, directory, options.timing);
  write_file(report.page, make_arena_page(report.views, report.drawn));
  return report;
}

}  // namespace longrun
