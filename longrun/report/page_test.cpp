#include "longrun/report/page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "longrun/base/palette.h"
#include "longrun/policy/line_style.h"
#include "longrun/report/arena_page.h"
#include "tests/made_scores.h"

namespace longrun {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDataBegins = R"(<script type="application/json" id="data">)";
constexpr std::string_view kScriptEnds = "</script>";

/// What a browser takes to be the content of the data element: up to the first end tag.
std::string data_text(const std::string& page) {
  const std::size_t begin = page.find(kDataBegins);
  EXPECT_NE(begin, std::string::npos);
  const std::size_t from = begin + kDataBegins.size();
  return page.substr(from, page.find(kScriptEnds, from) - from);
}
Json data_of(const std::string& page) { return Json::parse(data_text(page)); }

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

PolicySeries series(const std::string& policy, double regret, std::size_t arms, bool impact) {
  PolicySeries s;
  s.policy = policy;
  for (int h = 1; h <= 2; ++h) {
    s.regret.push_back({regret / h, regret / h / 2, regret / h * 2});
    s.first_arm.push_back({10.5 * h, 10.0 * h, 11.0 * h});
    std::vector<double> shares(arms, 0.25 / static_cast<double>(arms - 1));
    shares[0] = 0.75;
    s.shares.push_back(shares);
  }
  if (impact) s.impact = {-1.25, 3.123456789, 0};
  return s;
}

Scene scene(const std::string& bandit, std::vector<std::string> arms, bool impact) {
  Scene s;
  s.bandit = bandit;
  s.noise = "no noise";
  s.seeds = 7;
  s.arms = std::move(arms);
  s.curve_pulls = {1, 10, 20};
  for (std::size_t arm = 0; arm < s.arms.size(); ++arm) s.curves.push_back({0.125, 0.25, static_cast<double>(arm) / 8});
  if (impact) s.impact_unit = "credit score points";
  s.policies = {series("greedy", 0.1234567, s.arms.size(), impact), series("spo", 0.01, s.arms.size(), impact),
                series("optimal", 0, s.arms.size(), impact), series("spo@released", 0.001, s.arms.size(), impact)};
  return s;
}

Figure figure(const std::string& name, const std::string& group) {
  Figure f;
  f.name = name;
  f.title = "Title of " + name;
  f.group = group;
  f.claim = "A claim.";
  f.horizons = {10, 20};
  f.scenes = {scene("two", {"a", "b"}, false), scene("three", {"x", "y", "z"}, true)};
  f.verdicts = {{.check = {.says = "SPO is best", .policy = "spo", .against = {"greedy"}},
                 .scenes = {{.bandit = "two",
                             .noise = "none",
                             .finding = Finding::holds,
                             .against = "greedy",
                             .measured = 0.0123456,
                             .allowed = 0.25,
                             .excess = {}},
                            {.bandit = "three",
                             .noise = "gaussian:0.1",
                             .finding = Finding::too_close,
                             .against = "greedy",
                             .measured = 1,
                             .allowed = 0.5,
                             .excess = {}}}}};
  return f;
}

Figure illustrated() {
  Figure f;
  f.name = "lp";
  f.title = "An illustration";
  f.illustrations = {{.title = "fits",
                      .means = {0.1, 0.2, 0.3},
                      .observations = {0.15, 0.25},
                      .bands = {{-0.05, 0.35}, {0.05, 0.45}},
                      .bound = {0.1, 0.45, 0.8},
                      .future_bound = {0.8}},
                     {.title = "does not",
                      .means = {0.9, 0.2, 0.1},
                      .observations = {0.9, 0.2},
                      .bands = {{0.8, 1}, {0.1, 0.3}},
                      .bound = {},
                      .future_bound = {0.3}}};
  return f;
}

void expect_self_contained(const std::string& page) {
  EXPECT_FALSE(
      std::regex_search(page, std::regex(R"((src|href|action|srcset)\s*=\s*["']?\s*(https?:)?//)", std::regex::icase)));
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(<(link|img|iframe|object|embed|base)\b)", std::regex::icase)));
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(<script[^>]*\bsrc\b)", std::regex::icase)));
  for (const char* way_out : {"fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(",
                              "importScripts", "@import", "@font-face", "url(http"}) {
    EXPECT_EQ(page.find(way_out), std::string::npos) << way_out;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos) << "and the browser is told so";
  EXPECT_NE(page.find("Chart.js v"), std::string::npos) << "the chart library is inside";
}

void expect_whole(const std::string& page) {
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(\{\{[a-z]+\}\})")));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(count(page, "<script"), 3U);
  EXPECT_EQ(count(page, kScriptEnds), 3U);
  EXPECT_EQ(count(page, "</html>"), 1U);
}

TEST(Page, NeedsNoOtherFileAndNoNetwork) { expect_self_contained(make_page({figure("a", "G"), illustrated()}, true)); }

TEST(Page, HasNoPlaceholderLeft) { expect_whole(make_page({figure("a", "G")}, true)); }

TEST(Page, HoldsTheNumbersOfItsFigures) {
  const Figure shown = figure("a", "G");
  const Json data = data_of(make_page({shown}, true));
  const Json& json = data["groups"][0]["figures"][0];
  EXPECT_EQ(json["name"], "a");
  EXPECT_EQ(json["title"], "Title of a");
  EXPECT_EQ(json["claim"], "A claim.");
  EXPECT_EQ(json["horizons"], (Json{10, 20}));
  ASSERT_EQ(json["scenes"].size(), 2U);
  const auto expect_near = [](const Json& list, const std::vector<double>& values) {
    ASSERT_EQ(list.size(), values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(list[k].get<double>(), values[k], 1e-4 * std::abs(values[k])) << "four digits are kept";
    }
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const Scene& expected = shown.scenes[i];
    const Json& one = json["scenes"][i];
    EXPECT_EQ(one["bandit"], expected.bandit);
    EXPECT_EQ(one["noise"], "no noise");
    EXPECT_EQ(one["seeds"], 7);
    EXPECT_EQ(one["arms"], expected.arms);
    EXPECT_EQ(one["curvePulls"], expected.curve_pulls);
    EXPECT_EQ(one["impactUnit"], expected.impact_unit);
    ASSERT_EQ(one["curves"].size(), expected.arms.size());
    for (std::size_t arm = 0; arm < expected.arms.size(); ++arm) {
      expect_near(one["curves"][arm], expected.curves[arm]);
    }
    ASSERT_EQ(one["policies"].size(), 4U);
    for (std::size_t p = 0; p < 4; ++p) {
      const PolicySeries& wanted = expected.policies[p];
      const Json& policy = one["policies"][p];
      EXPECT_EQ(policy["name"], wanted.policy);
      expect_near(policy["regret"]["mean"], {wanted.regret[0].mean, wanted.regret[1].mean});
      expect_near(policy["regret"]["low"], {wanted.regret[0].low, wanted.regret[1].low});
      expect_near(policy["regret"]["high"], {wanted.regret[0].high, wanted.regret[1].high});
      if (i == 0) {  // two arms: pulls of the first say all
        expect_near(policy["pulls"]["mean"], {10.5, 21});
        expect_near(policy["pulls"]["low"], {10, 20});
        expect_near(policy["pulls"]["high"], {11, 22});
      } else {
        expect_near(policy["shares"][1], {0.75, 0.125, 0.125});
        expect_near(policy["impact"], {-1.25, 3.123456789, 0});
      }
    }
  }
}

TEST(Page, HoldsVerdictsInWords) {
  const Json data = data_of(make_page({figure("a", "G")}, true));
  const Json& verdict = data["groups"][0]["figures"][0]["verdicts"][0];
  EXPECT_EQ(verdict["says"], "SPO is best");
  EXPECT_EQ(verdict["text"], "holds in 1 of 2");
  ASSERT_EQ(verdict["scenes"].size(), 2U);
  EXPECT_EQ(verdict["scenes"][0]["finding"], "holds");
  EXPECT_EQ(verdict["scenes"][0]["against"], "greedy");
  EXPECT_NEAR(verdict["scenes"][0]["measured"].get<double>(), 0.0123456, 1e-6);
  EXPECT_EQ(verdict["scenes"][0]["allowed"], 0.25);
  EXPECT_EQ(verdict["scenes"][1]["finding"], "too close to tell");
  EXPECT_EQ(verdict["scenes"][1]["noise"], "Gaussian noise, sd 0.1");
}

TEST(Page, HoldsIllustrations) {
  const Json data = data_of(make_page({illustrated()}, true));
  const Json& figure = data["groups"][0]["figures"][0];
  EXPECT_EQ(figure["scenes"].size(), 0U);
  EXPECT_EQ(
      figure["measured"],
      "Asked of the solver: fits: the next 1 rewards total 0.30, the bound is 0.80, and all of them lie below it; "
      "does not: the next 1 rewards total 0.10, the bound is 0.30, and all of them lie below it.");
  ASSERT_EQ(figure["illustrations"].size(), 2U);
  const Json& fits = figure["illustrations"][0];
  EXPECT_EQ(fits["title"], "fits");
  EXPECT_EQ(fits["means"], (Json{0.1, 0.2, 0.3}));
  EXPECT_EQ(fits["observations"], (Json{0.15, 0.25}));
  EXPECT_EQ(fits["bands"], (Json{Json{-0.05, 0.35}, Json{0.05, 0.45}}));
  EXPECT_EQ(fits["bound"], (Json{0.1, 0.45, 0.8}));
  EXPECT_EQ(fits["futureBound"], Json::array({0.8}));
  EXPECT_EQ(figure["illustrations"][1]["bound"], Json::array());
  EXPECT_EQ(figure["illustrations"][1]["futureBound"], Json::array({0.3}));
}

TEST(Page, GroupsStandInTheOrderTheyFirstAppear) {
  const Json data =
      data_of(make_page({figure("a", "First"), figure("b", "Second"), figure("c", "First"), figure("d", "")}, true));
  ASSERT_EQ(data["groups"].size(), 3U);
  EXPECT_EQ(data["groups"][0]["name"], "First");
  EXPECT_EQ(data["groups"][0]["figures"].size(), 2U);
  EXPECT_EQ(data["groups"][0]["figures"][1]["name"], "c");
  EXPECT_EQ(data["groups"][1]["name"], "Second");
  EXPECT_NE(data["groups"][2]["name"], "") << "who names no group gets a heading all the same";
}

TEST(Page, EveryPolicyHasTheStyleOfTheStaticFigures) {
  const Json data = data_of(make_page({figure("a", "G")}, true));
  for (const std::string policy : {"greedy", "spo", "optimal", "spo@released"}) {
    EXPECT_EQ(data["styles"][policy]["colour"], line_style(policy).colour);
    EXPECT_EQ(data["styles"][policy]["dashes"], line_style(policy).dashes);
    EXPECT_EQ(data["styles"][policy]["variant"], policy == "spo@released");
  }
  for (std::size_t arm = 0; arm < 10; ++arm) EXPECT_EQ(data["armColours"][arm], arm_colour(arm));
}

TEST(Page, LinksToPicturesOnlyWhereThereAreAny) {
  const auto files = [](bool drawn) {
    return data_of(make_page({figure("a", "G")}, drawn))["groups"][0]["figures"][0]["files"];
  };
  EXPECT_EQ(files(true), (Json{"svg", "pdf", "png", "gp", "toml"}));
  EXPECT_EQ(files(false), (Json{"gp", "toml"}));
}

TEST(Page, NoTextBreaksOutOfItsElement) {
  // The last one hides the end of a script element from a browser: "script data double escaped state" of the standard.
  for (const std::string title :
       {"</script><script>alert(1)</script>", "</SCRIPT >", "<!--", "<!--<script>", "]]>", R"(a "quote" and \)",
        "{{script}} {{data}}", "line\nbreak", "\xe2\x80\xa8", "Zürich"}) {
    Figure evil = figure("a", title);
    evil.title = title;
    evil.claim = title;
    evil.scenes[0].bandit = title;
    evil.scenes[0].arms[0] = title;
    evil.verdicts[0].check.says = title;
    const std::string page = make_page({evil}, true);
    EXPECT_EQ(count(page, "<script"), 3U) << title;
    EXPECT_EQ(count(page, kScriptEnds), 3U) << title;
    EXPECT_EQ(data_text(page).find('<'), std::string::npos) << title;
    const Json data = data_of(page);
    EXPECT_EQ(data["groups"][0]["name"], title);
    const Json& json = data["groups"][0]["figures"][0];
    EXPECT_EQ(json["title"], title);
    EXPECT_EQ(json["claim"], title);
    EXPECT_EQ(json["scenes"][0]["bandit"], title);
    EXPECT_EQ(json["scenes"][0]["arms"][0], title);
    EXPECT_EQ(json["verdicts"][0]["says"], title);
  }
}

TEST(Page, TextThatIsNoUnicodeIsShownAsFarAsItGoes) {
  Figure odd = figure("a", "G");
  odd.title = "caf\xe9 au lait";
  const Json data = data_of(make_page({odd}, true));
  EXPECT_EQ(data["groups"][0]["figures"][0]["title"], "caf\xef\xbf\xbd au lait");
}

TEST(Page, NumbersThatAreTinyHugeOrNoneStayNumbers) {
  Figure odd = figure("a", "G");
  odd.scenes[0].policies[0].regret[0] = {1e-17, 0, 123456789};
  odd.scenes[0].policies[0].regret[1] = {std::nan(""), -1e-20, 1};
  const Json data = data_of(make_page({odd}, true));
  const Json& regret = data["groups"][0]["figures"][0]["scenes"][0]["policies"][0]["regret"];
  EXPECT_NEAR(regret["mean"][0].get<double>(), 1e-17, 1e-21);
  EXPECT_NEAR(regret["high"][0].get<double>(), 123456789, 1e4);
  EXPECT_TRUE(regret["mean"][1].is_number());
  EXPECT_NEAR(regret["low"][1].get<double>(), -1e-20, 1e-24);
}

// ---- in a sentence

TEST(Measured, NamesTheTwoBestAtTheLongestHorizon) {
  // Neither what is optimal nor variants compete.
  EXPECT_EQ(measured(figure("a", "G")),
            "Least regret per step at T = 20: two, no noise: spo 0.0050, then greedy 0.0617; "
            "three, no noise: spo 0.0050, then greedy 0.0617.");
}

TEST(Measured, OnePolicyAloneIsTheBest) {
  Figure one = figure("a", "G");
  one.scenes.resize(1);
  one.scenes[0].policies.resize(1);
  EXPECT_EQ(measured(one), "Least regret per step at T = 20: two, no noise: greedy 0.0617.");
}

TEST(Measured, SaysNothingWhereNothingCompetes) {
  Figure none = figure("a", "G");
  for (Scene& s : none.scenes) s.policies = {s.policies[2], s.policies[3]};
  EXPECT_EQ(measured(none), "");
}

TEST(ArenaPage, IsOnePageThatNeedsNothingElse) {
  const std::string page = make_arena_page({made_scores({"spo", "greedy"}, {"one", "two"})}, true);
  expect_self_contained(page);
  expect_whole(page);
}

TEST(ArenaPage, HoldsTheScoresOfEveryView) {
  ArenaScores other = made_scores({"</script><!--", "spo"}, {"two"});
  other.cells = "longest horizons";
  const Json data = data_of(make_arena_page({made_scores({"spo", "greedy"}, {"one", "two"}), other}, true));
  ASSERT_EQ(data["views"].size(), 2U);
  const Json& greedy = data["views"][0]["rows"][1];
  EXPECT_EQ(data["views"][0]["families"], (Json{"one", "two"}));
  EXPECT_EQ(greedy["policy"], "greedy");
  EXPECT_EQ(greedy["colour"], line_style("greedy").colour);
  EXPECT_EQ(greedy["overall"]["g"], (Json{{"mean", 1.0}, {"low", 0.75}, {"high", 1.5}, {"colour", "#ffffff"}}));
  EXPECT_EQ(greedy["families"][1]["m"]["mean"], 1.25);
  EXPECT_EQ(greedy["families"][1]["m"]["colour"], ratio_colour(1.25));
  EXPECT_EQ(greedy["worst"], (Json{{"ratio", 3.0}, {"cell", "bandit of greedy, no noise, T = 9"}}));
  EXPECT_EQ(data["views"][1]["cells"], "longest horizons");
  EXPECT_EQ(data["views"][1]["rows"][0]["policy"], "</script><!--") << "names are no markup";
}

TEST(ArenaPage, LinksToNoPictureThatWasNotDrawn) {
  const std::vector<ArenaScores> views{made_scores({"spo"}, {"one"})};
  EXPECT_EQ(data_of(make_arena_page(views, false))["files"], (Json{"arena.md", "arena.gp"}));
  EXPECT_EQ(data_of(make_arena_page(views, true))["files"].size(), 5U);
}

}  // namespace
}  // namespace longrun
