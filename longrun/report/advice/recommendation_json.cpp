#include "longrun/report/advice/recommendation_json.h"

#include <utility>

#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/internal/question_json.h"

namespace longrun {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const std::optional<RewardNow>& now) {
  if (!now) return nullptr;
  return {{"mean", now->mean},   {"standard_error", now->standard_error},
          {"pulls", now->pulls}, {"low", now->low},
          {"high", now->high},   {"estimate", now->estimate}};
}

ordered_json as_json(const std::optional<CurveTrend>& trend) {
  if (!trend) return nullptr;
  return {{"stated", name(trend->stated())},
          {"rising", trend->rising},
          {"falling", trend->falling},
          {"steady", trend->steady}};
}

ordered_json as_json(const std::optional<FutureRange>& expected) {
  if (!expected) return nullptr;
  return {{"mean", expected->mean}, {"low", expected->low}, {"high", expected->high}};
}

ordered_json as_json(const std::optional<Misfit>& misfit) {
  if (!misfit) return nullptr;
  return {{"kind", name(misfit->kind)}, {"from", misfit->from}, {"to", misfit->to}, {"counted", misfit->counted}};
}

ordered_json as_json(const Question& question, const ArmReport& arm, Arm number) {
  ordered_json course = ordered_json::array();
  for (const auto& [pull, reward] : arm.expected_course) {
    course.push_back({{"pull", pull}, {"mean", reward.mean}, {"low", reward.low}, {"high", reward.high}});
  }
  ordered_json points = ordered_json::array();
  for (const FuturePull& point : arm.upper_bound) points.push_back({{"pull", point.pull}, {"reward", point.reward}});
  return {{"arm", number},
          {"name", label_of(question.history.arm_names, number)},
          {"pulls", arm.pulls},
          {"pending", arm.pending},
          {"pending_counted_as", arm.pending > 0 ? ordered_json(arm.pending_counted_as) : ordered_json()},
          {"remaining", arm.remaining},
          {"reward_now", as_json(arm.reward_now)},
          {"noise_sd", arm.noise_sd},
          {"trend", as_json(arm.trend)},
          {"expected", as_json(arm.expected)},
          {"expected_course", course},
          {"value_of_learning", arm.value_of_learning ? ordered_json(*arm.value_of_learning) : ordered_json()},
          {"index", arm.index},
          {"upper_bound", {{"total", arm.upper_bound_total}, {"curve", points}}},
          {"misfit", as_json(arm.misfit)}};
}

ordered_json as_json(const Question& question, const std::optional<WhatIf>& what_if) {
  if (!what_if) return nullptr;
  ordered_json then = ordered_json::array();
  for (const Consequence& consequence : what_if->consequences) {
    ordered_json range{{"from", consequence.from}, {"to", consequence.to}};
    range.update(arm_as_json(question, consequence.arm));
    then.push_back(std::move(range));
  }
  ordered_json object = arm_as_json(question, what_if->arm);
  object["pulls"] = what_if->pulls;
  object["then"] = std::move(then);
  return object;
}

ordered_json arms_as_json(const Question& question, const Recommendation& answer) {
  ordered_json arms = ordered_json::array();
  for (std::size_t i = 0; i < answer.arms.size(); ++i) {
    arms.push_back(as_json(question, answer.arms[i], static_cast<Arm>(i)));
  }
  return arms;
}

ordered_json as_json(const Question& question, const NextPulls& next) {
  ordered_json causes = ordered_json::object();
  for (const auto& [cause, pulls] : next.causes) causes[std::string(name(cause))] = pulls;
  ordered_json object = arm_as_json(question, next.arm);
  object["pulls"] = next.pulls();
  object["causes"] = std::move(causes);
  return object;
}

ordered_json as_json(const Question& question, const std::optional<ToLearn>& learn) {
  if (!learn) return nullptr;
  return {{"instead", arm_as_json(question, learn->instead)},
          {"cost", learn->cost},
          {"probability", learn->probability},
          {"gain", learn->gain}};
}

/// Returns a reward that looks like a mistake; `typical_key` says what the typical reward there is.
ordered_json as_json(const Question& question, const Outlier& outlier, const char* typical_key) {
  const PastPull& pull = question.history.pulls[outlier.pull];
  ordered_json object = arm_as_json(question, pull.arm);
  object["pull"] = outlier.pull + 1;
  object["line"] = pull.line > 0 ? ordered_json(pull.line) : ordered_json();
  object["reward"] = outlier.reward;
  object[typical_key] = outlier.typical;
  return object;
}

}  // namespace

std::string recommendation_json(const Question& question, const Recommendation& answer) {
  ordered_json next = ordered_json::array();
  for (const NextPulls& each : answer.next.arms) {
    next.push_back(as_json(question, each));
  }
  ordered_json outliers = ordered_json::array();
  for (const Outlier& outlier : answer.outliers) outliers.push_back(as_json(question, outlier, "counted_as"));
  ordered_json doubtful = ordered_json::array();
  for (const Outlier& outlier : answer.doubtful) doubtful.push_back(as_json(question, outlier, "typical"));
  ordered_json object{{"next", next},
                      {"first", next.empty() ? ordered_json() : arm_as_json(question, answer.next.first)},
                      {"round", answer.next.number},
                      {"rounds_before", answer.next.without_choice + answer.next.saving},
                      {"what_to_do", what_to_do(question, answer)},
                      {"why", why(question, answer)},
                      {"what_would_change", what_would_change(question, answer)},
                      {"cautions", cautions(question, answer)},
                      {"to_learn", as_json(question, answer.to_learn)},
                      {"what_if", as_json(question, answer.what_if)},
                      {"policy", answer.policy},
                      {"horizon", units_as_json(question, question.horizon)},
                      {"made", answer.made},
                      {"pending", answer.pending},
                      {"units_left", units_as_json(question, answer.units_left)},
                      {"remaining", answer.remaining},
                      {"noise_sd", {{"value", answer.sd}, {"estimated", answer.sd_estimated}}},
                      {"outliers", outliers},
                      {"doubtful", doubtful},
                      {"scale", {question.scale.minimum, question.scale.maximum}},
                      {"arms", arms_as_json(question, answer)}};
  add_conditions(object, question);
  // JSON must be UTF-8, which the name of an arm need not be.
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace longrun
