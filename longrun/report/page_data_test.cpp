#include "tests/page_data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

namespace longrun {

PageData::PageData(const std::string& page)
    : data_(std::make_unique<nlohmann::json>(nlohmann::json::parse(data_text(page)))) {}
PageData::~PageData() = default;

const nlohmann::json& PageData::at(std::string_view pointer) const {
  return data_->at(nlohmann::json::json_pointer(std::string(pointer)));
}

std::string PageData::text(std::string_view pointer) const { return at(pointer).get<std::string>(); }
double PageData::number(std::string_view pointer) const { return at(pointer).get<double>(); }
bool PageData::flag(std::string_view pointer) const { return at(pointer).get<bool>(); }
std::size_t PageData::size(std::string_view pointer) const { return at(pointer).size(); }
std::vector<double> PageData::numbers(std::string_view pointer) const { return at(pointer).get<std::vector<double>>(); }
std::vector<std::string> PageData::texts(std::string_view pointer) const {
  return at(pointer).get<std::vector<std::string>>();
}
std::string PageData::json(std::string_view pointer) const { return at(pointer).dump(); }

std::string data_text(const std::string& page) {
  constexpr std::string_view kBegin = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(kBegin);
  EXPECT_NE(begin, std::string::npos);
  const std::size_t from = begin + kBegin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

void expect_self_contained(const std::string& page) {
  EXPECT_FALSE(
      std::regex_search(page, std::regex(R"((src|href|action|srcset)\s*=\s*["']?\s*(https?:)?//)", std::regex::icase)));
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(<(link|img|iframe|object|embed|base)\b)", std::regex::icase)));
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(<script[^>]*\bsrc\b)", std::regex::icase)));
  for (const char* request : {"fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(",
                              "importScripts", "@import", "@font-face", "url(http"}) {
    EXPECT_EQ(page.find(request), std::string::npos) << request;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos) << "the content security policy";
  EXPECT_NE(page.find("Chart.js v"), std::string::npos) << "the chart library is part of the page";
}

void expect_whole(const std::string& page) {
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(\{\{[a-z]+\}\})")));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(occurrences(page, "<script"), 3U);
  EXPECT_EQ(occurrences(page, "</script>"), 3U);
  EXPECT_EQ(occurrences(page, "</html>"), 1U);
}

namespace {

TEST(PageData, EndsAtTheFirstEndTag) {
  const PageData data(R"(<script type="application/json" id="data">{"a":[1,"b"]}</script> </script>)");
  EXPECT_EQ(data.json(""), R"({"a":[1,"b"]})");
  EXPECT_EQ(data.size("/a"), 2U);
  EXPECT_EQ(data.number("/a/0"), 1);
  EXPECT_EQ(data.text("/a/1"), "b");
  EXPECT_ANY_THROW(data.text("/a/0"));
  EXPECT_ANY_THROW(data.number("/b"));
}

}  // namespace
}  // namespace longrun
