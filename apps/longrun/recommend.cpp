#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/longrun/question_options.h"
#include "longrun/base/text.h"
#include "longrun/decide/explanation.h"
#include "longrun/report/recommendation_figure.h"

namespace longrun {
namespace {

using nlohmann::ordered_json;

struct RecommendOptions {
  QuestionOptions question;
  std::optional<std::string> plot;
  bool json = false;
};

// ---- text

/// Returns the sentences as a paragraph.
std::string paragraph(const std::vector<std::string>& sentences) {
  return wrapped(fmt::format("{}", fmt::join(sentences, " ")));
}

std::string noise_text(const Question& question, const Recommendation& answer) {
  if (answer.sd == 0) return "Rewards are treated as exact.";
  const std::string sd = reward_difference_text(question.scale, answer.sd);
  if (!answer.sd_estimated) return fmt::format("The noise has standard deviation {}.", sd);
  return fmt::format("The noise has standard deviation {}, {}.", sd,
                     answer.made == 0 ? "an initial value until rewards are observed" : "estimated from the rewards");
}

std::string reward_now_text(const Question& question, const Recommendation& answer, const ArmReport& arm) {
  if (!arm.reward_now) return "-";
  const std::string text = reward_text(question.scale, arm.reward_now->mean);
  if (answer.sd == 0) return text;
  return fmt::format("{} +- {}", text, reward_difference_text(question.scale, arm.reward_now->standard_error));
}

std::string expected_text(const Question& question, const ArmReport& arm) {
  if (!arm.expected) return "-";
  return fmt::format("{} ({} to {})", reward_text(question.scale, arm.expected->mean),
                     reward_text(question.scale, arm.expected->low), reward_text(question.scale, arm.expected->high));
}

std::string learning_text(const Question& question, const ArmReport& arm) {
  const auto value = arm.value_of_learning();
  return value ? reward_difference_text(question.scale, *value) : "-";
}

void print_table(const Question& question, const Recommendation& answer) {
  const auto& names = question.history.arm_names;
  const bool named = std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); });
  const auto print = [](const auto&... cells) {
    fmt::print("{:>5}  {:>9}  {:>16}  {:<17}  {:>22}  {:>8}  {:>11}", cells...);
  };
  print("arm", "pulls", "reward now", "trend", "expected (80 %)", "learning", "upper bound");
  fmt::print("{}\n", named ? "  name" : "");
  for (std::size_t i = 0; i < answer.arms.size(); ++i) {
    const ArmReport& arm = answer.arms[i];
    const double upper_bound = arm.upper_bound_total / static_cast<double>(std::max<Pulls>(1, answer.remaining));
    print(i, arm.pulls, reward_now_text(question, answer, arm), arm.trend ? trend_text(*arm.trend) : "-",
          expected_text(question, arm), learning_text(question, arm),
          reward_text(question.scale, upper_bound) + (arm.misfit ? "?" : ""));
    fmt::print("{}\n", names[i].empty() ? "" : "  " + names[i]);
  }
}

void print_as_text(const Question& question, const Recommendation& answer) {
  fmt::print("{}\n\n{}\n\n", what_to_do(question, answer), paragraph(why(question, answer)));
  print_table(question, answer);
  fmt::print("\n{}\n",
             paragraph({fmt::format("The expected reward and the upper bound are per pull, if the remaining {} of {} "
                                    "pulls all go to the arm. Learning is the value of finding out early whether the "
                                    "arm is better than expected: how far the index, by which the policy compares "
                                    "arms, is above the expected reward.",
                                    answer.remaining, answer.made + answer.remaining),
                        noise_text(question, answer)}));
  if (const std::vector<std::string> sentences = cautions(question, answer); !sentences.empty()) {
    fmt::print("\nCautions:\n{}\n", paragraph(sentences));
  }
  if (!answer.next.arms.empty()) {
    fmt::print("\nWhat would change the choice:\n{}\n", paragraph(what_would_change(question, answer)));
  }
}

// ---- JSON

ordered_json as_json(const std::optional<RewardNow>& now) {
  if (!now) return nullptr;
  return {{"mean", now->mean}, {"standard_error", now->standard_error}, {"pulls", now->pulls}};
}

ordered_json as_json(const std::optional<CurveTrend>& trend) {
  if (!trend) return nullptr;
  return {{"stated", name(trend->stated())},
          {"rising", trend->rising},
          {"falling", trend->falling},
          {"steady", trend->steady}};
}

ordered_json as_json(const std::optional<ExpectedReward>& expected) {
  if (!expected) return nullptr;
  return {{"mean", expected->mean}, {"low", expected->low}, {"high", expected->high}};
}

ordered_json as_json(const std::optional<Misfit>& misfit) {
  if (!misfit) return nullptr;
  return {{"kind", name(misfit->kind)}, {"from", misfit->from}, {"to", misfit->to}};
}

