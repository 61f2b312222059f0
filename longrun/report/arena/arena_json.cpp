#include "longrun/report/arena/arena_json.h"

#include <nlohmann/json.hpp>

#include "longrun/base/version.h"
#include "longrun/report/policy_roles.h"

namespace longrun {
namespace {

using nlohmann::ordered_json;

ordered_json exact_json(const Estimate& e) { return {{"mean", e.mean}, {"low", e.low}, {"high", e.high}}; }

ordered_json exact_json(const ArenaScore& score) { return {{"g", exact_json(score.g)}, {"m", exact_json(score.m)}}; }

ordered_json exact_json(const ArenaScores& scores) {
  ordered_json policies = ordered_json::array();
  for (const ArenaRow& row : scores.rows) {
    ordered_json families = ordered_json::object();
    for (std::size_t i = 0; i < scores.families.size(); ++i) families[scores.families[i]] = exact_json(row.families[i]);
    policies.push_back({{"policy", row.policy},
                        {"overall", exact_json(row.overall)},
                        {"families", families},
                        {"worst", {{"ratio", row.worst_ratio}, {"cell", row.worst_cell}}}});
  }
  return {{"cells", scores.cells}, {"seeds", scores.seeds}, {"families", scores.families}, {"policies", policies}};
}

}  // namespace

std::string arena_json(const std::vector<ArenaScores>& views) {
  ordered_json list = ordered_json::array();
  for (const ArenaScores& scores : views) list.push_back(exact_json(scores));
  const ordered_json object{{"version", kVersion}, {"yardstick", yardstick_name()}, {"views", list}};
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace longrun
