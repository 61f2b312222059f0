#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "apps/longrun/commands.h"
#include "apps/longrun/page_option.h"
#include "apps/longrun/question_options.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/read_file.h"
#include "longrun/base/text.h"
#include "longrun/base/text_table.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/plan_figure.h"
#include "longrun/report/advice/plan_json.h"
#include "longrun/report/advice/plan_page.h"
#include "longrun/report/picture.h"
#include "longrun/simulate/plan/compared_constraints.h"
#include "longrun/simulate/plan/plan_of_study.h"
#include "longrun/simulate/plan/plan_text.h"

namespace longrun {
namespace {

struct OptionsOfPlan {
  QuestionOptions question;
  std::optional<std::string> study;
  std::optional<std::string> futures;
  std::optional<std::string> seed;
  std::optional<std::string> threads;
  std::optional<std::string> plot;
  std::optional<std::string> report;
  std::vector<std::string> compare;
  bool all_arms = false;
  bool json = false;
};

void read_study(const OptionsOfPlan& options, PlanQuestion& asked, std::string* bytes) {
  if (options.question.any()) {
    throw InputError(
        "--study: the file says what the arms, the budget, the policy and the constraints are; it cannot be "
        "combined with options that do");
  }
  const std::string events = read_file(*options.study, "file of events");
  try {
    asked.study = history_from_json_lines(events);
    if (bytes != nullptr) *bytes = events;
    asked.question = question_of(*asked.study);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", *options.study, error.what()));
  }
}

/// Reads the question and, if `bytes` is not null, copies the file of the history or of the study into it.
PlanQuestion plan_question_of(const OptionsOfPlan& options, std::string* bytes) {
  PlanQuestion asked;
  if (options.futures) asked.futures = parse_whole("--futures", *options.futures, kFewestFutures, kMostFutures);
  if (options.seed) {
    asked.seed = parse_whole<std::uint64_t>("--seed", *options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  }
  if (options.study) {
    read_study(options, asked, bytes);
  } else {
    asked.question = options.question.read(bytes);
  }
  const ArmLabels labels(asked.question.history.arm_names,
                         options.question.positions ? ArmLabels::By::position : ArmLabels::By::label);
  const bool are_ordered = options.study || options.question.arms_are_ordered();
  for (const std::string& text : options.compare) {
    try {
      asked.compare.push_back(
          compared_constraints(text, asked.question.constraints, {.arms = &labels, .arms_are_ordered = are_ordered}));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--compare {}", error.what()));
    }
  }
  return asked;
}

// ---- text

void print_courses(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{
      {"course", "total (80 %)", fmt::format("{} earns more by", plan.policy), "in futures"}};
  for (const Course& course : plan.courses) {
    const bool is_policy = course.kind == CourseKind::policy;
    rows.push_back({course.name, range_text(course.total), is_policy ? "" : range_text(course.loss),
                    is_policy ? "" : share_text(course.worse_share)});
  }
  fmt::print("{}", text_table(rows, "lrrr"));
}

void print_arms(const PlanQuestion& asked, const Plan& plan, bool all_arms) {
  const std::vector<Arm> shown = arms_in_table(plan, all_arms ? plan.arms.size() : kMostArmsShown);
  std::vector<std::vector<std::string>> rows{{"arm", "pulls so far", "next round", "remaining pulls (80 %)"}};
  for (const Arm arm : shown) {
    const PlannedArm& planned = plan.arms[static_cast<std::size_t>(arm)];
    rows.push_back({label_of(asked.question.history.arm_names, arm), std::to_string(planned.made),
                    range_text(planned.next_round), range_text(planned.rest)});
  }
  fmt::print("{}", text_table(rows, "lrrr", kWidestLabel));
  print_arms_not_shown(plan.arms.size() - shown.size());
}

void print_plan(const PlanQuestion& asked, const Plan& plan, bool all_arms) {
  fmt::print("{}\n", paragraph(what_is_earned(asked, plan)));
  for (const auto& sentences : {what_constraints_cost(asked, plan), what_is_not_met(plan)}) {
    if (!sentences.empty()) fmt::print("\n{}\n", paragraph(sentences));
  }
  fmt::print("\n");
  print_courses(plan);
  fmt::print("\n");
  print_arms(asked, plan, all_arms);
  fmt::print("\n{}\n", paragraph(plan_notes(asked, plan)));
  if (!plan.cautions.empty()) fmt::print("\nCautions:\n{}\n", paragraph(plan.cautions));
}

/// A line on a terminal that counts the futures played, once a plan takes longer than a moment.
class FuturesLine {
 public:
  explicit FuturesLine(Pulls total) : total_(total), shown_(isatty(STDERR_FILENO) == 1 ? Clock::now() : kNever) {}
  ~FuturesLine() {
    if (written_) std::fputs("\r\x1b[K", stderr);
  }
  FuturesLine(const FuturesLine&) = delete;
  FuturesLine& operator=(const FuturesLine&) = delete;

  void show(Pulls done) {
    if (shown_ == kNever || Clock::now() - shown_ < std::chrono::milliseconds(500)) return;
    shown_ = Clock::now();
    written_ = true;
    std::fputs(fmt::format("\rlongrun: {} of {} futures\x1b[K", done, total_).c_str(), stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  Pulls total_;
  Clock::time_point shown_;  // when the line was last written, or the plan began; kNever if there is no terminal
  bool written_ = false;     // whether the line is on the terminal
};

/// Says what is played, if that takes more than a few minutes on one core.
void announce(const PlanQuestion& asked, Pulls pulls, std::size_t courses) {
  constexpr double kLong = 1e9;  // pulls
  const double all = static_cast<double>(pulls) * static_cast<double>(courses) * static_cast<double>(asked.futures);
  if (all < kLong) return;
  say(fmt::format("playing {} courses of {} pulls in {} futures, {:.1e} pulls in all, takes minutes or hours{}",
                  courses, pulls, asked.futures, all,
                  asked.futures > kFewestFutures ? "; fewer --futures take less time" : ""));
}

void run_plan(const CLI::App& parser, const OptionsOfPlan& options) {
  const std::optional<std::string>& file = options.study ? options.study : options.question.history;
  if (options.plot) check_picture_kind(*options.plot);
  if (options.report) check_page_path(*options.report, file);
  std::string history;
  const PlanQuestion asked = plan_question_of(options, options.report ? &history : nullptr);
  Plan answer;
  {
    FuturesLine line(asked.futures);
    const PlanOptions how{.threads = options.threads ? parse_whole("--threads", *options.threads, 1, 1024) : 0,
                          .on_progress = [&](Pulls done) { line.show(done); },
                          .on_start = [&](Pulls pulls, std::size_t courses) { announce(asked, pulls, courses); }};
    answer = plan(asked, how);
  }
  options.json ? fmt::print("{}\n", plan_json(asked, answer)) : print_plan(asked, answer, options.all_arms);
  std::fflush(stdout);  // the answer must not wait for the files, nor be lost with them
  write_each({[&] {
                if (!options.report) return;
                write_page(*options.report, plan_page(asked, answer, page_origin(parser, file, std::move(history))));
              },
              [&] {
                if (options.plot) draw_plan(asked, answer, *options.plot);
              }});
}

}  // namespace

Command add_plan(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "plan", "Estimate what the remaining pulls will earn, and what a constraint costs",
      "Draws futures from what the rewards leave open, follows the policy to the end in each, and compares it with an\n"
      "equal split, with the best arm so far and with greedy in the same futures. docs/plan.md explains the output.\n\n"
      "Examples:\n"
      "  longrun plan --horizon 1000 --history datasets/example_history.csv\n"
      "  longrun plan --horizon 1000 --history datasets/example_history.csv --compare 'minimum-share 0.1'\n"
      "  longrun plan --horizon 1000 --history datasets/example_history.csv --units-per-round 50 --plot plan.svg\n"
      "  longrun plan --horizon 1000 --history datasets/example_history.csv --minimum-pulls 100 --compare none --json\n"
      "  longrun plan --study study.jsonl --compare 'minimum-pulls 50'");
  const auto options = std::make_shared<OptionsOfPlan>();
  options->question.add_to(*parser);
  add_value(*parser, "--study", "FILE.jsonl", options->study,
            "the events of a study, in place of a history and of all\n"
            "options above; it may have pending decisions");
  add_repeated_value(*parser, "--compare", "'NAME VALUE'", options->compare,
                     "compute the price of a constraint such as\n"
                     "'minimum-share 0.1': it replaces the constraint of that\n"
                     "name in the same futures; 'none' removes all constraints.\n"
                     "Can be given several times");
  add_value(*parser, "--futures", "N", options->futures,
            fmt::format("number of futures, from {} to {}\n(default: 1000)", kFewestFutures, kMostFutures));
  add_value(*parser, "--seed", "S", options->seed,
            "whole number >= 0 that determines the futures\n"
            "(default: 0)");
  add_value(*parser, "--threads", "N", options->threads, "number of threads (default: one per core)");
  add_value(*parser, "--plot", "FILE", options->plot,
            "draw the pulls of each arm and the total of each course\n"
            "into a .svg, .pdf or .png file");
  add_value(*parser, "--report", "FILE.html", options->report, "write one page to share, as 'longrun recommend' does");
  add_flag(*parser, "--all-arms", options->all_arms,
           fmt::format("show all arms in the table, not only {}", kMostArmsShown));
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [parser, options] { run_plan(*parser, *options); }};
}

}  // namespace longrun
