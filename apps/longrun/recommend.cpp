#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/longrun/question_options.h"
#include "longrun/base/text.h"
#include "longrun/decide/explanation.h"
#include "longrun/report/recommendation_figure.h"

namespace longrun {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostArmsShown = 20;  // rows of the table, if not all arms are shown
constexpr std::size_t kWidestLabel = 30;    // columns of the table; a longer label moves its row to the right

struct RecommendOptions {
  QuestionOptions question;
  std::optional<std::string> plot;
  bool all_arms = false;
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

/// Returns the arms that the table shows: all in their order, or those to pull next and those with the largest index.
std::vector<Arm> arms_shown(const Recommendation& answer, bool all_arms) {
  std::vector<Arm> arms(answer.arms.size());
  std::iota(arms.begin(), arms.end(), Arm{0});
  if (all_arms || arms.size() <= kMostArmsShown) return arms;
  std::vector<Pulls> next(arms.size());  // pulls in the next round
  for (const NextPulls& each : answer.next.arms) next[static_cast<std::size_t>(each.arm)] = each.pulls();
  const auto before = [&](Arm a, Arm b) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    if (next[i] != next[j]) return next[i] > next[j];
    if (answer.arms[i].index != answer.arms[j].index) return answer.arms[i].index > answer.arms[j].index;
    return a < b;
  };
  std::partial_sort(arms.begin(), arms.begin() + kMostArmsShown, arms.end(), before);
  arms.resize(kMostArmsShown);
  return arms;
}

void print_table(const Question& question, const Recommendation& answer, bool all_arms) {
  const std::vector<Arm> shown = arms_shown(answer, all_arms);
  std::size_t width = 3;
  for (const Arm arm : shown) width = std::max(width, columns_of(label_of(question.history.arm_names, arm)));
  width = std::min(width, kWidestLabel);
  const auto print = [&](const std::string& label, const auto&... cells) {
    const std::size_t used = columns_of(label);
    fmt::print("{}{}  {:>9}  {:>16}  {:<17}  {:>22}  {:>8}  {:>11}\n", label,
               std::string(used < width ? width - used : 0, ' '), cells...);
  };
  print("arm", "pulls", "reward now", "trend", "expected (80 %)", "learning", "upper bound");
  for (const Arm number : shown) {
    const ArmReport& arm = answer.arms[static_cast<std::size_t>(number)];
    const double upper_bound = arm.upper_bound_total / static_cast<double>(std::max<Pulls>(1, answer.remaining));
    print(label_of(question.history.arm_names, number), arm.pulls, reward_now_text(question, answer, arm),
          arm.trend ? trend_text(*arm.trend) : "-", expected_text(question, arm), learning_text(question, arm),
          reward_text(question.scale, upper_bound) + (arm.misfit ? "?" : ""));
  }
  if (shown.size() < answer.arms.size()) {
    fmt::print("{} more arms are not shown; --all-arms shows all.\n", answer.arms.size() - shown.size());
  }
}

std::string pending_text(const Recommendation& answer) {
  return fmt::format("{} of {} pulls {} pending: {} made, and {} {} not known yet.", answer.pending, answer.made,
                     answer.pending == 1 ? "is" : "are", answer.pending == 1 ? "it is" : "they are",
                     answer.pending == 1 ? "its reward" : "their rewards", answer.pending == 1 ? "is" : "are");
}

void print_as_text(const Question& question, const Recommendation& answer, bool all_arms) {
  fmt::print("{}\n\n{}\n\n", what_to_do(question, answer), paragraph(why(question, answer)));
  print_table(question, answer, all_arms);
  std::vector<std::string> notes{
      fmt::format(
          "The expected reward and the upper bound are per pull, if the remaining {} of {} pulls all go to the "
          "arm. Learning is the value of finding out early whether the arm is better than expected: how far the "
          "index, by which the policy compares arms, is above the expected reward.",
          answer.remaining, answer.made + answer.remaining),
      noise_text(question, answer)};
  if (answer.pending > 0) notes.push_back(pending_text(answer));
  fmt::print("\n{}\n", paragraph(notes));
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

/// Returns an arm as JSON: its position and its label.
ordered_json as_json(const Question& question, Arm arm) {
  return {{"arm", arm}, {"name", label_of(question.history.arm_names, arm)}};
}

ordered_json as_json(const Question& question, const ArmReport& arm, Arm number, Pulls pending) {
  ordered_json course = ordered_json::array();
  for (const auto& [pull, reward] : arm.expected_course) {
    course.push_back({{"pull", pull}, {"mean", reward.mean}, {"low", reward.low}, {"high", reward.high}});
  }
  ordered_json points = ordered_json::array();
  for (const FuturePull& point : arm.upper_bound) points.push_back({{"pull", point.pull}, {"reward", point.reward}});
  return {{"arm", number},
          {"name", label_of(question.history.arm_names, number)},
          {"pulls", arm.pulls},
          {"pending", pending},
          {"reward_now", as_json(arm.reward_now)},
          {"trend", as_json(arm.trend)},
          {"expected", as_json(arm.expected)},
          {"expected_course", course},
          {"value_of_learning", arm.expected ? ordered_json(*arm.value_of_learning()) : ordered_json()},
          {"index", arm.index},
          {"upper_bound", {{"total", arm.upper_bound_total}, {"curve", points}}},
          {"misfit", as_json(arm.misfit)}};
}

ordered_json as_json(const Question& question, const std::optional<WhatIf>& what_if) {
  if (!what_if) return nullptr;
  ordered_json then = ordered_json::array();
  for (const Consequence& consequence : what_if->consequences) {
    ordered_json range{{"from", consequence.from}, {"to", consequence.to}};
    range.update(as_json(question, consequence.arm));
    then.push_back(std::move(range));
  }
  ordered_json object = as_json(question, what_if->arm);
  object["pulls"] = what_if->pulls;
  object["then"] = std::move(then);
  return object;
}

ordered_json arms_as_json(const Question& question, const Recommendation& answer) {
  std::vector<Pulls> pending(answer.arms.size());
  for (const PastPull& pull : question.history.pulls) {
    if (!pull.reward) ++pending[static_cast<std::size_t>(pull.arm)];
  }
  ordered_json arms = ordered_json::array();
  for (std::size_t i = 0; i < answer.arms.size(); ++i) {
    arms.push_back(as_json(question, answer.arms[i], static_cast<Arm>(i), pending[i]));
  }
  return arms;
}

/// Returns a number of units as JSON, with its decimals.
ordered_json units_as_json(const Question& question, Pulls units) {
  const int decimals = question.constraints.unit_decimals;
  if (decimals == 0) return units;
  return static_cast<double>(units) / static_cast<double>(power_of_ten(decimals));
}

ordered_json as_json(const Question& question, const NextPulls& next) {
  ordered_json causes = ordered_json::object();
  for (const auto& [cause, pulls] : next.causes) causes[std::string(name(cause))] = pulls;
  ordered_json object = as_json(question, next.arm);
  object["pulls"] = next.pulls();
  object["causes"] = std::move(causes);
  return object;
}

ordered_json as_json(const Question& question, const std::optional<ToLearn>& learn) {
  if (!learn) return nullptr;
  return {{"instead", as_json(question, learn->instead)},
          {"cost", learn->cost},
          {"probability", learn->probability},
          {"gain", learn->gain}};
}

ordered_json as_json(const Question& question, const Outlier& outlier) {
  const PastPull& pull = question.history.pulls[outlier.pull];
  ordered_json object = as_json(question, pull.arm);
  object["pull"] = outlier.pull + 1;
  object["line"] = pull.line > 0 ? ordered_json(pull.line) : ordered_json();
  object["reward"] = outlier.reward;
  object["counted_as"] = outlier.typical;
  return object;
}

void print_as_json(const Question& question, const Recommendation& answer) {
  ordered_json next = ordered_json::array();
  for (const NextPulls& each : answer.next.arms) {
    next.push_back(as_json(question, each));
  }
  ordered_json outliers = ordered_json::array();
  for (const Outlier& outlier : answer.outliers) outliers.push_back(as_json(question, outlier));
  ordered_json object{{"next", next},
                      {"round", answer.next.number},
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
                      {"remaining", answer.remaining},
                      {"noise_sd", {{"value", answer.sd}, {"estimated", answer.sd_estimated}}},
                      {"outliers", outliers},
                      {"scale", {question.scale.minimum, question.scale.maximum}},
                      {"arms", arms_as_json(question, answer)}};
  if (!question.constraints.none()) {
    const ArmLabels labels(question.history.arm_names);
    object["constraints"] = as_json(question.constraints, {.arms = &labels, .arms_are_ordered = false});
  }
  for (const Arm arm : question.unavailable_now) object["unavailable_now"].push_back(as_json(question, arm));
  if (!question.history.warnings.empty()) object["warnings"] = question.history.warnings;
  // JSON must be UTF-8, which the name of an arm need not be.
  fmt::print("{}\n", object.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void run_recommend(const RecommendOptions& options) {
  if (options.plot) check_picture_kind(*options.plot);
  const Question question = options.question.read();
  const Recommendation answer = recommend(question);
  options.json ? print_as_json(question, answer) : print_as_text(question, answer, options.all_arms);
  if (!options.plot) return;
  std::fflush(stdout);  // the advice must not wait for the picture, nor be lost with it
  draw_recommendation(question, answer, *options.plot);
}

}  // namespace

Command add_recommend(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "recommend", "Recommend which arm to pull next, and explain why",
      "The history is a CSV file with the header arm,reward and one row per pull, in order; '-' reads standard input.\n"
      "It has all pulls from the first on. Columns are separated by commas, semicolons or tabs. Cells of the column "
      "arm\n"
      "are labels: other options name arms by them. Without a history, the first pull is recommended. Mean rewards "
      "must\n"
      "lie in [0, 1]; --scale sets another range. docs/recommend.md explains input and output.\n\n"
      "Examples:\n"
      "  longrun recommend --horizon 1000 --arms 3\n"
      "  longrun recommend --horizon 1000 --history datasets/example_history.csv\n"
      "  longrun recommend --horizon 1000 --history datasets/example_history.csv --minimum-share 'item 2:0.3' --plot "
      "arms.svg\n"
      "  longrun recommend --horizon 5000 --history sales.csv --scale 0:250 --units-per-round 10 --json\n"
      "  zcat pulls.csv.gz | longrun recommend --horizon 600 --history -");
  const auto options = std::make_shared<RecommendOptions>();
  options->question.add_to(*parser);
  add_value(*parser, "--plot", "FILE", options->plot,
            "draw the arms, their past rewards and upper bounds, into\n"
            "a .svg, .pdf or .png file");
  add_flag(*parser, "--all-arms", options->all_arms,
           fmt::format("show all arms in the table, not only {}", kMostArmsShown));
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run_recommend(*options); }};
}

}  // namespace longrun
