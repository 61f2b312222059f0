#include "longrun/report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "longrun/base/palette.h"
#include "longrun/base/version.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/page_parts.h"
#include "longrun/report/policy_roles.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

Json estimates_json(const std::vector<Estimate>& estimates) {
  Json mean = Json::array();
  Json low = Json::array();
  Json high = Json::array();
  for (const Estimate& e : estimates) {
    mean.push_back(rounded(e.mean));
    low.push_back(rounded(e.low));
    high.push_back(rounded(e.high));
  }
  return {{"mean", mean}, {"low", low}, {"high", high}};
}

Json policy_json(const PolicySeries& series, bool two_arms) {
  Json json{{"name", series.policy}, {"regret", estimates_json(series.regret)}};
  if (two_arms) {  // the pulls of one arm determine those of the other
    json["pulls"] = estimates_json(series.first_arm);
  } else {
    Json shares = Json::array();
    for (const auto& share : series.shares) shares.push_back(rounded(share));
    json["shares"] = shares;
  }
  if (!series.impact.empty()) json["impact"] = rounded(series.impact);
  return json;
}

Json scene_json(const Scene& scene) {
  Json curves = Json::array();
  for (const auto& curve : scene.curves) curves.push_back(rounded(curve));
  Json policies = Json::array();
  for (const PolicySeries& series : scene.policies) policies.push_back(policy_json(series, scene.arms.size() == 2));
  return {{"bandit", scene.bandit},
          {"noise", scene.noise},
          {"seeds", scene.seeds},
          {"oneOfMany", scene.one_of_many},
          {"deviation", scene.deviation > 1e-6 ? rounded(scene.deviation) : 0.0},
          {"arms", scene.arms},
          {"curvePulls", scene.curve_pulls},
          {"curves", curves},
          {"impactUnit", scene.impact_unit},
          {"policies", policies}};
}

Json illustration_json(const LpIllustration& shown) {
  Json bands = Json::array();
  for (const Band& band : shown.bands) bands.push_back({rounded(band.lower), rounded(band.upper)});
  return {{"title", shown.title}, {"means", rounded(shown.means)}, {"observations", rounded(shown.observations)},
          {"bands", bands},       {"bound", rounded(shown.bound)}, {"futureBound", rounded(shown.future_bound)}};
}

Json verdict_json(const Verdict& verdict) {
  Json scenes = Json::array();
  for (const CheckedScene& scene : verdict.scenes) {
    scenes.push_back({{"bandit", scene.bandit},
                      {"noise", described(parse_noise(scene.noise))},
                      {"finding", to_text(scene.finding)},
                      {"against", scene.against},
                      {"measured", rounded(scene.measured)},
                      {"allowed", rounded(scene.allowed)},
                      {"low", rounded(scene.excess.low)},
                      {"high", rounded(scene.excess.high)}});
  }
  return {{"says", verdict.check.says}, {"text", verdict.text()}, {"scenes", scenes}};
}

/// Returns the line, label and role of every policy.
Json styles_json(const Figure& figure) {
  Json styles = Json::object();
  for (const auto& [policy, line] : policy_lines(figure)) {
    const PolicyTraits traits = traits_of(policy);
    styles[policy] = {{"colour", line.colour},
                      {"dashes", line.dashes},
                      {"width", line.width},
                      {"label", policy_label(policy)},
                      {"variant", !traits.variant_of.empty()},
                      {"reference", traits.reference},
                      {"yardstick", traits.yardstick}};
  }
  return styles;
}

Json figure_json(const Figure& figure, bool linked) {
  Json scenes = Json::array();
  for (const Scene& scene : figure.scenes) scenes.push_back(scene_json(scene));
  Json verdicts = Json::array();
  for (const Verdict& verdict : figure.verdicts) verdicts.push_back(verdict_json(verdict));
  Json illustrations = Json::array();
  for (const LpIllustration& shown : figure.illustrations) illustrations.push_back(illustration_json(shown));
  Json files = Json::array();
  for (const char* kind : {"svg", "pdf", "png", "gp", "toml"}) {
    if (linked || kind == std::string("gp") || kind == std::string("toml")) files.push_back(kind);
  }
  return {{"name", figure.name},
          {"title", figure.title},
          {"claim", figure.claim},
          {"constraints", figure.constraints},
          {"measured", measured(figure)},
          {"files", files},
          {"recordedRuns", figure.recorded_runs},
          {"runs", figure.runs},
          {"horizons", figure.horizons},
          {"styles", styles_json(figure)},
          {"scenes", scenes},
          {"verdicts", verdicts},
          {"illustrations", illustrations}};
}

