#pragma once

#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "longrun/base/task_pool.h"
#include "longrun/base/timing.h"
#include "longrun/report/gnuplot.h"
#include "longrun/report/reproduction.h"

namespace longrun {

/// The options of a report.
struct ReportOptions {
  std::string out{};  ///< the folder to write to; empty for the folder of the records
  GnuplotOptions figures{};
  std::function<void(const std::string&)> on_progress{};  ///< called with the name of each stage of finish()
  int threads = 0;                                        ///< of finish(); 0: one per core
  Timing* timing = nullptr;                               ///< if set, gets the times of all parts
};

/// The files of a report.
struct WrittenReport {
  std::string page;
  std::string claims;  ///< empty if no experiment has checks
  std::string figure_folder;
  std::vector<std::string> figures;  ///< names without extension
  bool drawn = false;                ///< false if gnuplot is not installed: there are scripts, but no pictures
};

/// A report on the records in a folder: report.html, figures/ and, if experiments have checks, reproduction.md. The
/// figures of an experiment can be made while other experiments are still being computed. With `options.out`, writes
/// nothing into the folder of the records, which may be read-only.
class ReportWriter {
 public:
  explicit ReportWriter(std::string directory, ReportOptions options = {});

  /// Reads the records of an experiment, and adds the drawing of its figure to the pool. Thread-safe. Failures are
  /// thrown by finish().
  void add(const std::string& experiment, TaskPool& pool);

  /// Adds the experiments of the folder that are not added yet, and writes the page and the claims. All tasks that
  /// add() added must be done. Throws InputError if there are no records, and SystemError if a file cannot be written.
  WrittenReport finish();

 private:
  /// The part of the report that shows one experiment.
  struct Part {
    Figure figure;
    Reproduction reproduction;     // of this experiment alone
    bool shown = false;            // false if the experiment has no records yet
    bool drawn = true;             // false if gnuplot is not installed
    std::exception_ptr failure{};  // thrown by finish()
  };

  void make(const std::string& experiment, Part& part) const;
  void draw_kind(const std::string& experiment, const char* kind, Part& part);
  void tell(const std::string& stage);

  const std::string directory_;
  const ReportOptions options_;
  const std::string out_;
  const std::string figure_folder_;
  std::mutex mutex_;                   // guards parts_ as a map, `drawn` and `failure` of each part, and on_progress
  std::map<std::string, Part> parts_;  // by experiment
  bool finishing_ = false;             // inside finish()
};

/// Writes the report on all records in a folder, see ReportWriter.
WrittenReport write_report(const std::string& directory, const ReportOptions& options = {});

}  // namespace longrun
