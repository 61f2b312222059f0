#include "longrun/report/advice/backtest_json.h"

#include <nlohmann/json.hpp>

#include "longrun/report/json_values.h"
#include "longrun/simulate/backtest/backtest_explanation.h"

namespace longrun {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const LogEstimate& estimate) {
  ordered_json object{{"value", estimate.value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate.interval) {
    object["low"] = estimate.interval->low;
    object["high"] = estimate.interval->high;
  }
  return object;
}

ordered_json as_json(const Replay& replay, const RewardScale& scale) {
  const Pulls pulls = std::ssize(replay.rewards) + replay.unknown;
  ordered_json object{{"pulls", pulls}, {"pending", replay.unknown}, {"reward", nullptr}, {"exhausted", nullptr}};
  if (!replay.rewards.empty()) object["reward"] = scale.from_unit(replay.mean(replay.rewards.size()));
  if (replay.exhausted) object["exhausted"] = *replay.exhausted;
  return object;
}

ordered_json arms_json(const BacktestSpec& spec, const Backtest& result) {
  ordered_json arms = ordered_json::array();
  const auto add = [&](const LoggedArm& arm) -> ordered_json& {
    const std::string& name = spec.history.arm_names[static_cast<std::size_t>(arm.arm)];
    arms.push_back({{"arm", arm.arm},
                    {"name", name.empty() ? ordered_json() : ordered_json(name)},
                    {"pulls", arm.made},
                    {"pending", arm.made - std::ssize(arm.rewards)},
                    {"curve", nullptr}});
    return arms.back();
  };
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    const SinglePeakedFit& fit = result.fit.arms[i];
    add(result.arms[i])["curve"] = {{"first", spec.scale.from_unit(fit.start_reward())},
                                    {"highest", spec.scale.from_unit(fit.peak_reward())},
                                    {"peak", fit.peak()},
                                    {"last", spec.scale.from_unit(fit.end_reward())}};
  }
  for (const LoggedArm& arm : result.left_out) add(arm);
  return arms;
}

ordered_json replays_json(const BacktestSpec& spec, const Backtest& result) {
  ordered_json replays = ordered_json::array();
  for (const auto& [policy, columns, rejection] : result.replays) {
    ordered_json object{{"policy", policy}, {"columns", ordered_json::array()}};
    for (const Replay& replay : columns) object["columns"].push_back(as_json(replay, spec.scale));
    if (rejection) {
      object["rejection"] = as_json(rejection->replay, spec.scale);
      object["rejection"]["rows"] = rejection->rows;
      object["rejection"]["mean_delay"] = rejection->mean_delay;
      object["rejection"]["age_effect"] = rejection->age_effect * spec.scale.range();
    }
    replays.push_back(std::move(object));
  }
  return replays;
}

}  // namespace

std::string backtest_json(const BacktestSpec& spec, const Backtest& result) {
  ordered_json policies = ordered_json::array();
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const BacktestRow& row = result.rows[i];
    policies.push_back({{"policy", row.name},
                        {"reference", row.reference},
                        {"best", i == result.best},
                        {"reward", as_json(row.reward)},
                        {"standard_error", row.standard_error},
                        {"behind_best", as_json(row.behind_best)},
                        {"clearly_behind", row.clearly_behind},
                        {"regret", as_json(row.regret)},
                        {"pulls", row.pulls},
                        {"extrapolated", row.extrapolated}});
  }
  std::vector<Arm> fitted;
  for (const LoggedArm& arm : result.arms) fitted.push_back(arm.arm);
  ordered_json object{{"conclusions", backtest_conclusions(spec, result)},
                      {"warnings", backtest_warnings(spec, result)},
                      {"horizon", result.horizon},
                      {"replicates", spec.replicates},
                      {"resamples", spec.resamples},
                      {"seed", seed_json<ordered_json>(spec.seed)},
                      {"scale", {spec.scale.minimum, spec.scale.maximum}},
                      {"log",
                       {{"pulls", result.log_pulls},
                        {"pending", result.log_pulls - result.log_rewards},
                        {"reward", result.log_reward},
                        {"warnings", spec.history.warnings}}},
                      {"noise",
                       {{"kind", to_text(result.fit.noise)},
                        {"sd", result.fit.sd * spec.scale.range()},
                        {"outliers", result.fit.outliers}}},
                      {"arms", arms_json(spec, result)},
                      {"fitted_arms", fitted},
                      {"by_chance", number_json<ordered_json>(result.by_chance)},
                      {"policies", policies},
                      {"replays", replays_json(spec, result)}};
  if (result.random_choices) {
    object["random_choices"] = {{"uniform", number_json<ordered_json>(result.random_choices->uniform)},
                                {"independent", number_json<ordered_json>(result.random_choices->independent)}};
  }
  // JSON must be UTF-8, which the name of an arm need not be.
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace longrun
