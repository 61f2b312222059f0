#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longrun/report/gnuplot.h"

namespace longrun {

/// The options of write_report().
struct ReportOptions {
  std::string out{};  ///< the folder to write to; empty for the folder of the records
  GnuplotOptions figures{};
  std::function<void(const std::string&)> on_progress{};  ///< called with the name of each stage
};

/// The files that write_report() wrote.
struct WrittenReport {
  std::string page;
  std::string claims;  ///< empty if no experiment has checks
  std::string figure_folder;
  std::vector<std::string> figures;  ///< names without extension
  bool drawn = false;                ///< false if gnuplot is not installed: there are scripts, but no pictures
};

/// Writes the report on the records in a folder: report.html, figures/ and, if experiments have checks,
/// reproduction.md. With `options.out`, writes nothing into the folder of the records, which may be read-only. Throws
/// InputError if there are no records, and SystemError if a file cannot be written.
WrittenReport write_report(const std::string& directory, const ReportOptions& options = {});

}  // namespace longrun
