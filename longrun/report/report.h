#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longrun/report/gnuplot.h"

namespace longrun {

struct ReportOptions {
  GnuplotOptions figures{};
  std::function<void(const std::string&)> on_progress{};  ///< told what is being done
};

struct WrittenReport {
  std::string page;
  std::string replication;  ///< empty where no experiment has checks
  std::vector<std::string> figures;
  bool drawn = false;  ///< false: there is no gnuplot, and only its scripts were written
};

/// Writes all there is to see of the records in a folder: report.html, figures/, and reproduction.md.
WrittenReport write_report(const std::string& directory, const ReportOptions& options = {});

}  // namespace longrun
