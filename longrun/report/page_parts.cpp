#include "longrun/report/page_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "longrun/base/embedded_file.h"
#include "longrun/base/text.h"

namespace longrun {

std::span<const EmbeddedFile> embedded_page_parts();  // report/page/*, and the chart library

namespace {

std::string_view page_part(std::string_view name) {
  const auto parts = embedded_page_parts();
  return std::find_if(parts.begin(), parts.end(), [&](const EmbeddedFile& file) { return file.name == name; })->text;
}

}  // namespace

std::string assemble_page(PageContent content) {
  // "</script>" would end the element that contains the data, and after "<!--<script>" its end tag would not count.
  content.data = replaced(std::move(content.data), "<", "\\u003c");
  std::string scripts;
  for (const std::string& name : content.scripts) scripts += page_part(name);
  const std::array<std::pair<std::string_view, std::string_view>, 7> parts{{
      {"{{title}}", content.title},
      {"{{about}}", content.about},
      {"{{style}}", page_part("page.css")},
      {"{{charts}}", page_part("chart.min.js")},
      {"{{common}}", page_part("common.js")},
      {"{{script}}", scripts},
      {"{{data}}", content.data},  // last: it may contain the text of a placeholder
  }};
  std::string page(page_part("page.html"));
  for (const auto& [placeholder, part] : parts) page = replaced(std::move(page), placeholder, part);
  return page;
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::vector<double> rounded(std::vector<double> values) {
  for (double& value : values) value = rounded(value);
  return values;
}

}  // namespace longrun
