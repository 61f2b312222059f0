#include "longrun/report/page_parts.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "longrun/base/embedded_file.h"

namespace longrun {

std::span<const EmbeddedFile> embedded_page_parts();  // report/page/*, and the chart library

namespace {

std::string_view page_part(std::string_view name) {
  const auto parts = embedded_page_parts();
  return std::find_if(parts.begin(), parts.end(), [&](const EmbeddedFile& file) { return file.name == name; })->text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string assemble_page(PageContent content) {
  // "</script>" would end the element that contains the data, and after "<!--<script>" its end tag would not count.
  replace_all(content.data, "<", "\\u003c");
  std::string page(page_part("page.html"));
  replace_all(page, "{{title}}", content.title);
  replace_all(page, "{{about}}", content.about);
  replace_all(page, "{{style}}", page_part("page.css"));
  replace_all(page, "{{charts}}", page_part("chart.min.js"));
  replace_all(page, "{{common}}", page_part("common.js"));
  std::string scripts;
  for (const std::string& name : content.scripts) scripts += page_part(name);
  replace_all(page, "{{script}}", scripts);
  replace_all(page, "{{data}}", content.data);
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
