#include "longrun/report/advice/advice_page.h"

#include <gtest/gtest.h>

#include "longrun/base/version.h"
#include "tests/page_data.h"

namespace longrun {
namespace {

constexpr const char* kHostile = "</script><script>alert(1)</script><b>{{data}} &amp; <!--";

AdvicePage made_advice() {
  return {.title = "Advice",
          .about = "One sentence.",
          .sections = {PageText{.heading = "", .tone = PageTone::advice, .lead = "Do this."}},
          .origin = {.command = "longrun recommend", .history_file = "log.csv", .history = "arm,reward\na,1\n"},
          .answer = R"({"next":[1,2.5]})"};
}

TEST(AdvicePage, IsOnePageThatNeedsNothingElse) {
  const std::string page = make_advice_page(made_advice());
  expect_self_contained(page);
  expect_whole(page);
  EXPECT_EQ(page, make_advice_page(made_advice())) << "the same input makes the same bytes";
}

TEST(AdvicePage, HoldsEverySectionInItsOrder) {
  AdvicePage advice = made_advice();
  advice.sections.emplace_back(PageFacts{.heading = "Facts", .facts = {{"Term", {"One.", "Two."}}}});
  advice.sections.emplace_back(PageTable{.heading = "Numbers",
                                         .columns = {{"arm"}, {"pulls", true}},
                                         .rows = {{.cells = {"a", "3"}, .highlighted = true}}});
  PageChart chart{.title = "a", .highlighted = true, .x_tics = {{0.5, "now"}}, .now = 0.5};
  chart.series.push_back({.label = "means", .x = {0, 1}, .y = {2, 3}, .low = {1, 2}, .high = {3, 4}});
  chart.series.push_back(
      {.label = "bound", .mark = PageMark::dashes, .colour = PageColour::blue, .x = {0}, .y = {1}, .stated_x = {70}});
  advice.sections.emplace_back(
      PageCharts{.heading = "Pictures", .notes = {}, .x_title = "pull", .y_title = "reward", .charts = {chart}});
  const PageData data(make_advice_page(advice));
  ASSERT_EQ(data.size("/sections"), 4U);
  EXPECT_EQ(data.text("/sections/0/lead"), "Do this.");
  EXPECT_EQ(data.text("/sections/0/tone"), "advice");
  EXPECT_EQ(data.json("/sections/1/facts"), R"([{"sentences":["One.","Two."],"term":"Term"}])");
  EXPECT_EQ(data.json("/sections/2/columns/1"), R"({"name":"pulls","number":true})");
  EXPECT_EQ(data.json("/sections/2/rows/0"), R"({"cells":["a","3"],"highlighted":true})");
  const std::string shown = "/sections/3/charts/0";
  EXPECT_EQ(data.json(shown + "/xTics"), R"([{"at":0.5,"label":"now"}])");
  EXPECT_EQ(data.numbers(shown + "/series/0/low"), (std::vector<double>{1, 2}));
  EXPECT_EQ(data.text(shown + "/series/1/mark"), "dashes");
  EXPECT_EQ(data.text(shown + "/series/1/colour"), "blue");
  EXPECT_EQ(data.numbers(shown + "/series/1/statedX"), (std::vector<double>{70}));
  EXPECT_ANY_THROW(data.json(shown + "/series/1/low")) << "no band";
}

TEST(AdvicePage, HoldsWhatMakesItAgain) {
  AdvicePage advice = made_advice();
  advice.origin.sentences = {"The seed is 0."};
  const PageData data(make_advice_page(advice));
  EXPECT_EQ(data.text("/command"), "longrun recommend");
  EXPECT_EQ(data.text("/version"), kVersion);
  EXPECT_EQ(data.text("/build"), build_version());
  EXPECT_EQ(data.json("/history"), R"({"file":"log.csv","text":"arm,reward\na,1\n"})");
  EXPECT_EQ(data.json("/answer"), advice.answer);
  EXPECT_EQ(data.texts("/origin"), advice.origin.sentences);
  advice.origin.history.reset();
  EXPECT_EQ(PageData(make_advice_page(advice)).json("/history"), "null");
}

TEST(AdvicePage, LeavesOutWhatIsTooLargeAndSaysSo) {
  AdvicePage advice = made_advice();
  advice.origin.sentences = {"The seed is 0."};
  advice.origin.history = std::string(kMostHistoryBytes, 'x');
  advice.answer = "\"" + std::string(kMostAnswerBytes - 2, 'x') + "\"";
  EXPECT_EQ(PageData(make_advice_page(advice)).texts("/origin"), advice.origin.sentences) << "just not too large";
  *advice.origin.history += 'x';
  advice.answer.insert(1, "x");
  const std::string html = make_advice_page(advice);
  EXPECT_LT(html.size(), 1'000'000U);
  const PageData data(html);
  EXPECT_EQ(data.json("/history"), "null");
  EXPECT_EQ(data.json("/answer"), "null");
  EXPECT_EQ(data.texts("/origin"),
            (std::vector<std::string>{
                "The seed is 0.", "The history, log.csv, has 8 MB and is not part of this page; the command needs it.",
                "The answer with all arms has 4 MB of JSON and is not part of this page; the command can print it."}));
}

TEST(AdvicePage, KeepsEveryByteOfAHistory) {
  AdvicePage advice = made_advice();
  const std::string marked =
      "\xef\xbb\xbf"
      "arm;reward\r\nM\xc3\xbcnchen;1\r\n";
  advice.origin.history = marked;
  EXPECT_EQ(PageData(make_advice_page(advice)).text("/history/text"), marked);
  // The examples of RFC 4648, behind bytes that are no UTF-8.
  const std::vector<std::pair<std::string, std::string>> cases{{"\xff", "/w=="},
                                                               {"\xff\xfe", "//4="},
                                                               {"\xff\xfe\xfd", "//79"},
                                                               {"\xff"
                                                                "foobar",
                                                                "/2Zvb2Jhcg=="}};
  for (const auto& [bytes, text] : cases) {
    advice.origin.history = bytes;
    EXPECT_EQ(PageData(make_advice_page(advice)).text("/history/base64"), text);
  }
}

TEST(AdvicePage, NoTextIsReadAsHtmlOrAsAPlaceholder) {
  AdvicePage advice = made_advice();
  advice.title = kHostile;
  advice.about = kHostile;
  advice.origin = {.command = kHostile, .history_file = kHostile, .history = kHostile, .sentences = {kHostile}};
  advice.sections = {
      PageText{.heading = kHostile, .lead = kHostile, .blocks = {{.heading = kHostile, .sentences = {kHostile}}}},
      PageTable{.heading = kHostile, .columns = {{kHostile}}, .rows = {{.cells = {kHostile}}}}};
  const std::string page = make_advice_page(advice);
  EXPECT_EQ(occurrences(page, "<script"), 3U);
  EXPECT_EQ(occurrences(page, "</script>"), 3U);
  EXPECT_EQ(occurrences(page, "<b>"), 0U);
  const std::string shown = "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;{{data}} &amp;amp; &lt;!--";
  EXPECT_EQ(occurrences(page, "<title>" + shown + "</title>"), 1U);
  EXPECT_EQ(occurrences(page, "<h1>" + shown + "</h1>"), 1U);
  const PageData data(page);
  for (const char* text : {"/command", "/history/file", "/history/text", "/origin/0", "/sections/0/lead",
                           "/sections/0/blocks/0/sentences/0", "/sections/1/rows/0/cells/0"}) {
    EXPECT_EQ(data.text(text), kHostile) << text;
  }
}

}  // namespace
}  // namespace longrun
