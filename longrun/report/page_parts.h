#pragma once

#include <string>
#include <vector>

namespace longrun {

/// What one page has and others have not.
struct PageContent {
  std::string title;
  std::string about;   ///< what it shows, in a few sentences; no HTML
  std::string script;  ///< of report/page/: builds the page from the data
  std::string data;    ///< JSON
};

/// One self-contained HTML page in the look of all: no other file, no network.
std::string assemble_page(PageContent content);

/// As many digits as a page can show: it stays small.
double rounded(double value);
std::vector<double> rounded(std::vector<double> values);

}  // namespace longrun