ordered_json as_json(const ArmReport& arm, std::size_t number, const std::string& arm_name) {
  ordered_json course = ordered_json::array();
  for (const auto& [pull, reward] : arm.expected_course) {
    course.push_back({{"pull", pull}, {"mean", reward.mean}, {"low", reward.low}, {"high", reward.high}});
  }
  ordered_json points = ordered_json::array();
  for (const FuturePull& point : arm.upper_bound) points.push_back({{"pull", point.pull}, {"reward", point.reward}});
  return {{"arm", number},
          {"name", arm_name.empty() ? ordered_json() : ordered_json(arm_name)},
          {"pulls", arm.pulls},
          {"reward_now", as_json(arm.reward_now)},
          {"trend", as_json(arm.trend)},
          {"expected", as_json(arm.expected)},
          {"expected_course", course},
          {"value_of_learning", arm.expected ? ordered_json(*arm.value_of_learning()) : ordered_json()},
          {"index", arm.index},
          {"upper_bound", {{"total", arm.upper_bound_total}, {"curve", points}}},
          {"misfit", as_json(arm.misfit)}};
}

ordered_json as_json(const std::optional<WhatIf>& what_if) {
  if (!what_if) return nullptr;
  ordered_json then = ordered_json::array();
  for (const Consequence& c : what_if->consequences) then.push_back({{"from", c.from}, {"to", c.to}, {"arm", c.arm}});
  return {{"arm", what_if->arm}, {"pulls", what_if->pulls}, {"then", then}};
}

ordered_json as_json(const NextPulls& next) {
  ordered_json causes = ordered_json::object();
  for (const auto& [cause, pulls] : next.causes) causes[std::string(name(cause))] = pulls;
  return {{"arm", next.arm}, {"pulls", next.pulls()}, {"causes", causes}};
}

ordered_json as_json(const std::optional<ToLearn>& learn) {
  if (!learn) return nullptr;
  return {
      {"instead", learn->instead}, {"cost", learn->cost}, {"probability", learn->probability}, {"gain", learn->gain}};
}

ordered_json as_json(const Question& question, const Outlier& outlier) {
  return {{"pull", outlier.pull + 1},
          {"arm", question.history.pulls[outlier.pull].arm},
          {"reward", outlier.reward},
          {"counted_as", outlier.typical}};
}

void print_as_json(const Question& question, const Recommendation& answer) {
  ordered_json next = ordered_json::array();
  for (const NextPulls& each : answer.next.arms) next.push_back(as_json(each));
  ordered_json arms = ordered_json::array();
  for (std::size_t i = 0; i < answer.arms.size(); ++i) {
    arms.push_back(as_json(answer.arms[i], i, question.history.arm_names[i]));
  }
  ordered_json outliers = ordered_json::array();
  for (const Outlier& outlier : answer.outliers) outliers.push_back(as_json(question, outlier));
  ordered_json object{{"next", next},
                      {"round", answer.next.number},
                      {"what_to_do", what_to_do(question, answer)},
                      {"why", why(question, answer)},
                      {"what_would_change", what_would_change(question, answer)},
                      {"cautions", cautions(question, answer)},
                      {"to_learn", as_json(answer.to_learn)},
                      {"what_if", as_json(answer.what_if)},
                      {"policy", answer.policy},
                      {"horizon", question.horizon},
                      {"made", answer.made},
                      {"remaining", answer.remaining},
                      {"noise_sd", {{"value", answer.sd}, {"estimated", answer.sd_estimated}}},
                      {"outliers", outliers},
                      {"scale", {question.scale.minimum, question.scale.maximum}},
                      {"arms", arms}};
  if (!question.constraints.none()) object["constraints"] = as_json(question.constraints);
  if (!question.unavailable_now.empty()) object["unavailable_now"] = question.unavailable_now;
  // JSON must be UTF-8, which the name of an arm need not be.
  fmt::print("{}\n", object.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void run_recommend(const RecommendOptions& options) {
  if (options.plot) check_picture_path(*options.plot);
  const Question question = options.question.read();
  const Recommendation answer = recommend(question);
  if (options.plot) draw_recommendation(question, answer, *options.plot);
  options.json ? print_as_json(question, answer) : print_as_text(question, answer);
}

}  // namespace

Command add_recommend(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "recommend", "Recommend which arm to pull next, and explain why",
      "The history is a CSV file with the header arm,reward and one row per pull, in order; '-' reads standard input.\n"
      "It has all pulls from the first on. Columns are separated by commas, semicolons or tabs. Arms are numbers from\n"
      "0, or names. Without a history, the first pull is recommended. Mean rewards must lie in\n"
      "[0, 1]; --scale sets another range. docs/recommend.md explains the output.\n\n"
      "Examples:\n"
      "  longrun recommend --horizon 1000 --arms 3\n"
      "  longrun recommend --horizon 1000 --history datasets/example_history.csv\n"
      "  longrun recommend --horizon 1000 --history datasets/example_history.csv --sd 0.1 --unavailable-now 1 --plot "
      "arms.svg\n"
      "  longrun recommend --horizon 5000 --history sales.csv --scale 0:250 --units-per-round 10 --json\n"
      "  zcat pulls.csv.gz | longrun recommend --horizon 600 --history -");
  const auto options = std::make_shared<RecommendOptions>();
  options->question.add_to(*parser);
  add_value(*parser, "--plot", "FILE", options->plot,
            "draw the arms, their past rewards and upper bounds, into\n"
            "a .svg, .pdf or .png file");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run_recommend(*options); }};
}

}  // namespace longrun
