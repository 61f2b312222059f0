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

std::string page_parts(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += page_part(name);
  return text;
}

/// Returns the text as HTML that shows it.
std::string as_html(std::string text) {
  text = replaced(std::move(text), "&", "&amp;");
  text = replaced(std::move(text), "<", "&lt;");
  return replaced(std::move(text), ">", "&gt;");
}

}  // namespace

std::string assemble_page(PageContent content) {
  const std::array<std::pair<std::string_view, std::string>, 7> parts{{
      {"title", as_html(std::move(content.title))},
      {"about", as_html(std::move(content.about))},
      {"style", page_parts(content.styles)},
      {"charts", std::string(page_part("chart.min.js"))},
      {"common", std::string(page_part("common.js"))},
      {"script", page_parts(content.scripts)},
      // "</script>" would end the element that contains the data, and after "<!--<script>" its end tag would not count.
      {"data", replaced(std::move(content.data), "<", "\\u003c")},
  }};
  // In one pass: a part may contain the text of a placeholder.
  std::string page;
  std::string_view rest = page_part("page.html");
  for (std::size_t begin = rest.find("{{"); begin != std::string_view::npos; begin = rest.find("{{")) {
    const std::size_t end = rest.find("}}", begin);
    const std::string_view name = rest.substr(begin + 2, end - begin - 2);
    page += rest.substr(0, begin);
    page += std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == name; })->second;
    rest.remove_prefix(end + 2);
  }
  page += rest;
  return page;
}

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::vector<double> rounded(std::vector<double> values, int digits) {
  for (double& value : values) value = rounded(value, digits);
  return values;
}

}  // namespace longrun
