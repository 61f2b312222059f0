#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "apps/longrun/page_option.h"
#include "apps/longrun/question_options.h"
#include "longrun/base/text.h"
#include "longrun/base/text_table.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/report/advice/recommendation_figure.h"
#include "longrun/report/advice/recommendation_json.h"
#include "longrun/report/advice/recommendation_page.h"
#include "longrun/report/advice/recommendation_text.h"

namespace longrun {
namespace {

struct RecommendOptions {
  QuestionOptions question;
  std::optional<std::string> plot;
  std::optional<std::string> report;
  bool all_arms = false;
  bool json = false;
};

// ---- text

void print_table(const Question& question, const Recommendation& answer, bool all_arms) {
  const std::vector<Arm> shown = arms_in_table(answer, all_arms ? answer.arms.size() : kMostArmsShown);
  std::vector<std::vector<std::string>> rows{
      {"arm", "pulls", "left", "reward now", "of last", "trend", "expected (80 %)", "learning", "upper bound"}};
  for (const Arm arm : shown) {
    const ArmRow row = arm_row(question, answer, arm);
    rows.push_back({row.label, row.pulls, row.remaining, row.reward_now, row.of_last, row.trend, row.expected,
                    row.learning, row.upper_bound});
  }
  std::string alignment = "lrrrrlrrr";
  if (!answer.costs_differ) {  // all arms can get the same number of pulls, which the text below states
    for (std::vector<std::string>& row : rows) row.erase(row.begin() + 2);
    alignment.erase(2, 1);
  }
  fmt::print("{}", text_table(rows, alignment, kWidestLabel));
  print_arms_not_shown(answer.arms.size() - shown.size());
}

void print_as_text(const Question& question, const Recommendation& answer, bool all_arms) {
  fmt::print("{}\n\n{}\n\n", what_to_do(question, answer), paragraph(why(question, answer)));
  print_table(question, answer, all_arms);
  std::vector<std::string> notes = table_meaning(question, answer);
  notes.push_back(noise_text(question, answer));
  if (answer.pending > 0) notes.push_back(pending_text(question, answer));
  if (std::string lost = lost_sentence(question.history, answer.made); !lost.empty()) notes.push_back(std::move(lost));
  fmt::print("\n{}\n", paragraph(notes));
  if (const std::vector<std::string> sentences = cautions(question, answer); !sentences.empty()) {
    fmt::print("\nCautions:\n{}\n", paragraph(sentences));
  }
  if (!answer.next.arms.empty()) {
    fmt::print("\nWhat would change the choice:\n{}\n", paragraph(what_would_change(question, answer)));
  }
}

void run_recommend(const CLI::App& parser, const RecommendOptions& options) {
  if (options.plot) check_picture_kind(*options.plot);
  if (options.report) check_page_path(*options.report, options.question.history);
  std::string history;
  const Question question = options.question.read(options.report ? &history : nullptr);
  const Recommendation answer = recommend(question);
  options.json ? fmt::print("{}\n", recommendation_json(question, answer))
               : print_as_text(question, answer, options.all_arms);
  std::fflush(stdout);  // the advice must not wait for the files, nor be lost with them
  const std::optional<std::string>& file = options.question.history;
  write_each({[&] {
                if (!options.report) return;
                const AdvicePage page =
                    recommendation_page(question, answer, page_origin(parser, file, std::move(history)));
                write_page(*options.report, page);
              },
              [&] {
                if (options.plot) draw_recommendation(question, answer, *options.plot);
              }});
}

}  // namespace

Command add_recommend(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "recommend", "Recommend which arm to pull next, and explain why",
      "The history is a CSV file with the header arm,reward and one row per pull, in order; '-' reads standard input.\n"
      "It has all pulls from the first on. Columns are separated by commas, semicolons, tabs or |. Cells of the column "
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
  add_value(*parser, "--report", "FILE.html", options->report,
            "write one page to share: the advice, pictures, data\n"
            "and what is needed to repeat it; needs no network");
  add_flag(*parser, "--all-arms", options->all_arms,
           fmt::format("show all arms in the table, not only {}", kMostArmsShown));
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [parser, options] { run_recommend(*parser, *options); }};
}

}  // namespace longrun