Json page_json(const std::vector<Figure>& figures, bool linked) {
  Json groups = Json::array();
  for (const Figure& figure : figures) {
    const std::string name = figure.group.empty() ? "Experiments" : figure.group;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Json& g) { return g["name"] == name; });
    if (group == groups.end()) {
      groups.push_back({{"name", name}, {"figures", Json::array()}});
      group = groups.end() - 1;
    }
    (*group)["figures"].push_back(figure_json(figure, linked));
  }
  Json arm_colours = Json::array();
  for (std::size_t arm = 0; arm < kArmColourCount; ++arm) arm_colours.push_back(arm_colour(arm));
  return {{"version", kVersion}, {"armColours", arm_colours}, {"groups", groups}};
}

/// Returns a regret with four decimals, or with an exponent if these would show fewer than two significant digits.
std::string regret_text(double regret) {
  constexpr double kLeast = 1e-3;
  return regret != 0 && regret < kLeast ? fmt::format("{:.2e}", regret) : fmt::format("{:.4f}", regret);
}

/// Returns a sentence about illustrations: how many of the future rewards lie below their upper bounds.
std::string measured_bounds(const std::vector<LpIllustration>& illustrations) {
  std::vector<std::string> parts;
  for (const LpIllustration& shown : illustrations) {
    const std::size_t observed = shown.observations.size();
    std::size_t below = 0;
    double true_future = 0;
    double bound = 0;
    for (std::size_t k = 0; k < shown.future_bound.size(); ++k) {
      below += shown.means[observed + k] <= shown.future_bound[k] ? 1U : 0U;
      true_future += shown.means[observed + k];
      bound += shown.future_bound[k];
    }
    parts.push_back(
        fmt::format("{}: the next {} rewards total {:.2f}, their upper bound is {:.2f}, and {} of them lie below it",
                    shown.title, shown.future_bound.size(), true_future, bound,
                    below == shown.future_bound.size() ? "all" : fmt::format("{}", below)));
  }
  return fmt::format("Computed by the solver: {}.", fmt::join(parts, "; "));
}

}  // namespace

std::string measured(const Figure& figure) {
  if (!figure.illustrations.empty()) return measured_bounds(figure.illustrations);
  std::vector<std::string> parts;
  for (const Scene& scene : figure.scenes) {
    std::vector<const PolicySeries*> ranked;
    for (const PolicySeries& series : scene.policies) {
      if (competes(series.policy)) ranked.push_back(&series);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const PolicySeries* a, const PolicySeries* b) {
      return a->regret.back().mean < b->regret.back().mean;
    });
    if (ranked.empty()) continue;
    std::string part = fmt::format("{}, {}: ", scene.bandit, scene.noise);
    for (std::size_t place = 0; place < std::min<std::size_t>(2, ranked.size()); ++place) {
      const double regret = ranked[place]->regret.back().mean;
      part += fmt::format("{}{} {}", place == 0 ? "" : ", then ", ranked[place]->policy, regret_text(regret));
    }
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return "";
  return fmt::format("Least regret per step at T = {}: {}.", figure.horizons.back(), fmt::join(parts, "; "));
}

std::string make_page(const std::vector<Figure>& figures, bool linked) {
  return assemble_page({.title = "longrun report",
                        .about =
                            "Policy regret is the largest total reward that any policy could have earned over the "
                            "whole horizon, minus the total that this policy earned. Lines are means over seeds, and "
                            "bands are their 95 % intervals. Point at a chart to see values. Drag across a chart to "
                            "zoom in, and double-click it to zoom out.",
                        .scripts = {"report_charts.js", "report.js"},
                        .data = page_json(figures, linked).dump(-1, ' ', false, Json::error_handler_t::replace)});
}

}  // namespace longrun
