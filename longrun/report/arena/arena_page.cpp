#include "longrun/report/arena/arena_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "longrun/base/palette.h"
#include "longrun/base/version.h"
#include "longrun/policy/line_style.h"
#include "longrun/report/page_parts.h"
#include "longrun/report/policy_roles.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

Json estimate_json(const Estimate& e) {
  return {
      {"mean", rounded(e.mean)}, {"low", rounded(e.low)}, {"high", rounded(e.high)}, {"colour", ratio_colour(e.mean)}};
}

Json score_json(const ArenaScore& score) { return {{"g", estimate_json(score.g)}, {"m", estimate_json(score.m)}}; }

Json row_json(const ArenaRow& row) {
  Json families = Json::array();
  for (const ArenaScore& score : row.families) families.push_back(score_json(score));
  return {{"policy", row.policy},
          {"colour", line_style(row.policy).colour},
          {"overall", score_json(row.overall)},
          {"families", families},
          {"worst", {{"ratio", rounded(row.worst_ratio)}, {"cell", row.worst_cell}}}};
}

Json view_json(const ArenaScores& scores) {
  Json rows = Json::array();
  for (const ArenaRow& row : scores.rows) rows.push_back(row_json(row));
  return {{"cells", scores.cells}, {"families", scores.families}, {"rows", rows}};
}

}  // namespace

std::string make_arena_page(const std::vector<ArenaScores>& views, bool linked) {
  Json list = Json::array();
  for (const ArenaScores& scores : views) list.push_back(view_json(scores));
  std::vector<std::string> files{"arena.md", "arena.gp"};
  if (linked) files.insert(files.begin(), {"arena.svg", "arena.pdf", "arena.png"});
  const Json data{{"version", kVersion},
                  {"yardstick", yardstick_title()},
                  {"views", list},
                  {"scale", {{"better", kBetterColour}, {"worse", kWorseColour}, {"full", kFullRatio}}},
                  {"files", files}};
  return assemble_page(
      {.title = "longrun arena",
       .about = fmt::format("{} The page shows {}. To see intervals, point at a dot or a number, or move through the "
                            "table with the arrow keys.",
                            arena_meaning(), views.empty() ? "no seeds" : views[0].seeds),
       .scripts = {"arena.js"},
       .data = data.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

}  // namespace longrun
