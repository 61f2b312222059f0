#include "longrun/report/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "longrun/base/palette.h"
#include "longrun/policy/line_style.h"
#include "tests/page_data.h"

namespace longrun {
namespace {

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
  if (impact) {
    s.impact = {-1.25, 3.123456789, 0};
    s.impact.resize(arms);
  }
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

Figure illustrated_page_figure() {
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

TEST(Page, NeedsNoOtherFileAndNoNetwork) {
  expect_self_contained(make_page({figure("a", "G"), illustrated_page_figure()}, true));
}

TEST(Page, HasNoPlaceholderLeft) { expect_whole(make_page({figure("a", "G")}, true)); }

constexpr const char* kFigure = "/groups/0/figures/0";

std::string in_figure(const std::string& pointer) { return kFigure + pointer; }

void expect_near(const std::vector<double>& shown, const std::vector<double>& values) {
  ASSERT_EQ(shown.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_NEAR(shown[k], values[k], 1e-4 * std::abs(values[k])) << "four digits are kept";
  }
}

void expect_scene(const PageData& data, const std::string& at, const Scene& expected) {
  EXPECT_EQ(data.text(at + "/bandit"), expected.bandit);
  EXPECT_EQ(data.text(at + "/noise"), "no noise");
  EXPECT_EQ(data.number(at + "/seeds"), 7);
  EXPECT_EQ(data.texts(at + "/arms"), expected.arms);
  EXPECT_EQ(data.numbers(at + "/curvePulls"), (std::vector<double>{1, 10, 20}));
  EXPECT_EQ(data.text(at + "/impactUnit"), expected.impact_unit);
  ASSERT_EQ(data.size(at + "/curves"), expected.arms.size());
  for (std::size_t arm = 0; arm < expected.arms.size(); ++arm) {
    expect_near(data.numbers(fmt::format("{}/curves/{}", at, arm)), expected.curves[arm]);
  }
  ASSERT_EQ(data.size(at + "/policies"), 4U);
  for (std::size_t p = 0; p < 4; ++p) {
    const PolicySeries& wanted = expected.policies[p];
    const std::string policy = fmt::format("{}/policies/{}", at, p);
    EXPECT_EQ(data.text(policy + "/name"), wanted.policy);
    expect_near(data.numbers(policy + "/regret/mean"), {wanted.regret[0].mean, wanted.regret[1].mean});
    expect_near(data.numbers(policy + "/regret/low"), {wanted.regret[0].low, wanted.regret[1].low});
    expect_near(data.numbers(policy + "/regret/high"), {wanted.regret[0].high, wanted.regret[1].high});
    if (expected.arms.size() == 2) {  // the pulls of one arm determine those of the other
      expect_near(data.numbers(policy + "/pulls/mean"), {10.5, 21});
      expect_near(data.numbers(policy + "/pulls/low"), {10, 20});
      expect_near(data.numbers(policy + "/pulls/high"), {11, 22});
    } else {
      expect_near(data.numbers(policy + "/shares/1"), {0.75, 0.125, 0.125});
    }
    if (!expected.impact_unit.empty()) expect_near(data.numbers(policy + "/impact"), wanted.impact);
  }
}

TEST(Page, HoldsTheNumbersOfItsFigures) {
  Figure shown = figure("a", "G");
  shown.scenes.push_back(scene("loans to two groups", {"a", "b"}, true));
  const PageData data(make_page({shown}, true));
  EXPECT_EQ(data.text(in_figure("/name")), "a");
  EXPECT_EQ(data.text(in_figure("/title")), "Title of a");
  EXPECT_EQ(data.text(in_figure("/claim")), "A claim.");
  EXPECT_EQ(data.numbers(in_figure("/horizons")), (std::vector<double>{10, 20}));
  ASSERT_EQ(data.size(in_figure("/scenes")), 3U);
  for (std::size_t i = 0; i < 3; ++i) expect_scene(data, in_figure(fmt::format("/scenes/{}", i)), shown.scenes[i]);
}

TEST(Page, StatesTheConstraintsOfAnExperiment) {
  Figure constrained = figure("a", "G");
  EXPECT_EQ(PageData(make_page({constrained}, true)).text(in_figure("/constraints")), "");
  constrained.constraints = "minimum_pulls 10; costs 0:2";
  EXPECT_EQ(PageData(make_page({constrained}, true)).text(in_figure("/constraints")), "minimum_pulls 10; costs 0:2");
}

TEST(Page, HoldsVerdictsAsText) {
  const PageData data(make_page({figure("a", "G")}, true));
  const std::string verdict = in_figure("/verdicts/0");
  EXPECT_EQ(data.text(verdict + "/says"), "SPO is best");
  EXPECT_EQ(data.text(verdict + "/text"), "holds in 1 of 2");
  ASSERT_EQ(data.size(verdict + "/scenes"), 2U);
  EXPECT_EQ(data.text(verdict + "/scenes/0/finding"), "holds");
  EXPECT_EQ(data.text(verdict + "/scenes/0/against"), "greedy");
  EXPECT_NEAR(data.number(verdict + "/scenes/0/measured"), 0.0123456, 1e-6);
  EXPECT_EQ(data.number(verdict + "/scenes/0/allowed"), 0.25);
  EXPECT_EQ(data.text(verdict + "/scenes/1/finding"), "too close to tell");
  EXPECT_EQ(data.text(verdict + "/scenes/1/noise"), "Gaussian noise, sd 0.1");
}

TEST(Page, HoldsIllustrations) {
  const PageData data(make_page({illustrated_page_figure()}, true));
  EXPECT_EQ(data.size(in_figure("/scenes")), 0U);
  EXPECT_EQ(
      data.text(in_figure("/measured")),
      "Computed by the solver: fits: the next 1 rewards total 0.30, their upper bound is 0.80, and all of them lie "
      "below it; does not: the next 1 rewards total 0.10, their upper bound is 0.30, and all of them lie below it.");
  ASSERT_EQ(data.size(in_figure("/illustrations")), 2U);
  EXPECT_EQ(data.json(in_figure("/illustrations/0")),
            R"({"bands":[[-0.05,0.35],[0.05,0.45]],"bound":[0.1,0.45,0.8],"futureBound":[0.8],"means":[0.1,0.2,0.3],)"
            R"("observations":[0.15,0.25],"title":"fits"})");
  EXPECT_EQ(data.json(in_figure("/illustrations/1/bound")), "[]");
  EXPECT_EQ(data.json(in_figure("/illustrations/1/futureBound")), "[0.3]");
}

TEST(Page, GroupsAreInTheOrderOfTheirFirstFigures) {
  const PageData data(
      make_page({figure("a", "First"), figure("b", "Second"), figure("c", "First"), figure("d", "")}, true));
  ASSERT_EQ(data.size("/groups"), 3U);
  EXPECT_EQ(data.text("/groups/0/name"), "First");
  EXPECT_EQ(data.size("/groups/0/figures"), 2U);
  EXPECT_EQ(data.text("/groups/0/figures/1/name"), "c");
  EXPECT_EQ(data.text("/groups/1/name"), "Second");
  EXPECT_EQ(data.text("/groups/2/name"), "Experiments") << "figures without a group have a heading, too";
}

TEST(Page, EveryPolicyHasTheStyleOfTheFiguresForPrintAndItsRole) {
  const PageData data(make_page({figure("a", "G")}, true));
  for (const std::string policy : {"greedy", "spo", "optimal", "spo@released"}) {
    const std::string style = in_figure("/styles/" + policy);
    const LineStyle expected = line_style(policy);
    EXPECT_EQ(data.text(style + "/colour"), expected.colour);
    EXPECT_EQ(data.numbers(style + "/dashes"), std::vector<double>(expected.dashes.begin(), expected.dashes.end()));
    EXPECT_EQ(data.flag(style + "/variant"), policy == "spo@released");
    EXPECT_EQ(data.flag(style + "/reference"), policy == "optimal");
    EXPECT_EQ(data.flag(style + "/yardstick"), policy == "spo");
  }
  for (std::size_t arm = 0; arm < 10; ++arm) EXPECT_EQ(data.texts("/armColours")[arm], arm_colour(arm));
}

TEST(Page, PoliciesOfAGridHaveDifferentLinesAndLabels) {
  Figure grid = figure("a", "G");
  const std::vector<std::string> policies{"sw-ucb:exploration=0.5,window=100", "sw-ucb:exploration=1,window=100"};
  for (Scene& scene : grid.scenes) {
    for (std::size_t i = 0; i < policies.size(); ++i) scene.policies[i].policy = policies[i];
  }
  const PageData data(make_page({grid, figure("b", "G")}, true));
  const auto style = [&](std::size_t i, const char* what) {
    return data.json(in_figure(fmt::format("/styles/{}/{}", policies[i], what)));
  };
  EXPECT_NE(style(0, "colour"), style(1, "colour"));
  EXPECT_NE(style(0, "dashes"), style(1, "dashes"));
  EXPECT_EQ(style(0, "label"), "\"sw-ucb:e=0.5,w=100\"");
  for (const auto& [policy, line] : policy_lines(grid)) {
    EXPECT_EQ(data.text(in_figure("/styles/" + policy + "/colour")), line.colour) << "as in figures for print";
  }
}

TEST(Page, LinksToPicturesOnlyIfTheyWereDrawn) {
  const auto files = [](bool drawn) {
    return PageData(make_page({figure("a", "G")}, drawn)).texts(in_figure("/files"));
  };
  EXPECT_EQ(files(true), (std::vector<std::string>{"svg", "pdf", "png", "gp", "toml"}));
  EXPECT_EQ(files(false), (std::vector<std::string>{"gp", "toml"}));
}

TEST(Page, NoTextBreaksOutOfItsElement) {
  // "<!--<script>" hides the end of a script element: "script data double escaped state" of the HTML standard.
  for (const std::string title :
       {"</script><script>alert(1)</script>", "</SCRIPT >", "<!--", "<!--<script>", "]]>", R"(a "quote" and \)",
        "{{script}} {{data}}", "line\nbreak", "\xe2\x80\xa8", "Zürich"}) {
    Figure evil = figure("a", title);
    evil.title = title;
    evil.claim = title;
    evil.constraints = title;
    evil.scenes[0].bandit = title;
    evil.scenes[0].arms[0] = title;
    evil.verdicts[0].check.says = title;
    const std::string page = make_page({evil}, true);
    EXPECT_EQ(occurrences(page, "<script"), 3U) << title;
    EXPECT_EQ(occurrences(page, "</script>"), 3U) << title;
    EXPECT_EQ(data_text(page).find('<'), std::string::npos) << title;
    const PageData data(page);
    EXPECT_EQ(data.text("/groups/0/name"), title);
    for (const char* pointer :
         {"/title", "/claim", "/constraints", "/scenes/0/bandit", "/scenes/0/arms/0", "/verdicts/0/says"}) {
      EXPECT_EQ(data.text(in_figure(pointer)), title) << pointer;
    }
  }
}

TEST(Page, BytesThatAreNotUnicodeAreReplaced) {
  Figure odd = figure("a", "G");
  odd.title = "caf\xe9 au lait";
  EXPECT_EQ(PageData(make_page({odd}, true)).text(in_figure("/title")), "caf\xef\xbf\xbd au lait");
}

TEST(Page, NumbersThatAreTinyHugeOrNanStayNumbers) {
  Figure odd = figure("a", "G");
  odd.scenes[0].policies[0].regret[0] = {1e-17, 0, 123456789};
  odd.scenes[0].policies[0].regret[1] = {std::nan(""), -1e-20, 1};
  const PageData data(make_page({odd}, true));
  const std::string regret = in_figure("/scenes/0/policies/0/regret");
  EXPECT_NEAR(data.number(regret + "/mean/0"), 1e-17, 1e-21);
  EXPECT_NEAR(data.number(regret + "/high/0"), 123456789, 1e4);
  EXPECT_EQ(data.number(regret + "/mean/1"), 0);
  EXPECT_NEAR(data.number(regret + "/low/1"), -1e-20, 1e-24);
}

// ---- the measurements as a sentence

TEST(Measured, NamesTheTwoBestAtTheLongestHorizon) {
  // Neither the reference nor variants compete.
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

TEST(Measured, IsEmptyIfNoPolicyCompetes) {
  Figure none = figure("a", "G");
  for (Scene& s : none.scenes) s.policies = {s.policies[2], s.policies[3]};
  EXPECT_EQ(measured(none), "");
}

}  // namespace
}  // namespace longrun
