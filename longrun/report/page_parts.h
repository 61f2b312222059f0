#pragma once

#include <string>
#include <vector>

namespace longrun {

/// The parts of a page that differ from page to page.
struct PageContent {
  std::string title;                            ///< as plain text
  std::string about;                            ///< a few sentences about the page, as plain text
  std::vector<std::string> styles{"page.css"};  ///< file names in report/page/
  std::vector<std::string> scripts;             ///< file names in report/page/, in the order in which they run
  std::string data;                             ///< JSON
};

/// Returns a self-contained HTML page, which needs no other file and no network.
std::string assemble_page(PageContent content);

/// Rounds to significant digits, to keep the page small; five are more than most pages show. Returns 0 for a value that
/// is not finite.
double rounded(double value, int digits = 5);
std::vector<double> rounded(std::vector<double> values, int digits = 5);

}  // namespace longrun
