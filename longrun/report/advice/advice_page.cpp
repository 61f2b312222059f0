#include "longrun/report/advice/advice_page.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "longrun/base/text.h"
#include "longrun/base/version.h"
#include "longrun/report/page_parts.h"

namespace longrun {
namespace {

constexpr int kPageDigits = 10;  // rewards of 100000.0 to 100000.9 differ in late ones

using Json = nlohmann::ordered_json;

std::string_view name(PageTone tone) {
  switch (tone) {
    case PageTone::advice:
      return "advice";
    case PageTone::caution:
      return "caution";
    case PageTone::plain:
      break;
  }
  return "plain";
}

std::string_view name(PageMark mark) {
  switch (mark) {
    case PageMark::dashes:
      return "dashes";
    case PageMark::dots:
      return "dots";
    case PageMark::line:
      break;
  }
  return "line";
}

std::string_view name(PageColour colour) {
  switch (colour) {
    case PageColour::grey:
      return "grey";
    case PageColour::green:
      return "green";
    case PageColour::blue:
      return "blue";
    case PageColour::orange:
      return "orange";
    case PageColour::ink:
      break;
  }
  return "ink";
}

Json section_json(const PageText& text) {
  Json blocks = Json::array();
  for (const PageBlock& block : text.blocks) {
    blocks.push_back({{"heading", block.heading}, {"sentences", block.sentences}, {"listed", block.listed}});
  }
  return {
      {"kind", "text"}, {"heading", text.heading}, {"tone", name(text.tone)}, {"lead", text.lead}, {"blocks", blocks}};
}

Json section_json(const PageFacts& facts) {
  Json rows = Json::array();
  for (const auto& [term, sentences] : facts.facts) rows.push_back({{"term", term}, {"sentences", sentences}});
  return {{"kind", "facts"}, {"heading", facts.heading}, {"facts", rows}};
}

Json section_json(const PageTable& table) {
  Json columns = Json::array();
  for (const PageTable::Column& column : table.columns) {
    columns.push_back({{"name", column.name}, {"number", column.number}});
  }
  Json rows = Json::array();
  for (const PageTable::Row& row : table.rows) {
    rows.push_back({{"cells", row.cells}, {"highlighted", row.highlighted}});
  }
  return {{"kind", "table"}, {"heading", table.heading}, {"columns", columns}, {"rows", rows}, {"notes", table.notes}};
}

Json series_json(const PageSeries& series) {
  Json json{{"label", series.label},
            {"mark", name(series.mark)},
            {"colour", name(series.colour)},
            {"x", rounded(series.x, kPageDigits)},
            {"y", rounded(series.y, kPageDigits)}};
  if (!series.low.empty()) {
    json["low"] = rounded(series.low, kPageDigits);
    json["high"] = rounded(series.high, kPageDigits);
  }
  if (!series.stated_x.empty()) json["statedX"] = series.stated_x;
  return json;
}

Json chart_json(const PageChart& chart) {
  Json series = Json::array();
  for (const PageSeries& each : chart.series) series.push_back(series_json(each));
  Json tics = Json::array();
  for (const auto& [at, label] : chart.x_tics) tics.push_back({{"at", at}, {"label", label}});
  return {{"title", chart.title},
          {"note", chart.note},
          {"highlighted", chart.highlighted},
          {"xRange", {chart.x_range.first, chart.x_range.second}},
          {"yRange", {chart.y_range.first, chart.y_range.second}},
          {"xTics", tics},
          {"now", chart.now ? Json(*chart.now) : Json()},
          {"series", series}};
}

Json section_json(const PageCharts& section) {
  Json charts = Json::array();
  for (const PageChart& chart : section.charts) charts.push_back(chart_json(chart));
  return {{"kind", "charts"},          {"heading", section.heading}, {"notes", section.notes},
          {"xTitle", section.x_title}, {"yTitle", section.y_title},  {"highlight", section.highlight},
          {"charts", charts}};
}

Json section_json(const PageRanges& section) {
  Json rows = Json::array();
  for (const PageRanges::Row& row : section.rows) {
    rows.push_back({{"label", row.label},
                    {"value", rounded(row.value, kPageDigits)},
                    {"low", rounded(row.low, kPageDigits)},
                    {"high", rounded(row.high, kPageDigits)},
                    {"highlighted", row.highlighted}});
  }
  return {{"kind", "ranges"},       {"heading", section.heading},    {"notes", section.notes},
          {"title", section.title}, {"fromZero", section.from_zero}, {"rows", rows}};
}

/// Returns the bytes as text of 64 different characters, RFC 4648.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t used = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (k < used ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text += k <= used ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

constexpr std::size_t kMegabyte = 1'000'000;

std::string megabytes(std::size_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / kMegabyte); }

/// Returns the page without what is too large to share, with sentences that say what is missing.
AdvicePage bounded(AdvicePage page) {
  PageOrigin& origin = page.origin;
  if (origin.history && origin.history->size() > kMostHistoryBytes) {
    origin.sentences.push_back(
        fmt::format("The history, {}, has {} and is not part of this page; the command needs it.", origin.history_file,
                    megabytes(origin.history->size())));
    origin.history.reset();
  }
  if (page.answer.size() > kMostAnswerBytes) {
    origin.sentences.push_back(
        fmt::format("The answer with all arms has {} of JSON and is not part of this page; the command can print it.",
                    megabytes(page.answer.size())));
    page.answer = "null";
  }
  return page;
}

/// Returns the history. Columns that longrun ignores need not be UTF-8, which JSON must be.
Json history_json(const PageOrigin& origin) {
  if (!origin.history) return nullptr;
  const bool text = is_utf8(*origin.history);
  return {{"file", origin.history_file}, {text ? "text" : "base64", text ? *origin.history : base64(*origin.history)}};
}

}  // namespace

std::string make_advice_page(const AdvicePage& whole) {
  const AdvicePage page = bounded(whole);
  Json sections = Json::array();
  for (const PageSection& section : page.sections) {
    sections.push_back(std::visit([](const auto& one) { return section_json(one); }, section));
  }
  const Json data{{"version", kVersion},
                  {"build", build_version()},
                  {"sections", sections},
                  {"command", page.origin.command},
                  {"history", history_json(page.origin)},
                  {"origin", page.origin.sentences},
                  {"answer", Json::parse(page.answer)}};
  return assemble_page({.title = page.title,
                        .about = page.about,
                        .styles = {"page.css", "advice.css"},
                        .scripts = {"advice_charts.js", "advice.js"},
                        .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

}  // namespace longrun
